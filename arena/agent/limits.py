"""What a bot's process may take, and how it is confined."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may take.

    Attributes:
        decision_ms: milliseconds for one decision, of the bot's own processor time where that can be told; a call in
            array form gets this and one millisecond for every turn in it.
        start_s: seconds to load and to make ready.
        memory_mb: megabytes beside what Python and the arena take themselves.
        output_kb: kilobytes of printed text that are kept.
        wall_s: seconds without any progress, by the wall clock.
    """

    decision_ms: int = 100
    start_s: float = 10
    memory_mb: int = 1024
    output_kb: int = 64
    wall_s: float = 12


def die_with_parent() -> None:
    """Have this process killed when its parent ends; on Linux only."""
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def confine(folder: str, limits: Limits, *, boxed: bool) -> None:
    """Confine this process.

    Args:
        folder: what it may read, besides Python and its libraries.
        limits: what it may take.
        boxed: True for the sandbox, False for limits of memory alone.
    """
    import resource  # noqa: PLC0415 - not on Windows, where nothing is forked

    held = _address_space() + limits.memory_mb * (1 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (held, held))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if boxed:
        raise NotImplementedError(folder)


def _address_space() -> int:
    """Return the bytes of address space that this process has now."""
    with open("/proc/self/statm", encoding="ascii") as text:  # noqa: PTH123 - before anything else is allowed
        return int(text.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
