"""RULES 5, showdown: how hands compare, every sentence by name."""

from itertools import pairwise

import pytest
from compiled_rules import hand_rules, roll_of

from arena.dice.lattice import ROLLS
from arena.rules.hands import show_dice

ONE_OF_EACH = ["11111", "11112", "11122", "12345", "11123", "11223", "11234", "12346"]
"""A low hand of each kind, the highest kind first."""


def beats(first: str, second: str, **options: object) -> bool:
    ranks = hand_rules(**options).ranks
    return ranks[roll_of(first)] > ranks[roll_of(second)]


def ties(first: str, second: str, **options: object) -> bool:
    ranks = hand_rules(**options).ranks
    return ranks[roll_of(first)] == ranks[roll_of(second)]


def test_showdown_has_no_card() -> None:
    assert hand_rules().ruleset.card is None


@pytest.mark.parametrize("tie_break", ["face", "kickers", "high_die"])
def test_showdown_kinds_highest_first(tie_break: str) -> None:
    high = ["66666", "66665", "66655", "23456", "66654", "66554", "66543", "13456"]
    for place, hand in enumerate(ONE_OF_EACH):
        for lower in high[place + 1 :]:
            assert beats(hand, lower, tie_break=tie_break)


@pytest.mark.parametrize("tie_break", ["face", "kickers", "high_die"])
def test_showdown_straight_above_three_false_puts_it_between_two_pairs_and_three(tie_break: str) -> None:
    options = {"tie_break": tie_break, "straight_above_three": False}
    assert beats("11123", "23456", **options)
    assert beats("12345", "66554", **options)
    assert beats("11122", "66654", **options)
    order = [ONE_OF_EACH[place] for place in (0, 1, 2, 4, 3, 5, 6, 7)]
    for first, second in pairwise(order):
        assert beats(first, second, **options)


def test_showdown_straight_is_five_in_sequence() -> None:
    assert beats("12345", "66654")
    assert beats("23456", "66654")
    assert not beats("12346", "11234")
    assert not beats("13456", "11234")


def test_showdown_face_the_larger_group_first() -> None:
    assert beats("33322", "22266")
    assert beats("44412", "33365")
    assert beats("33355", "33322")


def test_showdown_face_of_two_equal_groups_the_higher_first_6622_beats_5544() -> None:
    assert beats("66221", "55443")
    assert beats("66331", "66225")


def test_showdown_face_a_straight_by_its_top() -> None:
    for tie_break in ("face", "kickers", "high_die"):
        assert beats("23456", "12345", tie_break=tie_break)


def test_showdown_face_equal_faces_tie_whatever_the_other_dice() -> None:
    assert ties("66221", "66225")
    assert ties("11116", "11112")
    assert ties("33312", "33365")
    assert ties("44123", "44356")


def test_showdown_face_two_nothing_tie() -> None:
    nothing = ["12346", "12356", "12456", "13456"]
    assert all(ties(first, second) for first in nothing for second in nothing)
    assert all(ties(first, second, tie_break="high_die") for first in nothing for second in nothing)


def test_showdown_kickers_compare_all_remaining_dice_from_high_to_low() -> None:
    assert beats("66225", "66221", tie_break="kickers")
    assert beats("11116", "11112", tie_break="kickers")
    assert beats("33356", "33346", tie_break="kickers")
    assert beats("33362", "33354", tie_break="kickers")
    assert beats("44621", "44532", tie_break="kickers")
    assert beats("44632", "44631", tie_break="kickers")
    assert beats("44321", "33654", tie_break="kickers")


def test_showdown_kickers_two_nothing_compare_all_five_dice() -> None:
    nothing = ["13456", "12456", "12356", "12346"]
    for first, second in pairwise(nothing):
        assert beats(first, second, tie_break="kickers")


def test_showdown_high_die_the_highest_die_of_the_hand_decides_33336_beats_55551() -> None:
    assert beats("33336", "55551", tie_break="high_die")
    assert beats("55551", "33336", tie_break="face")


def test_showdown_high_die_equal_highest_dice_tie() -> None:
    assert ties("66221", "66551", tie_break="high_die")
    assert ties("11116", "66661", tie_break="high_die")
    assert ties("11166", "66611", tie_break="high_die")


def test_showdown_high_die_counts_only_within_a_kind() -> None:
    assert beats("11112", "66655", tie_break="high_die")
    assert beats("11223", "66543", tie_break="high_die")


def test_showdown_the_order_of_the_dice_does_not_matter() -> None:
    assert ties("62612", "66221", tie_break="kickers")


def test_showdown_faces_cards_only_change_how_dice_are_shown() -> None:
    assert hand_rules(faces="cards").ranks == hand_rules(faces="numbers").ranks
    assert show_dice((1, 2, 3, 4, 5), "cards") == "9 10 J Q K"
    assert show_dice((6, 6, 1, 1, 1), "cards") == "A A 9 9 9"
    assert show_dice((6, 6, 1, 1, 1), "numbers") == "6 6 1 1 1"
    assert show_dice((5, 4, 3, 2, 1)) == "5 4 3 2 1"


def test_showdown_nothing_ever_beats_five_sixes_and_nothing_is_below_nothing() -> None:
    for tie_break in ("face", "kickers", "high_die"):
        ranks = hand_rules(tie_break=tie_break).ranks
        assert [ROLLS[roll] for roll, rank in enumerate(ranks) if rank == max(ranks)] == [(6, 6, 6, 6, 6)]
        lowest = [ROLLS[roll] for roll, rank in enumerate(ranks) if rank == 0]
        assert (1, 2, 3, 4, 6) in lowest
