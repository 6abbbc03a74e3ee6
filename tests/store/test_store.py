"""The store gives back what was put, whole, and says in one line when it cannot."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from stored import assert_equal, block_of, execute, plain, spoil

from arena.errors import DiskError, UserError
from arena.game.table import winners
from arena.records import FAULT_KINDS, Block, BlockResult, End, Fault, Timing
from arena.run_folder import FILE_NAME, set_aside
from arena.store import Store, opened_results

texts = st.text(st.characters(), max_size=30)  # lone surrogates too: a bot's message may hold anything
faults = st.builds(
    Fault,
    agent=texts,
    kind=st.sampled_from(FAULT_KINDS),
    dice_set=st.integers(0, 3),
    seating=st.integers(0, 2),
    seat=st.integers(0, 2),
    round=st.integers(0, 99),
    roll=st.integers(0, 3),
    message=texts,
    traceback=texts,
)
timings = st.dictionaries(texts, st.builds(Timing, st.integers(0, 1 << 40), st.floats(0, 1e6)), max_size=3)


def by_seat(ends: np.ndarray) -> list[list[list[End]]]:
    return [[[End(end) for end in table] for table in mirror] for mirror in ends.tolist()]


@st.composite
def results(draw: st.DrawFn) -> BlockResult:
    seats, mirrors, first = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(0, 1 << 31))
    shape = (mirrors, seats, seats)
    edges = st.sampled_from([0, -1, (1 << 15) - 1, 1 << 15, -(1 << 15), -(1 << 15) - 1, (1 << 31) - 1, -(1 << 31)])
    totals = draw(hnp.arrays(np.int32, shape, elements=draw(st.sampled_from([st.integers(-20, 20), edges]))))
    ends = draw(hnp.arrays(np.uint8, shape, elements=st.sampled_from(draw(st.sampled_from([[0], list(End)])))))
    best = np.array(
        [
            [winners(*table) for table in zip(*mirror, strict=True)]
            for mirror in zip(totals.tolist(), by_seat(ends), strict=True)
        ],
        dtype=np.uint8,
    )
    found = [replace(fault, dice_set=first + fault.dice_set % mirrors) for fault in draw(st.lists(faults, max_size=3))]
    rounds, rolls = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    moves = hnp.arrays(np.uint8, (seats, rounds, seats, rolls, mirrors))
    return BlockResult(
        block_of(first, first + mirrors, seats=seats),
        totals,
        ends,
        best,
        tuple(found),
        draw(timings),
        draw(st.dictionaries(texts, st.sampled_from(["inline", "process", "sandbox"]), max_size=3)),
        draw(st.none() | moves),
    )


@settings(max_examples=60)
@given(results())
def test_what_is_put_comes_back(result: BlockResult) -> None:
    with TemporaryDirectory() as folder:
        with Store(Path(folder)) as store:
            store.put(result)
        with Store(Path(folder)) as store:
            assert store.known("series") == [(result.block.first, result.block.stop)]
            (found,) = store.results(result.block, moves=True)
            assert_equal(found, result)
        with opened_results(Path(folder)) as results:
            (found,) = results.results(result.block)
            assert found.moves is None
            assert_equal(found, replace(result, moves=None))


def test_blocks_come_in_the_order_of_their_dice_sets(store: Store) -> None:
    for first, stop in [(20, 30), (0, 7), (7, 20)]:
        store.put(plain(block_of(first, stop)))
    assert store.known("series") == [(0, 7), (7, 20), (20, 30)]
    assert [(one.block.first, one.block.stop) for one in store.results(block_of(0, 30))] == store.known("series")


def test_results_are_cut_to_what_is_wanted(store: Store) -> None:
    for first, stop in [(0, 7), (7, 20), (20, 30)]:
        store.put(plain(block_of(first, stop)))
    found = list(store.results(block_of(0, 12)))
    assert [(one.block.first, one.block.stop) for one in found] == [(0, 7), (7, 12)]
    whole = plain(block_of(7, 20))
    np.testing.assert_array_equal(found[1].totals, whole.totals[:5])
    np.testing.assert_array_equal(found[1].ends, whole.ends[:5])
    np.testing.assert_array_equal(found[1].winners, whole.winners[:5])


@given(st.integers(1, 30))
def test_faults_of_games_that_are_cut_off_are_cut_off(wanted: int) -> None:
    with TemporaryDirectory() as folder, Store(Path(folder)) as store:
        block = block_of(0, 20)
        told = tuple(Fault("ann", FAULT_KINDS[1], number, 0, 0, 1, 1, "") for number in range(20))
        result = plain(block)
        store.put(BlockResult(block, result.totals, result.ends, result.winners, told, {}))
        (found,) = store.results(block_of(0, wanted))
        assert found.faults == told[:wanted]
        assert len(found.totals) == min(wanted, 20)


def test_series_do_not_mix(store: Store) -> None:
    store.put(plain(block_of(0, 5, series="one")))
    store.put(plain(block_of(0, 6, series="two"), start=9))
    assert (store.known("one"), store.known("two"), store.known("three")) == ([(0, 5)], [(0, 6)], [])
    (found,) = store.results(block_of(0, 6, series="two"))
    assert_equal(found, plain(block_of(0, 6, series="two"), start=9))
    assert list(store.results(block_of(0, 6, series="three"))) == []


def test_a_block_is_stored_once(store: Store) -> None:
    store.put(plain(block_of(0, 5)))
    with pytest.raises(sqlite3.IntegrityError):
        store.put(plain(block_of(0, 5), start=1))
    (found,) = store.results(block_of(0, 5))
    assert_equal(found, plain(block_of(0, 5)))


def test_what_was_read_can_be_written_to(store: Store) -> None:
    """Whoever reads results gets totals of his own; ends and winners are views of what was stored."""
    store.put(plain(block_of(0, 5)))
    (found,) = store.results(block_of(0, 5))
    found.totals[:] = 0
    (again,) = store.results(block_of(0, 5))
    assert again.totals.any()


# Damage


def test_a_damaged_file(tmp_path: Path) -> None:
    """Its first page is whole, and the pages with the blocks are not."""
    with Store(tmp_path) as store:
        for first in range(0, 2000, 100):
            store.put(plain(block_of(first, first + 100)))
    file = tmp_path / FILE_NAME
    content = file.read_bytes()
    torn = content[:4096] + b"\xa5" * (len(content) - 4096)

    def refused(use: Callable[[], object]) -> str:
        with pytest.raises(UserError) as error:
            use()
        assert not isinstance(error.value, DiskError)
        assert str(error.value).startswith(f"{file}: is damaged: ")
        assert str(error.value).endswith("; --fresh sets it aside")
        assert "\n" not in str(error.value)
        return str(error.value)

    with Store(tmp_path) as store:
        execute(tmp_path, "INSERT INTO manifest VALUES ('', 0)")  # what was read before is out of date now
        execute(tmp_path, "PRAGMA wal_checkpoint(TRUNCATE)")
        file.write_bytes(torn)
        refused(lambda: store.known("series"))
        refused(lambda: list(store.results(block_of(0, 2000))))
        assert " cannot be stored: " in refused(lambda: store.put(plain(block_of(5000, 5001))))
        refused(store.refuse_unsound)
    file.write_bytes(torn)
    refused(lambda: Store(tmp_path))
    assert set_aside(tmp_path) == tmp_path.with_name(f"{tmp_path.name}.1")


def transcribed(block: Block) -> BlockResult:
    return replace(plain(block), moves=np.zeros((2, 1, 2, 4, block.mirrors), dtype=np.uint8))


def test_blocks_that_are_not_found_any_more(tmp_path: Path) -> None:
    """Two rows of a page stand in each other's places: SQLite passes over them without a word."""
    with Store(tmp_path) as store:
        for series in "abcd":
            store.put(transcribed(block_of(0, 10, series=series)))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'blocks'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    content, cells = (tmp_path / FILE_NAME).read_bytes(), (page - 1) * size + 8  # a leaf's head is eight bytes long
    spoil(tmp_path, (cells, content[cells + 6 : cells + 8]), (cells + 6, content[cells : cells + 2]))
    told = f"^{tmp_path / FILE_NAME}: is damaged: row not in PRIMARY KEY order for blocks; --fresh sets it aside$"
    with opened_results(tmp_path) as results:
        assert results.known("a") == results.known("d") == []
        with pytest.raises(UserError, match=told):
            results.refuse_unsound()
    with pytest.raises(UserError, match=told):
        Store(tmp_path)


