"""How long a finished league takes that is run again: nothing is played, everything is rated."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import yaml

ROOT = Path(__file__).parents[2]
KNOWN = re.compile(r": ([0-9,]+) games of [^,]*, ([0-9,]+) of them played before")


@dataclass(frozen=True, slots=True)
class Rerun:
    """What it took.

    Attributes:
        seconds: by the wall clock, of the whole command, by repeat.
        cpu_seconds: of the processor, by the mean of the repeats.
        games_played: in all repeats together.
        same_digest: whether every repeat printed the digest of the first run.
        size: of the store, in bytes.
    """

    seconds: tuple[float, ...]
    cpu_seconds: float
    games_played: int
    same_digest: bool
    size: int


def rerun_times(games: int, seed: int, *, repeats: int) -> Rerun:
    """Play ``random`` against ``greedy`` with transcripts, and run the same file again and again."""
    content = {"name": "again", "seed": seed, "rulesets": ["thirteen"], "agents": ["random", "greedy"], "games": games}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "again.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        command = [sys.executable, "-m", "arena", "run", "again.yaml"]

        def run() -> tuple[float, str, str]:
            began = perf_counter()
            ran = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                check=True,
                capture_output=True,
                text=True,
            )
            return perf_counter() - began, ran.stdout.splitlines()[-1], ran.stderr

        _, digest, _ = run()
        used_before = _cpu_seconds()
        found = [run() for _ in range(repeats)]
        cpu_seconds = (_cpu_seconds() - used_before) / repeats
        size = sum(path.stat().st_size for path in (folder / "runs" / "again").iterdir())
    played = 0
    for _, _, told in found:
        known = KNOWN.search(told)
        wanted, before = (int(number.replace(",", "")) for number in known.groups()) if known else (games, 0)
        played += wanted - before
    return Rerun(tuple(one[0] for one in found), cpu_seconds, played, {one[1] for one in found} == {digest}, size)


def _cpu_seconds() -> float:
    """Return what all processes took that were started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rerun_page(games: int, repeats: int) -> list[str]:
    """Return the lines of the page."""
    rerun = rerun_times(games, 1, repeats=repeats)
    middle = sorted(rerun.seconds)[repeats // 2]
    took = f"{middle:.2f} s, {rerun.cpu_seconds:.2f} CPU-seconds"
    return [f"{games:,} games, {rerun.size / 10**6:.0f} MB: {took}, {rerun.games_played} games played."]
