"""Processes of the arena that somebody has stopped, as a bot at `process` can: they would not go on by themselves."""

from __future__ import annotations

import time
from math import inf
from pathlib import Path

STANDING_S = 5.0
"""Seconds for which a process is stopped before it is given up."""
RECENT_S = 2.5
"""Seconds from one look to the next at most: else whoever looks may have been stopped together with it."""
STOPPED, TRACED = "T", "t"


def stat_of(process: int) -> list[str]:
    """Return what the system tells of a process, from its state and its parent on; nothing where it tells nothing.

    Source: Linux, ``Documentation/filesystems/proc.rst``, the fields of ``/proc/PID/stat`` from the third on.
    """
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return told.rpartition(")")[2].split()  # the program's name may hold anything, but is the last to end in a bracket


class Standstill:
    """Notices that a process stands still, by a signal or by one that traces it.

    Args:
        process: its number.
    """

    def __init__(self, process: int) -> None:
        self._process, self._since, self._looked = process, inf, -inf

    def lasts(self) -> bool:
        """Return whether it stood still every time that this was asked, for a while; False where nothing tells."""
        stands, now = stat_of(self._process)[:1] in ([STOPPED], [TRACED]), time.monotonic()
        since = now if now - self._looked > RECENT_S else min(self._since, now)
        self._since, self._looked = since if stands else inf, now
        return now - self._since > STANDING_S
