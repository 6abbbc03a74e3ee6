"""Who is out, and what counts then, against a twin that looks at one game after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.table import winner_bits
from arena.ratings.crosstable import CrosstableBuilder
from arena.ratings.disqualify import Disqualifier
from arena.ratings.faults import FaultCounts
from arena.records import Block, BlockResult, Crosstable, End, Entrant, Fault, Int32, UInt8
from arena.rules.shipped import shipped_ruleset

NAMES = ("ann", "bob", "cid", "dee")
THIRTEEN = shipped_ruleset("thirteen")


class Games(NamedTuple):
    """All games of a pairing: names, int32[mirrors, seatings, seats] and uint8 as that."""

    names: tuple[str, ...]
    totals: Int32
    ends: UInt8

    def block(self, first: int, stop: int) -> BlockResult:
        entrants = tuple(Entrant(name, "") for name in self.names)
        totals, ends = self.totals[first:stop], self.ends[first:stop]
        return BlockResult(Block("", "", entrants, first, stop), totals, ends, winner_bits(totals, ends))


@st.composite
def leagues(draw: st.DrawFn) -> list[Games]:
    """Make up a league in canonical order, with few or many faults."""
    seats, mirrors = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    share = draw(st.sampled_from([0.02, 0.2, 0.9]))
    found = []
    for names in combinations(NAMES, seats):
        shape = (mirrors, seats, seats)
        ends = np.where(random.random(shape) < share, random.integers(1, len(End), shape), 0).astype(np.uint8)
        found.append(Games(names, random.integers(-3, 4, shape, dtype=np.int32), ends))
    return found


def in_blocks(league: list[Games], random: st.DataObject) -> Iterator[BlockResult]:
    for games in league:
        mirrors = len(games.totals)
        cuts = sorted(random.draw(st.sets(st.integers(1, mirrors - 1)))) if mirrors > 1 else []
        for first, stop in zip([0, *cuts], [*cuts, mirrors], strict=True):
            yield games.block(first, stop)


def twin(league: list[Games], after: int) -> tuple[list[tuple[Games, int]], set[str]]:
    """Return the mirrors that count and who is out, found game by game."""
    faults: Counter[str] = Counter()
    out: set[str] = set()
    counting = []
    for games in league:
        for mirror, seatings in enumerate(games.ends.tolist()):
            if out & set(games.names):
                continue
            counting.append((games, mirror))
            for seating, table in enumerate(seatings):
                for seat, end in enumerate(table):
                    faults[games.names[(seat + seating) % len(table)]] += end != 0
            out |= {name for name in games.names if faults[name] >= after}
    return counting, out


def plain(table: Crosstable) -> object:
    clusters = [(one.agents, one.mirrors, one.products.tolist()) for one in table.clusters]
    return table.agents, table.rows, dict(table.tallies), clusters


def built(results: Iterator[BlockResult]) -> object:
    table = CrosstableBuilder(THIRTEEN, NAMES)
    for result in results:
        table.add(result)
    return plain(table.build())


@settings(max_examples=150)
@given(leagues(), st.integers(1, 30), st.data())
def test_what_counts_is_what_the_games_say(league: list[Games], after: int, data: st.DataObject) -> None:
    out = Disqualifier(after)
    counted = built(result for block in in_blocks(league, data) if (result := out.counting(block)) is not None)
    mirrors, who = twin(league, after)
    assert counted == built(games.block(mirror, mirror + 1) for games, mirror in mirrors)
    assert set(out.reasons()) == set(out.games_left_out) == who


@settings(max_examples=50)
@given(leagues(), st.data())
def test_nobody_is_out_below_the_number(league: list[Games], data: st.DataObject) -> None:
    most = FaultCounts()
    for games in league:
        most.add(games.block(0, len(games.totals)))
    number = max((sum(most.of(name).values()) for name in NAMES), default=0) + 1
    for after in (None, number):
        out = Disqualifier(after)
        for block in in_blocks(league, data):
            assert out.counting(block) is block
        assert (out.reasons(), out.notes()) == ({}, ())


def two(*ends: tuple[tuple[int, int], tuple[int, int]], names: tuple[str, str] = ("ann", "bob")) -> BlockResult:
    codes = np.array(ends, dtype=np.uint8)
    return Games(names, np.zeros(codes.shape, dtype=np.int32), codes).block(0, len(codes))


CRASH, TIMEOUT = int(End.CRASH), int(End.TIMEOUT)


def test_the_mirror_in_which_it_falls_counts_whole() -> None:
    out = Disqualifier(1)
    fine = ((0, 0), (0, 0))
    kept = out.counting(two(fine, ((CRASH, 0), (0, CRASH)), fine, fine))
    assert kept is not None
    assert (kept.block.first, kept.block.stop) == (0, 2)
    assert kept.ends.tolist() == [[[0, 0], [0, 0]], [[CRASH, 0], [0, CRASH]]]
    assert out.reasons() == {"ann": "after 1 fault"}
    assert out.notes() == ("'ann' was disqualified after 1 fault: its last 4 games count for nobody.",)
    assert out.counting(two(fine, names=("ann", "cid"))) is None
    assert out.games_left_out == {"ann": 6}
    assert out.counting(two(fine, names=("bob", "cid"))) is not None


def test_faults_in_games_that_do_not_count_are_nobodys() -> None:
    """Bob's two come after ann is out; with his third he has one."""
    out = Disqualifier(2)
    both = ((CRASH, TIMEOUT), (0, 0))
    assert out.counting(two(((CRASH, 0), (0, CRASH)), both, both)) is not None
    assert set(out.reasons()) == {"ann"}
    assert out.counting(two(((TIMEOUT, 0), (0, 0)), ((0, 0), (0, 0)), names=("bob", "cid"))) is not None
    assert set(out.reasons()) == {"ann"}
    assert out.counting(two(((TIMEOUT, 0), (0, 0)), names=("bob", "dee"))) is not None
    assert set(out.reasons()) == {"ann", "bob"}
    assert out.notes()[1] == "'bob' was disqualified after 2 faults: no game was left."


def test_both_in_one_mirror() -> None:
    out = Disqualifier(1)
    assert out.counting(two(((CRASH, TIMEOUT), (0, 0)))) is not None
    assert list(out.reasons()) == ["ann", "bob"]


def test_details_of_games_that_do_not_count_are_left_out() -> None:
    block = two(((CRASH, 0), (0, 0)), ((CRASH, 0), (0, 0)))
    told = tuple(Fault("ann", End.CRASH, dice_set, 0, 0, 1, 1, "") for dice_set in (0, 1))
    kept = Disqualifier(1).counting(BlockResult(block.block, block.totals, block.ends, block.winners, told))
    assert kept is not None
    assert kept.faults == told[:1]


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_counts_of_faults_are_exact(seats: int) -> None:
    random = np.random.default_rng(seats)
    shape = (50, seats, seats)
    games = Games(NAMES[:seats], np.zeros(shape, dtype=np.int32), random.integers(0, len(End), shape, dtype=np.uint8))
    counts = FaultCounts()
    for first in range(0, 50, 7):
        counts.add(games.block(first, min(first + 7, 50)))
    expected = {name: Counter[int]() for name in games.names}
    for seatings in games.ends.tolist():
        for seating, table in enumerate(seatings):
            for seat, end in enumerate(table):
                expected[games.names[(seat + seating) % seats]][end] += end != 0
    assert counts.agents == list(games.names)
    for name, numbers in expected.items():
        assert counts.of(name) == {End(end): number for end, number in sorted(numbers.items()) if end}
