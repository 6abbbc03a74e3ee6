"""A machine that has no process left for workers, or for bots, for a while or for good: the run waits, or ends."""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker, util
from pathlib import Path
from typing import Any

import pytest
from leagues import Console, play_league, write_tournament

from arena import pipeline
from arena.errors import DiskError, NoProcessError, UserError
from arena.store import Store
from arena.tournament import processes

MIRRORS = 40
USUAL = "def hold(turn):\n    return turn.dice\ndef choose_row(turn):\n    return turn.open_rows[0]\n"
NONE_LEFT = "no process can be started for a worker: Resource temporarily unavailable; raise what bounds processes"


class Starts:
    """What becomes of starts of processes.

    Attributes:
        fails: is told a start's number, from 1, and whether it fails.
        number: how many were tried.
    """

    def __init__(self) -> None:
        self.fails: Callable[[int], bool] = lambda number: False
        self.number = 0


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Starts]:
    """Starts of workers that fail at will; nobody waits long from one to the next."""
    resource_tracker.ensure_running()
    made, real = Starts(), util.spawnv_passfds

    def start(*how: Any) -> int:
        made.number += 1
        if made.fails(made.number):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return real(*how)

    monkeypatch.setattr(util, "spawnv_passfds", start)
    monkeypatch.setattr(processes, "AGAIN_S", 0.0)
    monkeypatch.setattr(processes, "MOST_IN_VAIN", 2)
    return made


def descriptors() -> int:
    """What is open, without what multiprocessing leaves of a start that failed until garbage is looked for."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


def league(folder: Path, **changes: Any) -> Path:
    return write_tournament(folder, **{"agents": ["greedy", "collector"], "games": 2 * MIRRORS, **changes})


def test_a_shortage_that_passes(starts: Starts, tmp_path: Path) -> None:
    file = league(tmp_path)
    starts.fails = lambda number: number < processes.MOST_IN_VAIN
    played = play_league(file, tmp_path / "here", backend="processes", workers=1)
    assert starts.number == processes.MOST_IN_VAIN
    assert played.digest == play_league(file, tmp_path / "there").digest


def test_a_shortage_that_lasts(starts: Starts, arena: Console, tmp_path: Path) -> None:
    file = league(tmp_path)
    starts.fails = lambda number: True
    arena("run", file, "--workers", "1", cwd=tmp_path)
    before, starts.number = descriptors(), 0
    run = arena("run", file, "--workers", "1", cwd=tmp_path)
    assert run.code == 1
    assert run.err.splitlines()[-1].startswith(f"error: {NONE_LEFT}")
    assert starts.number == processes.MOST_IN_VAIN
    assert descriptors() == before


def test_another_failure_is_none_of_this(starts: Starts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*how: Any) -> int:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(util, "spawnv_passfds", start)
    with pytest.raises(PermissionError):
        play_league(league(tmp_path), tmp_path, backend="processes", workers=1)


def test_who_has_been_started_plays_all(starts: Starts, tmp_path: Path) -> None:
    """However often another one cannot be started."""
    file = league(tmp_path)
    starts.fails = lambda number: number > 1
    played = play_league(file, tmp_path / "here", backend="processes", workers=2, block_size=4)
    assert starts.number > 2 * processes.MOST_IN_VAIN
    assert played.digest == play_league(file, tmp_path / "there").digest


def test_what_is_finished_stays(starts: Starts, arena: Console, tmp_path: Path) -> None:
    """The worker dies in its second pairing, and there is no room for another."""
    (tmp_path / "dies.py").write_text("import os\n" + USUAL.replace("return turn.dice", "os._exit(3)"))
    file = league(tmp_path, agents=["collector", "greedy", {"name": "last", "path": "dies.py", "isolation": "inline"}])
    starts.fails = lambda number: number > 1
    run = arena("run", file, "--workers", "1", cwd=tmp_path)
    assert run.code == 1
    assert run.err.splitlines()[-1].startswith(f"error: {NONE_LEFT}")
    assert starts.number == 1 + processes.MOST_IN_VAIN
    with Store(tmp_path / "runs" / "small") as store:
        plan = pipeline.plan(pipeline.load(file), store)
        assert plan.games - plan.missing_games == 2 * MIRRORS


FULL = """
import multiprocessing
from arena.agent.nursery import Nursery
from arena.errors import DiskError, NoProcessError

if multiprocessing.parent_process() is not None:

    def start(*_, **__):
        raise {kind}("there is no room")

    Nursery.start = start
"""


@pytest.mark.parametrize("kind", [NoProcessError, DiskError])
def test_a_shortage_for_bots_that_lasts(kind: type[UserError], starts: Starts, tmp_path: Path) -> None:
    """It is not tried for every block anew."""
    for name in ("one", "two", "three", "four"):
        (tmp_path / f"{name}.py").write_text(USUAL)
    (tmp_path / "one.py").write_text(FULL.format(kind=kind.__name__) + USUAL)
    others = [{"path": f"{name}.py", "isolation": "process"} for name in ("two", "three", "four")]
    file = league(tmp_path, agents=[{"path": "one.py", "isolation": "inline"}, *others])
    with Store(tmp_path / "run") as store:
        plan = pipeline.plan(pipeline.load(file), store)
        assert 2 * len(plan.missing) > processes.MOST_IN_VAIN
        with pytest.raises(kind, match=r"^there is no room$"):
            list(pipeline.play(plan, store, backend="processes", workers=1))
    assert starts.number == processes.MOST_IN_VAIN
