"""Bots' processes that are started afresh, as where nothing can be forked: the same games, the same faults."""

from __future__ import annotations

import errno
import gc
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_apart import APART, WIDE, apart, assert_equal, here, misbehaved, open_descriptors, play, shipped
from leagues import Console, bot, write_tournament
from processes import living
from test_misbehaving import (
    CRASH,
    EXCEPTION,
    HANGS,
    HOLD,
    NEVER_READY,
    NONE,
    NORMAL,
    PROTOCOL,
    START,
    TIMEOUT,
    Case,
    deed,
    judge,
)

from arena.agent import spawned, talk
from arena.agent.nursery import Nursery
from arena.agent.spawned import SpawningNursery, new_nursery
from arena.errors import NoProcessError
from arena.records import BlockResult


@pytest.fixture(scope="module")
def spawning() -> Iterator[Nursery]:
    with SpawningNursery() as made:
        yield made


def test_which_kind_works_here(monkeypatch: pytest.MonkeyPatch) -> None:
    with new_nursery() as nursery:
        assert type(nursery) is Nursery
    monkeypatch.setattr(spawned, "FORKS", False)
    with new_nursery() as nursery:
        assert type(nursery) is SpawningNursery


@pytest.mark.parametrize(
    ("ruleset", "tables"),
    [("two-stage", [("waverer",), ("several",), ("shadows",), ("random",)]), ("showdown", [("waverer", "several")])],
)
def test_the_same_games(ruleset: str, tables: list[tuple[str, ...]], spawning: Nursery) -> None:
    """In array form and in scalar form, with parameters, and of a folder."""
    foreign = {
        "several": misbehaved("several.py:Scalar", name="several", risk=0.25),
        "shadows": misbehaved("shadows", name="shadows"),
    }
    for names in tables:
        refs = [foreign[name] if name in foreign else shipped(name) for name in names]
        inline = play(here(*refs), ruleset=ruleset)
        assert not inline.ends.any(), inline.faults[:1]
        assert_equal(inline, play(apart(spawning, *refs), ruleset=ruleset))


CASES = [
    Case("import_raises.py", {}, START),
    Case("import_kills.py", {}, START),
    Case("import_spins.py", {}, START, NEVER_READY),
    deed("write_to_all", PROTOCOL),
    deed("spin_deaf", TIMEOUT, HANGS),
    deed("sleep", TIMEOUT, HANGS),
    deed("exit_", CRASH),
    deed("kill", CRASH),
    deed("close_all", CRASH),
    deed("raise_odd", EXCEPTION),
    deed("print_megabytes", NONE),
    deed("print_past_python", NONE),
    deed("close_output", NONE),
    deed("fork_some", NONE),
    Case("answers.py:Answers", {"hold": "shifty"}, HOLD),
    Case("state.py", {"what": "stdout"}, NONE),
]


@pytest.fixture(scope="module")
def alone() -> BlockResult:
    """What the bot of the deeds plays inline without one, by itself."""
    return play(here(misbehaved("deeds.py", deed="nothing")))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_misbehaving(case: Case, spawning: Nursery, alone: BlockResult) -> None:
    """By itself: one leg, and so one process."""
    bad = misbehaved(case.file, **case.params)
    judge(play(apart(spawning, bad, limits=case.limits)), case.kind, alone)


def test_what_it_printed_is_told(spawning: Nursery) -> None:
    found = play(apart(spawning, misbehaved("looks.py"), limits=WIDE), mirrors=1)
    assert {fault.kind for fault in found.faults} == {CRASH}
    assert all(fault.printed.endswith("}") for fault in found.faults)


def test_without_a_clock_of_the_process(spawning: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS and Windows: the wall counts, and the message says so."""
    monkeypatch.setattr(talk, "cpu_seconds", lambda _: None)
    found = play(apart(spawning, misbehaved("deeds.py", deed="sleep"), limits=HANGS))
    assert {fault.kind for fault in found.faults} == {TIMEOUT}
    assert {fault.message for fault in found.faults} == {"'bad' took more than 50 ms by the clock on the wall"}
    fine = play(apart(spawning, shipped("random"), limits=NORMAL))
    assert_equal(play(here(shipped("random"))), fine)


def test_nothing_is_left(tmp_path: Path) -> None:
    with SpawningNursery(tmp_path) as nursery:
        unpacked = nursery.unpack(shipped("greedy"))
        processes = [nursery.start(unpacked, WIDE, boxed=False) for _ in range(2)]
        assert len(living([process.process for process in processes])) == 2
        assert not nursery.has_ended(processes[0])
        nursery.dismiss(processes[0])
    processes[1].close()
    assert living([process.process for process in processes]) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [Nursery, SpawningNursery])
def test_nothing_stays_open_if_python_cannot_be_started(
    kind: type[Nursery], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: Any, **__: Any) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    with kind(tmp_path) as nursery:
        bot = nursery.unpack(misbehaved("several.py:Scalar"))
        monkeypatch.setattr(subprocess, "Popen", start)
        gc.collect()
        gc.disable()  # what is closed is closed by somebody
        try:
            before = open_descriptors()
            with pytest.raises(NoProcessError, match="no process can be started for a bot: Resource temporarily"):
                nursery.start(bot, WIDE, boxed=False)
            assert open_descriptors() == before
        finally:
            gc.enable()


def test_a_league_and_a_check(arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at, played and checked, on a machine without fork and sandbox: the same digest."""
    agents = [bot("apart/several.py:Scalar", "mine", risk=0.25), bot("apart/hand_raises.py", "raises")]
    digests = []
    for forks in (True, False):
        monkeypatch.setattr(spawned, "FORKS", forks)
        folder = tmp_path / str(forks)
        limits = {"decision_ms": 2000, "start_s": 30, "wall_s": 60}
        file = write_tournament(folder, agents=agents, isolation="process", games=4, limits=limits)
        run = arena("run", file, "--backend", "serial", cwd=folder)
        assert run.code == 0, run
        digests.append(run.lines[-1])
    assert digests[0] == digests[1]
    assert re.match("digest [0-9a-f]{64}", digests[0])
    monkeypatch.setattr("arena.agent.limits.missing", lambda: ("Linux",))
    check = arena("check", APART / "hand_raises.py", "--ruleset", "thirteen")
    assert check.lines[1].endswith("FAILED: exception"), check
