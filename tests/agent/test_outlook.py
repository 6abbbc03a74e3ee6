"""What bots that calculate are told of their turn, against the plain rules."""

from __future__ import annotations

import numpy as np
import pytest
from positions import card_turn, rules_of, showdown_turn

from arena import ROLLS, best_gains, hand_ranks, row_gain
from arena.rules.card import CardRules
from arena.rules.shipped import ruleset_ids, shipped_ruleset

CARD_GAMES = [name for name in ruleset_ids() if shipped_ruleset(name).card]
CARDS = {
    "two-stage": [{}, {"ones": -3}],
    "school": [{}, {"ones": 0, "twos": 0, "threes": 3, "fours": -4, "fives": 0}, dict.fromkeys(
        ("ones", "twos", "threes", "fours", "fives", "sixes"), 0
    )],
    "fifteen": [{}, {"five_of_a_kind": 50, "fours": 12, "threes": 9}, {"sixes": 30, "fives": 20, "threes": 9}],
    "thirteen": [{}, {"chance": 20, "ones": 3}],
    "yahtzee": [{}, {"five_of_a_kind": 50, "fours": 12}, {"five_of_a_kind": 0, "fours": 12, "sixes": 24, "fives": 25}],
    "yatzy": [{}, {"sixes": 30, "fives": 25, "fours": 8}],
}  # fmt: skip


@pytest.mark.parametrize("first_roll", [False, True])
@pytest.mark.parametrize(("ruleset", "card"), [(ruleset, card) for ruleset in CARD_GAMES for card in CARDS[ruleset]])
def test_best_gains_are_what_the_total_grows_by(ruleset: str, card: dict[str, int], first_roll: bool) -> None:
    """For every roll: the most that any legal row adds to the total, bonuses and all."""
    rules = rules_of(ruleset)
    assert isinstance(rules, CardRules)
    held = rules.card_of(card)
    expected = []
    for roll in range(len(ROLLS)):
        legal = [row for row in range(len(rules.names)) if rules.legal(held, roll) >> row & 1]
        expected.append(max(rules.fill(held, row, roll, first_roll).total for row in legal) - held.total)
    gains = best_gains(card_turn(rules, "66123", card=card), first_roll=first_roll)
    np.testing.assert_array_equal(gains, expected)
    assert not gains.flags.writeable


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_row_gain_is_what_the_total_grows_by(ruleset: str) -> None:
    rules = rules_of(ruleset)
    assert isinstance(rules, CardRules)
    for card in CARDS[ruleset]:
        held = rules.card_of(card)
        for dice in ("66666", "44444", "12345", "66112"):
            for roll in (1, 3):
                turn = card_turn(rules, dice, roll=roll, card=card)
                for row in turn.open_rows:
                    filled = rules.fill(held, rules.row_ids[row], turn.roll_id, roll == 1)
                    assert row_gain(turn, row) == filled.total - held.total


def test_hand_ranks_are_an_order_of_hands() -> None:
    ranks = hand_ranks(showdown_turn(rules_of("showdown"), "66123"))
    by_dice = dict(zip(ROLLS, ranks, strict=True))
    assert ranks.max() == by_dice[6, 6, 6, 6, 6]
    assert by_dice[1, 1, 1, 1, 1] > by_dice[5, 6, 6, 6, 6] > by_dice[1, 1, 6, 6, 6] > by_dice[1, 2, 3, 4, 5]
    assert by_dice[1, 2, 3, 4, 6] == by_dice[1, 2, 4, 5, 6] == ranks.min()


def test_what_does_not_go_together() -> None:
    card, showdown = card_turn(rules_of("thirteen"), "66123"), showdown_turn(rules_of("showdown"), "66123")
    with pytest.raises(ValueError, match="showdown has no card; see hand_ranks"):
        best_gains(showdown)
    with pytest.raises(ValueError, match="thirteen compares no hands; see best_gains"):
        hand_ranks(card)
    with pytest.raises(ValueError, match="the row 'pair' is not open; open: ones, "):
        row_gain(card, "pair")
