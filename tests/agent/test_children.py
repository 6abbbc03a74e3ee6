"""Forking where there is hardly room: which of the zygote's children ends for it, and how often it is tried."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from arena.agent import children
from arena.agent.children import AGAIN_S, CROWD, PATIENCE_S, bury, fork_in_time
from arena.errors import NoProcessError
from arena.sandbox.limits import threads_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")

FORKED = 4_000_000
"""In place of a process: more than there can be."""
SLEEPS = """
import sys, threading, time
threading.stack_size(1 << 16)
for _ in range(int(sys.argv[1]) - 1):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print(flush=True)
time.sleep(600)
"""


@pytest.fixture
def start() -> Iterator[Callable[[int], int]]:
    """Starts a process with so many threads."""
    started = []

    def begin(threads: int) -> int:
        process = subprocess.Popen([sys.executable, "-c", SLEEPS, str(threads)], stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n"
        return process.pid

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that only sleeping moves."""
    shown = SimpleNamespace(now=0.0)

    def sleep(seconds: float) -> None:
        shown.now += seconds

    monkeypatch.setattr(children, "time", SimpleNamespace(monotonic=lambda: shown.now, sleep=sleep))
    return shown


def short(monkeypatch: pytest.MonkeyPatch, until: Callable[[], bool], number: int = errno.EAGAIN) -> list[int]:
    """Let forks fail until something is so; returns a list that gets one for every try."""
    tries = []

    def fork() -> int:
        tries.append(1)
        if not until():
            raise OSError(number, os.strerror(number))
        return FORKED

    monkeypatch.setattr(children.os, "fork", fork)
    return tries


def nothing() -> None:
    """Nobody is there whom nobody needs."""


def test_threads_are_counted(start: Callable[[int], int]) -> None:
    assert threads_of(start(1)) == 1
    assert threads_of(start(40)) == 40
    assert threads_of(FORKED) == 0


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
def test_a_shortage_that_passes(number: int, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = short(monkeypatch, lambda: clock.now > 1, number)
    assert fork_in_time(set(), set(), nothing) == FORKED
    assert len(tries) > 1 / AGAIN_S


def test_a_shortage_that_stays(
    start: Callable[[int], int], clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is killed that has no more threads than any bot may need."""
    usual, crowded = {start(1), start(CROWD)}, set[int]()
    tries = short(monkeypatch, lambda: False)
    with pytest.raises(NoProcessError, match=r"^no process can be started for a bot: [^\n]*unavailable; raise what"):
        fork_in_time(usual, crowded, nothing)
    assert PATIENCE_S <= clock.now < PATIENCE_S + 1
    assert len(tries) < 2 * PATIENCE_S / AGAIN_S
    assert not crowded
    assert {threads_of(process) for process in usual} == {1, CROWD}


def test_the_largest_end_first(start: Callable[[int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as long as it does not help; each is left to be buried."""
    one, large, larger = start(1), start(CROWD + 1), start(CROWD + 20)
    crowded = set[int]()
    short(monkeypatch, lambda: children.has_ended(larger))
    assert fork_in_time({one, large, larger}, crowded, nothing) == FORKED
    assert crowded == {larger}
    assert threads_of(large) == CROWD + 1
    short(monkeypatch, lambda: children.has_ended(large))
    assert fork_in_time({one, large, larger}, crowded, nothing) == FORKED
    assert crowded == {large, larger}
    assert threads_of(one) == 1
    assert [bury(process) for process in (large, larger)] == [-signal.SIGKILL] * 2


def test_what_nobody_needs_ends_meanwhile(clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for before every further try."""
    looked: list[float] = []
    tries = short(monkeypatch, lambda: len(looked) == 3)
    assert fork_in_time(set(), set(), lambda: looked.append(clock.now)) == FORKED
    assert len(tries) == 4


def test_another_failure_is_none_of_this(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = short(monkeypatch, lambda: False, errno.ENOSYS)
    with pytest.raises(OSError, match="not implemented"):
        fork_in_time(set(), set(), nothing)
    assert len(tries) == 1
