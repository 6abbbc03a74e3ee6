"""A league whose bots can be held back on one node, and which leaves them at all levels of isolation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from deadly import HAND
from leagues import ROOT, bot, write_tournament

FILES = {
    "hasty.py": (
        "def hold(turn):\n"
        "    if turn.dice == (1, 2, 3, 4, 6):\n"
        "        raise ValueError('no such hand')\n"
        "    return turn.dice\n"
        "def choose_row(turn):\n"
        "    return turn.open_rows[0]\n"
    ),
    # The environment is the node's. A bot that is kept apart does not see it.
    "gated.py": (
        "import os, time\n"
        "from pathlib import Path\n"
        "GATE = os.environ.get('GATE')\n"
        "def hold(turn):\n"
        "    if GATE:\n"
        "        Path(GATE + '.reached').touch()\n"
        "        while not Path(GATE).exists():\n"
        "            time.sleep(0.01)\n"
        "    if turn.dice == (1, 2, 3, 4, 6):\n"
        "        raise ValueError('none here')\n"
        "    return tuple(face for face in turn.dice if face > 3)\n"
        "def choose_row(turn):\n"
        "    return turn.open_rows[-1]\n"
    ),
    "folder/agent.py": (
        "from tactics import keep\n"
        "def hold(turn):\n"
        "    return keep(turn.dice)\n"
        "def choose_row(turn):\n"
        "    return max(turn.open_rows, key=turn.score)\n"
    ),
    "external.py": (ROOT / "examples" / "external" / "pairs.py").read_text(encoding="utf-8"),
    "folder/tactics.py": "def keep(dice):\n    return tuple(face for face in dice if dice.count(face) > 1)\n",
}
AGENTS: list[Any] = [
    "turn_optimal",
    "collector",
    {"path": "bots/hasty.py", "isolation": "process"},
    {"path": "bots/folder"},
    {"path": "bots/gated.py", "isolation": "inline"},
    {"command": [sys.executable, "-IS", "bots/external.py"]},
]
LEAGUE = {
    "rulesets": ["two-stage", "showdown"],
    "agents": AGENTS,
    "schedule": {"gauntlet": ["gated"]},
    "isolation": "auto",
    "games": 60,
    "limits": {"decision_ms": 2000, "start_s": 60, "wall_s": 120},
}
DEADLY = {
    "agents": ["collector", {**bot("dies.py", "dies", hand=HAND), "isolation": "inline"}, "greedy"],
    "games": 192,
}


def write_league(folder: Path, **changes: Any) -> Path:
    """Write the tournament and its bots."""
    write_bots(folder)
    return write_tournament(folder, **{**LEAGUE, **changes})


def write_bots(folder: Path) -> None:
    for name, text in FILES.items():
        place = folder / "bots" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
