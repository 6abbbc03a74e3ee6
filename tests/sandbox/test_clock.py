"""The processor time of another process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from arena.sandbox.clock import cpu_seconds

BURN = """
import sys
import time

while time.process_time() < 0.5:
    pass
for _ in range(2):
    print(time.process_time(), flush=True)
    sys.stdin.readline()
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="clocks of processes are Linux's")


@LINUX
def test_a_busy_process() -> None:
    with subprocess.Popen([sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        before = float(process.stdout.readline())
        found = cpu_seconds(process.pid)
        process.stdin.write(b"\n")
        process.stdin.flush()
        after = float(process.stdout.readline())
        assert found is not None
        assert before <= found <= after
        process.stdin.close()
    assert cpu_seconds(process.pid) is None


@LINUX
def test_a_stopped_process_uses_none() -> None:
    """However much others use meanwhile."""
    with subprocess.Popen(["sleep", "60"]) as process:
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        before, began = cpu_seconds(process.pid), time.process_time()
        while time.process_time() < began + 0.1:
            pass
        after = cpu_seconds(process.pid)
        process.kill()
    assert before is not None
    assert before == after


def test_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cpu_seconds(1) is None


@pytest.mark.parametrize("pid", [0, -1])
def test_what_is_no_process(pid: int) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        cpu_seconds(pid)
