"""Section bonuses: their thresholds, and when they fall due."""

from itertools import permutations

import pytest
from compiled_rules import card_rules, played
from scoring_twin import UPPER

from arena.rules.model import Due
from arena.rules.shipped import shipped_ruleset

THREE_OF_EACH = [f"{row} {str(face) * 3}{'65' if face < 5 else '12'}" for face, row in enumerate(UPPER, start=1)]


@pytest.mark.parametrize(
    ("ruleset", "options", "points", "at", "due"),
    [
        ("two-stage", {}, 50, 0, Due.COMPLETE),
        ("school", {}, 50, 0, Due.COMPLETE),
        ("school", {"sections_in_order": False}, 50, 0, Due.COMPLETE),
        ("fifteen", {}, 35, 64, Due.REACHED),
        ("fifteen", {"upper_bonus_at": 63}, 35, 63, Due.REACHED),
        ("yahtzee", {}, 35, 63, Due.REACHED),
        ("yatzy", {}, 50, 63, Due.REACHED),
    ],
)
def test_the_bonus_of_the_upper_section(
    ruleset: str, options: dict[str, bool], points: int, at: int, due: Due
) -> None:
    sheet = shipped_ruleset(ruleset, options).card
    assert sheet is not None
    bonus = sheet.sections[0].bonus
    assert bonus is not None
    assert (bonus.points, bonus.at, bonus.due) == (points, at, due)
    assert sheet.sections[1].bonus is None


def test_thirteen_has_none() -> None:
    sheet = shipped_ruleset("thirteen").card
    assert sheet is not None
    assert [section.bonus for section in sheet.sections] == [None, None]


@pytest.mark.parametrize("ruleset", ["yahtzee", "yatzy"])
def test_a_bonus_that_is_reached_is_earned_at_once_and_once_only(ruleset: str) -> None:
    rules = card_rules(ruleset)
    points = 50 if ruleset == "yatzy" else 35
    turns = ["sixes 66666", "fives 55551", "fours 44412"]  # 30, 50, 62
    assert played(rules, *turns).bonus == 0
    reached = played(rules, *turns, "ones 12346")
    assert (reached.sums[0], reached.bonus, reached.total) == (63, points, 63 + points)
    later = played(rules, *turns, "ones 12346", "threes 33312", "twos 22213")
    assert (later.sums[0], later.bonus) == (78, points)


def test_a_bonus_that_is_reached_counts_only_its_own_section() -> None:
    card = played(card_rules("yatzy"), "chance 66666", "two_pairs 66655", "pair 66666", "fives 55555")
    assert (card.sums, card.bonus) == ((25, 64), 0)


def test_a_bonus_due_at_the_end_of_a_section_waits_for_its_last_row_in_any_order() -> None:
    rules = card_rules("school")
    for order in permutations(THREE_OF_EACH):
        card = rules.empty
        bonuses = []
        for turn in order:
            row, dice = turn.split()
            card = rules.fill(card, rules.row_ids[row], rules.rolls.index(tuple(sorted(map(int, dice)))), False)
            bonuses.append(card.bonus)
        assert bonuses == [0, 0, 0, 0, 0, 50]


def test_a_section_with_fewer_turns_than_rows_is_complete_after_its_turns() -> None:
    assert played(card_rules("two-stage"), "fours 44412").bonus == 50


def test_out_of_order_the_50_of_the_school_falls_due_when_the_six_are_filled() -> None:
    rules = card_rules("school", sections_in_order=False)
    turns = ["chance 66666", *THREE_OF_EACH[:5], "pair 66123"]
    assert played(rules, *turns).bonus == 0
    assert played(rules, *turns, "sixes 66612").bonus == 50
    assert played(rules, *turns, "sixes 66123").bonus == 0
    assert played(rules, *turns, "sixes 66612", "full_house 66655").bonus == 50


@pytest.mark.parametrize(("at", "bonus"), [(0, 35), (1, 35), (5, 35), (6, 0), (1000, 0)])
def test_a_changed_threshold_of_the_upper_bonus(at: int, bonus: int) -> None:
    assert played(card_rules("yahtzee", upper_bonus_at=at), "ones 11111").bonus == bonus


def test_a_threshold_of_0_is_reached_by_a_0() -> None:
    assert played(card_rules("fifteen", upper_bonus_at=0), "ones 66666").total == 35
    assert played(card_rules("fifteen", upper_bonus_at=0), "chance 66666").total == 30
