"""The crosstable against a slow readable twin, which looks at one game after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game.table import winners
from arena.ratings.crosstable import CrosstableBuilder
from arena.records import Block, BlockResult, Crosstable, End, Entrant, Tally
from arena.rules.catalogue import shipped_ruleset
from arena.rules.model import Ruleset
from arena.rules.settlement import settlement_unit

RULESETS = {name: shipped_ruleset(name) for name in ("thirteen", "two-stage", "school", "showdown")}
NAMES = ("ann", "bob", "cid")
COUNTS = ("ll", "ld", "wl", "dd", "wd", "ww")


def result_of(first: str, second: str, start: int, mirrors: list[list[tuple[list[int], list[End]]]]) -> BlockResult:
    """Return the block of some games: by mirror and seating the totals and ends by seat."""
    block = Block("", "", (Entrant(first, ""), Entrant(second, "")), start, start + len(mirrors))
    return BlockResult(
        block,
        np.array([[totals for totals, _ in mirror] for mirror in mirrors], dtype=np.int32),
        np.array([[ends for _, ends in mirror] for mirror in mirrors], dtype=np.uint8),
        np.array([[winners(totals, ends) for totals, ends in mirror] for mirror in mirrors], dtype=np.uint8),
    )


ends = st.one_of(st.just(End.FINISHED), st.just(End.FINISHED), st.sampled_from(End))
totals = st.one_of(st.integers(-20, 20), st.integers(-(1 << 20), 1 << 20))
games = st.tuples(st.lists(totals, min_size=2, max_size=2), st.lists(ends, min_size=2, max_size=2))
mirrors = st.lists(st.lists(games, min_size=2, max_size=2), min_size=1, max_size=6)
pairs = st.sampled_from(list(combinations(NAMES, 2)))
blocks = st.lists(st.builds(lambda pair, played: result_of(*pair, 0, played), pairs, mirrors), max_size=5)


def money(ruleset: Ruleset, totals: list[int], finished: list[bool], seat: int) -> Fraction:
    """What a seat wins or loses at a table of two, in the ruleset's money."""
    mine, other = totals[seat], totals[1 - seat]
    match str(ruleset.settlement):
        case "bank":
            if finished[0] and finished[1] and mine == other:
                return Fraction(0)
            won = finished[seat] and (not finished[1 - seat] or mine > other)
            return Fraction(1 if won else -1)
        case "mean":
            return mine - Fraction(mine + other, 2)
        case "chips":
            assert ruleset.showdown
            return Fraction(mine - ruleset.showdown.stack)
        case _:
            return Fraction(0)


Rows = dict[tuple[str, str], Counter[str]]
LETTERS = {1: "w", Fraction(1, 2): "d", 0: "l"}


def share_of_first(totals: list[int], finished: list[bool]) -> Fraction | None:
    """The share of the point that seat 0 wins, None if it is nobody's game."""
    if not any(finished):
        return None
    if all(finished) and totals[0] == totals[1]:
        return Fraction(1, 2)
    return Fraction(finished[0] and (not finished[1] or totals[0] > totals[1]))


def count_game(
    ruleset: Ruleset, row: Counter[str], tallies: list[Counter], totals: list[int], ends: list[End]
) -> None:
    """Count one game into the row of its seats and the tallies by seat."""
    finished = [end is End.FINISHED for end in ends]
    for seat in (0, 1):
        tallies[seat][ends[seat]] += not finished[seat]
    share = share_of_first(totals, finished)
    if share is None:
        return
    row["games"] += 1
    row["wins_first" if share == 1 else "draws" if share else "losses_first"] += 1
    for seat, which in enumerate(("first", "second")):
        tallies[seat]["settled"] += 1
        tallies[seat]["settlement"] += money(ruleset, totals, finished, seat)
        if all(finished):
            row[f"score_{which}"] += totals[seat]
            row[f"score_sq_{which}"] += totals[seat] ** 2
            tallies[seat]["scored"] += 1
            tallies[seat]["score"] += totals[seat]


