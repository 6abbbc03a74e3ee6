"""How long a bot's process may go without progress, by clocks that the test sets."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from arena.agent import talk
from arena.agent.frames import Writer
from arena.agent.talk import BY_CPU, BY_WALL, LOOKS, MOST_LOOK_S, MOST_THREADS, LostError, Patience, receive_in_time
from arena.records import End


class Clocks:
    """What the clocks show: the process's own is None where there is none."""

    cpu: float | None = 5.0
    wall = 100.0
    in_line = 50.0
    threads = 1


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    shown = Clocks()
    monkeypatch.setattr(talk, "cpu_seconds", lambda process: shown.cpu)
    monkeypatch.setattr(talk, "seconds_in_line", lambda process: shown.in_line)
    monkeypatch.setattr(talk, "threads_of", lambda process: shown.threads)
    monkeypatch.setattr(talk, "time", SimpleNamespace(monotonic=lambda: shown.wall))
    return shown


def check(it: Patience) -> None:
    if over := it.over():
        raise over


def patience(answered: float | None = None, end: End = End.TIMEOUT, **how: Any) -> Patience:
    process: Any = SimpleNamespace(process=1, answered=answered)
    return Patience(process, 2, 10, end, f"took more than 2 s {BY_CPU}", **how)


def test_processor_time(clocks: Clocks) -> None:
    it = patience()
    clocks.cpu, clocks.wall = 7, 110
    check(it)
    clocks.cpu = 7.1
    with pytest.raises(LostError, match=f"took more than 2 s {BY_CPU}") as lost:
        check(it)
    assert lost.value.end is End.TIMEOUT
    it.renew(3)
    clocks.cpu = 10
    check(it)


@pytest.mark.parametrize("step_s", [None, 0.5])
def test_work_is_progress_if_it_comes_in_steps(step_s: float | None, clocks: Clocks) -> None:
    it = patience() if step_s is None else patience(step_s=step_s)
    clocks.cpu, clocks.wall = 5.5, 109
    check(it)
    clocks.cpu, clocks.wall = 5.9, 111
    if step_s is None:
        with pytest.raises(LostError, match="made no move in 10 s"):
            check(it)
    else:
        check(it)
        clocks.wall = 119.5
        with pytest.raises(LostError, match="made no move in 10 s"):
            check(it)


def test_a_process_that_stands_in_line_for_a_processor_does_not_sleep(clocks: Clocks) -> None:
    """However many others there are; but not for ever."""
    it = patience()
    for clocks.wall, clocks.in_line in ((101, 51), (119, 60), (129, 69)):
        check(it)
    clocks.wall = 129.1
    with pytest.raises(LostError, match="made no move in 10 s"):
        check(it)
    it.renew(2)
    clocks.wall, clocks.in_line = 179.1, 119
    check(it)
    clocks.wall, clocks.in_line = 179.2, 119.1
    with pytest.raises(LostError, match="made no move in 10 s"):
        check(it)


def test_where_a_process_has_no_clock(clocks: Clocks) -> None:
    clocks.cpu = None
    it = patience(step_s=0.5)
    clocks.wall = 102
    check(it)
    clocks.wall = 102.1
    with pytest.raises(LostError, match=f"took more than 2 s {BY_WALL}"):
        check(it)


def test_what_a_process_took_since_its_last_answer_counts(clocks: Clocks) -> None:
    it = patience(answered=3.5)
    clocks.cpu = 5.5
    check(it)
    it.answered()
    clocks.cpu = 5.6
    with pytest.raises(LostError, match="took more than 2 s"):
        check(it)
    with pytest.raises(LostError, match="took more than 2 s"):
        it.answered()


def test_an_answer_is_taken_however_late_it_is_read(clocks: Clocks) -> None:
    it = patience()
    clocks.wall = 1000
    it.answered()
    clocks.cpu = None
    it.answered()


def test_what_came_while_this_process_was_stopped_is_read_before_anybody_is_charged(clocks: Clocks) -> None:
    """Three decisions were made, in longer than one may take, and the arena comes to look only now."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process: Any = SimpleNamespace(
            process=1, answered=5.0, channel=ours, output=None, ended=None, signs=list, at=lambda: 3
        )
        theirs.sendall(Writer().number(7).bytes())
        clocks.cpu = 10
        assert receive_in_time(process, 2, 10, End.TIMEOUT, "took long", decisions=3).number() == 7
        theirs.sendall(Writer().number(7).bytes())
        clocks.cpu = 16.1
        with pytest.raises(LostError, match="took long"):
            receive_in_time(process, 2, 10, End.TIMEOUT, "took long", decisions=3)


@pytest.mark.parametrize(("of", "kind"), [(End.TIMEOUT, End.CRASH), (End.START, End.START)])
def test_threads(of: End, kind: End, clocks: Clocks) -> None:
    it = patience(end=of)
    clocks.threads = MOST_THREADS
    check(it)
    clocks.threads += 1
    with pytest.raises(LostError, match=f"^had {MOST_THREADS + 1} threads; {MOST_THREADS} are allowed$") as lost:
        check(it)
    assert lost.value.end is kind
    with pytest.raises(LostError, match="threads"):
        it.answered()


def test_threads_are_looked_for_often() -> None:
    """However long a bot may take: meanwhile nobody else can have what it took."""
    process: Any = SimpleNamespace(process=1, answered=None)
    assert Patience(process, 600, 600, End.TIMEOUT, "").look_s == MOST_LOOK_S
    assert patience().look_s == MOST_LOOK_S < 2 / LOOKS
    assert Patience(process, 0.1, 600, End.TIMEOUT, "").look_s == 0.1 / LOOKS
