"""RULES 3, fifteen: every sentence and example by name."""

from itertools import permutations

import pytest
from compiled_rules import card_rules, pays, played, roll_of
from scoring_twin import PAYS, UPPER

LOWER = tuple(row for row in PAYS["fifteen"] if row not in UPPER)


def test_fifteen_has_fifteen_turns_not_thirteen() -> None:
    assert card_rules("fifteen").turns == 15
    assert len(card_rules("fifteen").names) == 15


def test_fifteen_examples_of_the_sheet() -> None:
    assert pays("fifteen", "pair", "55321") == 16
    assert pays("fifteen", "two_pairs", "22551") == 15
    assert pays("fifteen", "four_of_a_kind", "11113") == 7
    assert pays("fifteen", "full_house", "22233") == 25
    assert pays("fifteen", "chance", "23566") == 22


def test_fifteen_three_of_a_kind_printed_as_21_is_22() -> None:
    assert pays("fifteen", "three_of_a_kind", "55525") == 22


def test_fifteen_pattern_rows_pay_all_five_dice() -> None:
    for dice in permutations("66321"):
        assert pays("fifteen", "pair", "".join(dice)) == 18
    assert pays("fifteen", "three_of_a_kind", "33336") == 18
    assert pays("fifteen", "pair", "12345") == 0


def test_fifteen_fixed_pays() -> None:
    assert pays("fifteen", "small_straight", "12346") == 30
    assert pays("fifteen", "large_straight", "12345") == 40
    assert pays("fifteen", "five_of_a_kind", "11111") == 50
    assert pays("fifteen", "five_of_a_kind", "66666") == 50


def upper(sixes: int, fives: int, fours: int, threes: int, twos: int, ones: int) -> list[str]:
    counts = [ones, twos, threes, fours, fives, sixes]
    return [
        f"{row} {str(face) * n + str(1 + (face == 1)) * (5 - n)}"
        for face, (row, n) in enumerate(zip(UPPER, counts, strict=True), start=1)
    ]


def test_fifteen_upper_bonus_of_35_wants_more_than_63() -> None:
    rules = card_rules("fifteen")
    assert played(rules, *upper(3, 3, 3, 3, 3, 3)).total == 63
    assert played(rules, *upper(3, 3, 3, 3, 3, 4)).total == 64 + 35
    assert played(rules, *upper(3, 3, 3, 3, 3, 2)).total == 62


def test_fifteen_option_upper_bonus_at_63_is_63_or_more() -> None:
    rules = card_rules("fifteen", upper_bonus_at=63)
    assert played(rules, *upper(3, 3, 3, 3, 3, 3)).total == 63 + 35
    assert played(rules, *upper(3, 3, 3, 3, 3, 2)).total == 62


def test_fifteen_the_joker_earns_100_and_goes_to_the_open_upper_row() -> None:
    rules = card_rules("fifteen")
    card = played(rules, "five_of_a_kind 66666")
    assert rules.open_rows(card, roll_of("44444")) == ("fours",)
    after = played(rules, "five_of_a_kind 66666", "fours 44444")
    assert (after.extra, after.points[3], after.total) == (100, 20, 170)


def test_fifteen_the_joker_else_goes_to_any_open_lower_row() -> None:
    rules = card_rules("fifteen")
    card = played(rules, "five_of_a_kind 66666", "fours 44123", "chance 12346")
    assert rules.open_rows(card, roll_of("44444")) == tuple(
        row for row in LOWER if row not in ("five_of_a_kind", "chance")
    )


@pytest.mark.parametrize(
    ("row", "points"),
    [
        ("pair", 20),
        ("two_pairs", 20),
        ("three_of_a_kind", 20),
        ("four_of_a_kind", 20),
        ("full_house", 25),
        ("small_straight", 30),
        ("large_straight", 40),
        ("chance", 20),
    ],
)
def test_fifteen_the_joker_pays_in_a_lower_row_as_if_the_pattern_held(row: str, points: int) -> None:
    card = played(card_rules("fifteen"), "five_of_a_kind 66666", "fours 44123", f"{row} 44444")
    assert card.total == 50 + 8 + points + 100


def test_fifteen_the_joker_else_is_a_0_in_any_open_upper_row_and_still_earns_100() -> None:
    rules = card_rules("fifteen")
    turns = ["five_of_a_kind 66666", "fours 44123", *(f"{row} 12346" for row in LOWER if row != "five_of_a_kind")]
    card = played(rules, *turns)
    assert rules.open_rows(card, roll_of("44444")) == ("ones", "twos", "threes", "fives", "sixes")
    for row in ("ones", "twos", "threes", "fives", "sixes"):
        after = played(rules, *turns, f"{row} 44444")
        assert after.points[rules.row_ids[row]] == 0
        assert after.total == card.total + 100


def test_fifteen_with_five_of_a_kind_holding_0_there_is_no_joker() -> None:
    rules = card_rules("fifteen")
    turns = ["five_of_a_kind 12346", "fours 44123"]
    card = played(rules, *turns)
    assert rules.open_rows(card, roll_of("44444")) == tuple(
        row for row in rules.names if row not in ("five_of_a_kind", "fours")
    )
    assert played(rules, *turns, "full_house 44444").total == 8
    assert played(rules, *turns, "pair 44444").total == 8 + 20
    assert played(rules, *turns, "two_pairs 44444").total == 8
    assert played(rules, *turns, "ones 44444").total == 8


def test_fifteen_with_five_of_a_kind_open_there_is_no_joker() -> None:
    rules = card_rules("fifteen")
    card = played(rules, "fours 44123")
    assert "ones" in rules.open_rows(card, roll_of("44444"))
    assert rules.five_pays(card, roll_of("44444")) == 0
    assert played(rules, "fours 44123", "full_house 44444").total == 8


def test_fifteen_the_jokers_100_never_counts_towards_the_upper_bonus() -> None:
    rules = card_rules("fifteen")
    low = played(rules, "five_of_a_kind 66666", "fours 44444", "ones 11111")
    assert (low.sums[0], low.extra, low.bonus) == (25, 200, 0)
    others = [turn for turn in upper(3, 3, 0, 3, 3, 0) if turn.split()[0] in ("sixes", "fives", "threes", "twos")]
    short = played(rules, "five_of_a_kind 66666", *others, "ones 22223", "fours 44112")
    assert (short.sums[0], short.extra, short.bonus) == (56, 0, 0)
    enough = played(rules, "five_of_a_kind 66666", *others, "fours 44444")
    assert (enough.sums[0], enough.extra, enough.bonus) == (68, 100, 35)


def test_fifteen_every_further_five_of_a_kind_earns_100_again() -> None:
    card = played(
        card_rules("fifteen"), "five_of_a_kind 66666", "sixes 66666", "fours 44444", "chance 44444", "pair 66666"
    )
    assert card.extra == 400
    assert card.total == 50 + 30 + 20 + 20 + 30 + 400
