"""RULES, common to all: the patterns and pays, and that any open row may be chosen."""

from itertools import product

import pytest
import scoring_twin
from compiled_rules import ALL_IDS, card_rules, pays, played, roll_of
from scoring_twin import CARD_GAMES, PAYS, UPPER

from arena.dice.lattice import ROLLS
from arena.rules.shipped import shipped_ruleset


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_five_six_sided_dice_and_up_to_three_rolls(ruleset: str) -> None:
    assert shipped_ruleset(ruleset).dice == 5
    assert shipped_ruleset(ruleset).rolls == 3


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_one_to_six_seats_showdown_from_two(ruleset: str) -> None:
    rules = shipped_ruleset(ruleset)
    assert (rules.min_seats, rules.max_seats) == (2 if ruleset == "showdown" else 1, 6)


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_card_games_last_as_many_rounds_as_a_card_has_turns(ruleset: str) -> None:
    assert (
        card_rules(ruleset).turns
        == {
            "two-stage": 2,
            "school": 15,
            "fifteen": 15,
            "thirteen": 13,
            "yahtzee": 13,
            "yatzy": 15,
        }[ruleset]
    )


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_a_row_is_used_once(ruleset: str) -> None:
    rules = card_rules(ruleset)
    for name in rules.open_rows(rules.empty, roll_of("12346")):
        after = rules.fill(rules.empty, rules.row_ids[name], roll_of("12346"), False)
        assert all(name not in rules.open_rows(after, roll) for roll in range(252))


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_any_open_row_may_be_chosen_also_for_a_deliberate_zero(ruleset: str) -> None:
    rules = card_rules(ruleset)
    if ruleset in ("two-stage", "school"):
        upper = UPPER[:1] if ruleset == "two-stage" else UPPER
        card = played(rules, *(f"{row} 66665" for row in upper))
        lower = tuple(row for row in PAYS[ruleset] if row not in UPPER)
        assert rules.open_rows(card, roll_of("66661")) == lower
        assert played(rules, *(f"{row} 66665" for row in upper), "full_house 66661").points[-1] is None
        assert rules.row_pays(card, rules.row_ids["full_house"], roll_of("66661"), False) == 0
    else:
        assert all(rules.open_rows(rules.empty, roll) == rules.names for roll in range(252))
        assert played(rules, "full_house 66661").total == 0


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_a_row_whose_pattern_does_not_hold_pays_0(ruleset: str) -> None:
    rules = card_rules(ruleset)
    missed = 0
    for name, roll, first in product(rules.names, range(252), (False, True)):
        if scoring_twin.pattern_of(ruleset, name, ROLLS[roll], {}) is None:
            assert rules.row_pays(rules.empty, rules.row_ids[name], roll, first) == 0
            missed += 1
    assert missed > 1000


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_only_school_rows_can_pay_less_than_0(ruleset: str) -> None:
    rules = card_rules(ruleset)
    below = {name for row, name in enumerate(rules.names) if min(rules.points[0][row] + rules.points[1][row]) < 0}
    assert below == (set(UPPER) if ruleset in ("two-stage", "school") else set())


# the table of patterns, in a ruleset that pays the pattern's own dice


def test_pair_is_two_of_the_highest_face_that_shows_twice() -> None:
    assert pays("yatzy", "pair", "66551") == 12
    assert pays("yatzy", "pair", "55566") == 12
    assert pays("yatzy", "pair", "11112") == 2
    assert pays("yatzy", "pair", "66666") == 12
    assert pays("yatzy", "pair", "12345") == 0


def test_two_pairs_are_two_different_faces_and_two_of_each() -> None:
    assert pays("yatzy", "two_pairs", "66551") == 22
    assert pays("yatzy", "two_pairs", "11223") == 6
    assert pays("yatzy", "two_pairs", "66123") == 0


def test_a_full_house_holds_two_pairs() -> None:
    assert pays("yatzy", "two_pairs", "55522") == 14
    assert pays("yatzy", "two_pairs", "22255") == 14


def test_four_or_five_of_one_face_are_not_two_pairs() -> None:
    assert pays("yatzy", "two_pairs", "44441") == 0
    assert pays("yatzy", "two_pairs", "44444") == 0


