"""Where nothing can be forked or written, for a while or for good: it is nobody's fault, and the next may go on."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from errno import EFBIG, ENOSPC
from pathlib import Path
from typing import Any

import pytest
from external_bots import external
from kept_apart import SEED, apart, assert_equal, greeted, here, misbehaved, play, rules_of, shipped
from leagues import Console, write_tournament
from test_what_is_left import wait_until

from arena.agent import nursery as nurseries
from arena.agent.children import CROWD
from arena.agent.nursery import Nursery
from arena.errors import DiskError, NoProcessError
from arena.records import BlockResult

SHORTAGE = """
import os
from pathlib import Path

real, tried, short = os.fork, Path({tried!r}), Path({short!r})


def fork():
    from arena.agent.children import children_here
    from arena.sandbox.limits import threads_of

    tried.touch()
    if short.exists() or any(threads_of(child) > {crowd} for child in children_here()):
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return real()


os.fork = fork
"""
CROWDS = """
import threading, time

threading.stack_size(1 << 16)
for _ in range({threads}):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
"""
WARM = "import arena.agent.children as children; children.PATIENCE_S = 0.3; "


LATE = """
import os
from contextlib import suppress
import arena.agent.children, arena.agent.zygote

real, dying, tried = os.fork, [], []


def fork():
    if dying:
        tried.append(dying[0])
        if len(tried) == 2:
            arena.agent.children.kill(dying[0])
            with suppress(ChildProcessError):  # it went by itself once it was let go, and was waited for
                os.waitid(os.P_PID, dying[0], os.WEXITED | os.WNOWAIT)
        if os.path.exists("/proc/%d" % dying[0]):
            raise BlockingIOError(11, "Resource temporarily unavailable")
    return real()


os.fork, arena.agent.zygote.kill = fork, dying.append
"""
"""Those who are to end do so only while there is no room, and there is none until they have been waited for."""
LEAVES = """
import subprocess, sys

CROWD = "import threading, time; threading.stack_size(1 << 16)\\n"
CROWD += "for _ in range({threads}): threading.Thread(target=time.sleep, args=(600,)).start()\\n"
CROWD += "print(flush=True)"
left = subprocess.Popen([sys.executable, "-c", CROWD], start_new_session=True, stdout=subprocess.PIPE)
assert left.stdout.readline()
"""


def halves() -> tuple[str, str]:
    """Return what a zygote executes, without its last call; and the rest of that."""
    start, main = nurseries.PROGRAM.split("main({descriptor}", 1)
    return start, main


class Machine:
    """A machine that may be short of processes: while a file is there, or a bot has more threads than any needs.

    Attributes:
        short: the file.
        tried: another, made whenever a fork is tried.
    """

    def __init__(self, folder: Path) -> None:
        self.short, self.tried = folder / "short", folder / "tried"

    def program(self) -> str:
        """Return what a zygote executes on it, which loses its patience soon."""
        start, main = halves()
        shortage = SHORTAGE.format(tried=str(self.tried), short=str(self.short), crowd=CROWD)
        return f"{shortage}\n{start}{WARM}main({{descriptor}}{main}"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setattr(nurseries, "PROGRAM", made.program())
    return made


@pytest.fixture
def own(machine: Machine) -> Iterator[Nursery]:
    """A nursery on that machine."""
    del machine
    with Nursery() as made:
        yield made


def test_one_that_is_not_wanted_yet(own: Nursery, machine: Machine, honest: BlockResult) -> None:
    machine.short.touch()
    own.learn(rules_of("two-stage").ruleset, shipped("collector"))
    wait_until(machine.tried.exists)
    machine.short.unlink()
    assert_equal(honest, play(apart(own, shipped("collector"))))


@pytest.mark.parametrize("kind", ["python", "external"])
def test_one_that_is_wanted(kind: str, own: Nursery, machine: Machine, harmless: BlockResult) -> None:
    """It is nobody's fault, and the next time there may be room."""
    bad = misbehaved("deeds.py", deed="nothing") if kind == "python" else external("misbehaves.py", "nothing")
    bots = {**apart(own, bad), **here(shipped("greedy"))}
    machine.short.touch()
    with pytest.raises(NoProcessError, match="no process can be started for a bot: Resource temporarily unavailable"):
        play(bots)
    machine.short.unlink()
    assert_equal(harmless, play(bots))


@pytest.mark.usefixtures("machine")
def test_one_with_many_threads_gives_way(tmp_path: Path) -> None:
    """It is killed for another that is to be started, and can be told why."""
    crowds, usual = tmp_path / "crowds.py", tmp_path / "usual.py"
    crowds.write_text(CROWDS.format(threads=CROWD))
    usual.write_text(CROWDS.format(threads=0))
    with Nursery(ahead=0) as own:
        first = greeted(own, misbehaved(str(crowds)))
        second = greeted(own, misbehaved(str(usual)))
        assert own.bury(first) == "killed for its threads: beside them no process could be started"
        assert not own.has_ended(second)
        assert own.bury(second) == "killed by SIGKILL"