def twin(ruleset: Ruleset, results: list[BlockResult]) -> tuple[Rows, dict[str, Counter]]:
    """Count rows and tallies game by game, and mirrors by their two games."""
    rows: Rows = {}
    tallies: dict[str, Counter] = {name: Counter() for name in NAMES}
    for result in results:
        one, other = (entrant.name for entrant in result.block.entrants)
        seatings = [(one, other), (other, one)]
        for mirror in range(result.block.mirrors):
            shares = []
            for seating, seated in enumerate(seatings):
                totals = [int(total) for total in result.totals[mirror, seating]]
                ends = [End(int(end)) for end in result.ends[mirror, seating]]
                by_seat = [tallies[name] for name in seated]
                count_game(ruleset, rows.setdefault(seated, Counter()), by_seat, totals, ends)
                shares.append(share_of_first(totals, [end is End.FINISHED for end in ends]))
            if None not in shares:
                of_one = [shares[0], 1 - shares[1]]
                for names, mine in zip(seatings, (of_one, [1 - share for share in of_one]), strict=True):
                    key = "".join(sorted(LETTERS[share] for share in mine))
                    rows[names][{"dl": "ld", "dw": "wd", "lw": "wl"}.get(key, key)] += 1
    return rows, tallies


def built(ruleset: Ruleset, results: list[BlockResult]) -> Crosstable:
    table = CrosstableBuilder(ruleset, NAMES[::-1])
    for result in results:
        table.add(result)
    return table.build()


@settings(max_examples=300)
@given(st.sampled_from(list(RULESETS)), blocks)
def test_every_column_is_what_the_games_say(name: str, results: list[BlockResult]) -> None:
    ruleset = RULESETS[name]
    table = built(ruleset, results)
    rows, tallies = twin(ruleset, results)
    assert table.agents == NAMES
    assert [(row.first, row.second) for row in table] == sorted(rows)
    for row in table:
        found = asdict(row)
        assert (found.pop("first"), found.pop("second"), found.pop("seats")) == (row.first, row.second, 2)
        assert found == {key: rows[row.first, row.second][key] for key in found}
    unit = settlement_unit(ruleset, 2) or 1
    for agent, tally in table.tallies.items():
        expected = tallies[agent]
        assert tally == Tally(
            scored=expected["scored"],
            score=expected["score"],
            settled=expected["settled"],
            settlement=expected["settlement"] * unit,
            faults={end: expected[end] for end in End if expected[end]},
        )


@settings(max_examples=50)
@given(blocks, st.randoms())
def test_blocks_may_come_in_any_order(results: list[BlockResult], random: Random) -> None:
    shuffled = list(results)
    random.shuffle(shuffled)
    assert built(RULESETS["two-stage"], shuffled) == built(RULESETS["two-stage"], results)


@settings(max_examples=50)
@given(pairs, mirrors, st.integers(0, 6))
def test_blocks_may_be_cut_anywhere(pair: tuple[str, str], played: list[list], at: int) -> None:
    whole = built(RULESETS["school"], [result_of(*pair, 0, played)])
    parts = [part for part in (played[:at], played[at:]) if part]
    assert built(RULESETS["school"], [result_of(*pair, 0, part) for part in parts]) == whole


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
    table = built(RULESETS["thirteen"], [result_of("ann", "bob", 0, played)])
    by_pair = {(row.first, row.second): row for row in table}
    ann, bob = by_pair["ann", "bob"], by_pair["bob", "ann"]
    assert [getattr(ann, key) for key in COUNTS] == [6, 5, 3, 4, 2, 1]
    assert [getattr(bob, key) for key in COUNTS] == [1, 2, 3, 4, 5, 6]
    assert (ann.games, ann.wins_first, ann.draws, ann.losses_first) == (28, 13, 4, 11)
    assert (bob.games, bob.wins_first, bob.draws, bob.losses_first) == (21, 9, 11, 1)


def test_large_scores_do_not_overflow() -> None:
    """The most that options allow: a million rounds of 60 in showdown, in a block of the largest size."""
    high, mirrors = 60_000_000, 512
    played = [[([high, -high], [End.FINISHED] * 2)] * 2] * mirrors
    row = built(RULESETS["thirteen"], [result_of("ann", "bob", 0, played)]).rows[0]
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
    table = built(RULESETS["two-stage"], [result_of("ann", "bob", 0, played)])
    assert [row.wins_first if row.first == winner else row.losses_first for row in table] == [1, 1]
    assert replace(table.tallies["ann"], faults={}).settlement == (120 if winner == "ann" else -120)
