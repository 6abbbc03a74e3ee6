"""Showdown, readable: antes, hands in sight of all, the best hand takes the pot. Everything faster must equal it."""

from __future__ import annotations

from typing import NamedTuple

from arena.dice.lattice import KeepId, RollId, lattice
from arena.game.table import Throws
from arena.records import End
from arena.rules.hands import HandRules
from arena.rules.model import SHARED_UNITS, Ends


class Felt(NamedTuple):
    """What lies on the table for all to see.

    Attributes:
        hands: roll ids by seat, None before they are rolled.
        chips: by seat.
        pot: chips in the pot.
        out: a bit a seat that is out by a fault.
    """

    hands: tuple[RollId | None, ...]
    chips: tuple[int, ...]
    pot: int
    out: int = 0


class ShowdownGame:
    """One showdown game at one table; see `arena.game.table.Game`.

    With an ante of 0 rounds are counted instead of chips: everybody starts with none, and every round has a pot of 60.

    Args:
        rules: how hands compare, and the chips.
        seats: seats at the table.
        table: the table's number, by which its dice are found.
        throws: the dice.

    Source:
        The sheet of the ruleset, named in its file; who begins, what does not divide and who may not pay are decided
        there.
    """

    __slots__ = (
        "_lattice",
        "_numbers",
        "_rolls",
        "_rules",
        "_starter",
        "_throws",
        "_to_roll",
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

    def __init__(self, rules: HandRules, seats: int, table: int, throws: Throws) -> None:
        self._rules, self._throws, self._lattice = rules, throws, lattice(rules.ruleset.dice)
        self._rolls = rules.ruleset.rolls
        self.table, self.over, self.asks_row = table, False, False
        sheet = rules.sheet
        self.public = Felt((None,) * seats, (sheet.stack if sheet.ante else 0,) * seats, 0)
        self.ends = [End.FINISHED] * seats
        self.round, self._starter = 0, -1
        self._begin_round()

    def _begin_round(self) -> None:
        sheet, seats = self._rules.sheet, len(self.ends)
        _, chips, pot, out = self.public
        ante = sheet.ante
        at_table = [seat for seat, end in enumerate(self.ends) if end is End.FINISHED]
        able = [seat for seat in at_table if chips[seat] >= ante]
        short = sheet.ends is Ends.FIRST_OUT and len(able) < len(at_table)
        if len(able) < 2 or short or self.round == sheet.rounds:
            self.over = True
            return
        self.round += 1
        self._starter = (self._starter + 1) % seats
        while self._starter not in able:
            self._starter = (self._starter + 1) % seats
        place = able.index(self._starter)
        self._to_roll = able[place:] + able[:place]
        paid = tuple([held - ante if seat in able else held for seat, held in enumerate(chips)])
        self.public = Felt((None,) * seats, paid, pot + (ante * len(able) or SHARED_UNITS), out)
        self._begin_turn()

    def _begin_turn(self) -> None:
        self.seat = self._to_roll[0]
        self._numbers = self._throws(self.round)[self.table][self.seat]
        self.roll = 1
        self.roll_id = self._lattice.rerolled[0][self._numbers[0]]

    def hold(self, keep: KeepId) -> None:
        """Keep dice that the roll has, and roll the others; the last roll, or keeping all, is the hand."""
        if keep - self._lattice.first_roll_keep != self.roll_id:
            after = self._lattice.rerolled[keep]
            self.roll_id = after[self._numbers[self.roll] % len(after)]
            self.roll += 1
            if self.roll < self._rolls:
                return
        hands, seat = self.public.hands, self.seat
        self.public = self.public._replace(hands=(*hands[:seat], self.roll_id, *hands[seat + 1 :]))
        self._next_turn()

    def choose(self, row: int) -> None:
        """Showdown has no rows; never called."""
        raise AssertionError(f"showdown asks for no row, given {row}")

    def fault(self, end: End) -> None:
        """Put the seat out: it leaves the table, its chips out of play, and the others finish the round."""
        self.ends[self.seat] = end
        self.public = self.public._replace(out=self.public.out | 1 << self.seat)
        self._next_turn()

    def _next_turn(self) -> None:
        del self._to_roll[0]
        if self._to_roll:
            self._begin_turn()
            return
        self._show_down()
        self._begin_round()

    def _show_down(self) -> None:
        """Give the pot to the best hand; chips that do not divide stay in the next pot."""
        hands, chips, pot, out = self.public
        ranks = [-1 if hand is None else self._rules.ranks[hand] for hand in hands]
        best = max(ranks)
        if best >= 0:
            share, pot = divmod(pot, ranks.count(best))
            chips = tuple([held + share if rank == best else held for held, rank in zip(chips, ranks, strict=True)])
        if not self._rules.sheet.ante:
            pot = 0  # a round nobody won is nobody's
        self.public = Felt(hands, chips, pot, out)

    def totals(self) -> list[int]:
        """Return the chips by seat (sixtieths of rounds without an ante); a seat that is out has none."""
        return [held if end is End.FINISHED else 0 for held, end in zip(self.public.chips, self.ends, strict=True)]
