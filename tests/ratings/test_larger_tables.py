"""Ratings of tables of three and more: pairs of seats as games, and intervals clustered by mirror."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from arena.ratings.crosstable import CrosstableBuilder
from arena.ratings.elo import rate
from arena.records import Block, BlockResult, Crosstable, End, Entrant
from arena.report.crosstables import clusters_csv, crosstable_csv, read_crosstable
from arena.rules.shipped import shipped_ruleset

NAMES = ("ann", "bob", "cid", "dee")
STRENGTHS = np.array([0.6, 0.2, -0.2, -0.6])


def winner_bits(totals: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    best = totals == totals.max(axis=-1, keepdims=True)
    return (best * (1 << np.arange(totals.shape[-1]))).sum(axis=-1).astype(np.uint8)


def league(mirrors: int, rng: np.random.Generator, *, shared: float) -> Crosstable:
    """Return a four-seat league in which luck is partly the mirror's: the same for an agent in all its seatings."""
    builder = CrosstableBuilder(shipped_ruleset("thirteen"), NAMES)
    entrants = tuple(Entrant(name, "") for name in NAMES)
    luck = rng.gumbel(size=(mirrors, 1, 4)) * shared + rng.gumbel(size=(mirrors, 4, 4)) * (1 - shared)
    by_agent = np.round(100 * (STRENGTHS + luck)).astype(np.int32)
    totals = np.empty_like(by_agent)
    for seating in range(4):
        for seat in range(4):
            totals[:, seating, seat] = by_agent[:, seating, (seat + seating) % 4]
    ends = np.zeros(totals.shape, dtype=np.uint8)
    builder.add(BlockResult(Block("", "", entrants, 0, mirrors), totals, ends, winner_bits(totals)))
    return builder.build()


def truth(shared: float) -> npt.NDArray[np.float64]:
    """Return what a very long league converges to."""
    ratings = rate(league(60_000, np.random.default_rng(99), shared=shared)).by_name
    return np.array([ratings[name].elo for name in NAMES])


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_intervals_cover_the_truth(shared: float) -> None:
    right = truth(shared)
    held, leagues = 0, 200
    rng = np.random.default_rng(5)
    for _ in range(leagues):
        ratings = rate(league(60, rng, shared=shared)).by_name
        held += sum(ratings[name].low <= at <= ratings[name].high for name, at in zip(NAMES, right, strict=True))
    assert 0.93 <= held / (4 * leagues) <= 0.97


def test_clusters_widen_what_is_not_independent() -> None:
    widths = []
    for shared in (0.0, 0.9):
        rating = rate(league(200, np.random.default_rng(1), shared=shared)).by_name["ann"]
        widths.append(rating.high - rating.low)
    assert widths[1] > 1.3 * widths[0]


def test_pairs_of_seats_are_counted_by_hand() -> None:
    totals = np.array([[[9, 5, 5], [1, 2, 3], [4, 4, 4]]], dtype=np.int32)  # one mirror, three seatings
    ends = np.zeros((1, 3, 3), dtype=np.uint8)
    ends[0, 1, 2] = End.EXCEPTION  # seat 2 of seating 1 is out: its 3 is worth nothing
    winners = np.array([[0b001, 0b010, 0b111]], dtype=np.uint8)
    entrants = tuple(Entrant(name, "") for name in "abc")
    builder = CrosstableBuilder(shipped_ruleset("thirteen"), "abc")
    builder.add(BlockResult(Block("", "", entrants, 0, 1), totals, ends, winners))
    table = builder.build()
    rows = {(row.first, row.second): (row.games, row.wins_first, row.draws, row.losses_first) for row in table}
    # seating 0: a b c = 9 5 5; seating 1: b c a = 1 2 -; seating 2: c a b = 4 4 4
    assert rows == {
        ("a", "b"): (2, 1, 1, 0),
        ("a", "c"): (1, 1, 0, 0),
        ("b", "c"): (2, 0, 1, 1),
        ("b", "a"): (1, 1, 0, 0),
        ("c", "a"): (2, 1, 1, 0),
        ("c", "b"): (1, 0, 1, 0),
    }
    assert {row.seats for row in table} == {3}
    assert [(t.games, t.wins, t.draws, t.scored) for t in map(table.tallies.get, "abc") if t] == [
        (3, 1, 1, 2),
        (3, 0, 1, 2),
        (3, 1, 1, 2),
    ]
    (cluster,) = table.clusters
    assert (cluster.agents, cluster.mirrors) == (("a", "b", "c"), 1)
    counts = [1, 1, 1, 1, 1, 1, 0, 2, 1]  # a-b: won drawn lost; a-c; b-c
    assert cluster.products.tolist() == np.outer(counts, counts).tolist()


def test_what_is_published_can_be_rated_again() -> None:
    table = league(50, np.random.default_rng(3), shared=0.5)
    again = read_crosstable(crosstable_csv(table), clusters_csv(table))
    assert again.rows == table.rows
    assert rate(again) == rate(table)


def test_names_with_commas_and_quotes_come_back() -> None:
    entrants = tuple(Entrant(name, "") for name in ('"x", y', "a,b", "c d"))
    builder = CrosstableBuilder(shipped_ruleset("thirteen"), [entrant.name for entrant in entrants])
    totals = np.array([[[1, 2, 3], [3, 2, 1], [1, 3, 2]]], dtype=np.int32)
    ends = np.zeros(totals.shape, dtype=np.uint8)
    builder.add(BlockResult(Block("", "", entrants, 0, 1), totals, ends, winner_bits(totals)))
    table = builder.build()
    again = read_crosstable(crosstable_csv(table), clusters_csv(table))
    assert again.rows == table.rows
    assert again.clusters[0].agents == table.clusters[0].agents
    assert (again.clusters[0].products == table.clusters[0].products).all()


def test_the_order_of_blocks_does_not_matter() -> None:
    rng = np.random.default_rng(8)
    entrants = tuple(Entrant(name, "") for name in "abc")
    results = []
    for first in range(3):
        totals = rng.integers(0, 9, (4, 3, 3)).astype(np.int32)
        ends = np.zeros(totals.shape, dtype=np.uint8)
        results.append(
            BlockResult(Block("", "", entrants, 4 * first, 4 * first + 4), totals, ends, winner_bits(totals))
        )
    seen = []
    for order in permutations(results):
        builder = CrosstableBuilder(shipped_ruleset("thirteen"), "abc")
        for result in order:
            builder.add(result)
        table = builder.build()
        seen.append((table.rows, clusters_csv(table), rate(table)))
    assert all(one == seen[0] for one in seen)
