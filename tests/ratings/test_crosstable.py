"""The crosstable against a slow readable twin, which looks at one game after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.table import winners
from arena.ratings.crosstable import CrosstableBuilder
from arena.records import Block, BlockResult, Crosstable, End, Entrant, Tally
from arena.rules.model import Ruleset
from arena.rules.settlement import settlement_unit
from arena.rules.shipped import shipped_ruleset

RULESETS = {name: shipped_ruleset(name) for name in ("thirteen", "two-stage", "school", "showdown")}
NAMES = ("ann", "bob", "cid", "dee")
COUNTS = ("ll", "ld", "wl", "dd", "wd", "ww")

Table = tuple[list[int], list[End]]
"""One game's totals and ends by seat."""


def result_of(names: tuple[str, ...], played: list[list[Table]]) -> BlockResult:
    """Return the block of some games, given by mirror and seating."""
    block = Block("", "", tuple(Entrant(name, "") for name in names), 0, len(played))
    return BlockResult(
        block,
        np.array([[totals for totals, _ in mirror] for mirror in played], dtype=np.int32),
        np.array([[ends for _, ends in mirror] for mirror in played], dtype=np.uint8),
        np.array([[winners(totals, ends) for totals, ends in mirror] for mirror in played], dtype=np.uint8),
    )


@st.composite
def blocks(draw: st.DrawFn, *, most: int = 4, seats: int | None = None) -> list[BlockResult]:
    """Make up blocks of tables of one size, with many draws and faults."""
    seats = draw(st.integers(1, 4)) if seats is None else seats
    totals = st.one_of(st.integers(-3, 3), st.integers(-(1 << 20), 1 << 20))
    ends = st.one_of(st.just(End.FINISHED), st.just(End.FINISHED), st.sampled_from(End))
    table = st.tuples(*(st.lists(each, min_size=seats, max_size=seats) for each in (totals, ends)))
    mirrors = st.lists(st.lists(table, min_size=seats, max_size=seats), min_size=1, max_size=4)
    pairings = st.sampled_from(list(combinations(NAMES, seats)))
    return draw(st.lists(st.builds(result_of, pairings, mirrors), min_size=0, max_size=most))


