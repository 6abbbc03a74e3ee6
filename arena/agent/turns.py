"""What a bot sees when it answers many turns at once: arrays over the tables that wait for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from arena.agent.turn import SeatView
from arena.dice import kernels
from arena.dice.rng import GOLDEN, MASK, ROW_ROLL, RngKey
from arena.frozen import Frozen
from arena.game.card_tables import CardTables
from arena.game.showdown_tables import ShowdownTables
from arena.game.tables import Flags, Tables
from arena.records import End
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.model import Ruleset
from arena.rules.sheet_arrays import Cards

UInt64s = npt.NDArray[np.uint64]
Array = TypeVar("Array", bound=npt.NDArray[Any])


def shown(make: Callable[[Turns], Array]) -> cached_property[Array]:
    """Turn a method that makes an array into an attribute: made when it is first asked for, and read-only."""

    @wraps(make)
    def made(turns: Turns) -> Array:
        array = make(turns)
        array.setflags(write=False)
        return array

    return cached_property(made)


class ArrayRng:
    """Random numbers for one step: each call is one draw a row, equal bit for bit to the scalar form's.

    Args:
        keys: uint64[tables], the key of every game of the leg.
        tables: int32[n], the tables that are asked.
        round_: the round.
        roll: the roll, or 0 where a row is chosen.
    """

    __slots__ = ("_keys", "_next", "_tables")

    def __init__(self, keys: UInt64s, tables: Tables, round_: int, roll: int) -> None:
        self._keys, self._tables = keys, tables
        self._next = GOLDEN * ((round_ << 40) | (roll << 32)) & MASK

    def _words(self) -> UInt64s:
        self._next = (self._next + GOLDEN) & MASK
        words: UInt64s = kernels.draw_words(self._keys, self._tables, np.uint64(self._next))
        return words

    def random(self) -> npt.NDArray[np.float64]:
        """Return float64[n], numbers in ``0 <= x < 1``, multiples of 2**-53."""
        return (self._words() >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, n: int | npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return int64[n], whole numbers in ``0 <= x < n``.

        Args:
            n: from 1 to 2**31, one for all rows or one a row.

        Raises:
            ValueError: if ``n`` is out of range.
        """
        limit = np.asarray(n)
        if limit.size and (limit.min() < 1 or limit.max() > 1 << 31):
            raise ValueError(f"below(n) takes n from 1 to {1 << 31}, not {n!r}")
        return ((self._words() >> np.uint64(32)) * limit.astype(np.uint64) >> np.uint64(32)).astype(np.int64)

    def choice(self, items: npt.ArrayLike) -> npt.NDArray[np.generic]:
        """Return one item of a sequence a row, each as likely as the others.

        Args:
            items: at least one; an array of any type, of which the first axis is chosen from.

        Returns:
            An array of the items' type, n along its first axis.

        Raises:
            ValueError: if there is nothing to choose from.
        """
        choices = np.asarray(items)
        return choices[self.below(len(choices))]


