"""The processor time of another process."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from arena.sandbox.clock import cpu_seconds

BURN = "import time\nwhile time.process_time() < 0.5: pass\nprint(time.process_time(), flush=True)\ninput()"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="clocks of processes are Linux's")


@LINUX
def test_a_busy_process() -> None:
    with subprocess.Popen([sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        told = float(process.stdout.readline())
        found = cpu_seconds(process.pid)
        assert found is not None
        assert told <= found < told + 0.5
        process.stdin.close()
    assert cpu_seconds(process.pid) is None


@LINUX
def test_a_sleeping_process_uses_none() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        time.sleep(0.2)
        found = cpu_seconds(process.pid)
        process.kill()
    assert found is not None
    assert found < 0.1


def test_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cpu_seconds(1) is None


@pytest.mark.parametrize("pid", [0, -1])
def test_what_is_no_process(pid: int) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        cpu_seconds(pid)
