"""System calls by number, as hostile code makes them: past every check of a library."""

from __future__ import annotations

import ctypes
import os

from arena.sandbox.calls import machine
from arena.sandbox.numbers import NUMBERS, Pair, on

REFUSED: dict[str, Pair] = {
    "fork": (57, None),
    "vfork": (58, None),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "mount": (165, 40),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "unshare": (272, 97),
    "personality": (135, 92),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "openat2": (437, 437),
    "setrlimit": (160, 164),
    "socketpair": (53, 199),
    "inotify_init1": (294, 26),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "timer_create": (222, 107),
    "kcmp": (312, 272),
    "process_madvise": (440, 440),
    "fadvise64": (221, 223),
    "mincore": (27, 232),
    "mlock": (149, 228),
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "ioprio_set": (251, 30),
    "quotactl": (179, 60),
    "init_module": (175, 105),
    "reboot": (169, 142),
    "wait4": (61, 260),
    "setuid": (105, 146),
    "setsid": (112, 157),
}
"""Calls that hostile code wants; none is allowed in a box."""


def number_of(name: str) -> int | None:
    """Return a call's number on this machine; None if it has none."""
    here = machine()
    assert here is not None
    return on(here, (REFUSED | NUMBERS)[name])


def raw(name: str | int, *arguments: int | bytes | bytearray | None) -> int:
    """Make a system call; bytes are given by their address. Raises OSError."""
    number = name if isinstance(name, int) else number_of(name)
    assert number is not None, name
    buffers, given = [], []
    for argument in arguments:
        if isinstance(argument, (bytes, bytearray)):
            buffers.append(ctypes.create_string_buffer(bytes(argument), len(argument)))
            given.append(ctypes.c_long(ctypes.addressof(buffers[-1])))
        else:
            given.append(ctypes.c_long(argument or 0))
    given += [ctypes.c_long(0)] * (6 - len(given))
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    result = int(function(ctypes.c_long(number), *given))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
