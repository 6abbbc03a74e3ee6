"""What is no store, is one of another version, or is in use, is refused in one line when it is opened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from stored import assert_equal, block_of, execute, plain, spoil

from arena.errors import UserError
from arena.run_folder import FILE_NAME, LOCK_NAME, set_aside
from arena.store import SCHEMA, Store, opened_results


def test_one_run_at_a_time(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "run"
    with pytest.raises(UserError, match=r"run: another run is using this folder$"):
        Store(folder)
    with pytest.raises(UserError, match=r"run: another run is using this folder$"):
        set_aside(folder)
    store.close()
    with Store(folder):
        pass
    assert set_aside(folder) == tmp_path / "run.1"


def test_a_refused_store_lets_the_folder_go(tmp_path: Path) -> None:
    with Store(tmp_path):
        pass
    execute(tmp_path, f"PRAGMA user_version = {SCHEMA + 1}")
    for _ in range(2):
        with pytest.raises(
            UserError, match=f"the store is of version {SCHEMA + 1}; this arena reads version {SCHEMA}; a newer arena"
        ):
            Store(tmp_path)
    execute(tmp_path, f"PRAGMA user_version = {SCHEMA}")
    with Store(tmp_path):
        pass


FIRST_SCHEMA = """
    BEGIN;
    CREATE TABLE blocks (
        series TEXT NOT NULL, first INTEGER NOT NULL, stop INTEGER NOT NULL, games BLOB NOT NULL,
        faults TEXT NOT NULL, timing TEXT NOT NULL, PRIMARY KEY (series, first)
    ) WITHOUT ROWID;
    PRAGMA user_version = 1;
    COMMIT;
"""


def test_a_store_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    with Store(tmp_path / "new") as store:
        store.put(plain(block_of(0, 5)))
    old = tmp_path / "old"
    old.mkdir()
    with closing(sqlite3.connect(old / FILE_NAME, isolation_level=None)) as database:
        database.executescript(FIRST_SCHEMA)
        database.execute("ATTACH ? AS new", (str(tmp_path / "new" / FILE_NAME),))
        database.execute("INSERT INTO blocks SELECT series, first, stop, games, faults, timing FROM new.blocks")
    with (
        pytest.raises(UserError, match=r"of version 1; this arena reads version 2; arena run brings it up to date$"),
        opened_results(old),
    ):
        pass
    for kept in (None, "{}"):
        with Store(old) as store:
            (found,) = store.results(block_of(0, 5), moves=True)
            assert_equal(found, plain(block_of(0, 5)))
            assert store.manifest() == kept
            store.describe("{}")


@pytest.mark.parametrize(
    ("version", "reason"), [(0, "table blocks already exists"), (1, "duplicate column name: levels")]
)
def test_a_store_that_says_it_is_of_an_older_version(version: int, reason: str, tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put(plain(block_of(0, 5)))
    execute(tmp_path, f"PRAGMA user_version = {version}")
    told = f"is damaged: it says that it is of version {version}, and is not made so: {reason}; --fresh sets it aside$"
    for _ in range(2):
        with pytest.raises(UserError, match=f"{FILE_NAME}: {told}"):
            Store(tmp_path)
    execute(tmp_path, f"PRAGMA user_version = {SCHEMA}")
    with Store(tmp_path) as store:
        assert store.known("series") == [(0, 5)]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (FILE_NAME, "is damaged: file is not a database; --fresh sets it aside"),
        (LOCK_NAME, "cannot be used: file is not a database; it holds nothing: remove it"),
    ],
)
def test_a_file_that_is_no_database(name: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"not a database, but long enough to be taken for one" * 100)
    with pytest.raises(UserError, match=f"{name}: {told}$"):
        Store(tmp_path)


def test_a_lock_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).mkdir()
    for use in (Store, set_aside):
        with pytest.raises(UserError, match=f"{LOCK_NAME}: cannot be used: unable to open database file$"):
            use(tmp_path)


@pytest.mark.parametrize("table", ["blocks", "transcripts", "manifest"])
def test_a_table_that_is_not_there(table: str, tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put(plain(block_of(0, 5)))
    execute(tmp_path, f"DROP TABLE {table}")
    for use in (lambda: Store(tmp_path), lambda: opened_results(tmp_path).__enter__()):
        with pytest.raises(UserError, match=f"{FILE_NAME}: is damaged: it has no table {table}; --fresh sets"):
            use()


def test_a_table_whose_name_cannot_be_read(tmp_path: Path) -> None:
    with Store(tmp_path):
        pass
    content = (tmp_path / FILE_NAME).read_bytes()
    spoil(tmp_path, (content.index(b"CREATE TABLE blocks") + len("CREATE TABLE blocks"), b"\xfc\xb8"))
    for use in (lambda: Store(tmp_path), lambda: opened_results(tmp_path).__enter__()):
        with pytest.raises(UserError, match=f"^{tmp_path / FILE_NAME}: is damaged: .*; --fresh sets it aside$"):
            use()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "run", tmp_path / ("long" * 100)):
        with pytest.raises(UserError, match=f"{folder}: cannot be used: "):
            Store(folder)