class Twin:
    """Counts game by game.

    Attributes:
        rows: counts by the names of two seats, the earlier first.
        tallies: counts by name.
        mirrors: by pairing, for every mirror how often each pair of it had each outcome.
    """

    def __init__(self, ruleset: Ruleset, results: list[BlockResult]) -> None:
        self._ruleset = ruleset
        self.rows: dict[tuple[str, str], Counter[str]] = {}
        self.tallies: dict[str, Counter[Any]] = {name: Counter() for name in NAMES}
        self.mirrors: dict[tuple[str, ...], list[Counter[tuple[str, str, str]]]] = {}
        for result in results:
            names = tuple(entrant.name for entrant in result.block.entrants)
            for totals, ends in zip(result.totals.tolist(), result.ends.tolist(), strict=True):
                mirror: Counter[tuple[str, str, str]] = Counter()
                for seating, table in enumerate(zip(totals, ends, strict=True)):
                    seated = [names[(seat + seating) % len(names)] for seat in range(len(names))]
                    self._count_game(seated, table[0], [end == End.FINISHED for end in table[1]], mirror)
                    for name, end in zip(seated, table[1], strict=True):
                        self.tallies[name][End(end)] += 1
                self.mirrors.setdefault(names, []).append(mirror)

    def _count_game(self, seated: list[str], totals: list[int], fine: list[bool], mirror: Counter[Any]) -> None:
        best = max((total for total, finished in zip(totals, fine, strict=True) if finished), default=None)
        winning = [finished and total == best for total, finished in zip(totals, fine, strict=True)]
        for seat, name in enumerate(seated):
            tally = self.tallies[name]
            if any(fine):
                tally["games"] += 1
                tally["wins"] += winning[seat] and winning.count(True) == 1
                tally["draws"] += winning[seat] and winning.count(True) > 1
                tally["settlement"] += self._money(totals, winning, seat)
            if all(fine):
                tally["scored"] += 1
                tally["score"] += totals[seat]
                tally["score_sq"] += totals[seat] ** 2
        for first, second in combinations(range(len(seated)), 2):
            one, other = seated[first], seated[second]
            row = self.rows.setdefault((one, other), Counter())
            outcome = self._outcome(totals, fine, first, second)
            if outcome:
                row["games"] += 1
                row[{"won": "wins_first", "drawn": "draws", "lost": "losses_first"}[outcome]] += 1
                back = {"won": "lost", "drawn": "drawn", "lost": "won"}[outcome]
                mirror[(one, other, outcome) if one < other else (other, one, back)] += 1
            if all(fine):
                for seat, which in ((first, "first"), (second, "second")):
                    row[f"score_{which}"] += totals[seat]
                    row[f"score_sq_{which}"] += totals[seat] ** 2

    @staticmethod
    def _outcome(totals: list[int], fine: list[bool], first: int, second: int) -> str | None:
        if not fine[first] and not fine[second]:
            return None
        if fine[first] and fine[second] and totals[first] == totals[second]:
            return "drawn"
        return "won" if fine[first] and (not fine[second] or totals[first] > totals[second]) else "lost"

    def _money(self, totals: list[int], winning: list[bool], seat: int) -> Fraction:
        """What a seat wins or loses, in the ruleset's money."""
        match str(self._ruleset.settlement):
            case "bank":
                return Fraction(len(totals) * winning[seat], winning.count(True)) - 1
            case "mean":
                return totals[seat] - Fraction(sum(totals), len(totals))
            case "chips":
                assert self._ruleset.showdown
                return Fraction(totals[seat] - self._ruleset.showdown.stack)
            case _:
                return Fraction(0)

    def mirror_counts(self, first: str, second: str) -> dict[str, int]:
        """Return the six counts of two-seat mirrors from the side of ``first``."""
        one, other = sorted((first, second))
        swap = {"won": "lost", "lost": "won", "drawn": "drawn"} if first > second else {}
        counts = dict.fromkeys(COUNTS, 0)
        for mirror in self.mirrors.get((one, other), []):
            outcomes = [swap.get(outcome, outcome) for (*_, outcome), number in mirror.items() for _ in range(number)]
            letters = sorted((outcome[0] for outcome in outcomes), key="wdl".index)
            if len(letters) == 2:  # none of its games is nobody's
                counts[{"wl": "wl", "dl": "ld"}.get("".join(letters), "".join(letters))] += 1
        return counts


def built(ruleset: Ruleset, results: list[BlockResult]) -> Crosstable:
    table = CrosstableBuilder(ruleset, NAMES[::-1])
    for result in results:
        table.add(result)
    return table.build()


def plain(table: Crosstable) -> tuple[Any, ...]:
    """Return a crosstable as a value that can be compared."""
    clusters = [(one.agents, one.mirrors, one.products.tolist()) for one in table.clusters]
    return table.agents, table.rows, dict(table.tallies), clusters


@settings(max_examples=75)
@given(st.sampled_from(list(RULESETS)), blocks())
def test_every_column_is_what_the_games_say(name: str, results: list[BlockResult]) -> None:
    ruleset = RULESETS[name]
    seats = results[0].block.seats if results else 2
    table, twin = built(ruleset, results), Twin(ruleset, results)
    assert table.agents == NAMES
    assert [(row.first, row.second) for row in table] == sorted(twin.rows)
    for row in table:
        found = asdict(row)
        mirrors = twin.mirror_counts(row.first, row.second) if seats == 2 else dict.fromkeys(COUNTS, 0)
        expected = {"first": row.first, "second": row.second, "seats": seats, **mirrors}
        counted = twin.rows[row.first, row.second]
        assert found == {key: expected.get(key, counted[key]) for key in found}
    unit = settlement_unit(ruleset, seats) or 1
    for agent, tally in table.tallies.items():
        counted = twin.tallies[agent]
        sums = {key: counted[key] for key in ("games", "wins", "draws", "scored", "score", "score_sq")}
        money = {"settlement": counted["settlement"] * unit}
        faults = {end: counted[end] for end in End if end is not End.FINISHED and counted[end]}
        assert tally == Tally(**sums, **money, faults=faults)


