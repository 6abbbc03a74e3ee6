"""What every decision in a position is worth, and what it loses to the best.

Decisions whose values differ by no more than `TIE` are worth the same: they lose nothing, and the one that the arena's
rule for ties takes is listed first: of keeps the last by keep id, of rows the first on the card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.dice import lattice_kernels as kernels
from arena.dice.arrays import dice_arrays
from arena.dice.lattice import Faces, Floats, RollId, lattice
from arena.dice.lattice_kernels import TIE
from arena.rules.card import Card
from arena.solver.values import CardValues


class KeepAdvice(NamedTuple):
    """A keep.

    Attributes:
        keep: the faces kept.
        value: what it is worth, in points of the whole game or in shares of the pot.
        loss: how much less than the best.
    """

    keep: Faces
    value: float
    loss: float


class RowAdvice(NamedTuple):
    """A row.

    Attributes:
        row: its name.
        points: what it brings now, bonuses included.
        value: expected points of the whole game.
        loss: how much less than the best, in points.
    """

    row: str
    points: int
    value: float
    loss: float


def advise_keeps(
    at_last: Floats, at_first: Floats, roll: RollId, *, number: int, rolls: int, dice: int
) -> list[KeepAdvice]:
    """Return every keep that a roll has, the best first, of those that are as good the last by keep id.

    Args:
        at_last: float64[rolls], what ending the turn with each roll is worth.
        at_first: the same if all the dice of the first roll are kept.
        roll: the dice now showing.
        number: which roll of the turn it is, from 1; not the last.
        rolls: rolls a turn, at most.
        dice: dice a throw.

    Raises:
        ValueError: after the last roll.
    """
    if number >= rolls:
        raise ValueError(f"nothing is kept after roll {number} of {rolls}")
    of, arrays = lattice(dice), dice_arrays(dice)
    worth = np.empty((1, len(of.keeps)))
    kernels.keep_values(np.array([at_last]), rolls - number, arrays.spread, arrays.climb, worth)
    [of_keep] = worth.tolist()
    of_keep[of.first_roll_keep + roll] = float((at_first if number == 1 else at_last)[roll])
    keeps = of.sub_keeps[roll][::-1]
    best = max(of_keep[keep] for keep in keeps)
    found = [KeepAdvice(of.keeps[keep], of_keep[keep], _loss(best, of_keep[keep])) for keep in keeps]
    return sorted(found, key=lambda advice: advice.loss)


def _loss(best: float, value: float) -> float:
    return 0.0 if best - value <= TIE else best - value


def advise_card_keeps(values: CardValues, card: Card, roll: RollId, number: int) -> list[KeepAdvice]:
    """Return every keep in a card game, valued in expected points of the whole game.

    Args:
        values: the game's values.
        card: at the beginning of the turn.
        roll: the dice now showing.
        number: which roll of the turn it is, from 1; not the last.

    Raises:
        ValueError: after the last roll.
    """
    rules, ruleset = values.rules, values.rules.ruleset
    charges = -values.after(values.values, values.cards_of(card))[0]
    at_last, at_first = (rules.gains.best(card, first_roll=first, charges=charges) for first in (False, True))
    return advise_keeps(
        *(at_last + card.total, at_first + card.total, roll),
        number=number, rolls=ruleset.rolls, dice=ruleset.dice,
    )  # fmt: skip


def advise_rows(values: CardValues, card: Card, roll: RollId, *, first_roll: bool = False) -> list[RowAdvice]:
    """Return every legal row, the best first, of those that are as good the first on the card.

    Args:
        values: the game's values.
        card: at the beginning of the turn.
        roll: the dice the turn ends with.
        first_roll: True if all the dice were kept after the first roll.
    """
    rules = values.rules
    found = []
    for name in rules.open_rows(card, roll):
        row = rules.row_ids[name]
        points = rules.gains.of_row(card, row, roll, first_roll=first_roll)
        after = rules.fill(card, row, roll, first_roll)
        found.append((name, points, after.total + values.to_come(after)))
    best = max(value for _, _, value in found)
    advice = [RowAdvice(name, points, value, _loss(best, value)) for name, points, value in found]
    return sorted(advice, key=lambda advice: advice.loss)


def advise_hands(stakes: Floats, roll: RollId, *, number: int, rolls: int) -> list[KeepAdvice]:
    """Return every keep in showdown, valued in shares of the pot.

    Args:
        stakes: float64[rolls], the share that ending with each hand is worth.
        roll: the dice now showing.
        number: which roll of the turn it is, from 1; not the last.
        rolls: rolls a turn, at most.

    Raises:
        ValueError: after the last roll.
    """
    return advise_keeps(np.asarray(stakes), np.asarray(stakes), roll, number=number, rolls=rolls, dice=lattice().dice)
