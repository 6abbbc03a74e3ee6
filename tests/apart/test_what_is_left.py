"""What is left of bots' processes: none, no folder, no descriptor; after a run, after Ctrl-C, after SIGKILL."""

from __future__ import annotations

import gc
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from external_bots import PYTHON
from kept_apart import SEED, WIDE, apart, assert_equal, here, misbehaved, open_descriptors, play, rules_of, shipped
from leagues import Console, block_ranges, bot, write_tournament
from processes import children_in, children_of, descendants, living

from arena.agent.commands import locate_command
from arena.agent.nursery import AHEAD, Nursery
from arena.agent.zygote import GONE
from arena.errors import StarterGoneError

PATIENCE = 60
DEEDS = ["exit_", "fork_some", "noise_and_on"]


def wait_until(condition: Callable[[], Any], process: subprocess.Popen[str] | None = None) -> Any:
    """Wait for a condition, no longer than is reasonable on a busy machine; return what it found."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came"
        assert process is None or process.poll() is None, process.communicate()
        select.select([], [], [], 0.01)
    return found


def wait_until_gone(processes: set[int]) -> None:
    """Those that were killed with their parent may take a moment."""
    wait_until(lambda: not living(sorted(processes)))


def league(folder: Path, boxed: bool, **changes: Any) -> Path:
    level = "sandbox" if boxed else "process"
    agents = ["greedy", bot("apart/hand_raises.py", "raises"), bot("apart/several.py:Scalar", "scalar")]
    limits = {"decision_ms": 2000, "start_s": 30, "wall_s": 60}
    content = {"agents": agents, "isolation": level, "seed": SEED, "limits": limits, "games": 20, **changes}
    return write_tournament(folder, **content)


def test_after_a_finished_run(arena: Console, tmp_path: Path) -> None:
    """Also if bots misbehaved in it at both levels, those excepted that the process level cannot hold."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    bad = [
        {**bot("apart/deeds.py:Does", f"{deed}_{level}", deed=deed), "isolation": level}
        for deed in DEEDS
        for level in ("process", "auto")
    ]
    gauntlet = {"gauntlet": ["greedy"]}
    file = league(tmp_path, False, agents=["greedy", *bad], games=4, strict=False, schedule=gauntlet)
    with arena.start("run", file, "--workers", "2", cwd=tmp_path, TMPDIR=str(temporary)) as run:
        seen: set[int] = set()
        wait_until(lambda: seen.update(descendants(run.pid)) or run.poll() is not None)
        out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err
    assert len(seen) > 6
    wait_until_gone(seen)
    assert list(temporary.iterdir()) == []
    assert "digest" in out


LEAVES = """\
import os, signal, subprocess, sys

def hold(turn):
    sleeper = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with open({told!r}, "a") as file:
        print(sleeper.pid, file=file)
    if {stops}:
        os.kill(os.getppid(), signal.SIGSTOP)
    return turn.dice

def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("backend", ["serial", "processes"])
def test_children_in_sessions_of_their_own(backend: str, stops: bool, arena: Console, tmp_path: Path) -> None:
    """They are killed with the bot's process, or at the latest when the run ends, if what does that is stopped too."""
    told = tmp_path / "told"
    (tmp_path / "leaves.py").write_text(LEAVES.format(told=str(told), stops=stops), encoding="utf-8")
    agents = ["greedy", {"path": "leaves.py"}]
    file = write_tournament(tmp_path, agents=agents, isolation="process", games=4)
    assert arena("run", file, "--backend", backend, cwd=tmp_path).code == 0
    sleepers = set(map(int, told.read_text().split()))
    assert len(sleepers) > 4
    wait_until_gone(sleepers)


