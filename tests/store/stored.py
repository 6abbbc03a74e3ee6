"""Results that are put into stores, and how they are compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from arena.records import FAULT_KINDS, Block, BlockResult, Entrant, Fault, Timing
from arena.run_folder import FILE_NAME

ENTRANTS = (Entrant("ann", "1"), Entrant("bob", "2"), Entrant("cid", "3"))


def block_of(first: int, stop: int, *, seats: int = 2, series: str = "series") -> Block:
    return Block(series, "hash", ENTRANTS[:seats], first, stop)


def plain(block: Block, start: int = 0) -> BlockResult:
    """A result whose totals count upwards, by dice set."""
    shape = (block.mirrors, block.seats, block.seats)
    dice_sets = np.arange(block.first, block.stop, dtype=np.int32)
    totals = np.broadcast_to(dice_sets[:, None, None], shape) * 100 + np.arange(block.seats) + start
    fault = Fault("ann", FAULT_KINDS[0], block.first, 0, 0, 1, 1, "first of its block")
    return BlockResult(
        block,
        totals.astype(np.int32),
        np.zeros(shape, dtype=np.uint8),
        np.full(shape[:2], 1 << (block.seats - 1), dtype=np.uint8),
        (fault,),
        {"ann": Timing(3, 0.5)},
    )


def assert_equal(one: BlockResult, other: BlockResult) -> None:
    assert one.block == other.block
    for part in ("totals", "ends", "winners"):
        ours, theirs = getattr(one, part), getattr(other, part)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    assert one.faults == other.faults
    assert one.timing == other.timing
    assert one.levels == other.levels
    assert (one.moves is None) == (other.moves is None)
    if one.moves is not None:
        np.testing.assert_array_equal(one.moves, other.moves)


def execute(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as database:
        database.execute(statement, values)


def spoil(folder: Path, *places: tuple[int, bytes]) -> None:
    """Write over some bytes of a store."""
    content = bytearray((folder / FILE_NAME).read_bytes())
    for place, bad in places:
        content[place : place + len(bad)] = bad
    (folder / FILE_NAME).write_bytes(content)