@pytest.mark.usefixtures("machine")
def test_what_a_bot_left_gives_way(tmp_path: Path) -> None:
    """It is in nobody's way before, and is looked for when there is no room."""
    leaves, usual = tmp_path / "leaves.py", tmp_path / "usual.py"
    usual.write_text(CROWDS.format(threads=0))
    leaves.write_text(LEAVES.format(threads=CROWD) + usual.read_text())
    with Nursery(ahead=0) as own:
        own.bury(greeted(own, misbehaved(str(leaves))))
        second = greeted(own, misbehaved(str(usual)))
        assert own.bury(second) == "killed by SIGKILL"


def test_those_that_are_ending_give_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are waited for as long as there is no room."""
    start, main = halves()
    monkeypatch.setattr(nurseries, "PROGRAM", f"{start}exec({LATE!r}); main({{descriptor}}{main}")
    usual = tmp_path / "usual.py"
    usual.write_text(CROWDS.format(threads=0))
    with Nursery(ahead=0) as own:
        own.dismiss(greeted(own, misbehaved(str(usual))))
        second = greeted(own, misbehaved(str(usual)))
        assert own.bury(second) == "killed by SIGKILL"


FULL = """
import multiprocessing
from arena.agent.nursery import Nursery
from arena.errors import NoProcessError

if multiprocessing.parent_process() is not None or {here}:

    def start(*_, **__):
        raise NoProcessError("no process can be started for a bot: none is left")

    Nursery.start = start
"""


@pytest.mark.parametrize("options", [("--workers", 1), ("--backend", "serial")], ids=["processes", "serial"])
def test_a_run(options: tuple[str, object], arena: Console, tmp_path: Path) -> None:
    """It ends unfinished with a line that says why; games that need no such process are played."""
    usual = CROWDS.format(threads=0)
    serial = "serial" in options
    (tmp_path / "full.py").write_text(FULL.format(here=serial) + usual)
    (tmp_path / "apart.py").write_text(usual)
    agents = ["greedy", {"path": "apart.py", "isolation": "process"}, {"path": "full.py", "isolation": "inline"}]
    file = write_tournament(tmp_path, agents=agents, seed=SEED, games=4)
    run = arena.process("run", file, *options, cwd=tmp_path)
    assert run.code == 1
    assert "Traceback" not in run.err
    told = "no process can be started for a bot: none is left"
    if serial:
        assert run.err.splitlines()[-1].endswith(told)
    else:
        aside = [line for line in run.err.splitlines() if line.startswith("set aside: ")]
        assert len(aside) == 2
        assert all(line.endswith(f": its worker died 2 times, as {told}") for line in aside)
        assert "unfinished: 4 of 12 games are kept" in run.err


def full(*_: Any, **__: Any) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


@pytest.mark.parametrize("kind", ["python", "external"])
def test_no_room_on_the_disk(
    kind: str, harmless: BlockResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that cannot be unpacked is not charged for it, and is unpacked the next time."""
    bad = misbehaved("deeds.py", deed="nothing") if kind == "python" else external("misbehaves.py", "nothing")
    with Nursery(tmp_path) as own:
        bots = {**apart(own, bad), **here(shipped("greedy"))}
        with monkeypatch.context() as patched:
            patched.setattr(nurseries, "copy_source", full)
            with pytest.raises(DiskError, match=r"/\d+: cannot be written: No space left on device$"):
                play(bots)
        assert_equal(harmless, play(bots))


def test_no_room_for_what_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(DiskError, match=f"^{tmp_path}: bots cannot be unpacked there: No space left on device$"):
        Nursery(tmp_path)


def test_no_room_as_a_bot_is_tried(tmp_path: Path, arena: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no mistake in the tournament file."""
    (tmp_path / "usual.py").write_text(CROWDS.format(threads=0))
    file = write_tournament(tmp_path, agents=["greedy", {"path": "usual.py", "isolation": "process"}])
    monkeypatch.setattr(nurseries, "copy_source", full)
    run = arena("run", file, cwd=tmp_path)
    assert (run.code, run.out) == (1, "")
    assert re.fullmatch(r"error: /[^:]*/arena-[^:]*: cannot be written: No space left on device\n", run.err)


def test_no_memory_to_share(boxed: bool, own: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where files, and memory that is one, may not grow: no word of any file of the user's."""

    def refuse(folder: Path) -> int:
        raise OSError(EFBIG, os.strerror(EFBIG))

    monkeypatch.setattr(nurseries, "_shared_memory", refuse)
    with pytest.raises(NoProcessError, match=r"^no memory can be shared with a bot's process: File too large$"):
        play(apart(own, shipped("greedy"), shipped("random"), boxed=boxed))