def test_of_a_kind_is_at_least_and_pays_exactly_so_many() -> None:
    assert pays("yatzy", "three_of_a_kind", "33336") == 9
    assert pays("yatzy", "three_of_a_kind", "33366") == 9
    assert pays("yatzy", "three_of_a_kind", "33333") == 9
    assert pays("yatzy", "four_of_a_kind", "33333") == 12
    assert pays("two-stage", "five_of_a_kind", "33333") == 15 + 50
    assert pays("yatzy", "three_of_a_kind", "33466") == 0
    assert pays("yatzy", "four_of_a_kind", "33366") == 0
    assert pays("yatzy", "five_of_a_kind", "33336") == 0


def test_a_full_house_is_exactly_three_and_two_of_different_faces() -> None:
    assert pays("yatzy", "full_house", "66655") == 28
    assert pays("yatzy", "full_house", "11122") == 7
    assert pays("yatzy", "full_house", "66666") == 0
    assert pays("yatzy", "full_house", "11116") == 0
    assert pays("yatzy", "full_house", "11666") == 20
    assert pays("yatzy", "full_house", "11226") == 0


def test_four_in_sequence_pays_the_best_four() -> None:
    assert pays("two-stage", "small_straight", "12345") == 14
    assert pays("two-stage", "small_straight", "23456") == 18
    assert pays("two-stage", "small_straight", "12346") == 10
    assert pays("two-stage", "small_straight", "13456") == 18
    assert pays("two-stage", "small_straight", "11234") == 10
    assert pays("two-stage", "small_straight", "12356") == 0


def test_five_in_sequence_is_either_of_two() -> None:
    assert pays("two-stage", "large_straight", "12345") == 15
    assert pays("two-stage", "large_straight", "23456") == 20
    assert pays("two-stage", "large_straight", "12346") == 0


def test_fixed_straights_are_one_roll_each() -> None:
    for ruleset in ("school", "yatzy"):
        rules = card_rules(ruleset)
        paid = {
            name: [ROLLS[roll] for roll in range(252) if rules.points[0][rules.row_ids[name]][roll]]
            for name in ("small_straight", "large_straight")
        }
        assert paid == {"small_straight": [(1, 2, 3, 4, 5)], "large_straight": [(2, 3, 4, 5, 6)]}


@pytest.mark.parametrize("ruleset", [ruleset for ruleset in CARD_GAMES if "chance" in PAYS[ruleset]])
def test_chance_always_holds_and_pays_all_dice(ruleset: str) -> None:
    rules = card_rules(ruleset)
    for first in (0, 1):
        assert rules.points[first][rules.row_ids["chance"]] == tuple(sum(dice) for dice in ROLLS)


@pytest.mark.parametrize("ruleset", ["two-stage", "school"])
def test_school_pays_the_count_less_three_times_the_face(ruleset: str) -> None:
    for face, row in enumerate(UPPER, start=1):
        other = face % 6 + 1
        paid = [pays(ruleset, row, str(face) * n + str(other) * (5 - n)) for n in range(6)]
        assert paid == [-3 * face, -2 * face, -face, 0, face, 2 * face]


@pytest.mark.parametrize("ruleset", ["fifteen", "thirteen", "yahtzee", "yatzy"])
def test_sum_face_pays_the_dice_that_show_the_face(ruleset: str) -> None:
    for face, row in enumerate(UPPER, start=1):
        other = face % 6 + 1
        assert [pays(ruleset, row, str(face) * n + str(other) * (5 - n)) for n in range(6)] == [
            n * face for n in range(6)
        ]


@pytest.mark.parametrize("ruleset", ["two-stage", "school"])
def test_a_bonus_of_a_pay_applies_only_when_the_pattern_holds(ruleset: str) -> None:
    assert pays(ruleset, "five_of_a_kind", "66665", first=True) == 0
    assert pays(ruleset, "five_of_a_kind", "66665") == 0
    assert pays(ruleset, "pair", "12346", first=True) == 0


@pytest.mark.parametrize("ruleset", ["fifteen", "thirteen", "yahtzee", "yatzy"])
def test_nothing_is_doubled_but_in_the_first_two_sheets(ruleset: str) -> None:
    rules = card_rules(ruleset)
    assert rules.points[0] == rules.points[1]
