"""Foreign bots are never run in a process of the arena's own: not to play, nor to be looked at, listed or checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from leagues import Console, write_tournament

ENGINE = "arena.tournament.block"
"""What no process of a bot's has loaded, and every process that plays."""
BOT = """
import json, os, sys
from pathlib import Path

OWN = {name!r}
sys.modules[OWN] = sys
try:
    with Path({seen!r}).open("a") as file:
        told = dict(name=OWN, engine={engine!r} in sys.modules, cli="arena.cli.main" in sys.modules)
        file.write(json.dumps(told) + "\\n")
except OSError:
    pass


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """What bots write who are run at the level of a process; at the sandbox they cannot."""
    (tmp_path / "agents").mkdir()
    for name in ("witness_by_name", "witness_by_path", "witness_in_two", "witness_of_many", "witness_of_class"):
        folder = {"witness_by_name": "agents", "witness_of_many": "many", "witness_of_class": "."}.get(name, "bots")
        (tmp_path / folder).mkdir(exist_ok=True)
        text = BOT.format(name=name, seen=str(tmp_path / "seen"), engine=ENGINE)
        if name == "witness_of_class":
            text += "\n\nclass Bot:\n    hold = staticmethod(hold)\n    choose_row = staticmethod(choose_row)\n"
        (tmp_path / folder / f"{name}.py").write_text(text)
    return tmp_path / "seen"


AGENTS = [
    "greedy",
    "witness_by_name",
    {"path": "bots/witness_by_path.py"},
    {"glob": "many/*.py"},
    {"class": "witness_of_class:Bot", "name": "witness_of_class"},
]
PLAY: dict[str, Any] = {"games": 2, "schedule": {"gauntlet": ["greedy"]}}
NAMES = {"witness_by_name", "witness_by_path", "witness_of_many", "witness_of_class"}


def told(seen: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []
    seen.unlink(missing_ok=True)
    return lines


def here() -> set[str]:
    """Return the bots that were run in this process."""
    return {name for name in sys.modules if name.startswith("witness_")}


@pytest.mark.parametrize("options", [["--backend", "serial"], ["--workers", "1"]])
def test_a_league(options: list[str], boxed: bool, seen: Path, arena: Console) -> None:
    """Levels as a file has them by default, and as it says them; of the sandbox nothing is written at all."""
    folder = seen.parent
    file = write_tournament(folder, agents=AGENTS, isolation=None if boxed else "process", **PLAY)
    run = arena("run", file, *options, cwd=folder)
    assert run.code == 0, run
    found = told(seen)
    assert not here()
    assert not any(line["engine"] or line["cli"] for line in found)
    assert {line["name"] for line in found} == (set() if boxed else NAMES)


def test_inline_where_the_file_says_so(seen: Path, arena: Console) -> None:
    """The witnesses tell it when they are run by a process that plays."""
    file = write_tournament(seen.parent, agents=AGENTS, isolation="inline", **PLAY)
    run = arena.process("run", file, "--backend", "serial", cwd=seen.parent)
    assert run.code == 0, run
    assert {line["name"] for line in told(seen) if line["engine"]} == NAMES


@pytest.mark.usefixtures("without_sandbox")
def test_they_are_listed(seen: Path, arena: Console) -> None:
    assert arena("agents", cwd=seen.parent).code == 0
    found = told(seen)
    assert {line["name"] for line in found} == {"witness_by_name"}
    assert not any(line["cli"] for line in found)
    assert not here()


@pytest.mark.usefixtures("without_sandbox")
def test_they_are_checked(seen: Path, arena: Console) -> None:
    outcome = arena("check", "bots/witness_by_path.py", "--ruleset", "two-stage", cwd=seen.parent)
    assert outcome.code == 0, outcome
    found = told(seen)
    assert {line["name"] for line in found} == {"witness_by_path"}
    assert not any(line["cli"] for line in found)
    assert not here()


@pytest.mark.usefixtures("sandbox")
def test_they_are_listed_and_checked_in_the_sandbox(seen: Path, arena: Console) -> None:
    """There they can write nothing."""
    assert arena("agents", cwd=seen.parent).code == 0
    outcome = arena("check", "bots/witness_by_path.py", "--ruleset", "two-stage", cwd=seen.parent)
    assert outcome.code == 0, outcome
    assert told(seen) == []
    assert not here()


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which the next best level is that of a process, so that witnesses can tell."""
    monkeypatch.setattr("arena.agent.limits.missing", lambda: ("Landlock",))
