"""Limits of a process: memory, processor time, descriptors; tied to its parent, without privileges.

Every limit is set for good: soft and hard alike, never above what the process was given. What they do not do:

- ``RLIMIT_NPROC`` does not bind the user root, and counts all of a user's threads on the machine, so that it can only
  be a wide bound on threads; forking is stopped by the filter of system calls.
- ``RLIMIT_DATA`` counts neither shared anonymous memory nor mappings that grow downwards; the filter refuses those
  where it is used.
- A process that sleeps uses no processor time: the deadline by the wall clock is the caller's.

Source: ``man 2 setrlimit``, ``man 2 prctl``, ``man 2 capset``; what is counted: Linux, ``mm/mmap.c``.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Literal

from arena.sandbox.calls import call, control

if sys.platform != "win32":
    import resource

MemoryKind = Literal["address_space", "data"]

MB = 1 << 20
STACK_BYTES = 8 * MB
MORE_THREADS = 1024
"""Threads beyond those of the whole machine. Wide, because the user's other processes count too."""

SET_PDEATHSIG, SET_DUMPABLE, SET_CHILD_SUBREAPER, SET_NO_NEW_PRIVS = 1, 4, 36, 38
CAPABILITIES_64 = 0x20080522
READING = 1 << 1 | 1 << 2
"""What root keeps (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH): to read what others own, within what Landlock leaves."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int32))


class _Capabilities(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def threads_here() -> int:
    """Return how many threads this process has.

    Raises:
        OSError: ``/proc`` does not tell.
    """
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - names are counted, no paths are wanted


def threads_of(process: int) -> int:
    """Return how many threads a process has, by one system call; 0 if that cannot be told.

    Source: Linux, ``fs/proc/base.c``: the links of its folder of threads, beside the two of every folder.
    """
    if not sys.platform.startswith("linux"):
        return 0
    try:
        return os.stat(f"/proc/{process}/task").st_nlink - 2  # noqa: PTH116 - asked at every answer
    except OSError:
        return 0


def be_killed_first() -> None:
    """Have this process, and those that come of it, killed before all others when the machine's memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")


def memory_taken(kind: MemoryKind) -> int:
    """Return the bytes that count against the limit of memory already.

    Raises:
        OSError: ``/proc`` does not tell.
    """
    pages = Path("/proc/self/statm").read_bytes().split()
    return int(pages[0 if kind == "address_space" else 5]) * os.sysconf("SC_PAGE_SIZE")


def tie_to_parent(parent: int | None, by: signal.Signals = signal.SIGKILL) -> bool:
    """Have this process killed when the thread that made it ends; return whether the parent is still there.

    Args:
        parent: the parent's process id, as the parent knows it. None to take today's: then a parent that died before
            is not noticed.
        by: the signal that it gets then.
    """
    expected = os.getppid() if parent is None else parent
    control(SET_PDEATHSIG, by)
    return os.getppid() == expected


def adopt_orphans() -> None:
    """Have descendants of this process whose parents end become its children, and not the system's."""
    control(SET_CHILD_SUBREAPER, 1)


def refuse_privileges() -> None:
    """Let no program that this process may execute give it privileges; Landlock and seccomp ask for it."""
    control(SET_NO_NEW_PRIVS, 1)


def close_to_others() -> None:
    """Hide memory, descriptors and environment from the user's other processes. Executing a program undoes it."""
    control(SET_DUMPABLE, 0)


def drop_privileges() -> None:
    """Give up what root may do beyond reading. An ordinary user has nothing to give up."""
    header = _Header(CAPABILITIES_64, 0)
    held = (_Capabilities * 2)()
    call("capget", ctypes.addressof(header), ctypes.addressof(held))
    kept = (_Capabilities * 2)(_Capabilities(held[0].effective & READING, held[0].permitted & READING, 0))
    call("capset", ctypes.addressof(header), ctypes.addressof(kept))


def set_limits(*, memory_mb: int, memory: MemoryKind, cpu_seconds: int | None, open_files: int) -> None:
    """Limit what this process may use.

    Args:
        memory_mb: megabytes (2**20 bytes) of memory.
        memory: what counts as memory: all address space, or (for programs that reserve much and use little, such as
            node) only what is private and writable.
        cpu_seconds: processor time in seconds, of all threads and since the process began. Then SIGXCPU ends it, and
            SIGKILL a second later if it has made itself deaf to that. None for no limit.
        open_files: descriptors are numbered below this; those already open above it stay.

    Raises:
        OSError: ``/proc`` does not tell how many threads there are.
        ValueError: the kernel knows no such limit.
    """
    running = int(Path("/proc/loadavg").read_bytes().split()[3].split(b"/")[1])
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_STACK: STACK_BYTES,
        resource.RLIMIT_NPROC: running + MORE_THREADS,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_AS if memory == "address_space" else resource.RLIMIT_DATA: memory_mb * MB,
    }
    for limit, most in limits.items():
        _set(limit, most, most)
    if cpu_seconds is not None:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        _set(resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1)


def _set(limit: int, soft: int, hard: int) -> None:
    most = resource.getrlimit(limit)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(limit, (soft, hard))
