"""The filter of system calls: a list of what is allowed, made into a program that the kernel runs before each call.

Everything else is answered with EPERM, as a call that is not permitted, so that a library which tries and falls back
goes on. Two kinds are answered with ENOSYS, as by an older kernel: ``clone3``, whose flags a filter cannot see and for
which C libraries then use ``clone``, and calls newer than the list.

A filter sees numbers, never what a pointer leads to: it can judge flags and process ids, not paths.

Source: Linux, ``Documentation/userspace-api/seccomp_filter.rst``; constants from ``include/uapi/linux``.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from dataclasses import dataclass

from arena.sandbox.calls import call
from arena.sandbox.limits import MemoryKind
from arena.sandbox.numbers import ARCHITECTURES, FREE, JUDGED, NEWEST, TOO_NEW, X32, Machine, on

SET_MODE_FILTER, GET_ACTION_AVAILABLE = 1, 2
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
REFUSE, UNKNOWN = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS

LOAD, AND, EQUAL, AT_LEAST, ABOVE, RETURN = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
"""Instructions: load a word of the call's data, mask it; jump by comparison; answer."""
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16

WORD, LONG = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF

CLONE_THREAD = 0x10000
CLONE_REFUSED = 0x7E020000 | 0x80 | 0x4000 | 0x2000  # new namespaces (and of time), vfork, ptrace
WRITING = 0o3 | 0o100 | 0o1000 | 0o20000000  # O_ACCMODE, O_CREAT, O_TRUNC, __O_TMPFILE; as on both architectures
DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
TERMINAL_QUESTIONS = (0x5401, 0x5413)  # TCGETS (isatty) and TIOCGWINSZ; TIOCSTI would type into the terminal
BLOCKING = (0x541B, 0x5421, 0x5450, 0x5451)  # FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
NAMES = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA: names of threads and of memory
OTHERS_CLOCK = 0x80000000  # clocks of processes and threads have negative numbers
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
ADVICE = (*range(5), 8, 10, 11, *range(13, 20), 22, 23, 24)
"""About memory: none that takes what others use out of it or joins it with theirs (MADV_REMOVE, MADV_MERGEABLE,
MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE, MADV_HWPOISON, MADV_SOFT_OFFLINE): they would be signs for others."""

NOBODY = 0x7FFEDCBA
"""Stands for a process in a template: no process has this number, and nothing else in a filter is equal to it."""

Instruction = tuple[int, int, int, int]


