"""RULES 1, two-stage: every sentence and example by name."""

import pytest
from compiled_rules import card_rules, pays, played, roll_of
from scoring_twin import PAYS, UPPER

from arena.rules.model import Settlement
from arena.rules.shipped import shipped_ruleset

LOWER = tuple(row for row in PAYS["two-stage"] if row not in UPPER)


def test_two_stage_opens_only_ones_to_sixes_in_stage_1() -> None:
    rules = card_rules("two-stage")
    assert all(rules.open_rows(rules.empty, roll) == UPPER for roll in range(252))


@pytest.mark.parametrize("row", UPPER)
def test_two_stage_opens_only_the_eight_patterns_in_stage_2(row: str) -> None:
    rules = card_rules("two-stage")
    card = played(rules, f"{row} 12346")
    assert all(rules.open_rows(card, roll) == LOWER for roll in range(252))


@pytest.mark.parametrize("row", LOWER)
def test_two_stage_is_over_after_two_turns(row: str) -> None:
    rules = card_rules("two-stage")
    assert rules.open_mask(played(rules, "ones 12346", f"{row} 12346").filled) == 0
    assert rules.turns == 2


def test_two_stage_adds_50_if_stage_1_scores_0_or_more() -> None:
    rules = card_rules("two-stage")
    assert played(rules, "fives 55512").total == 0 + 50
    assert played(rules, "fives 55551").total == 5 + 50
    assert played(rules, "fives 55123").total == -5
    assert played(rules, "ones 11234").total == -1


def test_two_stage_any_face_may_be_named_also_one_that_shows_on_no_die() -> None:
    for face, row in enumerate(UPPER, start=1):
        other = str(face % 6 + 1)
        assert played(card_rules("two-stage"), f"{row} {other * 5}").total == -3 * face


def test_two_stage_stage_1_is_never_doubled() -> None:
    for row in UPPER:
        for dice in ("66666", "12345", "55512", "11116"):
            assert pays("two-stage", row, dice, first=True) == pays("two-stage", row, dice)


def test_two_stage_small_straight_is_four_in_sequence_1_2_3_4_5_pays_14() -> None:
    assert pays("two-stage", "small_straight", "12345") == 2 + 3 + 4 + 5


def test_two_stage_small_straight_of_2_3_4_5_6_pays_18() -> None:
    assert pays("two-stage", "small_straight", "23456") == 18


def test_two_stage_doubles_stage_2_on_the_first_roll() -> None:
    examples = {
        "pair": ("66123", 12),
        "two_pairs": ("66551", 22),
        "three_of_a_kind": ("33336", 9),
        "small_straight": ("12345", 14),
        "large_straight": ("23456", 20),
        "full_house": ("55522", 19),
        "four_of_a_kind": ("22223", 8),
    }
    for row, (dice, points) in examples.items():
        assert pays("two-stage", row, dice) == points
        assert pays("two-stage", row, dice, first=True) == 2 * points


def test_two_stage_five_ones_pay_55() -> None:
    assert pays("two-stage", "five_of_a_kind", "11111") == 5 + 50


def test_two_stage_five_sixes_on_first_roll_pays_110() -> None:
    assert pays("two-stage", "five_of_a_kind", "66666", first=True) == 30 * 2 + 50
    assert pays("two-stage", "five_of_a_kind", "66666") == 30 + 50


def test_two_stage_the_50_belongs_to_the_row_not_to_the_dice() -> None:
    for row in LOWER:
        if row != "five_of_a_kind":
            assert pays("two-stage", row, "33333") < 50
            assert pays("two-stage", row, "33333", first=True) < 50
    assert played(card_rules("two-stage"), "threes 33333").total == 6 + 50  # the 50 of stage 1, once


def test_two_stage_totals_run_from_minus_18_to_172() -> None:
    rules = card_rules("two-stage")
    totals = set()
    for first_row in range(6):
        for first_roll in range(252):
            totals.add(rules.fill(rules.empty, first_row, first_roll, False).total)
    stage_2 = {points for first in (0, 1) for row in rules.points[first][6:] for points in row}
    assert (min(totals) + min(stage_2), max(totals) + max(stage_2)) == (-18, 172)
    assert played(rules, "sixes 12345", "pair 12345").total == -18
    assert played(rules, "sixes 66666 first", "five_of_a_kind 66666 first").total == 172


def test_two_stage_the_sheets_example_totals_74_12_71() -> None:
    """Three fives, two twos, four sixes; then a pair of sixes on the first roll, 2-3-4-5, three fives."""
    rules = card_rules("two-stage")
    assert [played(rules, "fives 55512").total, played(rules, "twos 22134").total, played(rules, "sixes 66661").total]
    first = played(rules, "fives 55512", "pair 66123 first")
    second = played(rules, "twos 22134", "small_straight 23455")
    third = played(rules, "sixes 66661", "three_of_a_kind 55512")
    assert (first.points[4], first.bonus, first.points[6]) == (0, 50, 24)
    assert (second.points[1], second.bonus, second.points[9]) == (-2, 0, 14)
    assert (third.points[5], third.bonus, third.points[8]) == (6, 50, 15)
    assert (first.total, second.total, third.total) == (74, 12, 71)


def test_two_stage_is_settled_by_the_bank() -> None:
    assert shipped_ruleset("two-stage").settlement is Settlement.BANK


def test_two_stage_has_no_chance_row() -> None:
    assert card_rules("two-stage").names == (*UPPER, *LOWER)
    assert "chance" not in LOWER
    assert len(LOWER) == 8


def test_two_stage_rows_pay_the_same_whatever_stage_1_held() -> None:
    rules = card_rules("two-stage")
    for row in UPPER:
        card = played(rules, f"{row} 66665")
        for roll in (roll_of("66666"), roll_of("12345")):
            for name in LOWER:
                assert rules.row_pays(card, rules.row_ids[name], roll, True) == rules.row_pays(
                    rules.empty, rules.row_ids[name], roll, True
                )
