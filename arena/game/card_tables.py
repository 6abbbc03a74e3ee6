"""The card game for many tables in lockstep, as arrays; equal to `arena.game.card_game`, game by game."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena.dice import kernels as dice_kernels
from arena.dice.arrays import DiceArrays, dice_arrays
from arena.game import kernels
from arena.game.tables import Codes, RoundNumbers, Tables, keep_and_roll
from arena.records import End
from arena.rules.card import CardRules
from arena.rules.model import Due
from arena.rules.sheet_arrays import JOKER_CODES, face_rows_of, faces_of


@lru_cache(maxsize=64)
def sheet_arrays(rules: CardRules) -> kernels.Sheet:
    """Return a card game's rules as arrays for the kernels: the same ones every time, as nobody writes to them."""
    sheet = rules.sheet
    joker, five = sheet.joker, sheet.five_bonus
    joker_codes = [0, 0, 0]
    if joker:
        joker_codes = [JOKER_CODES[joker.mode], rules.row_ids[joker.row], -1 if joker.holds is None else joker.holds]
    bonuses = [section.bonus for section in sheet.sections]
    return kernels.Sheet(
        pays=np.ascontiguousarray(np.array(rules.points, dtype=np.int16).transpose(0, 2, 1)),
        joker_pays=np.ascontiguousarray(np.array(rules.joker_points, dtype=np.int16).transpose(0, 2, 1)),
        section_of=np.array(rules.section_of, dtype=np.int8),
        section_turns=np.array([section.turns for section in sheet.sections], dtype=np.int8),
        in_order=np.array([sheet.in_order]),
        bonuses=np.array(
            [[b.points, b.at, b.due is Due.COMPLETE] if b else [0, 0, 0] for b in bonuses], dtype=np.int32
        ),
        faces=faces_of(sheet),
        face_rows=face_rows_of(sheet),
        face_of_five=np.array(rules.face_of_five, dtype=np.int8),
        joker=np.array(joker_codes, dtype=np.int32),
        five=np.array([five.points, rules.row_ids[five.row], five.holds] if five else [0, -1, 0], dtype=np.int32),
    )


