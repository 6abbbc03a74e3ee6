"""One league, killed with SIGKILL at random moments and continued each time, and who is left behind: nobody."""

from __future__ import annotations

import ctypes
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

PATIENCE = 120.0
SET_CHILD_SUBREAPER = 36


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition, and return what it found."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"no {what} in {PATIENCE:.0f} s"
        time.sleep(0.02)
    return found


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started, or inherited, and that have not ended."""
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    except OSError:  # it has ended meanwhile
        return []
    return [child for child in found if not ended(child)]


def ended(pid: int) -> bool:
    """Return whether a process is gone, or waits to be counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def descendants(pid: int) -> set[int]:
    """Return everybody who comes from a process, and has not ended."""
    found: set[int] = set()
    for child in children_of(pid):
        found |= {child, *descendants(child)}
    return found


@contextmanager
def orphans_come_here() -> Iterator[Callable[[], set[int]]]:
    """Make this process inherit whoever loses his parent, in whatever group or session he is.

    Yields:
        A function that returns those who came from this process meanwhile and live.
    """
    before = descendants(os.getpid())
    libc = ctypes.CDLL(None)
    assert libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    try:
        yield lambda: descendants(os.getpid()) - before
    finally:
        libc.prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


SLOW = "    sum(range(5000))\n"
SLOW_BOT = f"""
def hold(turn):
{SLOW}    return turn.dice


def choose_row(turn):
{SLOW}    return max(turn.open_rows, key=turn.score)
"""
"""So that somebody is playing when a moment has come."""


@dataclass
class Killed:
    """A league that is killed again and again.

    Attributes:
        start: starts it, or lets it go on, in a process group of its own.
        file: its store.
        blocks: how many it has when nobody kills it.
        random: draws the moments.
        kills: of the whole group, so far.
        workers_killed: single ones, so far.
        kept: blocks that were stored before a kill: series, first and last dice set.
    """

    start: Callable[[], subprocess.Popen[str]]
    file: Path
    blocks: int
    random: Random
    kills: int = 0
    workers_killed: int = 0
    kept: set[tuple[str, int, int]] = field(default_factory=set)

    def stored(self) -> set[tuple[str, int, int]]:
        """Return the blocks that are stored, read while somebody may be writing."""
        if not self.file.is_file():
            return set()
        with closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as database:
            try:
                return set(database.execute("SELECT series, first, stop FROM blocks"))
            except sqlite3.OperationalError:  # the table is not made yet
                return set()

    def kill(self, rounds_left: int) -> None:
        """Let it go on for a random number of further blocks, and kill the whole group; nobody may live on."""
        with orphans_come_here() as left, self.start() as process:
            more = self.random.randint(0, max(0, self.blocks - len(self.stored())) // (3 * rounds_left))
            self._wait(process, more)
            if self.random.random() < 0.5:
                self._kill_a_worker(process)
                self._wait(process, self.random.randint(0, 2))
            assert process.poll() is None, process.communicate()
            before = self.stored()
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            assert process.returncode == -signal.SIGKILL
            wait_for(lambda: not left(), "end of every process")
        self.kills += 1
        self.kept |= before

    def finish(self) -> tuple[str, str]:
        """Let it go on to its end, though one of its workers is killed; return what it printed."""
        with orphans_come_here() as left, self.start() as process:
            self._wait(process, 1)
            self._kill_a_worker(process)
            out, err = process.communicate(timeout=10 * PATIENCE)
            assert process.returncode == 0, err
            wait_for(lambda: not left(), "end of every process")
        return out, err

    def _wait(self, process: subprocess.Popen[str], more: int) -> None:
        wanted = len(self.stored()) + more
        wait_for(lambda: process.poll() is not None or len(self.stored()) >= wanted, "stored block")

    def _kill_a_worker(self, process: subprocess.Popen[str]) -> None:
        """Kill somebody who plays: who has a process of a bot below him."""

        def playing() -> list[int]:
            return [one for one in children_of(process.pid) if any(children_of(below) for below in children_of(one))]

        workers = wait_for(lambda: process.poll() is not None or playing(), "worker that plays")
        assert process.poll() is None, process.communicate()
        os.kill(self.random.choice(workers), signal.SIGKILL)
        self.workers_killed += 1

    def check(self, mirrors: int) -> None:
        """Check that every block is there once and whole, those that were stored before a kill among them.

        Args:
            mirrors: of every series.
        """
        with closing(sqlite3.connect(self.file)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            rows = database.execute("SELECT series, first, stop FROM blocks ORDER BY series, first").fetchall()
            transcripts = set(database.execute("SELECT series, first FROM transcripts"))
            transcribed = set(database.execute("SELECT series, first FROM blocks WHERE transcribed"))
        assert len({(series, first) for series, first, _ in rows}) == len(rows)
        assert set(rows) >= self.kept
        assert transcripts == transcribed
        last: dict[str, int] = {}
        for series, first, stop in rows:
            assert first == last.get(series, 0), (series, first)
            last[series] = stop
        assert set(last.values()) == {mirrors}
