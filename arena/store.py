"""Results on disk: one SQLite file a run, one row a block, written once. What is stored is not played again."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.damage import DAMAGE_CODES, code_of, damaged, refuse_missing, refuse_unsound, unreadable_told, unusable
from arena.errors import DiskError, UserError, not_taken, one_line
from arena.game.table import winner_bits
from arena.new_file import OWNERS, new_file
from arena.packing import packed_games, packed_moves, unpacked_games, unpacked_moves
from arena.records import SEED_BITS, Block, BlockResult, End, Fault, Timing, UInt8
from arena.run_folder import FILE_NAME, LOCK_NAME, SEED_NAME, WAL_NAME, file_at, locked, refuse_strange

SCHEMA = 2
COLUMNS = "series, first, stop, games, faults, timing, levels, transcribed, checksum"
UNCHECKED = -1
"""Stands for the checksum of what was stored before there were any."""
FIRST = """
CREATE TABLE blocks (
    series TEXT NOT NULL,
    first INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    games BLOB NOT NULL,
    faults TEXT NOT NULL,
    timing TEXT NOT NULL,
    PRIMARY KEY (series, first)
) WITHOUT ROWID;
"""
SECOND = f"""
ALTER TABLE blocks ADD COLUMN levels TEXT NOT NULL DEFAULT '{{}}';
ALTER TABLE blocks ADD COLUMN transcribed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blocks ADD COLUMN checksum INTEGER NOT NULL DEFAULT {UNCHECKED};
CREATE TABLE transcripts (
    series TEXT NOT NULL,
    first INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    rolls INTEGER NOT NULL,
    moves BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (series, first)
);
CREATE TABLE manifest (content TEXT NOT NULL, checksum INTEGER NOT NULL);
"""
TABLES = ("blocks", "transcripts", "manifest")
UPGRADES = {0: FIRST + SECOND, 1: SECOND, SCHEMA: ""}
"""What makes a store of another version one of today's; 0 is an empty file."""


class Results:
    """The results of one run, to be read while nobody or somebody plays it.

    Args:
        database: an open connection.
        folder: the run's folder.
    """

    def __init__(self, database: sqlite3.Connection, folder: Path) -> None:
        self._db, self.folder = database, folder

    def refuse_unsound(self) -> None:
        """Look through the whole file, for those to whom a block that is not found is one that was not played.

        Raises:
            UserError: if the store is damaged.
        """
        with self._damage_told():
            self._refuse_unsound()

    def _refuse_unsound(self) -> None:
        refuse_unsound(self._db, self.folder / FILE_NAME, TABLES)
        strays = "SELECT first FROM transcripts NATURAL LEFT JOIN (SELECT series, first, 1 AS known FROM blocks)"
        if stray := self._db.execute(f"{strays} WHERE known IS NULL LIMIT 1").fetchone():
            told = f"transcripts from dice set {stray[0] + 1} on belong to no block"
            raise damaged(self.folder / FILE_NAME, told)

    def manifest(self) -> str | None:
        """Return what `Store.describe` was told last; None if it never was.

        Raises:
            UserError: if the store is damaged.
        """
        with self._damage_told():
            row = self._db.execute("SELECT content, checksum FROM manifest").fetchone()
            return None if row is None else str(_checked(row, "what the run is made of")[0])

    def drawn_seed(self) -> int:
        """Return the seed that was drawn for the run.

        Raises:
            UserError: if the file cannot be used.
        """
        path = self.folder / SEED_NAME
        try:
            text = path.read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                raise not_taken(f"{path}: cannot be used", error) from None
            raise UserError(f"{path}: cannot be used: {error}") from None
        if not text.isdecimal() or len(text) > len(str(1 << SEED_BITS)) or int(text) >> SEED_BITS:
            raise UserError(f"{path}: is damaged: no seed of {SEED_BITS} bits; --fresh sets the run aside")
        return int(text)

    def known(self, series: str) -> list[tuple[int, int]]:
        """Return the ranges of dice sets that are stored, ``(first, stop)``, ascending and apart.

        Args:
            series: which games: see `arena.records.series_id`.

        Raises:
            UserError: if the store is damaged.
        """
        query = "SELECT first, stop FROM blocks WHERE series = ? ORDER BY first"
        with self._damage_told():
            return list(self._db.execute(query, (series,)))

    def results(self, whole: Block, *, moves: bool = False) -> Iterator[BlockResult]:
        """Return the stored results within a block, in order of their dice sets, cut to the block.

        Args:
            whole: the dice sets that are wanted of a series.
            moves: True to read the transcripts too.

        Yields:
            One result a stored block.

        Raises:
            UserError: if the store is damaged.
        """
        query = f"SELECT {COLUMNS} FROM blocks WHERE series = ? AND first < ? AND stop > ? ORDER BY first"
        with self._damage_told():
            for row in self._db.execute(query, (whole.series, whole.stop, whole.first)):
                stored = replace(whole, first=row[1], stop=row[2])
                values = _checked(row, str(stored))
                yield _result(whole, values, self._moves(stored) if moves and values[-1] else None)

    def _moves(self, block: Block) -> UInt8:
        """Return the transcripts of a stored block, which were kept."""
        query = "SELECT series, first, rounds, rolls, moves, checksum FROM transcripts WHERE series = ? AND first = ?"
        row = self._db.execute(query, (block.series, block.first)).fetchone()
        if row is None:
            raise LookupError(f"no transcripts of {block}")
        _, _, rounds, rolls, blob = _checked(row, f"transcripts of {block}")
        return unpacked_moves(blob, (block.seats, rounds, block.seats, rolls, block.mirrors))

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise unusable(self.folder / FILE_NAME, error) from None
        except (zlib.error, ValueError, TypeError, LookupError) as error:
            raise damaged(self.folder / FILE_NAME, error) from None