@settings(max_examples=50)
@given(st.integers(2, 4).flatmap(lambda seats: blocks(seats=seats)))
def test_clusters_are_sums_of_products_over_mirrors(results: list[BlockResult]) -> None:
    table, twin = built(RULESETS["thirteen"], results), Twin(RULESETS["thirteen"], results)
    large = {names: mirrors for names, mirrors in twin.mirrors.items() if len(names) > 2}
    assert [one.agents for one in table.clusters] == sorted(large)
    for one in table.clusters:
        columns = [
            (*pair, outcome) for pair, outcome in product(combinations(one.agents, 2), ("won", "drawn", "lost"))
        ]
        expected = np.zeros((len(columns), len(columns)), dtype=np.int64)
        for mirror in large[one.agents]:
            counts = [mirror[column] for column in columns]
            expected += np.outer(counts, counts)
        np.testing.assert_array_equal(one.products, expected)
        assert one.mirrors == sum(any(mirror.values()) for mirror in large[one.agents])


@settings(max_examples=50)
@given(blocks(), st.randoms())
def test_blocks_may_come_in_any_order(results: list[BlockResult], random: Random) -> None:
    shuffled = list(results)
    random.shuffle(shuffled)
    assert plain(built(RULESETS["two-stage"], shuffled)) == plain(built(RULESETS["two-stage"], results))


@settings(max_examples=50)
@given(st.integers(1, 4).flatmap(lambda seats: blocks(seats=seats, most=1)), st.integers(0, 4))
def test_blocks_may_be_cut_anywhere(results: list[BlockResult], at: int) -> None:
    parts = []
    for result in results:
        for cut in (slice(0, at), slice(at, None)):
            if len(result.totals[cut]):
                block = Block("", "", result.block.entrants, 0, len(result.totals[cut]))
                parts.append(BlockResult(block, result.totals[cut], result.ends[cut], result.winners[cut]))
    assert plain(built(RULESETS["school"], parts)) == plain(built(RULESETS["school"], results))


def test_both_rows_of_a_pair_see_the_same_mirrors() -> None:
    """A pair's six counts stand in both rows, each from its own side; a nobody's game takes its mirror out."""
    fine, out = [End.FINISHED] * 2, [End.EXCEPTION] * 2
    win, loss, draw = ([2, 1], fine), ([1, 2], fine), ([1, 1], fine)
    played = [
        *([[win, loss]] * 1),  # ann wins from both seats: in the second seating she has seat 1
        *([[win, draw]] * 2),
        *([[win, win]] * 3),
        *([[draw, draw]] * 4),
        *([[loss, draw]] * 5),
        *([[loss, win]] * 6),
        *([[win, ([0, 0], out)]] * 7),
    ]
    by_pair = {(row.first, row.second): row for row in built(RULESETS["thirteen"], [result_of(NAMES[:2], played)])}
    ann, bob = by_pair["ann", "bob"], by_pair["bob", "ann"]
    assert [getattr(ann, key) for key in COUNTS] == [6, 5, 3, 4, 2, 1]
    assert [getattr(bob, key) for key in COUNTS] == [1, 2, 3, 4, 5, 6]
    assert (ann.games, ann.wins_first, ann.draws, ann.losses_first) == (28, 13, 4, 11)
    assert (bob.games, bob.wins_first, bob.draws, bob.losses_first) == (21, 9, 11, 1)


def test_large_scores_do_not_overflow() -> None:
    """The most that options allow: a million rounds of 60 in showdown, in a block of the largest size."""
    high, mirrors = 60_000_000, 2048
    played = [[([high, -high], [End.FINISHED] * 2)] * 2] * mirrors
    row = built(RULESETS["thirteen"], [result_of(NAMES[:2], played)]).rows[0]
    assert (row.score_first, row.score_second) == (mirrors * high, -mirrors * high)
    assert row.score_sq_first == row.score_sq_second == mirrors * high**2


def test_an_agent_without_games_is_there() -> None:
    table = built(RULESETS["thirteen"], [])
    assert table.agents == NAMES
    assert table.rows == ()
    assert table.tallies == dict.fromkeys(NAMES, Tally())


@pytest.mark.parametrize(("end", "winner"), [(End.EXCEPTION, "bob"), (End.FINISHED, "ann")])
def test_a_seat_that_is_out_loses_whatever_it_had(end: End, winner: str) -> None:
    played = [[([90, 3], [end, End.FINISHED]), ([3, 90], [End.FINISHED, end])]]
    table = built(RULESETS["two-stage"], [result_of(NAMES[:2], played)])
    assert [row.wins_first if row.first == winner else row.losses_first for row in table] == [1, 1]
    assert table.tallies["ann"].settlement == (120 if winner == "ann" else -120)
