"""The card game, readable: rounds of turns, a turn of rolls and one row. Everything faster must equal it."""

from __future__ import annotations

from arena.dice.lattice import KeepId, lattice
from arena.game.table import Throws
from arena.records import End
from arena.rules.card import CardRules


class CardGame:
    """One card game at one table; see `arena.game.table.Game`.

    Args:
        rules: the card's rules.
        seats: seats at the table.
        table: the table's number, by which its dice are found.
        throws: the dice.

    Source:
        The sheets of the card games, named in their files: up to three rolls a turn, dice kept at will between them,
        and one row filled at the end of each.
    """

    __slots__ = (
        "_lattice",
        "_numbers",
        "_rolls",
        "_rules",
        "_throws",
        "asks_row",
        "ends",
        "over",
        "public",
        "roll",
        "roll_id",
        "round",
        "seat",
        "table",
    )

    def __init__(self, rules: CardRules, seats: int, table: int, throws: Throws) -> None:
        self._rules, self._throws, self._lattice = rules, throws, lattice(rules.ruleset.dice)
        self._rolls = rules.ruleset.rolls
        self.table, self.over = table, False
        self.public = (rules.empty,) * seats
        self.ends = [End.FINISHED] * seats
        self.round, self.seat = 1, 0
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._numbers = self._throws(self.round)[self.table][self.seat]
        self.roll = 1
        self.roll_id = self._lattice.rerolled[0][self._numbers[0]]
        self.asks_row = False

    def hold(self, keep: KeepId) -> None:
        """Keep dice that the roll has, and roll the others; keeping all of them ends the rolling."""
        if keep - self._lattice.first_roll_keep == self.roll_id:
            self.asks_row = True
            return
        after = self._lattice.rerolled[keep]
        self.roll_id = after[self._numbers[self.roll] % len(after)]
        self.roll += 1
        self.asks_row = self.roll == self._rolls

    def choose(self, row: int) -> None:
        """Fill a legal row; on the first roll if that is the roll now showing."""
        seat = self.seat
        card = self._rules.fill(self.public[seat], row, self.roll_id, self.roll == 1)
        self.public = (*self.public[:seat], card, *self.public[seat + 1 :])
        self._next_turn()

    def fault(self, end: End) -> None:
        """Put the seat out: its card is closed with zeros, and the others play on."""
        seat = self.seat
        self.ends[seat] = end
        self.public = (*self.public[:seat], self.public[seat].closed(), *self.public[seat + 1 :])
        self._next_turn()

    def _next_turn(self) -> None:
        seats = len(self.ends)
        for _ in range(seats):
            self.seat += 1
            if self.seat == seats:
                self.seat = 0
                self.round += 1
                if self.round > self._rules.turns:
                    break
            if self.ends[self.seat] is End.FINISHED:
                self._begin_turn()
                return
        self.over = True

    def totals(self) -> list[int]:
        """Return the points by seat."""
        return [card.total for card in self.public]