@contextmanager
def opened_results(folder: Path) -> Iterator[Results]:
    """Open the results of a run to be read; somebody may be playing it.

    Raises:
        UserError: if there is no run, or its store is of another version or cannot be read.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise UserError(f"{folder}: is no run's folder: it has no {FILE_NAME}")
    try:
        with closing(_reader(path)) as database:
            with unreadable_told():
                version = database.execute("PRAGMA user_version").fetchone()[0]
                if version != SCHEMA:
                    raise UserError(f"{folder}: {_strange(version)}")
                refuse_missing(database, path, TABLES)
            yield Results(database, folder)
    except sqlite3.Error as error:
        raise unusable(path, error) from None


def _reader(path: Path) -> sqlite3.Connection:
    """Return a connection that reads, and leaves the folder as it was.

    Of what is being played, or was killed, a part stands in a file beside; who only reads leaves that alone. Else
    SQLite makes such a file, and removes it only if it might have written; where it cannot make one, nobody else can.
    """
    if (path.parent / WAL_NAME).exists():
        mode = "mode=ro"
    elif os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        mode = "mode=rw"
    else:
        mode = "immutable=1"
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    database.execute("PRAGMA query_only = ON")
    return database


def _strange(version: int) -> str:
    remedy = (
        "arena run brings it up to date" if version in UPGRADES else "a newer arena reads it, --fresh sets it aside"
    )
    return f"the store is of version {version}; this arena reads version {SCHEMA}; {remedy}"


class Store(Results):
    """The results of one run, to be added to.

    Args:
        folder: the run's folder; it is made if it does not exist.

    Raises:
        UserError: if the folder cannot be written, holds another version's store or none beside other things, or is in
            use; or if the store is damaged.
        DiskError: if the disk is full or fails.
    """

    def __init__(self, folder: Path) -> None:
        try:
            with ExitStack() as opened:
                folder.mkdir(parents=True, exist_ok=True)
                refuse_strange(folder)
                opened.enter_context(closing(locked(folder / LOCK_NAME)))
                database = opened.enter_context(closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)))
                super().__init__(database, folder)
                with unreadable_told():
                    self._prepare()
                self._file = file_at(folder / FILE_NAME)
                self._opened = opened.pop_all()
        except sqlite3.Error as error:
            if not os.access(folder, os.W_OK):
                reason = "cannot be used: the folder cannot be written"
                raise UserError(f"{folder / FILE_NAME}: {reason}") from None
            raise unusable(folder / FILE_NAME, error) from None
        except OSError as error:
            raise not_taken(f"{folder}: cannot be used", error) from None

    def _prepare(self) -> None:
        """Make the file one of today's version, and refuse it if not all that is in it would be found."""
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in UPGRADES:
            raise UserError(f"{self.folder}: {_strange(version)}")
        if version != SCHEMA:
            self._upgrade(version)
        self._refuse_unsound()

    def _upgrade(self, version: int) -> None:
        try:
            self._db.executescript(f"BEGIN;{UPGRADES[version]}PRAGMA user_version = {SCHEMA};COMMIT;")
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_ERROR:
                raise
            told = f"it says that it is of version {version}, and is not made so: {one_line(error)}"
            raise damaged(self.folder / FILE_NAME, told) from None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; another run may use it then."""
        self._opened.close()

    def refuse_moved(self) -> None:
        """Refuse to go on if what was stored is not where the next run, or a reader, would look for it.

        Raises:
            UserError: if the file was removed, renamed or replaced since it was opened, or its folder was.
        """
        path = self.folder / FILE_NAME
        if file_at(path) != self._file:
            told = "was removed, renamed or replaced while the run went on, or its folder was; nothing is published"
            raise UserError(f"{path}: {told}")

    def draw_seed(self) -> int:
        """Return the run's own seed, drawn when it is first asked for; its file is for the owner's eyes only.

        Raises:
            UserError: if the file cannot be used.
        """
        path = self.folder / SEED_NAME
        try:
            if not path.exists():
                aside = path.with_name(f".{SEED_NAME}.new")
                aside.unlink(missing_ok=True)
                with new_file(aside, mode=OWNERS) as file:
                    file.write(f"{secrets.randbits(SEED_BITS)}\n")
                aside.replace(path)
        except OSError as error:
            raise not_taken(f"{path}: cannot be used", error) from None
        return self.drawn_seed()

    def describe(self, manifest: str) -> None:
        """Keep what the run is made of, in place of what was kept before.

        Raises:
            DiskError: if the disk does not take it.
        """
        try:
            with self._whole():
                self._db.execute("DELETE FROM manifest")
                self._db.execute("INSERT INTO manifest VALUES (?, ?)", _with_checksum(manifest))
        except sqlite3.DatabaseError as error:
            raise self._refusal(error, "cannot be written") from None

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Make what is written within one change: all of it or nothing."""
        self._db.execute("BEGIN")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def put(self, result: BlockResult) -> None:
        """Store a block, whole or not at all.

        Raises:
            DiskError: if the disk does not take it.
            UserError: if the store is damaged.
            sqlite3.IntegrityError: if it was stored before, which is a bug.
        """
        block = result.block
        blob = packed_games(result)
        faults = json.dumps([asdict(fault) for fault in result.faults])
        timing = json.dumps({name: asdict(spent) for name, spent in result.timing.items()})
        levels = json.dumps(dict(result.levels))
        transcribed = int(result.moves is not None)
        row = _with_checksum(block.series, block.first, block.stop, blob, faults, timing, levels, transcribed)
        try:
            with self._whole():
                self._db.execute(f"INSERT INTO blocks ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                if result.moves is not None:
                    _, rounds, _, rolls, _ = result.moves.shape
                    transcript = (block.series, block.first, rounds, rolls, packed_moves(result.moves))
                    self._db.execute("INSERT INTO transcripts VALUES (?, ?, ?, ?, ?, ?)", _with_checksum(*transcript))
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.IntegrityError):
                self.refuse_unsound()
                raise  # played twice: a bug
            kept = "; what was stored before is kept, and the same command goes on from there"
            raise self._refusal(error, f"{block} cannot be stored", kept) from None

    def _refusal(self, error: sqlite3.DatabaseError, what: str, kept: str = "") -> UserError:
        """Return how it is told that something was not written."""
        file, told = self.folder / FILE_NAME, f"{what}: {one_line(error)}"
        if code_of(error) in DAMAGE_CODES:
            return damaged(file, told)
        return DiskError(f"{file}: {told}{kept}")


