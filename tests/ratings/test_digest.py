"""The digest: worked out by hand, blind to how games were cut into blocks, and strict about their order."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.digest import RulesetDigest, run_digest
from arena.records import Block, BlockResult, End, Entrant, Fault, Timing


def result_of(
    names: Sequence[str], first: int, totals: np.ndarray, ends: np.ndarray, winners: np.ndarray
) -> BlockResult:
    entrants = tuple(Entrant(name, f"identity of {name}") for name in names)
    block = Block("series", "hash", entrants, first, first + len(totals))
    return BlockResult(block, totals.astype(np.int32), ends.astype(np.uint8), winners.astype(np.uint8))


def random_result(names: Sequence[str], mirrors: int, seed: int) -> BlockResult:
    draws = np.random.default_rng(seed)
    shape = (mirrors, len(names), len(names))
    return result_of(
        names, 0, draws.integers(-60, 600, shape), draws.integers(0, 9, shape), draws.integers(0, 4, shape[:2])
    )


def cut(result: BlockResult, first: int, stop: int) -> BlockResult:
    block = replace(result.block, first=first, stop=stop)
    part = slice(first, stop)
    return BlockResult(block, result.totals[part], result.ends[part], result.winners[part])


def digest(results: Sequence[BlockResult], ruleset_hash: str = "hash") -> str:
    made = RulesetDigest(ruleset_hash)
    for result in results:
        made.add(result)
    return made.hexdigest()


def test_two_games_by_hand() -> None:
    """Ann and Bob play one dice set from both seats: 258 to -1, then 7 to 7, where seat 1 has faulted."""
    result = result_of(
        ["ann", "bob"],
        0,
        np.array([[[258, -1], [7, 7]]]),
        np.array([[[End.FINISHED, End.FINISHED], [End.FINISHED, End.CRASH]]]),
        np.array([[1, 1]]),
    )
    written = (
        b"arena digest 1\nthe hash\n"
        b"2\nann\nbob\n"
        b"\x02\x01\x00\x00" + b"\xff\xff\xff\xff" + b"\x01" + b"\x00\x00"
        b"\x07\x00\x00\x00" + b"\x07\x00\x00\x00" + b"\x01" + b"\x00\x05"
    )
    assert digest([result], "the hash") == hashlib.sha256(written).hexdigest()


def test_several_pairings_by_hand() -> None:
    pairs = [("ann", "bob"), ("ann", "cid"), ("bob", "cid")]
    results = [random_result(pair, 3, seed) for seed, pair in enumerate(pairs)]
    written = b"arena digest 1\nhash\n"
    for pair, result in zip(pairs, results, strict=True):
        written += "2\n{}\n{}\n".format(*pair).encode()
        for mirror in range(3):
            for seating in range(2):
                totals, ends = result.totals[mirror, seating], result.ends[mirror, seating]
                written += struct.pack("<iiBBB", *totals, result.winners[mirror, seating], *ends)
    assert digest(results) == hashlib.sha256(written).hexdigest()


@given(st.sets(st.integers(1, 11)), st.integers(2, 3))
def test_the_size_of_blocks_leaves_no_trace(cuts: set[int], seats: int) -> None:
    whole = random_result(("ann", "bob", "cid")[:seats], 12, 5)
    bounds = [0, *sorted(cuts), 12]
    parts = [cut(whole, first, stop) for first, stop in pairwise(bounds)]
    assert digest(parts) == digest([whole])


def test_what_counts_and_what_does_not() -> None:
    result = random_result(("ann", "bob"), 4, 1)
    seen = {digest([result]), digest([result], "another hash"), digest([cut(result, 0, 3)]), digest([])}
    for part in ("totals", "ends", "winners"):
        changed = getattr(result, part).copy()
        changed.flat[-1] ^= 1
        seen.add(digest([replace(result, **{part: changed})]))
    seen.add(digest([random_result(("ann", "bo"), 4, 1)]))
    assert len(seen) == 8
    fault = Fault("ann", End.CRASH, 0, 0, 0, 1, 1, "a message")
    same = replace(result, faults=(fault,), timing={"ann": Timing(5, 2.0)})
    entrants = tuple(replace(one, identity="another") for one in result.block.entrants)
    same = replace(same, block=replace(same.block, series="another", entrants=entrants))
    assert digest([same]) == digest([result])


def test_games_and_names_cannot_stand_for_one_another() -> None:
    assert digest([random_result(("a", "b\nc"), 1, 1)]) != digest([random_result(("a", "b", "c"), 1, 1)])


def test_pairings_are_taken_in_their_order() -> None:
    whole = random_result(("ann", "bob"), 6, 1)
    later = random_result(("ann", "cid"), 6, 2)
    for wrong in (
        [cut(whole, 3, 6)],
        [cut(whole, 0, 3), cut(whole, 4, 6)],
        [cut(whole, 0, 3), cut(whole, 2, 6)],
        [cut(whole, 0, 3), cut(whole, 0, 3)],
        [cut(whole, 0, 3), later, cut(whole, 3, 6)],
        [later, whole],
        [whole, cut(later, 1, 6)],
    ):
        with pytest.raises(ValueError, match=r"is out of order$"):
            digest(wrong)
    digest([whole, later])


def test_the_runs_digest_by_hand() -> None:
    written = b"fifteen 02\nthirteen 01\n"
    assert run_digest({"thirteen": "01", "fifteen": "02"}) == hashlib.sha256(written).hexdigest()
    assert run_digest([("fifteen", "02"), ("thirteen", "01")]) == hashlib.sha256(written).hexdigest()
    assert run_digest({"thirteen": "02", "fifteen": "01"}) != run_digest({"thirteen": "01", "fifteen": "02"})
