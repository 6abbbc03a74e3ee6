"""A run's folder: which files are a run's, who may use them, and how it is set aside."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from arena.damage import DISK_CODES, code_of, unreadable_told, unusable
from arena.errors import UserError, not_taken, one_line

FILE_NAME = "results.sqlite"
WAL_NAME = f"{FILE_NAME}-wal"
LOCK_NAME = "lock.sqlite"
SEED_NAME = "seed"
EMPTY_SIZE = 1
"""Bytes of a file up to which SQLite takes it for an empty one: it once wrote a byte into those."""
LOCK_SECONDS = 0.5
"""A lock is waited for as long: whoever only asks whether it is held holds it for a moment."""


def in_use(folder: Path) -> bool:
    """Return whether a run is using a folder now."""
    path = folder / LOCK_NAME
    if not path.is_file():
        return False
    try:
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)
        with closing(database) as lock, unreadable_told():
            lock.execute("SELECT * FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def locked(path: Path) -> sqlite3.Connection:
    """Return a connection that holds a lock until it is closed or the process dies, on every platform."""
    lock: sqlite3.Connection | None = None
    try:
        lock = sqlite3.connect(path, isolation_level=None, timeout=LOCK_SECONDS)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if lock is not None:
            lock.close()
        if "locked" in str(error):
            raise UserError(f"{path.parent}: another run is using this folder") from None
        if code_of(error) in DISK_CODES:
            raise unusable(path, error) from None
        remedy = "; it holds nothing: remove it" if code_of(error) == sqlite3.SQLITE_NOTADB else ""
        raise UserError(f"{path}: cannot be used: {one_line(error)}{remedy}") from None
    return lock


def refuse_strange(folder: Path) -> None:
    """Refuse a folder that is no run's: something is in it, and no store.

    Raises:
        UserError: if it is so.
        OSError: if it cannot be looked into.
    """
    inside = [path.name for path in folder.iterdir()]
    ours = (FILE_NAME, LOCK_NAME, SEED_NAME, f".{SEED_NAME}.new")  # what a run leaves that was stopped at its start
    if FILE_NAME not in inside and not all(name.startswith(ours) for name in inside):
        raise UserError(f"{folder}: is no run's folder: it is not empty, and has no {FILE_NAME}")


def is_emptied(folder: Path) -> bool:
    """Return True if a run's store is there with nothing in it: cut to nothing, or stopped as it was made.

    What a killed run left beside it does not count: SQLite removes that where the store is empty.
    """
    try:
        return (folder / FILE_NAME).stat().st_size <= EMPTY_SIZE
    except OSError:
        return False


def file_at(path: Path) -> tuple[int, int] | None:
    """Return the device and number of the file at a path, by which it is known from others; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def set_aside(folder: Path) -> Path | None:
    """Rename a run's folder to the first free ``<folder>.N``; return the new name, None without a folder.

    Raises:
        UserError: if a run is using the folder, it is no run's, or it cannot be renamed.
    """
    if not folder.exists():
        return None
    if not folder.name:
        raise UserError(f"{folder}: this folder cannot be set aside; name one inside it")
    if folder.is_dir():
        try:
            refuse_strange(folder)
        except OSError as error:
            raise not_taken(f"{folder}: cannot be set aside", error) from None
    if (folder / LOCK_NAME).exists():
        locked(folder / LOCK_NAME).close()
    number = next(n for n in range(1, 1 << 20) if not folder.with_name(f"{folder.name}.{n}").exists())
    try:
        return folder.rename(folder.with_name(f"{folder.name}.{number}"))
    except OSError as error:
        raise not_taken(f"{folder}: cannot be set aside", error) from None
