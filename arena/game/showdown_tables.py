"""Showdown for many tables in lockstep, as arrays; equal to `arena.game.showdown_game`, game by game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from arena.dice import kernels as dice_kernels
from arena.dice.arrays import DiceArrays, dice_arrays
from arena.game import kernels
from arena.game.tables import Codes, Flags, Keeps, RoundNumbers, Tables, keep_and_roll
from arena.records import End
from arena.rules.hands import HandRules
from arena.rules.model import SHARED_UNITS, Ends


class ShowdownTables:
    """Showdown games at many tables.

    Args:
        rules: how hands compare, and the chips.
        seats: seats at each table.
        tables: how many tables.
        numbers: the dice.

    Attributes:
        rules: the same.
        dice: rolls and keeps as arrays.
        round: the round, from 1; the same at every table that still plays.
        seat: whose turn it is.
        turn: the turn's place in the order of all turns, the same in every seating of a mirror where nobody is out;
            where somebody is, rounds still come in their order.
        roll_ids: int16[tables], the dice now showing.
        roll_numbers: int8[tables], which roll of the turn that is, from 1.
        noted: uint8[tables], the place of what was kept last among the keeps of its roll; whoever steps the game may
            put another array there, to have what is kept next.
        hands: int16[tables, seats], hands of the round by roll id, -1 before they are rolled.
        chips: int32[tables, seats].
        pot: int32[tables].
        ends: uint8[tables, seats], `End` codes.
    """

    def __init__(self, rules: HandRules, seats: int, tables: int, numbers: RoundNumbers) -> None:
        self.rules = rules
        self.dice: DiceArrays = dice_arrays(rules.ruleset.dice)
        self._seats, self._numbers_of = seats, numbers
        self._ranks = np.array(rules.ranks, dtype=np.int16)
        self.round, self.seat, self.turn = 0, 0, 0
        self.roll_ids = np.zeros(tables, dtype=np.int16)
        self.roll_numbers = np.zeros(tables, dtype=np.int8)
        self.noted = np.zeros(tables, dtype=np.uint8)
        self.hands = np.full((tables, seats), -1, dtype=np.int16)
        self.chips = np.full((tables, seats), rules.sheet.stack if rules.sheet.ante else 0, dtype=np.int32)
        self.pot = np.zeros(tables, dtype=np.int32)
        self.ends = np.zeros((tables, seats), dtype=np.uint8)
        self._live = np.ones(tables, dtype=np.bool_)
        self._starter = np.full(tables, -1, dtype=np.int64)
        self._numbers = np.zeros((tables, rules.ruleset.rolls), dtype=np.int64)

    def turns(self) -> Iterator[Tables]:
        """Begin one turn after the other; yields the tables at which ``seat`` is to decide, int32[m]."""
        while True:
            order = self._begin_round()
            if not self._live.any():
                return
            numbers = self._numbers_of(self.round)
            for place in range(self._seats):
                for seat in range(self._seats):
                    tables = np.flatnonzero(self._live & (order[:, place] == seat)).astype(np.int32)
                    if not len(tables):
                        continue
                    self.seat = seat
                    self.turn = (self.round * self._seats + place) * self._seats + seat
                    self._numbers = np.ascontiguousarray(numbers[:, seat])
                    dice_kernels.throw_all(
                        tables, self._numbers, self.dice.first_rolls, self.roll_ids, self.roll_numbers
                    )
                    yield tables
            live = np.flatnonzero(self._live).astype(np.int32)
            kernels.show_down(live, self.hands, self._ranks, not self.rules.sheet.ante, self.chips, self.pot)

    def _begin_round(self) -> npt.NDArray[np.int64]:
        """Take the antes where a round begins; returns the seats in the order of their turns, -1 for none."""
        sheet, seats = self.rules.sheet, self._seats
        at_table = self.ends == End.FINISHED
        able = at_table & (self.chips >= sheet.ante)
        self._live &= able.sum(axis=1) >= 2
        if sheet.ends is Ends.FIRST_OUT:
            self._live &= ~(at_table & ~able).any(axis=1)
        order = np.full((len(able), seats), -1, dtype=np.int64)
        if self.round == sheet.rounds:
            self._live[:] = False
        if not self._live.any():
            return order
        self.round += 1
        turned = (self._starter[:, None] + 1 + np.arange(seats)) % seats  # seats as they follow the last starter
        may = np.take_along_axis(able, turned, axis=1)
        by_turn = np.argsort(~may, axis=1, kind="stable")  # those who are able first, in their order
        order = np.where(np.take_along_axis(may, by_turn, axis=1), np.take_along_axis(turned, by_turn, axis=1), -1)
        live = self._live[:, None]
        self._starter = np.where(self._live, order[:, 0], self._starter)
        self.chips -= np.where(able & live, sheet.ante, 0).astype(np.int32)
        put = able.sum(axis=1) * sheet.ante if sheet.ante else np.full(len(able), SHARED_UNITS)
        self.pot += np.where(self._live, put, 0).astype(np.int32)
        self.hands[self._live] = -1
        return order

    def hold(self, tables: Tables, keeps: Keeps) -> tuple[Tables, Codes]:
        """Keep dice at some tables; returns those that rolled again, and an end code for every answer."""
        return keep_and_roll(self.dice, tables, keeps, self._numbers, self.roll_ids, self.roll_numbers, self.noted)

    def legal(self, tables: Tables) -> tuple[Flags, Flags]:
        """Return bool[m, 0] and bool[m]: showdown has no rows."""
        return np.zeros((len(tables), 0), dtype=np.bool_), np.zeros(len(tables), dtype=np.bool_)

    def finish_turns(self, tables: Tables) -> None:
        """Lay the dice now showing down as the seat's hands."""
        self.hands[tables, self.seat] = self.roll_ids[tables]

    def fault(self, tables: Tables, codes: Codes) -> None:
        """Put the seat that was to decide out at some tables: its chips are out of play."""
        self.ends[tables, self.seat] = codes

    def final_totals(self) -> npt.NDArray[np.int32]:
        """Return int32[tables, seats], the chips when all games are over; a seat that is out has none."""
        return np.where(self.ends == End.FINISHED, self.chips, 0).astype(np.int32)
