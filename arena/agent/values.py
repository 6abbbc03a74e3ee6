"""The exact values of positions, for bots and tools: solved once a ruleset and machine, then read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from arena.agent.turn import Turn, position_of
from arena.game.showdown_game import Felt
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.model import Ruleset
from arena.solver.showdown import showdown_values
from arena.solver.solve import Floats
from arena.solver.values import CardValues

if TYPE_CHECKING:
    from arena.agent.turns import Turns

RULESETS = 32
"""Rulesets whose values stay in memory; the tables themselves are mapped from files."""


class Values:
    """What the positions of a card game are worth under optimal solo play.

    Args:
        ruleset: a card game.

    Attributes:
        table: the values by state, and the rules behind them.
    """

    def __init__(self, ruleset: Ruleset) -> None:
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
        """
        return self._after(self.table.values, turn)

    def variance_after(self, turn: Turn | Turns) -> Floats:
        """Return the variance of the same, in points squared."""
        mean, square = self._after(self.table.values, turn), self._after(self.table.moments, turn)
        return np.maximum(square - mean * mean, 0.0)

    def to_come(self, turn: Turn | Turns) -> Floats:
        """Return the points still to come for every seat, from the beginning of its next turn, or of this one.

        Returns:
            float64[seats], of n positions float64[n, seats].
        """
        return np.asarray(self.table.values[self._states(turn)])

    def variance(self, turn: Turn | Turns) -> Floats:
        """Return the variance of the same, in points squared."""
        states = self._states(turn)
        variance: Floats = np.maximum(self.table.moments[states] - self.table.values[states] ** 2, 0.0)
        return variance

    def _after(self, table: Floats, turn: Turn | Turns) -> Floats:
        if isinstance(turn, Turn):
            view, public = position_of(turn)
            after: Floats = self.table.after(table, self.table.cards_of(public[view.seat]))[0]
            return after
        return self.table.after(table, turn.cards(turn.seat))

    def _states(self, turn: Turn | Turns) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        if isinstance(turn, Turn):
            return np.array([self.table.space.state(card) for card in position_of(turn)[1]])
        return np.stack([self.table.states(turn.cards(seat)) for seat in range(turn.seats)], axis=1)


@lru_cache(maxsize=RULESETS)
def values(ruleset: Ruleset) -> Values:
    """Return the values of a card game's positions; tables are loaded, or solved, when they are first used.

    Raises:
        ValueError: in showdown.
        UserError: if the game has too many positions to be solved.
    """
    if not ruleset.card:
        raise ValueError(f"{ruleset.id} has no card; see hand_stakes")
    return Values(ruleset)


def hand_stakes(turn: Turn | Turns) -> Floats:
    """Return what ending this turn with each hand is worth in showdown, if all who follow play for their share.

    Who follows is taken from the hands not yet shown and from the pot; with three seats or more, where a seat may be
    out of chips, that can be one too many.

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
        felts = [
            Felt(tuple(None if hand < 0 else hand for hand in hands), (), pot)
            for hands, pot in zip(turn.hands.tolist(), turn.pot.tolist(), strict=True)
        ]
    if not isinstance(rules, HandRules):
        raise ValueError(f"{turn.ruleset.id} compares no hands; see best_gains")
    stakes = [_stakes(rules, *_seen(rules, felt.hands, felt.pot)) for felt in felts]
    return stakes[0] if isinstance(turn, Turn) else np.stack(stakes)


def _seen(rules: HandRules, hands: tuple[int | None, ...], pot: int) -> tuple[int, int, int, int]:
    """Return the seats of the table, how many follow, the best rank and how many hold it."""
    shown = [rules.ranks[hand] for hand in hands if hand is not None]
    playing = min(len(hands), pot // rules.sheet.ante) if rules.sheet.ante else len(hands)
    later = max(playing - len(shown) - 1, 0)
    best = max(shown, default=-1)
    return len(hands), later, best, shown.count(best)


@lru_cache(maxsize=1 << 12)
def _stakes(rules: HandRules, seats: int, later: int, best: int, held: int) -> Floats:
    found = showdown_values(rules, seats).stakes(later, best, held)
    found.flags.writeable = False
    return found