@dataclass(frozen=True)
class Condition:
    """What an argument must be: masked, one of some values.

    Args:
        argument: its place, from 0.
        values: what is allowed, each below 2**32.
        mask: the bits that count. The kernel takes descriptors, flags and process ids from the lower 32.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = WORD


Conditions = tuple[Condition, ...]


def conditions(pid: int, *, may_exec: bool, memory: MemoryKind) -> dict[str, Conditions]:
    """Return which of the judged calls are allowed, and when: all conditions of a call must hold.

    Args:
        pid: the process that the filter is for: it may signal and limit none but itself.
        may_exec: allow executing another program; Landlock says which.
        memory: what counts against the limit of memory; see `arena.sandbox.limits`.
    """
    allowed: dict[str, Conditions] = {
        "open": (Condition(1, (0,), WRITING),),
        "openat": (Condition(2, (0,), WRITING),),
        "fcntl": (Condition(1, DESCRIPTOR_COMMANDS),),  # not F_SETOWN, which has the kernel signal others
        "ioctl": (Condition(1, TERMINAL_QUESTIONS + BLOCKING),),
        "preadv2": (Condition(5, (0,)),),  # not RWF_NOWAIT, which tells whether a file is in memory
        "mmap": (),
        "madvise": (Condition(2, ADVICE),),
        "clone": (Condition(0, (CLONE_THREAD,), CLONE_THREAD | CLONE_REFUSED),),
        "kill": (Condition(0, (pid,)),),
        "tgkill": (Condition(0, (pid,)),),
        "prctl": (Condition(0, NAMES),),
        "prlimit64": (Condition(0, (0, pid)), Condition(2, (0,), LONG)),  # to ask, not to set
        "sched_setaffinity": (Condition(0, (0, pid)),),
        "clock_gettime": (Condition(0, (0,), OTHERS_CLOCK),),
        "clock_getres": (Condition(0, (0,), OTHERS_CLOCK),),
        "clock_nanosleep": (Condition(0, (0,), OTHERS_CLOCK),),
    }
    if memory == "data":
        kinds = (0, MAP_SHARED, MAP_ANONYMOUS)  # what is both is counted nowhere
        allowed["mmap"] = (Condition(3, kinds, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN),)
    if may_exec:
        allowed |= {"execve": (), "execveat": ()}
    return allowed


def program(machine: Machine, allowed: dict[str, Conditions]) -> list[Instruction]:
    """Return the filter as instructions: operation, jump if true, jump if false, operand.

    Args:
        machine: the architecture it is for.
        allowed: the judged calls that are allowed; the free ones are anyway.
    """
    made: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if machine == "x86_64":
        made += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, REFUSE)]
    made += [(ABOVE, 0, 1, NEWEST), (RETURN, 0, 0, UNKNOWN)]
    for name, pair in JUDGED.items():
        number = on(machine, pair)
        if number is not None and name in allowed:
            verdict = _verdict(allowed[name])
            made += [(EQUAL, 0, len(verdict), number), *verdict]
    for group, answer in ((TOO_NEW, UNKNOWN), (FREE, ALLOW)):
        for pair in group.values():
            number = on(machine, pair)
            if number is not None:
                made += [(EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]
    return [*made, (RETURN, 0, 0, REFUSE)]


def _verdict(conditions: Conditions) -> list[Instruction]:
    made: list[Instruction] = []
    for condition in conditions:
        low_at = ARGUMENTS_AT + 8 * condition.argument  # both architectures are little-endian
        if condition.mask > WORD:
            made += [(LOAD, 0, 0, low_at + 4), (AND, 0, 0, condition.mask >> 32), (EQUAL, 1, 0, 0)]
            made.append((RETURN, 0, 0, REFUSE))
        made += [(LOAD, 0, 0, low_at), (AND, 0, 0, condition.mask & WORD)]
        count = len(condition.values)
        made += [(EQUAL, count - place, 0, value) for place, value in enumerate(condition.values)]
        made.append((RETURN, 0, 0, REFUSE))
    return [*made, (RETURN, 0, 0, ALLOW)]


def pack(instructions: list[Instruction]) -> bytes:
    """Return a filter as the kernel reads it."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def template(machine: Machine, *, memory: MemoryKind) -> bytes:
    """Return a packed filter of processes that execute no other program, for `of_process` to complete.

    Args:
        machine: the architecture it is for.
        memory: as in `conditions`.
    """
    return pack(program(machine, conditions(NOBODY, may_exec=False, memory=memory)))


def of_process(made: bytes, pid: int) -> bytes:
    """Return the packed filter of one process, from a template."""
    return made.replace(struct.pack("=I", NOBODY), struct.pack("=I", pid))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install(packed: bytes) -> None:
    """Put this process, for good, under a filter; it must have no new privileges.

    Raises:
        OSError: there is no seccomp, or the kernel does not take the filter.
    """
    kept = ctypes.create_string_buffer(packed, len(packed))
    made = _Program(len(packed) // 8, ctypes.addressof(kept))
    call("seccomp", SET_MODE_FILTER, 0, ctypes.addressof(made))


def probe() -> None:
    """Do nothing if the kernel filters system calls and can answer with an error.

    Raises:
        OSError: it does not (ENOSYS), it cannot (EOPNOTSUPP), or it may not be asked (EPERM).
    """
    action = ctypes.c_uint32(ERRNO)
    call("seccomp", GET_ACTION_AVAILABLE, 0, ctypes.addressof(action))
