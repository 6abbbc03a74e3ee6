"""How long a bot's process may go without progress, by clocks that the test sets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.agent import talk
from arena.agent.talk import BY_CPU, BY_WALL, LostError, Patience
from arena.records import End


class Clocks:
    """What the clocks show: the process's own is None where there is none."""

    cpu: float | None = 5.0
    wall = 100.0


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    shown = Clocks()
    monkeypatch.setattr(talk, "cpu_seconds", lambda process: shown.cpu)
    monkeypatch.setattr(talk, "time", SimpleNamespace(monotonic=lambda: shown.wall))
    return shown


def patience(**how: Any) -> Patience:
    process: Any = SimpleNamespace(process=1)
    return Patience(process, 2, 10, End.TIMEOUT, f"took more than 2 s {BY_CPU}", **how)


def test_processor_time(clocks: Clocks) -> None:
    it = patience()
    clocks.cpu, clocks.wall = 7, 110
    it.check()
    clocks.cpu = 7.1
    with pytest.raises(LostError, match=f"took more than 2 s {BY_CPU}") as lost:
        it.check()
    assert lost.value.end is End.TIMEOUT
    it.renew(3)
    clocks.cpu = 10
    it.check()


@pytest.mark.parametrize("step_s", [None, 0.5])
def test_work_is_progress_if_it_comes_in_steps(step_s: float | None, clocks: Clocks) -> None:
    it = patience() if step_s is None else patience(step_s=step_s)
    clocks.cpu, clocks.wall = 5.5, 109
    it.check()
    clocks.cpu, clocks.wall = 5.9, 111
    if step_s is None:
        with pytest.raises(LostError, match="made no move in 10 s"):
            it.check()
    else:
        it.check()
        clocks.wall = 119.5
        with pytest.raises(LostError, match="made no move in 10 s"):
            it.check()


def test_where_a_process_has_no_clock(clocks: Clocks) -> None:
    clocks.cpu = None
    it = patience(step_s=0.5)
    clocks.wall = 102
    it.check()
    clocks.wall = 102.1
    with pytest.raises(LostError, match=f"took more than 2 s {BY_WALL}"):
        it.check()
