"""Landlock: the process may read the named paths, execute others, and do nothing else to any file.

A kernel's Landlock has a version (ABI); every right that the version knows is taken away, and the two given back where
they are wanted:

====  =============================================================================
1     reading, writing, executing, listing, making and removing
2     moving between folders (always refused by version 1)
3     truncating
4     binding and connecting TCP
5     ``ioctl`` on devices
6     abstract unix sockets and signals that leave the box
7     keeping quiet: without it, everything refused is logged where auditing is on
====  =============================================================================

Landlock hides no names: ``stat`` still tells whether a path exists, how large it is and when it was changed.

Source: Linux, ``Documentation/userspace-api/landlock.rst`` and ``include/uapi/linux/landlock.h``.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from arena.sandbox.calls import call

EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""The rights on files that each version brought."""
NET_RIGHTS = {4: 0b11}
SCOPES = {6: 0b11}
QUIET = 1 << 0
QUIET_SINCE = 7

ASK_VERSION = 1
PATH_BENEATH = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):  # the kernel's is packed: what fills this one up at its end is not read
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return the version of this kernel's Landlock, at least 1.

    Raises:
        OSError: there is none (ENOSYS), it is switched off (EOPNOTSUPP), or it may not be asked for (EPERM).
    """
    return call("landlock_create_ruleset", 0, 0, ASK_VERSION)


def restrict(readable: Iterable[Path], executable: Iterable[Path]) -> None:
    """Take from this process, for good, every right on files but these; it must have no new privileges.

    Args:
        readable: files, and folders with all that is in them. What does not exist is passed over.
        executable: the same, to execute as well; the program's loader must be among them.

    Raises:
        OSError: there is no Landlock, or a path cannot be reached.
    """
    ruleset = prepare(readable, executable)
    try:
        restrict_by(ruleset)
    finally:
        os.close(ruleset)


def prepare(readable: Iterable[Path], executable: Iterable[Path] = ()) -> int:
    """Return the descriptor of a ruleset that allows this, for `restrict_by`; processes that are forked have it too.

    Args:
        readable: as in `restrict`.
        executable: as in `restrict`.

    Raises:
        OSError: there is no Landlock, or a path cannot be reached.
    """
    known = version()
    made = _Ruleset(_known(FILE_RIGHTS, known), _known(NET_RIGHTS, known), _known(SCOPES, known))
    ruleset = call("landlock_create_ruleset", ctypes.addressof(made), ctypes.sizeof(made))
    try:
        for path in readable:
            _allow(ruleset, path, READ_FILE | READ_DIR)
        for path in executable:
            _allow(ruleset, path, READ_FILE | READ_DIR | EXECUTE)
    except OSError:
        os.close(ruleset)
        raise
    return ruleset


def restrict_by(ruleset: int) -> None:
    """Take from this process, for good, every right on files that a ruleset does not give, and that it still has.

    Args:
        ruleset: its descriptor.

    Raises:
        OSError: the process may have new privileges, or was restricted too often.
    """
    call("landlock_restrict_self", ruleset, QUIET if version() >= QUIET_SINCE else 0)


def _known(rights: dict[int, int], known: int) -> int:
    return sum(bits for since, bits in rights.items() if since <= known)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= ~READ_DIR  # refused for what is no folder
        rule = _Beneath(rights, opened)
        call("landlock_add_rule", ruleset, PATH_BENEATH, ctypes.addressof(rule))
    finally:
        os.close(opened)
