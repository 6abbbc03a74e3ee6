"""Where a node keeps the bots that came to it: a folder of the user's own, in which bundles stay for later runs."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from arena.errors import UserError, not_taken


def node_folder(parent: Path | None = None) -> Path:
    """Make this user's folder for unpacked bots, which nobody else can open, and return it.

    Args:
        parent: where; by default among the system's temporary folders.

    Raises:
        UserError: if somebody else made it, or it cannot be made.
    """
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = (parent or Path(tempfile.gettempdir())) / f"arena-bots-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise not_taken(f"{folder}: cannot be made", error) from None
    status = folder.lstat()
    if hasattr(os, "getuid") and (
        not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077
    ):
        raise UserError(f"{folder}: is open to others, or not of this user: remove it")
    return folder