def test_after_ctrl_c(boxed: bool, arena: Console, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    file = league(tmp_path, boxed, games=4000)
    for options in [["--workers", "2"] if boxed else ["--backend", "serial"]]:
        with arena.start("run", file, *options, "--fresh", cwd=tmp_path, TMPDIR=str(temporary)) as run:
            wait_until(lambda: block_ranges(tmp_path / "runs" / "small"), run)
            seen = descendants(run.pid)
            os.killpg(run.pid, signal.SIGINT)
            _, err = run.communicate(timeout=PATIENCE)
        assert run.returncode == 1, err
        assert "Traceback" not in err
        assert seen
        wait_until_gone(seen)
        assert list(temporary.iterdir()) == []


def test_after_sigkill(boxed: bool, arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder stays then, as nobody is there to remove it, until the next run of whatever tournament."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = league(tmp_path, boxed, games=4000)
    other = write_tournament(tmp_path / "other")
    for options in [["--workers", "2"] if boxed else ["--backend", "serial"]]:
        with arena.start("run", file, *options, "--fresh", cwd=tmp_path, TMPDIR=str(tmp_path)) as run:
            wait_until(lambda: block_ranges(tmp_path / "runs" / "small"), run)
            seen = wait_until(lambda: len(found := descendants(run.pid)) > 2 and found, run)
            run.kill()
            run.communicate(timeout=PATIENCE)
        wait_until_gone(seen)
        [left] = tmp_path.glob("arena-run-*")
        assert arena("run", other, "--backend", "serial", cwd=tmp_path / "other").code == 0
        assert not left.exists()
        assert list(tmp_path.glob("arena-run-*")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("kind", ["python", "external"])
def test_a_check_that_is_ended(
    kind: str, number: int, arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After SIGKILL its folder stays, until somebody checks, or looks at, another bot."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "waits.py").write_text("import time\n\ntime.sleep(600)\n", encoding="utf-8")
    bot = ["waits.py"] if kind == "python" else ["--command", shlex.join([*PYTHON, "waits.py"])]
    with arena.start("check", *bot, "--ruleset", "two-stage", cwd=tmp_path, TMPDIR=str(temporary)) as check:
        wait_until(lambda: list(temporary.rglob("waits.py")), check)
        seen = wait_until(lambda: len(found := descendants(check.pid)) > 1 and found, check)
        os.killpg(check.pid, number)
        out, err = check.communicate(timeout=PATIENCE)
    wait_until_gone(seen)
    if number == signal.SIGINT:
        assert (check.returncode, out, err) == (1, "", "stopped\n")
    else:
        assert len(list(temporary.iterdir())) == 1
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        other = arena("check", "greedy", "--ruleset", "two-stage", cwd=tmp_path)
        assert other.code == 0, other
    assert list(temporary.iterdir()) == []


def test_a_worker_that_is_killed_takes_its_bots_along(sandbox: None, arena: Console, tmp_path: Path) -> None:
    """The run goes on with another, and ends as if nothing had been."""
    inline = arena("run", league(tmp_path / "inline", True, games=100, isolation="inline"), cwd=tmp_path / "inline")
    with arena.start("run", league(tmp_path, True, games=100), "--workers", "1", cwd=tmp_path) as run:

        def busy() -> int:
            """A worker whose zygote has a bot."""
            return next((w for w in children_of(run.pid) for z in children_of(w) if children_of(z)), 0)

        worker = wait_until(busy, run)
        family = descendants(worker)
        os.kill(worker, signal.SIGKILL)
        wait_until_gone(family)
        out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err
    assert [line for line in out.splitlines() if "digest" in line] == [
        line for line in inline.lines if "digest" in line
    ]


def test_descriptors_of_the_arena(boxed: bool, nursery: Nursery) -> None:
    """As many after fifty bots as before them, however they ended."""
    refs = [shipped("greedy"), shipped("random")]
    play(apart(nursery, *refs, boxed=boxed))
    gc.collect()  # of earlier tests
    before = open_descriptors()
    bad = [misbehaved("deeds.py", deed=deed) for deed in ("exit_", "empty_frame", "close_all", "raise_", "kill")]
    for ref in bad * 2:
        play({**apart(nursery, ref, refs[0], boxed=boxed), **here(refs[1])}, mirrors=1)
    assert open_descriptors() == before


@pytest.mark.parametrize("external", [False, True])
def test_descriptors_of_a_process_that_nobody_can_start(external: bool, tmp_path: Path) -> None:
    """Its zygote has been killed."""
    (tmp_path / "bot.py").write_text("")
    ref = locate_command([*PYTHON, "bot.py"], tmp_path) if external else shipped("greedy")
    homes = tmp_path / "homes"
    homes.mkdir()
    with Nursery(homes) as nursery:
        nursery.learn(rules_of("two-stage").ruleset, shipped("greedy"))
        [inside] = homes.iterdir()
        [zygote] = children_in(inside)
        seen = {zygote, *descendants(zygote)}
        os.kill(zygote, signal.SIGKILL)
        wait_until_gone(seen)
        unpacked = ref if external else nursery.unpack(ref)
        start = nursery.execute if external else nursery.start
        gc.collect()  # of earlier tests
        before = open_descriptors()
        for _ in range(2):
            with pytest.raises(StarterGoneError, match=f"^{GONE}$"):
                start(unpacked, WIDE, boxed=False)
        assert open_descriptors() == before


def test_a_nursery_that_is_closed(boxed: bool, tmp_path: Path) -> None:
    with Nursery(tmp_path) as nursery:
        play(apart(nursery, shipped("greedy"), shipped("random"), boxed=boxed))
        [inside] = tmp_path.iterdir()
        [zygote] = children_in(inside)
        seen = {zygote, *descendants(zygote)}
    wait_until_gone(seen)
    assert list(tmp_path.iterdir()) == []


def test_processes_that_wait_and_are_killed(boxed: bool, tmp_path: Path) -> None:
    """Those that were forked ahead are done without, and others are forked."""
    refs = [shipped("greedy"), shipped("random")]
    inline = play(here(*refs))
    with Nursery(tmp_path) as nursery:
        assert_equal(inline, play(apart(nursery, *refs, boxed=boxed)))
        [inside] = tmp_path.iterdir()
        [zygote] = children_in(inside)
        for _ in range(2):
            waiting = wait_until(lambda: len(found := living(children_of(zygote))) == AHEAD and found)
            for process in waiting:
                os.kill(process, signal.SIGKILL)
            wait_until_gone(set(waiting))
            assert_equal(inline, play(apart(nursery, *refs, boxed=boxed)))
        spared = wait_until(lambda: len(found := living(children_of(zygote))) == AHEAD and found)
    wait_until_gone({zygote, *spared})


UNTIED = """\
import ctypes, os, signal, sys

def hold(turn):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(1, 0)  # PR_SET_PDEATHSIG
    above = [os.getppid()]
    with open(f"/proc/{{above[0]}}/stat") as file:
        above.append(int(file.read().rpartition(")")[2].split()[1]))
    for process in above[:{stops}]:
        os.kill(process, signal.SIGSTOP)
    with open({told!r}, "a") as file:
        print(os.getpid(), file=file)
    while True:
        pass

def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no such call")
@pytest.mark.parametrize(
    ("backend", "number", "stops"),
    [
        ("processes", signal.SIGINT, 2),
        ("processes", signal.SIGTERM, 1),
        *(("processes", signal.SIGKILL, stops) for stops in range(3)),
        *(("serial", signal.SIGKILL, stops) for stops in range(2)),
    ],
)
def test_a_bot_that_unties_itself(backend: str, number: int, stops: int, arena: Console, tmp_path: Path) -> None:
    """From whoever forked it, which it may also stop, and who started that, and is deaf to all that one can be."""
    told = tmp_path / "told"
    (tmp_path / "unties.py").write_text(UNTIED.format(told=str(told), stops=stops), encoding="utf-8")
    limits = {"decision_ms": 600_000, "start_s": 30, "wall_s": 600}
    agents = ["greedy", {"path": "unties.py"}]
    file = write_tournament(tmp_path, agents=agents, isolation="process", limits=limits)
    options = ["--workers", "1"] if backend == "processes" else []
    with arena.start("run", file, "--backend", backend, *options, cwd=tmp_path) as run:
        seen: set[int] = set()
        try:
            wait_until(lambda: told.exists() and told.read_text().endswith("\n"), run)
            seen = descendants(run.pid)
            os.kill(run.pid, number)
            run.communicate(timeout=PATIENCE)
            assert set(map(int, told.read_text().split())) & seen
            wait_until_gone(seen)
        finally:
            run.kill()
            for process in living(sorted(seen)):
                os.kill(process, signal.SIGKILL)