@pytest.mark.parametrize("change", ["series = series || 'x'", "first = first + 1", "first = first - 1"])
def test_a_block_that_has_lost_its_name(change: str, tmp_path: Path) -> None:
    """It would be played again, and what was kept of it be in the way."""
    with Store(tmp_path) as store:
        for first in range(0, 40, 10):
            store.put(transcribed(block_of(first, first + 10)))
    execute(tmp_path, f"UPDATE blocks SET {change} WHERE first = 10")
    told = r"is damaged: transcripts from dice set 11 on belong to no block; --fresh sets it aside$"
    with pytest.raises(UserError, match=told):
        Store(tmp_path)
    with opened_results(tmp_path) as results, pytest.raises(UserError, match=told):
        results.refuse_unsound()


def test_a_block_that_is_played_again_as_the_file_was_damaged_meanwhile(tmp_path: Path) -> None:
    """Its line is gone, and its transcripts are not."""
    with Store(tmp_path) as store:
        for first in range(0, 40, 10):
            store.put(transcribed(block_of(first, first + 10)))
        with pytest.raises(sqlite3.IntegrityError):  # the arena's own mistake
            store.put(transcribed(block_of(10, 20)))
        execute(tmp_path, "DELETE FROM blocks WHERE first = 10")
        told = r"is damaged: transcripts from dice set 11 on belong to no block; --fresh sets it aside$"
        with pytest.raises(UserError, match=told):
            store.put(transcribed(block_of(10, 20)))
        execute(
            tmp_path,
            "INSERT INTO blocks SELECT series, 10, 20, games, faults, timing, levels, transcribed, checksum"
            " FROM blocks WHERE first = 0",
        )
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as database:
            database.execute("CREATE TABLE other (number INTEGER CHECK (number > 0))")
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.execute("INSERT INTO other VALUES (0)")
        with pytest.raises(UserError, match=r"is damaged: CHECK constraint failed in other; --fresh sets it aside$"):
            store.put(transcribed(block_of(10, 20)))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("games", b""),
        ("games", b"\x02"),
        ("games", b"no games at all"),
        ("games", "text"),
        ("games", 5),
        ("games", "another block's"),
        ("games", "half"),
        ("faults", "no JSON"),
        ("faults", '[{"kind": 1}]'),
        ("faults", '[{"kind": 99}]'),
        ("faults", "[{}]"),
        ("faults", "5"),
        ("timing", '{"ann": {"hours": 1}}'),
    ],
)
@pytest.mark.parametrize("checked", [True, False])
def test_a_damaged_block(checked: bool, column: str, value: Any, tmp_path: Path) -> None:
    """What a store of the first version holds has no checksum, and is known by its looks."""
    with Store(tmp_path) as store:
        store.put(plain(block_of(0, 10)))
        store.put(plain(block_of(10, 11)))
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
            whole, other = (games for (games,) in database.execute("SELECT games FROM blocks ORDER BY first"))
            before = database.execute("SELECT games, faults, timing, checksum FROM blocks WHERE first = 0").fetchone()
        value = {"another block's": other, "half": whole[: len(whole) // 2]}.get(value, value)
        execute(tmp_path, f"UPDATE blocks SET {column} = ? WHERE first = 0", value)
        if not checked:
            execute(tmp_path, "UPDATE blocks SET checksum = -1")
        with pytest.raises(UserError, match=f"{FILE_NAME}: is damaged: .*; --fresh sets it aside$"):
            list(store.results(block_of(0, 11)))
        execute(tmp_path, "UPDATE blocks SET games = ?, faults = ?, timing = ?, checksum = ? WHERE first = 0", *before)
        first, second = store.results(block_of(0, 11))
        assert_equal(first, plain(block_of(0, 10)))
        assert_equal(second, plain(block_of(10, 11)))


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("blocks", "stop", 9),
        ("blocks", "transcribed", 0),
        ("blocks", "levels", '{"ann": "sandbox"}'),
        ("blocks", "timing", '{"ann": {"decisions": 4, "seconds": 0.5}}'),
        ("blocks", "faults", "[]"),
        ("blocks", "checksum", 0),
        ("transcripts", "rounds", 2),
        ("transcripts", "checksum", 0),
        ("manifest", "content", "another"),
    ],
)
def test_what_was_changed_is_told_by_its_checksum(table: str, column: str, value: Any, tmp_path: Path) -> None:
    """All of it reads as well as what was stored."""
    moves = np.zeros((2, 1, 2, 4, 10), dtype=np.uint8)
    with Store(tmp_path) as store:
        store.put(replace(plain(block_of(0, 10)), levels={"ann": "inline"}, moves=moves))
        store.describe("one")
        list(store.results(block_of(0, 10), moves=True))
        execute(tmp_path, f"UPDATE {table} SET {column} = ?", value)
        with pytest.raises(UserError, match=f"{FILE_NAME}: is damaged: wrong checksum of .*; --fresh sets it aside$"):
            _ = list(store.results(block_of(0, 10), moves=True)), store.manifest()


