"""Where a node keeps what workers unpack: a folder of the user's own, cleared of what dead workers left."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from arena.errors import UserError

LOCK = "lock"
PREFIX = "worker-"


def node_folder(parent: Path | None = None) -> Path:
    """Make this user's folder for unpacked bots, which nobody else can open, and return it.

    Args:
        parent: where; by default among the system's temporary folders.

    Raises:
        UserError: if somebody else made it.
    """
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = (parent or Path(tempfile.gettempdir())) / f"arena-bots-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if hasattr(os, "getuid") and (
        not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077
    ):
        raise UserError(f"{folder}: is open to others, or not of this user: remove it")
    return folder


def worker_folder(folder: Path) -> Path:
    """Make a folder for one worker, known to be in use while this process lives; remove those that are not any more.

    Args:
        folder: from `node_folder`.
    """
    for left in folder.glob(f"{PREFIX}*"):
        if _lock(left) is not None:
            shutil.rmtree(left, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    (made / LOCK).touch()
    _lock(made)
    named = folder / f"{PREFIX}{made.name.removeprefix('.new-')}"
    made.rename(named)
    return named


def _lock(folder: Path) -> int | None:
    """Lock a worker's folder until this process ends; returns the descriptor, None if it is in use or cannot be."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    with suppress(OSError):
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None
