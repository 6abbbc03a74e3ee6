"""Entering: what refuses it, what it costs, that it dies with its parent; and what a machine may lack."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from errno import EOPNOTSUPP
from pathlib import Path

import harmless
import pytest
from boxed import BASIS, Zygote

from arena.sandbox import box, landlock, seccomp
from arena.sandbox.box import Box, SandboxError, enter, missing

CHILD_OF_ONE_WHO_DIES = """
import os, sys, time
from pathlib import Path
from arena.sandbox.box import Box, enter
parent, pipe = os.getpid(), os.pipe()
pid = os.fork()
if not pid:
    enter(Box(readable=(Path(sys.prefix),)), parent=parent)
    os.write(pipe[1], b"in")
    time.sleep(60)
os.read(pipe[0], 2)
print(pid, flush=True)
time.sleep(60)
"""
LATE = """
from arena.sandbox.box import Box, SandboxError, enter
try:
    enter(Box(), parent=1 << 22)
except SandboxError as error:
    print(error)
"""
FRAMED = """
import os
from pathlib import Path
from arena.sandbox.box import Box, enter, frame
folder = Path({folder!r})
made = frame((folder / "both", folder / "framed"))
enter(Box(readable=(folder / "both", folder / "boxed")), within=made)
for name in ("both", "framed", "boxed"):
    try:
        print((folder / name / "file").read_text())
    except PermissionError:
        print(name, "refused")
try:
    os.fstat(made.ruleset)
    print(True)
except OSError:
    print(False)
"""
TWO_THREADS = """
import threading
from arena.sandbox.box import Box, SandboxError, enter
done = threading.Event()
threading.Thread(target=done.wait).start()
try:
    enter(Box())
except SandboxError as error:
    print(error)
open("/etc/passwd").close()
done.set()
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def state() -> list[str]:
    """Return what the kernel says of this process that boxing would change."""
    names = ("Seccomp", "NoNewPrivs", "CapEff", "CapPrm", "FDSize")
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    limits = Path("/proc/self/limits").read_text(encoding="ascii").splitlines()
    return [line for line in status if line.startswith(names)] + limits + os.listdir("/proc/self/fd")


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="no /proc")
def test_asking_what_is_missing_changes_nothing() -> None:
    missing()
    before = state()
    missing()
    assert state() == before


@pytest.mark.skipif(bool(missing()), reason="no sandbox")
def test_rehearsing_changes_nothing(tmp_path: Path) -> None:
    made = box.frame((tmp_path,))
    before = state()
    box.rehearse((tmp_path,), made)
    assert state() == before
    (tmp_path / "file").write_text("not refused")
    os.close(made.ruleset)


def test_what_is_missing_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def off() -> int:
        raise OSError(EOPNOTSUPP, "landlock_create_ruleset: Operation not supported")

    monkeypatch.setattr(box, "machine", lambda: "x86_64")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(seccomp, "probe", lambda: None)
    monkeypatch.setattr(box.limits, "threads_here", lambda: 1)
    monkeypatch.setattr(landlock, "version", off)
    assert missing() == ("Landlock (landlock_create_ruleset: Operation not supported)",)
    with pytest.raises(SandboxError, match="this machine has no Landlock"):
        enter(Box())


def test_another_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert missing()[0].startswith("Linux")


def test_another_architecture_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(box, "machine", lambda: None)
    assert missing()[0].startswith("64-bit x86_64 or aarch64")


@pytest.mark.usefixtures("zygote")
def test_a_second_thread_refuses_the_box() -> None:
    assert run(TWO_THREADS).startswith("2 threads")


@pytest.mark.usefixtures("zygote")
def test_a_parent_that_is_gone_refuses_the_box() -> None:
    assert run(LATE).strip() == "the parent is gone"


@pytest.mark.usefixtures("zygote")
def test_memory_that_is_taken_refuses_the_box() -> None:
    assert "MB are taken already" in run(LATE.replace("Box()", "Box(memory_mb=1)"))


@pytest.mark.usefixtures("zygote")
def test_the_box_dies_with_its_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD_OF_ONE_WHO_DIES], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        boxed = int(parent.stdout.readline())
        assert is_there(boxed)
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while is_there(boxed) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_there(boxed)


@pytest.mark.parametrize("wrong", [{"memory_mb": 0}, {"cpu_seconds": 0}, {"open_files": -1}])
def test_limits_are_positive(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Box(**wrong)  # type: ignore[arg-type] - each is a whole number


def test_what_may_not_execute_has_nothing_to_execute() -> None:
    with pytest.raises(ValueError, match="needs may_exec"):
        Box(executable=(Path("/bin/true"),))


@pytest.mark.usefixtures("zygote")
def test_a_frame(tmp_path: Path) -> None:
    """What is read is in the frame and in the box; the frame's descriptor is gone."""
    for name in ("both", "framed", "boxed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    assert run(FRAMED.format(folder=str(tmp_path))).splitlines() == [
        "both",
        "framed refused",
        "boxed refused",
        "False",
    ]


def test_entering_twice(zygote: Zygote) -> None:
    assert "no Landlock" in zygote(harmless.enter_again, readable=BASIS).said
