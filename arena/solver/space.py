"""The positions of one player's card game that differ in value: the state space that the solver works through.

A state is a set of filled rows, the sum of every section whose bonus is still open, and whether rows that a further
five of a kind looks at hold what it asks for. Nothing else of a card changes what is still to come. Sums that cannot
miss the bonus any more count as one, and so do sums that cannot reach it.

States are numbered set by set, fewest rows first; within a set by what the watched rows hold, then by the sums.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.errors import UserError
from arena.rules.card import Card, CardRules
from arena.rules.model import Due, JokerMode, SectionBonus

if TYPE_CHECKING:
    from arena.rules.model import CardSheet

MOST_SETS = 1 << 21
"""Sets of filled rows that are worked through at most."""
MOST_STATES = 40_000_000
"""States that are worked through at most: about 320 MB of values."""

Ints: TypeAlias = npt.NDArray[np.int64]


class Watch(NamedTuple):
    """A row that must hold certain points for a further five of a kind to count."""

    row: int
    holds: int


@dataclass(frozen=True)
class Sums:
    """A section's sums, as far as they decide its bonus.

    Attributes:
        section: the section's number.
        bonus: the bonus.
        rows: the section's rows.
        turns: turns played in it.
        least: by row, the least it can pay.
        most: by row, the most.
    """

    section: int
    bonus: SectionBonus
    rows: tuple[int, ...]
    turns: int
    least: tuple[int, ...]
    most: tuple[int, ...]

    def window(self, filled: int) -> tuple[int, int]:
        """Return the lowest sum that counts by itself, and how many do, once some of the rows are filled.

        Sums outside count as the nearest inside. Of a bonus due as soon as it is reached, a sum at the bonus means
        that it is earned; before the first row none is.

        Args:
            filled: a bit a row of the card.
        """
        inside = [place for place, row in enumerate(self.rows) if filled >> row & 1]
        left = self.turns - len(inside)
        if not left or not inside:
            return 0, 1
        closed = set(inside)
        falls = sorted(self.least[place] for place in range(len(self.rows)) if place not in closed)[:left]
        rises = sorted((self.most[place] for place in range(len(self.rows)) if place not in closed), reverse=True)
        low = sum(self.least[place] for place in inside)
        if self.bonus.due is Due.REACHED:
            high = sum(max(0, self.most[place]) for place in inside)
            sure, lost = self.bonus.at, self.bonus.at - sum(max(0, rise) for rise in rises[:left]) - 1
        else:
            high = sum(self.most[place] for place in inside)
            sure, lost = self.bonus.at - sum(falls), self.bonus.at - sum(rises[:left]) - 1
        low, high = (min(max(bound, lost), sure) for bound in (low, high))
        return low, high - low + 1


class Space:
    """The states of a card game.

    Args:
        rules: the card's rules.

    Attributes:
        rules: the same.
        watches: what rows must hold, a bit of a state each.
        sums: the sections whose bonus depends on their sum.
        sets: int64[m], sets of filled rows, a bit a row, fewest rows first.
        levels: where the sets of 0, 1, ... rows begin, and the end.
        child: int32[m, rows], the set after a row is filled, -1 where the row is not open.
        low: int32[m, sums], the lowest sum that counts by itself.
        size: int32[m, sums], how many do.
        left: int32[m, sums], turns left in the section.
        lanes: int32[m], states of a set for the same watched rows.
        flags: int32[m], combinations of watched rows.
        first: int64[m + 1], the number of a set's first state.

    Raises:
        UserError: if the game has more states than are worked through.
    """

    def __init__(self, rules: CardRules) -> None:
        self.rules = rules
        sheet = rules.sheet
        count = count_sets(sheet)
        if count > MOST_SETS:
            raise UserError(
                f"{rules.ruleset.name} cannot be solved: its rows fill up in {count:,} sets, {MOST_SETS:,} at most"
            )
        self.watches = _watches(rules)
        self.sums = _sums(rules)
        self._enumerate()
        self.low, self.size, self.left = (np.zeros((len(self.sets), len(self.sums)), dtype=np.int32) for _ in range(3))
        for number, sums in enumerate(self.sums):
            self._windows(number, sums)
        watched = np.zeros(len(self.sets), dtype=np.bool_)
        for watch in self.watches:
            watched |= self.sets >> watch.row & 1 == 1
        self.flags = np.where(watched, 1 << len(self.watches), 1).astype(np.int32)
        lanes = self.size.prod(axis=1, dtype=np.float64)  # several wide sections have more than 64 bits can count
        states = float(lanes @ self.flags)
        if states > MOST_STATES:
            raise UserError(
                f"{rules.ruleset.name} cannot be solved: it has {states:,.0f} states, {MOST_STATES:,} at most"
            )
        self.lanes = lanes.astype(np.int32)
        self.first = np.concatenate([[0], np.cumsum(self.lanes * self.flags, dtype=np.int64)])

    def __len__(self) -> int:
        return int(self.first[-1])

    def _enumerate(self) -> None:
        """Find the sets of filled rows, level by level."""
        rows = len(self.rules.names)
        level, found, children = np.zeros(1, dtype=np.int64), [], []
        self.levels = [0]
        while len(level):
            opened = self._open(level)
            after = np.where(opened, level[:, None] | 1 << np.arange(rows), -1)
            following = np.unique(after)
            following = following[following >= 0]
            start = self.levels[-1] + len(level)
            children.append(np.where(opened, np.searchsorted(following, after) + start, -1).astype(np.int32))
            found.append(level)
            self.levels.append(start)
            level = following
        self.sets, self.child = np.concatenate(found), np.concatenate(children)

    def _open(self, sets: Ints) -> npt.NDArray[np.bool_]:
        """Return bool[sets, rows], the rows open to an ordinary roll: `CardRules.open_mask` for many sets."""
        filled = sets[:, None] >> np.arange(len(self.rules.names)) & 1 == 1
        opened: npt.NDArray[np.bool_] = np.zeros_like(filled)
        before = np.ones(len(sets), dtype=np.bool_)
        section_of = np.array(self.rules.section_of)
        for number, section in enumerate(self.rules.sheet.sections):
            inside = section_of == number
            played = filled[:, inside].sum(axis=1) >= section.turns
            opened |= inside & ~filled & (before & ~played)[:, None]
            if self.rules.sheet.in_order:
                before &= played
        return opened

    def _windows(self, number: int, sums: Sums) -> None:
        inside = sum(1 << row for row in sums.rows)
        parts, index = np.unique(self.sets & inside, return_inverse=True)
        windows = np.array([sums.window(part) for part in parts.tolist()], dtype=np.int32)
        left = np.array([sums.turns - part.bit_count() for part in parts.tolist()], dtype=np.int32)
        self.low[:, number], self.size[:, number] = windows[index].T
        self.left[:, number] = left[index]

    @cached_property
    def number_of(self) -> dict[int, int]:
        """The number of each set of filled rows."""
        return {filled: number for number, filled in enumerate(self.sets.tolist())}

    @cached_property
    def layout(self) -> str:
        """sha256 over what numbers the states, hexadecimal."""
        digest = hashlib.sha256()
        for part in (self.sets, self.first, self.low, self.size):
            digest.update(np.ascontiguousarray(part, dtype="<i8").data)
        return digest.hexdigest()

    def state(self, card: Card) -> int:
        """Return the number of a card's state; if the seat is out that of a finished card, worth nothing more."""
        if card.out:
            return len(self) - 1
        number = self.number_of[card.filled]
        lane = 0
        for place, sums in enumerate(self.sums):
            held = card.sums[sums.section]
            if sums.bonus.due is Due.REACHED and card.earned >> sums.section & 1:
                held = sums.bonus.at
            size = int(self.size[number, place])
            lane = lane * size + min(max(held - int(self.low[number, place]), 0), size - 1)
        flag = sum(1 << bit for bit, watch in enumerate(self.watches) if card.points[watch.row] == watch.holds)
        return int(self.first[number]) + flag * int(self.lanes[number]) + lane


