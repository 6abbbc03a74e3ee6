"""The exact values of positions, for bots and tools: solved once a ruleset and machine, then read."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from arena.agent.turn import Turn, position_of
from arena.dice.lattice import Floats
from arena.game.showdown_game import Felt
from arena.game.tables import Flags
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.model import Ends, Ruleset
from arena.solver.showdown import showdown_values
from arena.solver.space import Ints
from arena.solver.values import CardValues

if TYPE_CHECKING:
    from arena.agent.turns import Turns

RULESETS = 32
"""Rulesets whose values stay in memory; the tables themselves are mapped from files."""


class Values:
    """What the positions of a card game are worth under optimal solo play.

    A seat that is out by a fault is worth 0, with variance 0. Every function that is given a turn raises `ValueError`
    if it is one of another ruleset.

    Args:
        ruleset: a card game.

    Attributes:
        table: the values by state, and the rules behind them.

    Raises:
        ValueError: in showdown.
        UserError: if the game has too many positions to be solved.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        if not ruleset.card:
            raise ValueError(f"{ruleset.id} has no card; see hand_stakes")
        self.table = CardValues(CardRules(ruleset))

    def prepare(self, *, variances: bool = False) -> None:
        """Load the tables, or solve the game, now and not when they are first asked for.

        Args:
            variances: True if variances are to be asked for too.
        """
        self.table.ready(moments=variances)

    @property
    def value(self) -> float:
        """Expected points of a game."""
        return self.table.value

    @property
    def sd(self) -> float:
        """Standard deviation of a game's points."""
        return self.table.sd

    def after(self, turn: Turn | Turns) -> Floats:
        """Return the points still to come after this turn, by the row that it fills and the points it fills it with.

        Returns:
            float64[rows, k], in the order of `arena.row_payments`; of n positions float64[n, rows, k]. 0 where a row
            is not open.

        Raises:
            ValueError: for a turn of another ruleset, as from the three below.
        """
        return self._after(self.table.values, turn)

    def variance_after(self, turn: Turn | Turns) -> Floats:
        """Return the variance of the same, in points squared."""
        mean, square = self._after(self.table.values, turn), self._after(self.table.moments, turn)
        return np.maximum(square - mean * mean, 0.0)

    def to_come(self, turn: Turn | Turns) -> Floats:
        """Return the points still to come for every seat, from the beginning of its next turn, or of this one.

        A seat that is out has none to come.

        Returns:
            float64[seats], of n positions float64[n, seats].
        """
        states, out = self._states(turn)
        return np.where(out, 0.0, self.table.values[states])

    def variance(self, turn: Turn | Turns) -> Floats:
        """Return the variance of the same, in points squared."""
        states, out = self._states(turn)
        variance = np.maximum(self.table.moments[states] - self.table.values[states] ** 2, 0.0)
        return np.where(out, 0.0, variance)

    def _after(self, table: Floats, turn: Turn | Turns) -> Floats:
        self._check(turn)
        if isinstance(turn, Turn):
            view, public = position_of(turn)
            after: Floats = self.table.after(table, self.table.cards_of(public[view.seat]))[0]
            return after
        return self.table.after(table, turn.cards(turn.seat))

    def _states(self, turn: Turn | Turns) -> tuple[Ints, Flags]:
        """Return every seat's state, and which seats are out, for whom the state says nothing."""
        self._check(turn)
        if isinstance(turn, Turn):
            cards = position_of(turn)[1]
            return np.array(list(map(self.table.space.state, cards))), np.array([card.out for card in cards])
        return np.stack([self.table.states(turn.cards(seat)) for seat in range(turn.seats)], axis=1), turn.out

    def _check(self, turn: Turn | Turns) -> None:
        mine, its = self.table.rules.ruleset, turn.ruleset
        if its is not mine and its.hash != mine.hash:
            raise ValueError(f"a turn of {its.name} is given to the values of {mine.name}")


@lru_cache(maxsize=RULESETS)
def values(ruleset: Ruleset) -> Values:
    """Return the values of a card game's positions; tables are loaded, or solved, when they are first used.

    Raises:
        ValueError: in showdown.
        UserError: if the game has too many positions to be solved.
    """
    return Values(ruleset)


def hand_stakes(turn: Turn | Turns) -> Floats:
    """Return what ending this turn with each hand is worth in showdown, if all who follow play for their share.

    Who follows is taken from the seats that are out, from the hands not yet shown, and from the pot where a seat has
    less left than the ante: whether it paid its last chips or could not pay. If chips were carried over from the round
    before, or a seat was put out in this one before it showed a hand, one that could not pay may be counted.

    Returns:
        float64[252], the expected share of the pot, by roll id; of n positions float64[n, 252].

    Raises:
        ValueError: in a card game.
    """
    if isinstance(turn, Turn):
        view, public = position_of(turn)
        rules = view.rules
        felts = [public]
    else:
        rules = turn.rules
        bits = turn.out @ (1 << np.arange(turn.seats))
        felts = [
            Felt(tuple(None if hand < 0 else hand for hand in hands), tuple(chips), pot, out)
            for hands, chips, pot, out in zip(
                *(turn.hands.tolist(), turn.chips.tolist(), turn.pot.tolist(), bits.tolist()), strict=True
            )
        ]
    if not isinstance(rules, HandRules):
        raise ValueError(f"{turn.ruleset.id} compares no hands; see best_gains")
    solved = showdown_values(turn.ruleset, turn.seats)
    stakes = [solved.stakes(*_seen(rules, turn.seat, felt)) for felt in felts]
    return stakes[0] if isinstance(turn, Turn) else np.stack(stakes)


def _seen(rules: HandRules, seat: int, felt: Felt) -> tuple[int, int, int]:
    """Return how many follow a seat, the best rank shown and how many hold it."""
    hands, seats, ante = felt.hands, len(felt.hands), rules.sheet.ante
    shown = [rules.ranks[hand] for hand in hands if hand is not None]
    around = [(seat + 1 + place) % seats for place in range(seats - 1)]
    until_shown = takewhile(lambda other: hands[other] is None, around)  # the first of them began the round
    waiting = [other for other in until_shown if not felt.out >> other & 1]
    # Games that end with the first who cannot pay go on only while all can.
    sure = sum(felt.chips[other] >= ante or rules.sheet.ends is Ends.FIRST_OUT for other in waiting)
    paid = felt.pot // ante - len(shown) - 1 if ante else seats
    best = max(shown, default=-1)
    return min(len(waiting), max(sure, paid)), best, shown.count(best)
