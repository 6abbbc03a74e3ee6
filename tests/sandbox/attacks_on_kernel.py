"""What a bot may try on the kernel, by number and past every library: each returns if it succeeds.

Calls that would leave something behind outside of the box are made with arguments that the kernel cannot take, so that
its own answer is another error than the box's.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform

from raw_calls import raw

GETPID_I386 = bytes.fromhex("b814000000cd80c3")  # mov eax, 20; int 0x80; ret
NEW_USER = 0x10000000


def unshare_user() -> None:
    raw("unshare", NEW_USER)


def io_uring() -> int:
    return raw("io_uring_setup", 1, bytes(120))


def make_memory_file() -> int:
    return raw("memfd_create", b"x\0", 0)


def make_secret_memory() -> int:
    return raw("memfd_secret", 0)


def handle_faults() -> int:
    return raw("userfaultfd", 1)  # of user mode only, which an ordinary user may


def load_program() -> int:
    return raw("bpf", 0, (2).to_bytes(4, "little") + bytes([4, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0]) + bytes(32), 48)


def count_events() -> int:
    kind = (1).to_bytes(4, "little") + (112).to_bytes(4, "little") + bytes(104)  # software: the clock of the processor
    return raw("perf_event_open", kind, 0, -1, -1, 0)


def use_keyring() -> int:
    return raw("keyctl", 0, -1, 1)  # the thread's own, which ends with it


def add_key() -> int:
    return raw("add_key", b"user\0", b"x\0", b"x", 1, -1)


def page_out() -> int:
    return raw("madvise", None, 0, 21)


def make_cold() -> int:
    return raw("madvise", None, 0, 20)


def ask_the_cache() -> int:
    with open(os.__file__, "rb") as opened:
        return raw("preadv2", opened.fileno(), None, 0, 0, 0, 8)


def drop_from_cache() -> int:
    with open(os.__file__, "rb") as opened:
        return raw("fadvise64", opened.fileno(), 0, 0, 4)


def mount() -> None:
    raw("mount", None, None, None, 0, None)


def change_root() -> None:
    raw("chroot", None)


def pivot_root() -> None:
    raw("pivot_root", None, None)


def join_namespace() -> None:
    raw("setns", -1, 0)


def ask_personality() -> int:
    return raw("personality", 0xFFFFFFFF)


def set_personality() -> int:
    return raw("personality", 0x0040000)  # addresses no longer at random


def open_by_handle() -> int:
    return raw("open_by_handle_at", -100, bytes(8), 0)


def share_memory() -> int:
    return raw("shmget", 0, 0, 0o600)


def make_queue() -> int:
    return raw("msgget", 0x4152454E, 0)


def make_timer() -> int:
    return raw("timer_create", 0, None, bytes(8))


def compare() -> int:
    return raw("kcmp", os.getpid(), os.getpid(), 0, 0, 0)


def lock_memory() -> int:
    buffer = bytes(4096)
    return raw("mlock", buffer, 0)


def change_user() -> None:
    raw("setuid", os.getuid())


def leave_session() -> int:
    return raw("setsid")


def use_old_convention() -> int:
    """Call by ``int 0x80``: the numbers of another architecture."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(GETPID_I386)
    where = ctypes.addressof(ctypes.c_char.from_buffer(code))
    found = int(ctypes.CFUNCTYPE(ctypes.c_int)(where)())
    if found < 0:
        raise OSError(-found, os.strerror(-found))
    return found


def use_second_convention() -> int:
    """Call by the numbers of x32."""
    assert platform.machine() == "x86_64"
    return raw(0x40000000 + 39)


def use_unheard_of() -> int:
    return raw(100_000)


def call(name: str) -> int:
    return raw(name, -1, None, None, None, None)
