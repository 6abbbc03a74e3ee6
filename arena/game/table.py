"""What every game is to the driver that steps it: whose decision it waits for, and how the answer is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import KeepId, RollId
from arena.records import End

Throws: TypeAlias = Callable[[int], Sequence[Sequence[Sequence[int]]]]
"""From a round to its numbers by table, seat and roll, as `arena.dice.stream.DiceStream.throws` gives them."""


class Game(Protocol):
    """One game at one table, from empty cards to a result.

    Attributes:
        table: which of the games that are played together, from 0.
        over: True when nobody is to decide any more.
        seat: who is to decide.
        round: from 1.
        roll: from 1.
        roll_id: the dice now showing.
        asks_row: True if a row is to be chosen, False if dice are to be held.
        public: what everybody at the table sees, an immutable value: the cards by seat, or hands and chips.
        ends: why each seat's game ended.
    """

    table: int
    over: bool
    seat: int
    round: int
    roll: int
    roll_id: RollId
    asks_row: bool
    public: Any
    ends: list[End]

    def hold(self, keep: KeepId) -> None:
        """Keep dice that the roll has, and roll the others; keeping all of them ends the rolling."""

    def choose(self, row: int) -> None:
        """Fill a row that is legal for the dice."""

    def fault(self, end: End) -> None:
        """Put the seat that was to decide out of the game."""

    def totals(self) -> list[int]:
        """Return the points by seat, when the game is over."""


def winners(totals: Sequence[int], ends: Sequence[End]) -> int:
    """Return the winners, a bit a seat: the best total among the seats that finished, 0 if none did.

    A seat that is out by a fault loses to every seat that finishes.
    """
    finished = [seat for seat, end in enumerate(ends) if end is End.FINISHED]
    best = max((totals[seat] for seat in finished), default=0)
    return sum(1 << seat for seat in finished if totals[seat] == best)


def winner_bits(totals: npt.NDArray[np.int32], ends: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return uint8[...], the same for many games.

    Args:
        totals: int32[..., seats].
        ends: uint8[..., seats].
    """
    finished = ends == End.FINISHED
    held = np.where(finished, totals, np.iinfo(np.int32).min)
    best = finished & (held == held.max(axis=-1, keepdims=True))
    bits = np.left_shift(1, np.arange(totals.shape[-1]))
    return np.asarray(best @ bits, dtype=np.uint8)