BIT_FLIPS = 500


def read_all(folder: Path, series: list[Block]) -> list[Any]:
    """Return all that a store holds, as texts that can be compared."""
    with opened_results(folder) as results:
        found: list[Any] = [results.manifest()]
        for whole in series:
            for one in results.results(whole, moves=True):
                assert one.moves is not None
                parts = (one.totals, one.ends, one.winners, one.moves)
                found += [one.block, one.faults, one.timing, one.levels, *(part.tobytes() for part in parts)]
    return found


def test_a_flipped_bit_is_found_or_does_no_harm(tmp_path: Path) -> None:
    """What is read then is what was stored, or a block less, to be played again, or the damage is told in a line."""
    whole = tmp_path / "whole"
    series = [block_of(0, 200, series="one"), block_of(0, 200, series="two")]
    random = np.random.default_rng(6)
    with Store(whole) as store:
        store.describe("what it is made of" * 20)
        for one in series:
            for first in range(0, 200, 20):
                moves = random.integers(0, 200, (2, 3, 2, 4, 20), dtype=np.uint8)
                store.put(replace(plain(replace(one, first=first, stop=first + 20), start=first), moves=moves))
    expected = read_all(whole, series)
    blocks = {str(expected[n : n + 8]) for n in range(1, len(expected), 8)}
    content = (whole / FILE_NAME).read_bytes()
    told = 0
    for place in random.integers(0, 8 * len(content), BIT_FLIPS).tolist():
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        (whole / FILE_NAME).write_bytes(damaged)
        try:
            found = read_all(whole, series)
        except UserError as error:
            lines = str(error).splitlines()
        else:
            assert found[0] in (None, expected[0]), place
            assert {str(found[n : n + 8]) for n in range(1, len(found), 8)} <= blocks, place
            continue
        assert len(lines) == 1, (place, lines)
        assert lines[0].startswith(str(whole))
        told += 1
    assert told > BIT_FLIPS / 2


def test_setting_aside_takes_the_first_free_number(tmp_path: Path) -> None:
    assert set_aside(tmp_path / "run") is None
    for name in ("run", "run.1", "run.3"):
        (tmp_path / name).mkdir()
    (tmp_path / "run" / "kept").write_text("")
    with pytest.raises(UserError, match=r"is no run's folder: it is not empty, and has no results\.sqlite"):
        set_aside(tmp_path / "run")
    (tmp_path / "run" / FILE_NAME).write_text("")
    assert set_aside(tmp_path / "run") == tmp_path / "run.2"
    assert (tmp_path / "run.2" / "kept").exists()
    assert not (tmp_path / "run").exists()
