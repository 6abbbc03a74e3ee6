"""Processes of the zygote's own: forked also where there is hardly room for one more, killed, buried.

Where the number of processes and threads is bounded, as in most containers, a single bot may take all that are left.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from arena.agent.standstill import stat_of
from arena.errors import NoProcessError
from arena.sandbox.limits import threads_of

CROWD = 32
"""Threads that no bot needs: of those that have more, the one with most is killed when nothing can be forked."""
PATIENCE_S, AGAIN_S = 5.0, 0.02
"""Seconds in which a fork must succeed, and from one try to the next."""
SHORT = (errno.EAGAIN, errno.ENOMEM)
"""What a fork fails with where the machine has no more to give, for now."""


def fork_in_time(children: set[int], crowded: set[int], clear: Callable[[], None]) -> int:
    """Fork, and make room if there is none; returns as `os.fork` does.

    Args:
        children: bots' processes, any of which may be killed for its threads. It is still to be buried.
        crowded: those of them that were; added to.
        clear: called before every further try: ends what nobody needs.

    Raises:
        NoProcessError: if there is still no room after some seconds.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return os.fork()
        except OSError as error:
            if error.errno not in SHORT:
                raise
            if time.monotonic() > deadline:
                raise no_process(error) from None
        if all(map(has_ended, crowded)):  # else its threads are still ending
            _kill_largest(children, crowded)
        clear()
        time.sleep(AGAIN_S)


def _kill_largest(children: set[int], crowded: set[int]) -> None:
    """Kill the one with most threads, if they are too many: others may have a few more than one, and rightly."""
    threads, process = max(((threads_of(child), child) for child in children - crowded), default=(0, 0))
    if threads > CROWD:
        crowded.add(process)
        kill(process)


def no_process(error: OSError, whom: str = "a bot") -> NoProcessError:
    """Return what is said when nothing can be forked.

    Args:
        error: the system's.
        whom: the process would have been for.
    """
    why = f"{error.strerror}; raise what bounds processes or memory here, or play with fewer --workers"
    return NoProcessError(f"no process can be started for {whom}: {why}")


@contextmanager
def shortage_told(whom: str = "a bot") -> Iterator[None]:
    """Tell in our words if the machine gives no process for what is started in the block.

    Args:
        whom: the process is for.

    Raises:
        NoProcessError: if there is none.
    """
    try:
        yield
    except OSError as error:
        if error.errno in SHORT:
            raise no_process(error, whom) from None
        raise


def children_here() -> set[int]:
    """Return this process's children; where nothing tells them, none."""
    found, parent = set(), str(os.getpid())
    with suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208 - names are wanted
            if stat_of(int(name))[1:2] == [parent]:
                found.add(int(name))
    return found


def has_ended(process: int) -> bool:
    """Return whether a child has ended that was not waited for."""
    if not hasattr(os, "waitid"):  # nor can macOS tell otherwise without waiting for it
        return False
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def bury(process: int) -> int:
    """Kill a process and its group; returns its exit code, below 0 minus the signal that ended it before."""
    kill(process)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)


def kill(process: int) -> None:
    """Kill a process and its group; it is still to be waited for."""
    for send in (os.killpg, os.kill):  # until it is waited for, its number is nobody else's
        try:
            send(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
