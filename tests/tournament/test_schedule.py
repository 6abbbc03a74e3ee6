"""The plan: who meets, whatever the order of the bots, and no dice set missing or twice."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records import Entrant, series_id
from arena.tournament.schedule import block_size, missing_blocks, pairings, plan_series

NAMES = ["ann", "bob", "cid", "dee", "eve"]
ENTRANTS = [Entrant(name, f"identity of {name}") for name in NAMES]


@given(st.permutations(NAMES), st.integers(1, 5))
def test_everybody_meets_everybody(names: list[str], seats: int) -> None:
    assert pairings(names, seats, seed=1) == list(combinations(NAMES, seats))


@given(st.permutations(NAMES), st.integers(2, 5), st.sets(st.sampled_from(NAMES), min_size=1))
def test_in_a_gauntlet_somebody_of_it_is_at_every_table(names: list[str], seats: int, gauntlet: set[str]) -> None:
    tables = pairings(names, seats, seed=1, gauntlet=gauntlet)
    assert tables == [table for table in combinations(NAMES, seats) if gauntlet & set(table)]


def test_a_gauntlet_of_few_tables_among_many_bots_is_played_whole() -> None:
    """Of 1,140 tables of three, 171 have the one bot; a sample of 1,000 of these would never be found."""
    names = [f"bot {number:02}" for number in range(20)]
    tables = pairings(names, 3, seed=1, gauntlet=["bot 07"])
    assert tables == [table for table in combinations(names, 3) if "bot 07" in table]
    assert len(tables) == 171


@given(st.permutations(ENTRANTS))
def test_series_do_not_depend_on_the_order_of_the_entrants(entrants: list[Entrant]) -> None:
    tables = pairings(NAMES, 2, seed=1)
    series = plan_series(1, ["hash a", "hash b"], entrants, tables, 10)
    met = [(one.ruleset_hash, one.entrants) for one in series]
    assert met == [(of, pair) for of in ("hash a", "hash b") for pair in combinations(ENTRANTS, 2)]
    assert {one.mirrors for one in series} == {5}
    assert series == plan_series(1, ["hash a", "hash b"], ENTRANTS, tables, 10)


def test_a_series_is_known_by_all_that_decides_its_games() -> None:
    ann, bob, cid = ENTRANTS[:3]
    ids = [
        series_id(1, "hash a", (ann, bob)),
        series_id(2, "hash a", (ann, bob)),
        series_id(1, "hash b", (ann, bob)),
        series_id(1, "hash a", (bob, ann)),
        series_id(1, "hash a", (Entrant("ann", "another identity"), bob)),
        series_id(1, "hash a", (Entrant("an", ann.identity), bob)),
        series_id(1, "hash a", (ann, bob, cid)),
    ]
    assert len(set(ids)) == len(ids)
    assert ids[0] == series_id(1, "hash a", (ann, bob))


@given(
    mirrors=st.integers(1, 60),
    size=st.integers(1, 70),
    cuts=st.lists(st.tuples(st.integers(0, 70), st.integers(1, 20)), max_size=6),
)
def test_missing_blocks_fill_every_gap_once(mirrors: int, size: int, cuts: list[tuple[int, int]]) -> None:
    known: list[tuple[int, int]] = []
    for first, length in sorted(cuts):
        if not known or first >= known[-1][1]:
            known.append((first, first + length))
    (series,) = plan_series(1, ["hash"], ENTRANTS[:2], [("ann", "bob")], 2 * mirrors)
    sizes = {series: size}
    blocks = missing_blocks([series], lambda asked: known if asked == series.id else [], sizes.__getitem__)
    covered = [dice_set for first, stop in known for dice_set in range(first, min(stop, mirrors))]
    planned = [dice_set for block in blocks for dice_set in range(block.first, block.stop)]
    assert planned == [dice_set for dice_set in range(mirrors) if dice_set not in covered]
    assert all(0 < block.mirrors <= size for block in blocks)


@pytest.mark.parametrize(
    ("tables", "mirrors", "scalar", "arrays"),
    [
        (1, 2, 16, 16),
        (6, 100, 16, 16),
        (6, 2000, 187, 187),
        (42, 2000, 512, 1312),
        (1, 10**6, 512, 4096),
    ],
)
def test_the_size_of_a_block(tables: int, mirrors: int, scalar: int, arrays: int) -> None:
    series = plan_series(1, ["hash"], ENTRANTS[:2], [("ann", "bob")] * tables, 2 * mirrors)
    assert block_size(series, series[0], {"ann"}) == block_size(series, series[0], ()) == scalar
    assert block_size(series, series[0], {"ann", "bob"}) == arrays
