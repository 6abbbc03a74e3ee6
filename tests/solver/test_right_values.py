# Reference figures, each with its source: see right_values.py.
"""The shipped games solved: what they are worth, and what is known of their last turns."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from compiled_rules import card_rules
from right_values import RIGHT_VALUES, SD_WITHIN, WITHIN, RightValue

from arena.dice.lattice import lattice
from arena.solver.values import CardValues

QUICK_SDS = [
    right for right in RIGHT_VALUES if right.sd is not None and right.ruleset != "yatzy" and not right.options
]
FIVE_IN_THREE_ROLLS = Fraction(347897, 7558272)


def label(right: RightValue) -> str:
    return "+".join([right.ruleset, *(f"{name}={value}" for name, value in right.options.items())])


@pytest.mark.parametrize("right", RIGHT_VALUES, ids=label)
def test_values_of_shipped_games(right: RightValue) -> None:
    found = CardValues(card_rules(right.ruleset, **right.options), cached=False)
    assert found.value == pytest.approx(right.value, abs=WITHIN)


@pytest.mark.parametrize("right", QUICK_SDS, ids=label)
def test_standard_deviations_of_shipped_games(right: RightValue) -> None:
    """Those of the others are a claim of `make prove`."""
    found = CardValues(card_rules(right.ruleset, **right.options), cached=False)
    assert found.sd == pytest.approx(right.sd, abs=SD_WITHIN)


def chance_of_five() -> Fraction:
    """Return the chance of five of a kind within three rolls, if that is all one wants."""
    dice = lattice()
    chances = [{roll: Fraction(many, len(part)) for roll, many in Counter(part).items()} for part in dice.rerolled]
    worth = [Fraction(len(set(roll)) == 1) for roll in dice.rolls]
    for _ in range(2):
        keeps = [sum((chance * worth[roll] for roll, chance in after.items()), Fraction(0)) for after in chances]
        worth = [max(keeps[keep] for keep in of_roll) for of_roll in dice.sub_keeps]
    return sum((chance * worth[roll] for roll, chance in chances[0].items()), Fraction(0))


def test_five_of_a_kind_within_three_rolls() -> None:
    assert chance_of_five() == FIVE_IN_THREE_ROLLS


def test_the_last_open_row() -> None:
    """Chance brings 23 1/3 by itself, five of a kind 50 times its chance."""
    rules = card_rules("thirteen")
    found = CardValues(rules, cached=False)
    for row, worth in (("chance", Fraction(70, 3)), ("five_of_a_kind", 50 * FIVE_IN_THREE_ROLLS)):
        last = rules.card_of({name: 5 if name == "chance" else 0 for name in rules.names if name != row})
        assert found.to_come(last) == pytest.approx(float(worth), abs=1e-12)
    p = float(FIVE_IN_THREE_ROLLS)
    assert found.variance(last) == pytest.approx(2500 * p * (1 - p), abs=1e-9)
    full = rules.card_of({name: 5 if name == "chance" else 0 for name in rules.names})
    assert found.to_come(full) == found.variance(full) == 0