def empty_cards(tables: int, seats: int, rows: int, sections: int) -> kernels.Cards:
    """Return the cards of all tables before the first turn."""
    return kernels.Cards(
        filled=np.zeros((tables, seats, rows), dtype=np.bool_),
        points=np.zeros((tables, seats, rows), dtype=np.int16),
        sums=np.zeros((tables, seats, sections), dtype=np.int32),
        played=np.zeros((tables, seats, sections), dtype=np.int8),
        earned=np.zeros((tables, seats, sections), dtype=np.bool_),
        totals=np.zeros((tables, seats), dtype=np.int32),
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
        turn: the turn's place in the order of all turns, which is the same in every seating of a mirror.
        roll_ids: int16[tables], the dice now showing.
        roll_numbers: int8[tables], which roll of the turn that is, from 1.
        noted: uint8[tables], the place of what was kept last among the keeps of its roll; whoever steps the game may
            put another array there, to have what is kept next.
        sheet: the rules as arrays.
        cards: the cards as arrays.
        ends: uint8[tables, seats], `End` codes.
    """

    def __init__(self, rules: CardRules, seats: int, tables: int, numbers: RoundNumbers) -> None:
        self.rules, self.sheet = rules, sheet_arrays(rules)
        self.cards = empty_cards(tables, seats, len(rules.names), len(rules.sheet.sections))
        self.dice: DiceArrays = dice_arrays(rules.ruleset.dice)
        self._seats, self._numbers_of = seats, numbers
        self.round, self.seat, self.turn = 0, 0, 0
        self.roll_ids = np.zeros(tables, dtype=np.int16)
        self.roll_numbers = np.zeros(tables, dtype=np.int8)
        self.noted = np.zeros(tables, dtype=np.uint8)
        self.ends = np.zeros((tables, seats), dtype=np.uint8)
        self._any_out = False
        self._numbers = np.zeros((tables, rules.ruleset.rolls), dtype=np.int64)

    def turns(self) -> Iterator[Tables]:
        """Begin one turn after the other; yields the tables at which ``seat`` is to decide, int32[m]."""
        every = np.arange(len(self.ends), dtype=np.int32)
        for round_ in range(1, self.rules.turns + 1):
            numbers = self._numbers_of(round_)
            for seat in range(self._seats):
                tables = every
                if self._any_out:
                    tables = np.flatnonzero(self.ends[:, seat] == End.FINISHED).astype(np.int32)
                    if not len(tables):
                        continue
                self.round, self.seat = round_, seat
                self.turn = round_ * self._seats + seat
                self._numbers = np.ascontiguousarray(numbers[:, seat])
                dice_kernels.throw_all(tables, self._numbers, self.dice.first_rolls, self.roll_ids, self.roll_numbers)
                yield tables

    def hold(self, tables: Tables, keeps: npt.NDArray[np.int16]) -> tuple[Tables, Codes]:
        """Keep dice at some tables; returns those that rolled again, and an end code for every answer."""
        return keep_and_roll(self.dice, tables, keeps, self._numbers, self.roll_ids, self.roll_numbers, self.noted)

    def legal(self, tables: Tables) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return bool[m, rows], what the rolls may legally fill, and bool[m], whether a joker counts in full."""
        legal = np.empty((len(tables), len(self.rules.names)), dtype=np.bool_)
        pays_joker = np.empty(len(tables), dtype=np.bool_)
        kernels.legal_rows(self.sheet, self.cards, tables, self.seat, self.roll_ids, legal, pays_joker)
        return legal, pays_joker

    def row_points(self, tables: Tables, pays_joker: npt.NDArray[np.bool_]) -> npt.NDArray[np.int16]:
        """Return int16[m, rows], what each row would pay for the dice now showing."""
        out = np.empty((len(tables), len(self.rules.names)), dtype=np.int16)
        kernels.row_points(self.sheet, tables, self.roll_ids, self.roll_numbers, pays_joker, out)
        return out

    def row_gains(self, tables: Tables, row_points: npt.NDArray[np.int16]) -> npt.NDArray[np.int32]:
        """Return int32[m, rows], what the turn earns by ending now in each row, bonuses included.

        Args:
            tables: int32[m].
            row_points: int16[m, rows], what each row would pay.
        """
        out = np.empty(row_points.shape, dtype=np.int32)
        kernels.row_gains(self.sheet, self.cards, tables, self.seat, self.roll_ids, row_points, out)
        return out

    def best_gains(
        self, tables: Tables, *, first_roll: bool, charges: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return float64[m, rolls], the most that the turn earns by ending with each roll: see `arena.rules.gains`.

        Args:
            tables: int32[m].
            first_roll: True if the roll is taken on the first throw.
            charges: float64[m, rows, j], taken off what each row earns.

        Raises:
            ValueError: if the charges are not of that shape.
        """
        out = np.empty((len(tables), len(self.sheet.face_of_five)))
        gains = self.rules.gains
        shape = (len(out), len(gains.payments))
        off = np.empty((*shape, 0)) if charges is None else np.ascontiguousarray(charges, dtype=np.float64)
        if off.shape[:2] != shape or off.ndim != 3:
            raise ValueError(f"charges of {shape[0]} turns and {shape[1]} rows are not of shape {off.shape}")
        kernels.best_gains(
            *(self.sheet, self.cards, tables, self.seat, int(first_roll), gains.payments, gains.levels), off, out
        )
        return out

    def row_outcomes(self, tables: Tables) -> npt.NDArray[np.float64]:
        """Return float64[m, rows, k], what the turn earns by each row and payment: see `arena.agent.outlook`."""
        payments = self.rules.gains.payments
        out = np.empty((len(tables), *payments.shape))
        kernels.row_outcomes(self.sheet, self.cards, tables, self.seat, payments, out)
        return out

    def further_fives(self, tables: Tables) -> npt.NDArray[np.int32]:
        """Return int32[m], the points that a further five of a kind would earn by itself."""
        out = np.empty(len(tables), dtype=np.int32)
        kernels.further_fives(self.sheet, self.cards, tables, self.seat, out)
        return out

    def choose(
        self,
        tables: Tables,
        rows: npt.NDArray[np.int8],
        legal: npt.NDArray[np.bool_],
        pays_joker: npt.NDArray[np.bool_],
    ) -> Codes:
        """Fill rows at some tables; returns an end code for every answer."""
        codes = np.empty(len(tables), dtype=np.uint8)
        kernels.fill(
            *(
                self.sheet,
                self.cards,
                tables,
                self.seat,
                rows,
                legal,
                pays_joker,
                self.roll_ids,
                self.roll_numbers,
                codes,
            )
        )
        return codes

    def fault(self, tables: Tables, codes: Codes) -> None:
        """Put the seat that was to decide out at some tables: what is open stays 0, and no bonus comes of that."""
        self.ends[tables, self.seat] = codes
        self._any_out = True

    def final_totals(self) -> npt.NDArray[np.int32]:
        """Return int32[tables, seats], the points when all games are over."""
        totals: npt.NDArray[np.int32] = self.cards.totals
        return totals
