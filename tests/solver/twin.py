"""A card game solved again in plain Python, from the readable rules alone: by complete cards, outcome by outcome.

Values do not depend on which of several equal decisions is taken, variances do. The rule: of rows worth the same
within `TIE` the first on the card, of keeps the last, by size and then by faces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from arena.dice.lattice import lattice
from arena.rules.card import Card, CardRules

Dice: TypeAlias = tuple[int, ...]
D = TypeVar("D", bound=Hashable)
TIE = Fraction(1, 10**9)


class Worth(NamedTuple):
    """Points still to come: their expectation, and that of their square."""

    value: Any
    square: Any

    @property
    def variance(self) -> Any:
        return self.square - self.value**2


class Choice(NamedTuple, Generic[D]):
    """A decision: the one taken, all that are as good, and what it is worth."""

    taken: D
    best: frozenset[D]
    worth: Worth


class TurnPlan(NamedTuple):
    """All decisions of a turn.

    Attributes:
        rows: by whether the hand is kept as the turn's first (else a later one), and by dice.
        keeps: by roll, from 1, and by dice.
    """

    rows: dict[bool, dict[Dice, Choice[int]]]
    keeps: dict[int, dict[Dice, Choice[Dice]]]


def throws(count: int) -> dict[Dice, int]:
    """Return how many of the 6**count outcomes show each set of dice."""
    return Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=count))


class Twin:
    """Solves a card game.

    Args:
        rules: the card's rules, of which only the readable ones are used.
        exact: True to reckon with fractions.
    """

    def __init__(self, rules: CardRules, *, exact: bool = False) -> None:
        self.rules, dice = rules, rules.ruleset.dice
        self.number: Callable[[int, int], Any] = Fraction if exact else lambda over, under: over / under
        self.tie = TIE if exact else float(TIE)
        self.roll_ids = lattice(dice).roll_ids
        self.rolls = sorted(throws(dice))
        self.keeps_of: dict[Dice, list[Dice]] = {}
        self.after: dict[Dice, list[tuple[Dice, Any]]] = {}
        for roll in self.rolls:
            keeps = {keep for size in range(dice + 1) for keep in combinations(roll, size)}
            self.keeps_of[roll] = sorted(keeps, key=lambda keep: (len(keep), keep))
        for keep in {keep for keeps in self.keeps_of.values() for keep in keeps}:
            rest = dice - len(keep)
            self.after[keep] = [
                (tuple(sorted(keep + thrown)), self.number(many, 6**rest)) for thrown, many in throws(rest).items()
            ]
        self.doubles = any(row.doubles for row in rules.sheet.rows)
        self.known: dict[Card, Worth] = {}

    def solve(self) -> Mapping[Card, Worth]:
        """Return what every card that can be reached is worth at the beginning of a turn."""
        self.worth(self.rules.empty)
        return self.known

    def worth(self, card: Card) -> Worth:
        """Return what a card is worth at the beginning of a turn."""
        if card not in self.known:
            if self.rules.open_mask(card.filled):
                self.known[card] = self._mean((), self.turn(card).keeps[1])
            else:
                self.known[card] = Worth(self.number(0, 1), self.number(0, 1))
        return self.known[card]

    def turn(self, card: Card) -> TurnPlan:
        """Return all decisions of a card's next turn."""
        later, first = (
            {roll: self._best_row(card, roll, first=first) for roll in self.rolls} for first in (False, self.doubles)
        )
        rows = {False: later, True: first}
        last = self.rules.ruleset.rolls
        keeps: dict[int, dict[Dice, Choice[Dice]]] = {}
        for number in range(last - 1, 0, -1):
            after: Mapping[Dice, Choice[Any]] = rows[False] if number + 1 == last else keeps[number + 1]
            again = {keep: self._mean(keep, after) for keep in self.after if len(keep) < self.rules.ruleset.dice}
            stops = rows[number == 1]
            keeps[number] = {}
            for roll, choices in self.keeps_of.items():
                worths = {keep: stops[roll].worth if keep == roll else again[keep] for keep in reversed(choices)}
                keeps[number][roll] = self._first_of_best(worths)
        return TurnPlan(rows, keeps)

    def _best_row(self, card: Card, roll: Dice, *, first: bool) -> Choice[int]:
        roll_id = self.roll_ids[roll]
        legal = self.rules.legal(card, roll_id)
        worths = {}
        for row in range(len(self.rules.names)):
            if legal >> row & 1:
                after = self.rules.fill(card, row, roll_id, first)
                gain, later = after.total - card.total, self.worth(after)
                worths[row] = Worth(gain + later.value, gain * gain + 2 * gain * later.value + later.square)
        return self._first_of_best(worths)

    def _mean(self, keep: Dice, later: Mapping[Dice, Choice[Any]]) -> Worth:
        value = square = self.number(0, 1)
        for roll, chance in self.after[keep]:
            worth = later[roll].worth
            value += chance * worth.value
            square += chance * worth.square
        return Worth(value, square)

    def _first_of_best(self, worths: Mapping[D, Worth]) -> Choice[D]:
        most = max(worth.value for worth in worths.values())
        best = [decision for decision, worth in worths.items() if worth.value >= most - self.tie]
        return Choice(best[0], frozenset(best), worths[best[0]])
