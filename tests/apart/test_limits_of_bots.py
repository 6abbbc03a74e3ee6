"""What a bot may take, by its own processor time, and on a busy machine too; memory, and printed text."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from external_bots import external
from kept_apart import WIDE, apart, greeted, here, misbehaved, play, shipped
from leagues import bot, play_league, write_tournament

from arena.agent.frames import Writer
from arena.agent.limits import Limits
from arena.agent.nursery import Nursery
from arena.agent.remote import Remote
from arena.agent.talk import LostError, greeting, send
from arena.records import BlockResult, End

SPINNING = 3


@pytest.fixture
def busy() -> Iterator[None]:
    """A machine on which others compete for every processor."""
    others = [subprocess.Popen([sys.executable, "-Sc", "while True: pass"]) for _ in range(SPINNING)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.usefixtures("busy")
def test_a_busy_machine_makes_no_timeout(sandbox: None, nursery: Nursery) -> None:
    """A tenth of the limit at every hold, a thousand times."""
    bad = misbehaved("spends.py:Scalar", ms=1)
    limits = replace(WIDE, decision_ms=10)
    found = play(
        {**here(shipped("greedy")), **apart(nursery, bad, boxed=True, limits=limits)}, ruleset="thirteen", mirrors=20
    )
    assert not found.ends.any(), found.faults[:1]
    assert found.timing["bad"].decisions > 1000


def test_more_workers_than_processors_make_no_timeout(sandbox: None, tmp_path: Path) -> None:
    """Bots that use a tenth of their limit at every hold, in blocks for all; the full number is a claim of its own."""
    spending = [bot("apart/spends.py:Scalar", name, ms=1) for name in ("one", "other")]
    limits = {"decision_ms": 10, "start_s": 30, "wall_s": 60}
    file = write_tournament(tmp_path, agents=spending, isolation="auto", games=128, limits=limits)
    played = play_league(file, tmp_path, backend="processes", workers=4, block_size=16)
    [found] = played.results.values()
    assert len(found) == 4
    assert not any(result.ends.any() for result in found)
    assert sum(timing.decisions for result in found for timing in result.timing.values()) > 1000
    assert {level for result in found for level in result.levels.values()} == {"sandbox"}


def asked(nursery: Nursery, boxed: bool, limits: Limits, file: str, mirrors: int = 3, **params: float) -> BlockResult:
    bad = misbehaved(file, **params)
    return play({**here(shipped("greedy")), **apart(nursery, bad, boxed=boxed, limits=limits)}, mirrors=mirrors)


def kinds(result: BlockResult) -> set[End]:
    return {fault.kind for fault in result.faults}


def messages(result: BlockResult) -> set[str]:
    return {fault.message for fault in result.faults}


def test_a_decision_by_processor_time(boxed: bool, nursery: Nursery) -> None:
    """The decisions of one call have a limit each."""
    limits = replace(WIDE, decision_ms=40)
    assert not asked(nursery, boxed, limits, "spends.py:Scalar", mirrors=10, ms=8).ends.any()
    found = asked(nursery, boxed, limits, "spends.py:Scalar", ms=2000)
    assert messages(found) == {"'bad' took more than 40 ms of processor time"}
    assert kinds(found) == {End.TIMEOUT}


def test_what_is_thought_out_while_others_are_asked_counts(boxed: bool, nursery: Nursery) -> None:
    slow, bad = misbehaved("spends.py:Scalar", name="slow", ms=300), misbehaved("ponders.py")
    limits = replace(WIDE, decision_ms=100)
    found = play({**here(slow), **apart(nursery, bad, boxed=boxed, limits=limits)}, ruleset="two-stage", mirrors=1)
    assert kinds(found) == {End.TIMEOUT}
    assert messages(found) == {"'bad' took more than 100 ms of processor time"}
    assert all(fault.agent == "bad" for fault in found.faults)


def test_sleep_by_the_wall_clock(boxed: bool, nursery: Nursery) -> None:
    found = asked(nursery, boxed, Limits(decision_ms=3_600_000, start_s=30, wall_s=1), "deeds.py", deed="sleep")  # type: ignore[arg-type]
    assert kinds(found) == {End.TIMEOUT}
    assert messages(found) == {"'bad' made no move in 1 s (wall_s)"}


def test_an_array_call_has_a_millisecond_more_for_every_turn(boxed: bool, nursery: Nursery) -> None:
    limits = replace(WIDE, decision_ms=20)
    assert not asked(nursery, boxed, limits, "spends.py:Many", mirrors=400, ms=60).ends.any()
    found = asked(nursery, boxed, limits, "spends.py:Many", mirrors=5, ms=500)
    assert kinds(found) == {End.TIMEOUT}
    assert messages(found) == {"'bad' took more than 25 ms of processor time"}


def test_memory(boxed: bool, nursery: Nursery) -> None:
    """Counted beside what Python and the arena take themselves."""
    assert kinds(asked(nursery, boxed, replace(WIDE, memory_mb=64), "spends.py:Scalar", mb=128)) == {End.MEMORY}
    assert not asked(nursery, boxed, replace(WIDE, memory_mb=256), "spends.py:Scalar", mb=128).ends.any()


def test_start(boxed: bool, nursery: Nursery) -> None:
    found = asked(nursery, boxed, replace(WIDE, start_s=0.2), "import_spins.py")
    assert kinds(found) == {End.START}
    assert messages(found) == {"'bad' could not start: did not start in 0.2 s of processor time"}


def test_printed_text_is_capped(boxed: bool, nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    """Megabytes are read and dropped, but for the last of them."""
    kept = []
    dismiss = Nursery.dismiss
    monkeypatch.setattr(Nursery, "dismiss", lambda self, bot: (kept.append(len(bot.printed)), dismiss(self, bot)))
    found = asked(nursery, boxed, replace(WIDE, output_kb=3), "spends.py:Scalar", mirrors=1, printed_kb=500)
    assert not found.ends.any()
    assert kept == [3 * 1024] * 2


def test_what_was_printed_last_is_told(boxed: bool, nursery: Nursery) -> None:
    found = asked(nursery, boxed, WIDE, "looks.py", mirrors=1)
    assert kinds(found) == {End.CRASH}
    for fault in found.faults:
        assert fault.traceback == ""
        assert fault.printed.startswith("x")
        assert fault.printed.endswith("}")
        assert len(fault.printed) <= 4000


def test_a_process_that_does_not_listen(boxed: bool, nursery: Nursery) -> None:
    """Nothing that it is sent blocks the arena for longer than the limit."""
    limits = replace(WIDE, start_s=0.2, wall_s=0.5)
    [remote] = apart(nursery, misbehaved("import_sleeps.py"), boxed=boxed, limits=limits).values()
    assert isinstance(remote, Remote)
    process = nursery.start(nursery.unpack(remote.ref), limits, boxed=boxed)
    send(process, Writer().blob(bytes(1 << 22)))
    with pytest.raises(LostError):
        greeting(process)
    nursery.bury(process)


def test_threads(boxed: bool, nursery: Nursery) -> None:
    """However many a bot starts, they are told; a look may come before the last of them."""
    found = asked(nursery, boxed, WIDE, "deeds.py", deed="crowd", mirrors=1)
    assert len(found.faults) == 2
    for message in messages(found):
        assert re.fullmatch(r"'bad' had \d+ threads; 256 are allowed", message)


@pytest.mark.parametrize("kind", ["python", "external"])
def test_bots_are_killed_first_where_memory_runs_out(kind: str, boxed: bool, nursery: Nursery) -> None:
    """Rather than the arena, or what else runs there; the process that others are forked from is as before."""
    ref = shipped("greedy") if kind == "python" else external("misbehaves.py", "nothing", "batch")
    process = greeted(nursery, ref, boxed=boxed)
    parent = Path(f"/proc/{process.process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
    assert Path(f"/proc/{process.process}/oom_score_adj").read_text() == "1000\n"
    assert Path(f"/proc/{parent}/oom_score_adj").read_text() == Path("/proc/self/oom_score_adj").read_text()
    nursery.dismiss(process)
