"""How the arena lets go of a process of its own that sees to others' ends before its own."""

from __future__ import annotations

import signal
import subprocess
from typing import Any


def end_in_time(process: subprocess.Popen[Any], seconds: float) -> None:
    """Wait until a process has ended that was told to, also where a bot has stopped it; kill it if that takes long.

    Args:
        process: what it hears that by is closed.
        seconds: that it has.
    """
    if hasattr(signal, "SIGCONT"):
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
