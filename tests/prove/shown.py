"""What a claim comes to, and the leagues that claims play: written, run, and read again."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from arena.run_folder import FILE_NAME

ROOT = Path(__file__).parents[2]
CARD_GAMES = ("two-stage", "school", "fifteen", "thirteen", "yahtzee", "yatzy")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a claim came to.

    Attributes:
        claim: what is claimed, in one line.
        figure: what was measured.
        holds: whether the one is true of the other.
    """

    claim: str
    figure: str
    holds: bool


def write_league(folder: Path, *, seed: int, **content: Any) -> Path:
    """Write a tournament file into a folder, and return its path."""
    path = folder / "claim.yaml"
    path.write_text(yaml.safe_dump({"name": "claim", "seed": seed, **content}), encoding="utf-8")
    return path


def start_run(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Start ``arena run``, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def digest_of(process: subprocess.Popen[str]) -> str:
    """Wait until a run ends well, and return the line of its digest."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.splitlines()[-1]


def files_in(folder: Path) -> dict[str, str]:
    """Return the texts of a folder, by path."""
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def standings(out: Path, ruleset: str) -> list[dict[str, Any]]:
    """Return the published lines of a league, the best first."""
    lines: list[dict[str, Any]] = json.loads((out / ruleset / "standings.json").read_text())["standings"]
    return lines


def games_in(run: Path) -> int:
    """Return how many games a run's store holds, at tables of two."""
    with closing(sqlite3.connect(run / FILE_NAME)) as results:
        return 2 * int(results.execute("SELECT SUM(stop - first) FROM blocks").fetchone()[0])