def _with_checksum(*values: Any) -> tuple[Any, ...]:
    """Return the values of a row with the checksum that stands last in it."""
    return (*values, _checksum(values))


def _checked(row: Sequence[Any], what: str) -> Sequence[Any]:
    """Return the values of a row but its checksum.

    Raises:
        ValueError: if they are not those that it was made of.
    """
    *values, checksum = row
    if checksum not in (UNCHECKED, _checksum(values)):
        raise ValueError(f"wrong checksum of {what}")
    return values


def _checksum(values: Sequence[Any]) -> int:
    found = 0
    for value in values:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "backslashreplace")
        found = zlib.crc32(data, zlib.crc32(b"%d:" % len(data), found))
    return found


def _result(whole: Block, row: Sequence[Any], moves: UInt8 | None) -> BlockResult:
    _, first, stop, blob, faults, timing, levels, _ = row
    seats, mirrors = whole.seats, stop - first
    begin, end = max(first, whole.first), min(stop, whole.stop)
    kept = slice(begin - first, end - first)
    totals, ends = unpacked_games(blob, (mirrors, seats, seats))
    found = [
        Fault(**{**fault, "kind": End(fault["kind"]), "dice": tuple(fault.get("dice", ()))})
        for fault in json.loads(faults)
    ]
    return BlockResult(
        block=Block(whole.series, whole.ruleset_hash, whole.entrants, begin, end),
        totals=totals[kept],
        ends=ends[kept],
        winners=winner_bits(totals[kept], ends[kept]),
        faults=tuple(fault for fault in found if begin <= fault.dice_set < end),
        timing={name: Timing(**spent) for name, spent in json.loads(timing).items()},
        levels=json.loads(levels),
        moves=None if moves is None else moves[..., kept],
    )
