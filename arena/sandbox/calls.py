"""System calls by name: through the C library's ``syscall``, which needs no package and no wrapper of each."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from functools import cache
from typing import Any

from arena.sandbox.numbers import ARCHITECTURES, NUMBERS, Machine, on

ARGUMENTS = 6


@cache
def machine() -> Machine | None:
    """Return the architecture of this process; None if the box does not know it.

    A 32-bit process on a 64-bit kernel makes the calls of another architecture.
    """
    if sys.platform != "linux" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    return next((known for known in ARCHITECTURES if known == platform.machine()), None)


@cache
def _syscall() -> Any:
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    function.argtypes = [ctypes.c_long] * (1 + ARGUMENTS)
    return function


@cache
def _prctl() -> Any:
    function = ctypes.CDLL(None, use_errno=True).prctl
    function.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    return function


def control(option: int, value: int) -> None:
    """Have the kernel treat this process otherwise, as ``prctl`` does: on every Linux, whatever its calls' numbers.

    Args:
        option: what is to be otherwise.
        value: how.

    Raises:
        OSError: the kernel refused.
    """
    if _prctl()(option, value, 0, 0, 0) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl: {os.strerror(code)}")


def call(name: str, *arguments: int) -> int:
    """Make a system call, and return what it returned.

    Args:
        name: the call, of those in `NUMBERS`.
        arguments: whole numbers; a structure is given by its address, and kept alive by the caller.

    Raises:
        OSError: the kernel refused, or there is no such call here.
    """
    here = machine()
    number = None if here is None else on(here, NUMBERS[name])
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: no such call on this machine")
    result = int(_syscall()(number, *arguments, *[0] * (ARGUMENTS - len(arguments))))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result