def count_sets(sheet: CardSheet) -> int:
    """Return how many sets of rows can be filled, without looking at each."""
    parts = [[comb(len(section.rows), played) for played in range(section.turns + 1)] for section in sheet.sections]
    if not sheet.in_order:
        return prod(map(sum, parts))
    before, count = 1, 0
    for part in parts:
        count += before * sum(part[:-1])
        before *= part[-1]
    return count + before


def _watches(rules: CardRules) -> tuple[Watch, ...]:
    sheet, found = rules.sheet, set[Watch]()
    if sheet.joker and sheet.joker.mode is not JokerMode.NONE and sheet.joker.holds is not None:
        found.add(Watch(rules.row_ids[sheet.joker.row], sheet.joker.holds))
    if sheet.five_bonus and sheet.five_bonus.points:
        found.add(Watch(rules.row_ids[sheet.five_bonus.row], sheet.five_bonus.holds))
    return tuple(sorted(found))


def _sums(rules: CardRules) -> tuple[Sums, ...]:
    def pays(row: int, bound: Callable[[npt.NDArray[np.float64]], float]) -> int:
        return int(bound(rules.gains.payments[row]))

    found = []
    for number, section in enumerate(rules.sheet.sections):
        rows = tuple(row for row, home in enumerate(rules.section_of) if home == number)
        if section.bonus and section.bonus.points:
            least = tuple(pays(row, np.min) for row in rows)
            most = tuple(pays(row, np.max) for row in rows)
            found.append(Sums(number, section.bonus, rows, section.turns, least, most))
    return tuple(found)