class Turns(Frozen):
    """The turns of one seat at the tables that wait for it, for ``hold_many`` and ``choose_row_many``.

    Arrays are copies, made when they are asked for, and over the n tables. Attributes are read-only; what methods
    return is the bot's to change, and made anew at every call.

    Attributes:
        ruleset: the rules, with every option resolved.
        seat: your seat, from 0; the same at every table.
        seats: seats at a table.
        round: the round, from 1; the same at every table.
    """

    ruleset: Ruleset
    seat: int
    seats: int
    round: int
    _view: SeatView
    _game: CardTables | ShowdownTables
    _tables: Tables
    _asks_row: bool

    def __init__(
        self,
        view: SeatView,
        game: CardTables | ShowdownTables,
        tables: Tables,
        legal: tuple[Flags, Flags] | None = None,
    ) -> None:
        # All at once, as this is done at every step and a frozen object looks at each attribute that is set.
        self.__dict__.update(
            {"_view": view, "_game": game, "_tables": tables, "_asks_row": legal is not None},
            ruleset=view.ruleset,
            seat=view.seat,
            seats=view.seats,
            round=game.round,
        )
        if legal is not None:
            self.__dict__["_legal"] = legal
        self.freeze()

    @property
    def rules(self) -> CardRules | HandRules:
        """The compiled rules."""
        return self._view.rules

    def __len__(self) -> int:
        return len(self._tables)

    @shown
    def slot(self) -> npt.NDArray[np.int32]:
        """int32[n]: which game of the leg each row is; constant during a game, so an index into your own state."""
        return self._tables.copy()

    @shown
    def roll(self) -> npt.NDArray[np.int8]:
        """int8[n]: the roll now showing, from 1; all alike when dice are held."""
        return self._game.roll_numbers[self._tables]

    @shown
    def rolls_left(self) -> npt.NDArray[np.int8]:
        """int8[n]: rolls that may still follow in the turn."""
        return (self.ruleset.rolls - self.roll).astype(np.int8)

    @shown
    def roll_id(self) -> npt.NDArray[np.int16]:
        """int16[n]: the dice now showing, as numbers of ``arena.ROLLS``."""
        return self._game.roll_ids[self._tables]

    @shown
    def dice(self) -> npt.NDArray[np.uint8]:
        """uint8[n, dice]: the faces now showing, ascending."""
        return self._game.dice.faces[self.roll_id]

    @cached_property
    def _legal(self) -> tuple[Flags, Flags]:
        return self._game.legal(self._tables)

    @shown
    def legal(self) -> Flags:
        """bool[n, rows]: the rows that each hand may legally fill now; no columns in showdown."""
        return self._legal[0].copy()

    @shown
    def row_points(self) -> npt.NDArray[np.int16]:
        """int16[n, rows]: what the hand would pay in each row, without section bonuses; no columns in showdown."""
        if isinstance(self._game, CardTables):
            return self._game.row_points(self._tables, self._legal[1])
        return np.zeros((len(self), 0), dtype=np.int16)

    @shown
    def points(self) -> npt.NDArray[np.int16]:
        """int16[n, seats, rows]: the cards, 0 while open; no rows in showdown."""
        if isinstance(self._game, CardTables):
            points: npt.NDArray[np.int16] = self._game.cards.points[self._tables]
            return points
        return np.zeros((len(self), self.seats, 0), dtype=np.int16)

    @shown
    def filled(self) -> Flags:
        """bool[n, seats, rows]: which rows are filled; no rows in showdown."""
        if isinstance(self._game, CardTables):
            filled: Flags = self._game.cards.filled[self._tables]
            return filled
        return np.zeros((len(self), self.seats, 0), dtype=np.bool_)

    @shown
    def totals(self) -> npt.NDArray[np.int32]:
        """int32[n, seats]: points so far with the bonuses earned; chips in showdown."""
        if isinstance(self._game, CardTables):
            totals: npt.NDArray[np.int32] = self._game.cards.totals[self._tables]
            return totals
        return self._game.chips[self._tables]

    @shown
    def out(self) -> Flags:
        """bool[n, seats]: which seats are out of the game by a fault."""
        out: Flags = self._game.ends[self._tables] != End.FINISHED
        return out

    @shown
    def hands(self) -> npt.NDArray[np.int16]:
        """int16[n, seats]: in showdown the hands of the round by roll id, -1 before they are rolled; else -1."""
        if isinstance(self._game, ShowdownTables):
            return self._game.hands[self._tables]
        return np.full((len(self), self.seats), -1, dtype=np.int16)

    @shown
    def chips(self) -> npt.NDArray[np.int32]:
        """int32[n, seats]: in showdown the chips; else 0."""
        if isinstance(self._game, ShowdownTables):
            return self._game.chips[self._tables]
        return np.zeros((len(self), self.seats), dtype=np.int32)

    @shown
    def pot(self) -> npt.NDArray[np.int32]:
        """int32[n]: in showdown the pot; else 0."""
        if isinstance(self._game, ShowdownTables):
            return self._game.pot[self._tables]
        return np.zeros(len(self), dtype=np.int32)

    def cards(self, seat: int) -> Cards:
        """Return a seat's cards: filled[n, rows], points[n, rows], sums[n, sections], bonuses earned[n, sections].

        Raises:
            ValueError: in showdown.
        """
        if not isinstance(self._game, CardTables):
            raise ValueError(f"{self.ruleset.id} has no card; see hand_ranks")
        cards, at = self._game.cards, (self._tables, seat)
        return cards.filled[at], cards.points[at], cards.sums[at], cards.earned[at]

    @cached_property
    def rng(self) -> ArrayRng:
        """Random numbers: ``random()``, ``below(n)``, ``choice(items)``, one draw a row."""
        roll = ROW_ROLL if self._asks_row else int(self.roll[0])
        if self._view.array_keys is None:
            key, first = self._view.key
            assert isinstance(key, RngKey), "of other keys the arrays are given"
            dice_sets = np.arange(first, first + len(self._game.roll_ids), dtype=np.uint64)
            self._view.array_keys = kernels.game_keys(np.uint64(key.low), np.uint64(key.high), dice_sets)
        return ArrayRng(self._view.array_keys, self._tables, self.round, roll)

    @shown
    def keepable(self) -> Flags:
        """bool[n, keeps]: which keeps can be made of the dice now showing."""
        return self._game.dice.keepable[self.roll_id]

    @shown
    def row_gains(self) -> npt.NDArray[np.int32]:
        """int32[n, rows]: what the turn earns by ending now in each row: see `arena.agent.outlook.row_gain`."""
        if isinstance(self._game, CardTables):
            return self._game.row_gains(self._tables, self.row_points)
        return np.zeros((len(self), 0), dtype=np.int32)

    def keep_ids(self, kept: npt.NDArray[np.integer] | Flags) -> npt.NDArray[np.int16]:
        """Return int16[n], the ids of keeps.

        Args:
            kept: bool[n, dice], which of the sorted dice are kept; or whole numbers[n], a bit a die, bit 0 the lowest.
        """
        if kept.dtype == np.bool_:
            kept = kept @ (1 << np.arange(kept.shape[1]))
        ids: npt.NDArray[np.int16] = self._game.dice.keep_of_mask[self.roll_id, kept]
        return ids

    def row_outcomes(self) -> npt.NDArray[np.float64]:
        """Return float64[n, rows, k]: see `arena.agent.outlook.row_outcomes`."""
        assert isinstance(self._game, CardTables)
        return self._game.row_outcomes(self._tables)

    def further_five(self) -> npt.NDArray[np.int32]:
        """Return int32[n]: see `arena.agent.outlook.further_five`."""
        assert isinstance(self._game, CardTables)
        return self._game.further_fives(self._tables)

    def best_gains(
        self, *, first_roll: bool, charges: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return float64[n, rolls]: see `arena.agent.outlook.best_gains`.

        Raises:
            ValueError: in showdown, or if the charges are not float64[n, rows, j].
        """
        if not isinstance(self._game, CardTables):
            raise ValueError(f"{self.ruleset.id} has no card; see hand_ranks")
        return self._game.best_gains(self._tables, first_roll=first_roll, charges=charges)
