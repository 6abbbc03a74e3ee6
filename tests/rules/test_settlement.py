"""Money: bank, mean and chips, in whole units, against fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from compiled_rules import ruleset_of
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules.model import Ruleset
from arena.rules.settlement import settle, settlement_unit


def money(ruleset: Ruleset, totals: list[int], winners: int) -> list[Fraction]:
    """Return what every seat of one game wins, in the ruleset's money."""
    unit = settlement_unit(ruleset, len(totals))
    assert unit is not None
    settled = settle(ruleset, np.array([totals], dtype=np.int32), np.array([winners], dtype=np.uint8))
    assert settled.dtype == np.int64
    assert settled.shape == (1, len(totals))
    return [Fraction(int(part), unit) for part in settled[0]]


@pytest.mark.parametrize(
    ("ruleset", "unit"), [("two-stage", 60), ("school", 3), ("fifteen", None), ("thirteen", None), ("showdown", 1)]
)
def test_the_unit_at_three_seats(ruleset: str, unit: int | None) -> None:
    assert settlement_unit(ruleset_of(ruleset), 3) == unit


@pytest.mark.parametrize(("seats", "winners"), [(n, mask) for n in range(1, 7) for mask in range(1, 1 << n)])
def test_the_bank_goes_to_the_winners_who_share_it(seats: int, winners: int) -> None:
    won = money(ruleset_of("two-stage"), [100] * seats, winners)
    number = winners.bit_count()
    for seat in range(seats):
        assert won[seat] == (Fraction(seats, number) - 1 if winners >> seat & 1 else -1)
    assert sum(won) == 0


def test_the_bank_of_the_sheets_example() -> None:
    assert money(ruleset_of("two-stage"), [74, 12, 71], 0b001) == [2, -1, -1]


@settings(max_examples=100)
@given(totals=st.lists(st.integers(-58, 510), min_size=1, max_size=6))
def test_the_school_settles_a_total_less_the_tables_mean(totals: list[int]) -> None:
    won = money(ruleset_of("school"), totals, 1)
    mean = Fraction(sum(totals), len(totals))
    assert won == [total - mean for total in totals]
    assert sum(won) == 0


def test_the_school_keeps_thirds_a_mean_of_100_101_103() -> None:
    won = money(ruleset_of("school"), [100, 101, 103], 0b100)
    assert won == [Fraction(-4, 3), Fraction(-1, 3), Fraction(5, 3)]
    settled = settle(ruleset_of("school"), np.array([[100, 101, 103]], dtype=np.int32), np.array([4], np.uint8))
    assert settled.tolist() == [[-4, -1, 5]]


@settings(max_examples=100)
@given(chips=st.lists(st.integers(0, 120), min_size=2, max_size=6), stack=st.sampled_from([1, 20, 50]))
def test_showdown_settles_chips_won_or_lost(chips: list[int], stack: int) -> None:
    won = money(ruleset_of("showdown", stack=stack), chips, 1)
    assert won == [held - stack for held in chips]


def test_showdown_without_an_ante_plays_for_nothing() -> None:
    ruleset = ruleset_of("showdown", ante=0)
    assert settlement_unit(ruleset, 2) is None
    settled = settle(ruleset, np.array([[360, 240]], dtype=np.int32), np.array([1], dtype=np.uint8))
    assert settled.tolist() == [[0, 0]]


@pytest.mark.parametrize("ruleset", ["fifteen", "thirteen", "yahtzee", "yatzy"])
def test_the_others_play_for_nothing(ruleset: str) -> None:
    rules = ruleset_of(ruleset)
    assert settlement_unit(rules, 2) is None
    assert settle(rules, np.array([[10, 20]], dtype=np.int32), np.array([2], dtype=np.uint8)).tolist() == [[0, 0]]


def test_many_games_settle_as_each_alone() -> None:
    games = list(product([10, 20, 30], repeat=3))
    totals = np.array(games, dtype=np.int32)
    winners = np.array([sum(1 << s for s in range(3) if game[s] == max(game)) for game in games], dtype=np.uint8)
    for name in ("two-stage", "school", "showdown"):
        ruleset = ruleset_of(name)
        together = settle(ruleset, totals, winners)
        alone = [settle(ruleset, totals[n : n + 1], winners[n : n + 1])[0].tolist() for n in range(len(games))]
        assert together.tolist() == alone


def test_large_totals_do_not_overflow() -> None:
    won = money(ruleset_of("school"), [2**31 - 1, -(2**31), 0, 0, 0, 0], 1)
    assert sum(won) == 0
    assert won[0] == 2**31 - 1 + Fraction(1, 6)
