"""RULES 2, school: every sentence and example by name."""

from itertools import permutations

from compiled_rules import card_rules, pays, played, roll_of
from scoring_twin import PAYS, UPPER

from arena.rules.model import Settlement
from arena.rules.shipped import shipped_ruleset

LOWER = tuple(row for row in PAYS["school"] if row not in UPPER)
PART_1_AT_0 = [f"{row} {str(face) * 3}{'65' if face < 5 else '12'}" for face, row in enumerate(UPPER, start=1)]
"""Three of every face: six rows of 0."""


def test_school_has_fifteen_rows_six_and_nine() -> None:
    assert card_rules("school").names == (*UPPER, *LOWER)
    assert (len(UPPER), len(LOWER)) == (6, 9)


def test_school_part_1_is_played_in_any_order() -> None:
    rules = card_rules("school")
    for order in permutations(PART_1_AT_0):
        assert played(rules, *order).total == 50


def test_school_part_2_opens_when_all_six_are_filled() -> None:
    rules = card_rules("school")
    card = rules.empty
    for filled, turn in enumerate(PART_1_AT_0):
        row, dice = turn.split()
        assert set(rules.open_rows(card, roll_of(dice))) == set(UPPER[filled:])
        card = rules.fill(card, rules.row_ids[row], roll_of(dice), False)
    assert all(rules.open_rows(card, roll) == LOWER for roll in range(252))


def test_school_part_2_is_played_in_any_order() -> None:
    rules = card_rules("school")
    card = played(rules, *PART_1_AT_0)
    for order in ([*LOWER], [*reversed(LOWER)], ["chance", *LOWER[:-1]]):
        after = card
        for row in order:
            assert row in rules.open_rows(after, roll_of("66655"))
            after = rules.fill(after, rules.row_ids[row], roll_of("66655"), False)
        assert after.total == 50 + 12 + 22 + 18 + 28 + 28


def test_school_adds_50_if_the_six_sum_to_0_or_more() -> None:
    rules = card_rules("school")
    assert played(rules, *PART_1_AT_0).bonus == 50
    assert played(rules, *PART_1_AT_0[1:], "ones 11116").total == 1 + 50
    assert played(rules, *PART_1_AT_0[1:], "ones 11666").total == -1


def test_school_the_50_comes_with_the_sixth_row_not_before() -> None:
    rules = card_rules("school")
    assert played(rules, *PART_1_AT_0[:5]).bonus == 0
    assert played(rules, "sixes 66666", "fives 55555", "fours 44444").total == 12 + 10 + 8


def test_school_small_straight_is_exactly_1_2_3_4_5_and_pays_15() -> None:
    assert pays("school", "small_straight", "12345") == 15
    assert pays("school", "small_straight", "23456") == 0
    assert pays("school", "small_straight", "11234") == 0


def test_school_large_straight_is_exactly_2_3_4_5_6_and_pays_20() -> None:
    assert pays("school", "large_straight", "23456") == 20
    assert pays("school", "large_straight", "12345") == 0


def test_school_each_of_part_2_but_chance_is_doubled_on_the_first_roll() -> None:
    examples = {
        "pair": ("66123", 12),
        "two_pairs": ("66551", 22),
        "three_of_a_kind": ("33336", 9),
        "small_straight": ("12345", 15),
        "large_straight": ("23456", 20),
        "full_house": ("55522", 19),
        "four_of_a_kind": ("22223", 8),
    }
    for row, (dice, points) in examples.items():
        assert pays("school", row, dice) == points
        assert pays("school", row, dice, first=True) == 2 * points
    assert pays("school", "chance", "13546") == 19
    assert pays("school", "chance", "13546", first=True) == 19


def test_school_33333_pays_65_and_80_on_the_first_roll() -> None:
    assert pays("school", "five_of_a_kind", "33333") == 65
    assert pays("school", "five_of_a_kind", "33333", first=True) == 80


def test_school_part_1_is_never_doubled() -> None:
    for row in UPPER:
        for dice in ("66666", "12345", "55512", "11116"):
            assert pays("school", row, dice, first=True) == pays("school", row, dice)


def test_school_every_turn_fills_a_row_at_once_zeros_too() -> None:
    card = played(card_rules("school"), *PART_1_AT_0, "five_of_a_kind 12346")
    assert card.points[card_rules("school").row_ids["five_of_a_kind"]] == 0
    assert card.total == 50


def test_school_chance_is_a_row_like_any_other_open_on_any_roll() -> None:
    rules = card_rules("school")
    card = played(rules, *PART_1_AT_0)
    assert all("chance" in rules.open_rows(card, roll) for roll in range(252))


def test_school_five_sixes_in_part_1_give_12_not_the_sheets_10() -> None:
    assert pays("school", "sixes", "66666") == 12


def test_school_totals_run_from_minus_58_to_510() -> None:
    rules = card_rules("school")
    best = {row: max((p, first) for first in (0, 1) for p in rules.points[first][rules.row_ids[row]]) for row in LOWER}
    worst = {row: min(p for first in (0, 1) for p in rules.points[first][rules.row_ids[row]]) for row in LOWER}
    upper = [rules.points[0][row] for row in range(6)]
    assert sum(max(points) for points in upper) + 50 + sum(points for points, _ in best.values()) == 510
    assert sum(min(points) for points in upper) + sum(worst.values()) == -58
    highest = played(
        rules,
        *(f"{row} {str(face) * 5}" for face, row in enumerate(UPPER, start=1)),
        "pair 66655 first",
        "two_pairs 66655 first",
        "three_of_a_kind 66655 first",
        "small_straight 12345 first",
        "large_straight 23456 first",
        "full_house 66655 first",
        "four_of_a_kind 66665 first",
        "five_of_a_kind 66666 first",
        "chance 66666",
    )
    assert highest.total == 510
    lowest = played(
        rules,
        "ones 22222",
        *(f"{row} 11111" for row in UPPER[1:]),
        *(f"{row} 12346" for row in LOWER[:3]),
        *(f"{row} 11111" for row in ("small_straight", "large_straight", "full_house", "chance")),
        *(f"{row} 12346" for row in ("four_of_a_kind", "five_of_a_kind")),
    )
    assert lowest.total == -58


def test_school_is_settled_by_the_mean() -> None:
    assert shipped_ruleset("school").settlement is Settlement.MEAN
