"""What every array game is to the driver that steps it: many tables in lockstep, one seat's turn at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.dice import kernels
from arena.dice.arrays import DiceArrays

Tables: TypeAlias = npt.NDArray[np.int32]
Keeps: TypeAlias = npt.NDArray[np.int16]
Rows: TypeAlias = npt.NDArray[np.int8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.uint8]

RoundNumbers: TypeAlias = Callable[[int], Numbers]
"""From a round to int64[tables, seats, rolls], as `arena.dice.stream.DiceStream.throws` gives them."""


class TablesGame(Protocol):
    """The same game at many tables.

    Attributes:
        asks_rows: True if a turn ends with a row.
        dice: rolls and keeps as arrays.
        round: the round, from 1; the same at every table.
        seat: whose turn it is.
        roll_ids: int16[tables], the dice now showing.
        throws: int8[tables], rolls so far in the turn.
        ends: uint8[tables, seats], `End` codes.
    """

    asks_rows: bool
    dice: DiceArrays
    round: int
    seat: int
    roll_ids: npt.NDArray[np.int16]
    throws: npt.NDArray[np.int8]
    ends: Codes

    def turns(self) -> Iterator[Tables]:
        """Begin one turn after the other; yields the tables at which ``seat`` is to decide, int32[m]."""

    def hold(self, tables: Tables, keeps: Keeps) -> tuple[Tables, Codes]:
        """Keep dice at some tables; returns those that rolled again, and an end code for every answer."""

    def legal(self, tables: Tables) -> tuple[Flags, Flags]:
        """Return bool[m, rows], what the rolls may legally fill, and bool[m], whether a joker counts in full."""

    def choose(self, tables: Tables, rows: Rows, legal: Flags, pays_joker: Flags) -> Codes:
        """Fill rows at some tables; returns an end code for every answer."""

    def finish_turns(self, tables: Tables) -> None:
        """End a turn that asks for no row."""

    def fault(self, tables: Tables, codes: Codes) -> None:
        """Put the seat that was to decide out at some tables."""

    def final_totals(self) -> npt.NDArray[np.int32]:
        """Return int32[tables, seats], the points when all games are over."""


def keep_and_roll(
    dice: DiceArrays,
    tables: Tables,
    keeps: Keeps,
    numbers: Numbers,
    roll_ids: npt.NDArray[np.int16],
    throws: npt.NDArray[np.int8],
) -> tuple[Tables, Codes]:
    """Keep dice and roll the others at some tables, in any game.

    Args:
        dice: rolls and keeps as arrays.
        tables: int32[m].
        keeps: int16[m], keep ids; below 0: minus an end code.
        numbers: int64[tables, rolls], what the dice are read from.
        roll_ids: int16[tables], changed.
        throws: int8[tables], changed.

    Returns:
        The tables that rolled, int32, and uint8[m], 0 or an end code for every answer.
    """
    codes = np.empty(len(tables), dtype=np.uint8)
    rolling = np.empty(len(tables), dtype=np.int32)
    count = kernels.hold(
        *(tables, keeps, numbers, dice.rerolled, dice.starts, dice.sizes, dice.keepable),
        *(roll_ids, throws, codes, rolling),
    )
    return rolling[:count], codes
