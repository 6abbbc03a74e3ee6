"""The numbers of the system calls the box knows, by architecture, in groups: free, judged by arguments, and others.

Every number is a pair: on x86_64, on aarch64; None where the architecture has no such call. What stands in none of the
groups is refused inside the box.

Source: Linux, ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h``; architecture words
from ``include/uapi/linux/audit.h``.
"""

from __future__ import annotations

from typing import Literal

Machine = Literal["x86_64", "aarch64"]
Pair = tuple[int | None, int | None]

ARCHITECTURES: dict[Machine, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The word by which a filter tells the calling convention; a 64-bit process can use others, such as ``int 0x80``."""

X32 = 0x40000000
"""Set in the numbers of a second x86_64 convention, which has the same architecture word."""

NEWEST = 449
"""The highest number that was looked at; what is above is answered as by a kernel that has no such call."""

FREE: dict[str, Pair] = {
    # files and pipes: reading by name is Landlock's to judge; writing needs a descriptor that was inherited
    "read": (0, 63),
    "readv": (19, 65),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "write": (1, 64),
    "writev": (20, 66),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    # waiting
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "nanosleep": (35, 101),
    "pause": (34, None),
    "alarm": (37, None),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "restart_syscall": (219, 128),
    # memory, executable too: compilers at run time live on it
    "brk": (12, 214),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "membarrier": (324, 283),
    "pkey_alloc": (330, 289),
    "pkey_free": (331, 290),
    "pkey_mprotect": (329, 288),
    # threads, and signals to oneself
    "futex": (202, 98),
    "futex_waitv": (449, 449),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # what a process may know
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpgrp": (111, None),
    "capget": (125, 90),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "uname": (63, 160),
    "time": (201, None),
    "gettimeofday": (96, 169),
    "getrandom": (318, 278),
}

JUDGED: dict[str, Pair] = {
    "open": (2, None),
    "openat": (257, 56),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "preadv2": (327, 286),
    "mmap": (9, 222),
    "madvise": (28, 233),
    "clone": (56, 220),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
}

TOO_NEW: dict[str, Pair] = {
    "clone3": (435, 435),
}
"""Answered as by a kernel that has no such call: a filter cannot see the flags, and C libraries then use ``clone``."""

OWN: dict[str, Pair] = {
    "capset": (126, 91),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}
"""What building the box takes; refused once it stands."""

NUMBERS = FREE | JUDGED | TOO_NEW | OWN


def on(machine: Machine, pair: Pair) -> int | None:
    """Return the number of a call on an architecture; None if it has no such call."""
    return pair[0] if machine == "x86_64" else pair[1]
