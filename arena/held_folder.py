"""A folder that is in use while its process lives, and that a later process removes if that one could not."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import not_taken

LOCK = "lock"


@contextmanager
def held_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder, and remove it at the end; those that dead processes left are removed at the beginning.

    Args:
        parent: the folder that it is made in; it may be one that all users share.
        prefix: of its name, and of the names of those that are removed.

    Yields:
        The folder.

    Raises:
        UserError: if it cannot be made.
    """
    for left in parent.glob(f"{prefix}*"):
        _remove_if_free(left)
    try:
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    except OSError as error:
        raise not_taken(f"{parent}: no folder can be made there", error) from None
    descriptor = None
    try:
        try:
            descriptor = _hold(made)
        except OSError as error:
            raise not_taken(f"{made}: cannot be written", error) from None
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _hold(folder: Path) -> int | None:
    """Put a lock into a new folder, which nobody ever sees free; returns its descriptor, None where there are none."""
    descriptor, aside = tempfile.mkstemp(dir=folder)
    if _locked(descriptor):
        try:
            Path(aside).rename(folder / LOCK)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
    os.close(descriptor)
    Path(aside).unlink()
    return None


def _remove_if_free(folder: Path) -> None:
    """Remove a folder whose lock nobody holds; one without a lock, or that is not this user's, stays."""
    with suppress(OSError):
        if hasattr(os, "getuid") and folder.lstat().st_uid != os.getuid():
            return
        descriptor = os.open(folder / LOCK, os.O_RDWR)
        try:
            if _locked(descriptor):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock a file until its descriptor is closed; returns False if it is locked, or cannot be here."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
