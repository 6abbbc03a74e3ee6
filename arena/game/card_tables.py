"""The card game for many tables in lockstep, as arrays; equal to `arena.game.card_game`, game by game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from arena.dice.arrays import DiceArrays, dice_arrays
from arena.game import kernels
from arena.game.tables import Codes, RoundNumbers, Tables, keep_and_roll
from arena.records import End
from arena.rules.card import CardRules
from arena.rules.model import JokerMode

JOKER_CODES = {JokerMode.NONE: 0, JokerMode.FORCED: 1, JokerMode.FREE: 2}


class CardArrays:
    """A card game's rules as arrays for the kernels.

    Args:
        rules: the compiled rules.

    Attributes:
        pays: int16[2, rolls, rows], what a row pays, by first roll.
        joker_pays: the same for a joker.
        rows: how many rows the card has.
        sections: how many sections.
    """

    def __init__(self, rules: CardRules) -> None:
        sheet = rules.sheet
        self.pays = np.ascontiguousarray(np.array(rules.points, dtype=np.int16).transpose(0, 2, 1))
        self.joker_pays = np.ascontiguousarray(np.array(rules.joker_points, dtype=np.int16).transpose(0, 2, 1))
        self.rows, self.sections = len(rules.names), len(sheet.sections)
        self.section_of = np.array(rules.section_of, dtype=np.int8)
        self.section_turns = np.array([section.turns for section in sheet.sections], dtype=np.int8)
        self.in_order = sheet.in_order
        self.faces = np.array([row.face for row in sheet.rows], dtype=np.int8)
        self.face_rows = np.full(7, -1, dtype=np.int8)
        for row, face in enumerate(self.faces.tolist()):
            if face:
                self.face_rows[face] = row
        self.face_of_five = np.array(rules.face_of_five, dtype=np.int8)
        joker, five = sheet.joker, sheet.five_bonus
        self.joker = np.array(
            [JOKER_CODES[joker.mode], rules.row_ids[joker.row], -1 if joker.holds is None else joker.holds]
            if joker
            else [0, 0, 0],
            dtype=np.int32,
        )
        self.five = np.array(
            [five.points, rules.row_ids[five.row], five.holds] if five else [0, -1, 0], dtype=np.int32
        )
        self.bonuses = np.array(
            [
                [section.bonus.points, section.bonus.at, section.bonus.due == "complete"] if section.bonus else [0] * 3
                for section in sheet.sections
            ],
            dtype=np.int32,
        )


class CardTables:
    """Card games at many tables.

    Args:
        rules: the card's rules.
        seats: seats at each table.
        tables: how many tables.
        numbers: the dice.

    Attributes:
        rules: the same.
        dice: rolls and keeps as arrays.
        round: the round, from 1; the same at every table.
        seat: whose turn it is.
        roll_ids: int16[tables], the dice now showing.
        throws: int8[tables], rolls so far in the turn.
        points: int16[tables, seats, rows], 0 while open.
        filled: bool[tables, seats, rows].
        totals: int32[tables, seats].
        ends: uint8[tables, seats], `End` codes.
    """

    asks_rows = True

    def __init__(self, rules: CardRules, seats: int, tables: int, numbers: RoundNumbers) -> None:
        self.rules, self.arrays = rules, CardArrays(rules)
        self.dice: DiceArrays = dice_arrays(rules.ruleset.dice)
        self._seats, self._numbers_of = seats, numbers
        self.round, self.seat = 0, 0
        self.roll_ids = np.zeros(tables, dtype=np.int16)
        self.throws = np.zeros(tables, dtype=np.int8)
        self.points = np.zeros((tables, seats, self.arrays.rows), dtype=np.int16)
        self.filled = np.zeros((tables, seats, self.arrays.rows), dtype=np.bool_)
        self.totals = np.zeros((tables, seats), dtype=np.int32)
        self.ends = np.zeros((tables, seats), dtype=np.uint8)
        self._sums = np.zeros((tables, seats, self.arrays.sections), dtype=np.int32)
        self._played = np.zeros((tables, seats, self.arrays.sections), dtype=np.int8)
        self._earned = np.zeros((tables, seats, self.arrays.sections), dtype=np.bool_)
        self._numbers = np.zeros((tables, rules.ruleset.rolls), dtype=np.int64)

    def turns(self) -> Iterator[Tables]:
        """Begin one turn after the other; yields the tables at which ``seat`` is to decide, int32[m]."""
        for round_ in range(1, self.rules.turns + 1):
            numbers = self._numbers_of(round_)
            for seat in range(self._seats):
                tables = np.flatnonzero(self.ends[:, seat] == End.FINISHED).astype(np.int32)
                if not len(tables):
                    continue
                self.round, self.seat = round_, seat
                self._numbers = np.ascontiguousarray(numbers[:, seat])
                kernels.throw_all(tables, self._numbers, self.dice.first_rolls, self.roll_ids, self.throws)
                yield tables

    def hold(self, tables: Tables, keeps: npt.NDArray[np.int16]) -> tuple[Tables, Codes]:
        """Keep dice at some tables; returns those that rolled again, and an end code for every answer."""
        return keep_and_roll(self.dice, tables, keeps, self._numbers, self.roll_ids, self.throws)

    def legal(self, tables: Tables) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return bool[m, rows], what the rolls may legally fill, and bool[m], whether a joker counts in full."""
        arrays = self.arrays
        legal = np.empty((len(tables), arrays.rows), dtype=np.bool_)
        pays_joker = np.empty(len(tables), dtype=np.bool_)
        kernels.legal_rows(
            *(tables, self.seat, self.roll_ids, self.filled, self.points, self._played),
            *(arrays.section_of, arrays.section_turns, arrays.in_order, arrays.faces, arrays.face_rows),
            *(arrays.face_of_five, arrays.joker, legal, pays_joker),
        )
        return legal, pays_joker

    def row_points(self, tables: Tables, pays_joker: npt.NDArray[np.bool_]) -> npt.NDArray[np.int16]:
        """Return int16[m, rows], what each row would pay for the dice now showing."""
        out = np.empty((len(tables), self.arrays.rows), dtype=np.int16)
        arrays = self.arrays
        kernels.row_points(tables, self.roll_ids, self.throws, arrays.pays, arrays.joker_pays, pays_joker, out)
        return out

    def row_gains(self, tables: Tables, row_points: npt.NDArray[np.int16]) -> npt.NDArray[np.int32]:
        """Return int32[m, rows], what the turn earns by ending now in each row, bonuses included.

        Args:
            tables: int32[m].
            row_points: int16[m, rows], what each row would pay.
        """
        arrays = self.arrays
        section = arrays.section_of
        at = tables, self.seat
        sums, played, earned = self._sums[at][:, section], self._played[at][:, section], self._earned[at][:, section]
        points, least, complete = arrays.bonuses[section].T
        due = (points != 0) & ~earned & (sums + row_points >= least)
        due &= (complete == 0) | (played + 1 >= arrays.section_turns[section])
        gains = row_points + np.where(due, points, 0)
        if arrays.five[1] >= 0:
            row = int(arrays.five[1])
            holds = self.filled[*at, row] & (self.points[*at, row] == arrays.five[2])
            further = holds & (arrays.face_of_five[self.roll_ids[tables]] > 0)
            gains = gains + np.where(further, arrays.five[0], 0)[:, None]
        return np.asarray(gains, dtype=np.int32)

    def best_gains(self, tables: Tables, *, first_roll: bool) -> npt.NDArray[np.float64]:
        """Return float64[m, rolls], the most that the turn earns by ending with each roll: see `arena.rules.gains`.

        Args:
            tables: int32[m].
            first_roll: True if the roll is taken on the first throw.
        """
        arrays = self.arrays
        out = np.empty((len(tables), arrays.pays.shape[1]), dtype=np.float64)
        kernels.best_gains(
            *(tables, self.seat, int(first_roll), self.filled, self.points, self._sums, self._played, self._earned),
            *(
                arrays.pays,
                arrays.joker_pays,
                arrays.section_of,
                arrays.section_turns,
                arrays.in_order,
                arrays.bonuses,
            ),
            *(arrays.faces, arrays.face_rows, arrays.face_of_five, arrays.joker, arrays.five, out),
        )
        return out

    def choose(
        self,
        tables: Tables,
        rows: npt.NDArray[np.int8],
        legal: npt.NDArray[np.bool_],
        pays_joker: npt.NDArray[np.bool_],
    ) -> Codes:
        """Fill rows at some tables; returns an end code for every answer."""
        arrays, codes = self.arrays, np.empty(len(tables), dtype=np.uint8)
        kernels.fill(
            *(tables, self.seat, rows, legal, pays_joker, self.roll_ids, self.throws),
            *(arrays.pays, arrays.joker_pays, arrays.section_of, arrays.section_turns, arrays.bonuses),
            *(arrays.face_of_five, arrays.five, self.filled, self.points, self._sums, self._played),
            *(self._earned, self.totals, codes),
        )
        return codes

    def finish_turns(self, tables: Tables) -> None:
        """End a turn without a row; never called in a card game."""
        raise AssertionError(f"a card game's turn ends with a row, at {len(tables)} tables")

    def fault(self, tables: Tables, codes: Codes) -> None:
        """Put the seat that was to decide out at some tables: what is open stays 0, and no bonus comes of that."""
        self.ends[tables, self.seat] = codes

    def final_totals(self) -> npt.NDArray[np.int32]:
        """Return int32[tables, seats], the points when all games are over."""
        return self.totals
