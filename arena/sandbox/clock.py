"""The processor time of another process, and how long it waited for a processor; nothing of this takes privileges."""

from __future__ import annotations

import os
import sys
import time

CPU_TIME_OF_ALL_THREADS = 2


def cpu_seconds(pid: int) -> float | None:
    """Return the processor seconds that a process has used, of all its threads, in user and kernel mode together.

    Args:
        pid: a process that its parent has not yet waited for, or else the number may be another's by now.

    Returns:
        None if there is no such process, or no such clock on this system.

    Raises:
        ValueError: the number is not positive (0 would be the caller's own clock).

    Source: Linux, ``include/linux/posix-timers.h``; glibc's ``clock_getcpuclockid`` makes the same number.
    """
    if pid < 1:
        raise ValueError(f"process {pid}: must be positive")
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~pid << 3 | CPU_TIME_OF_ALL_THREADS)
    except OSError:
        return None


def seconds_in_line(pid: int) -> float:
    """Return the seconds that a process's first thread stood in line for a processor until it last got one.

    It is 0.0 where nothing tells.

    Args:
        pid: as in `cpu_seconds`.

    Source: Linux, ``Documentation/scheduler/sched-stats.rst``, the second number of ``/proc/PID/schedstat``.
    """
    try:  # without a path, which would take as long again: this is asked with every question
        file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)
    except OSError:
        return 0.0
    try:
        return int(os.read(file, 100).split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
    finally:
        os.close(file)
