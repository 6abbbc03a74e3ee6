"""A store that is damaged, or that the disk does not take: how that is found, and how it is told."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import DiskError, UserError, one_line

PRIMARY = 0xFF
"""The part of an SQLite code that says what kind of error it is."""
DISK_CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
DAMAGE_CODES = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
"""The last is for statements that mean nothing; as ours never change, the tables are not ours then."""
NO_NEWS = "*** in database main ***"
"""How SQLite begins what it finds in pages; there is no other database."""
FRESH = "--fresh sets it aside"


def refuse_unsound(database: sqlite3.Connection, path: Path, tables: Collection[str]) -> None:
    """Refuse a store in which SQLite would not find all that is in it.

    Where the order of rows is broken, or an index is, rows are passed over without an error, and would be played
    again. A million games take less than a tenth of a second.

    Args:
        database: an open connection.
        path: the store's file.
        tables: those that it must have.

    Raises:
        UserError: if it is so.
        sqlite3.Error: if that cannot be found out.
    """
    (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise damaged(path, found.removeprefix(NO_NEWS))
    refuse_missing(database, path, tables)


def refuse_missing(database: sqlite3.Connection, path: Path, tables: Collection[str]) -> None:
    """Refuse a store that lacks a table; see `refuse_unsound`."""
    there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for name in tables:
        if name not in there:
            raise damaged(path, f"it has no table {name}")


def damaged(path: Path, what: object) -> UserError:
    """Return how damage is told, with what may be done about it."""
    return UserError(f"{path}: is damaged: {one_line(what)}; {FRESH}")


def code_of(error: sqlite3.Error) -> int:
    """Return the SQLite code of an error; one of the module around it, such as of a text that is none, is damage."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & PRIMARY


def unusable(path: Path, error: sqlite3.Error) -> UserError:
    """Return how an error of SQLite is told: as damage, as a disk that is full or fails, or as what stands in the way.

    Args:
        path: the file.
        error: from SQLite.
    """
    code = code_of(error)
    if code in DAMAGE_CODES:
        return damaged(path, error)
    kind = DiskError if code in DISK_CODES else UserError
    return kind(f"{path}: cannot be used: {one_line(error)}")


@contextmanager
def unreadable_told() -> Iterator[None]:
    """Make one error of two: SQLite names damaged tables as they are, and Python cannot read the name.

    Raises:
        sqlite3.DatabaseError: instead of UnicodeDecodeError.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(one_line(error)) from None
