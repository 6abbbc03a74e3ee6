"""The card: what a position is, which rows are legal for a roll, what they pay, and what follows from filling one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from arena.dice.lattice import RollId, lattice
from arena.errors import UserError, nearest
from arena.frozen import Frozen
from arena.rules.gains import Gains
from arena.rules.model import Due, JokerMode, Ruleset
from arena.rules.patterns import pattern_dice, pays

RowId: TypeAlias = int
Points: TypeAlias = tuple[tuple[int, ...], ...]
"""Points by row, then by roll id."""


class Card(NamedTuple):
    """One player's rows and scores; a new one is made for every turn.

    Attributes:
        points: by row, None while open.
        filled: a bit a row.
        sums: points of the rows, by section.
        earned: a bit a section whose bonus is earned.
        bonus: points of the earned section bonuses.
        extra: points for further fives of a kind.
        total: everything together.
        out: True if the seat is out by a fault.
    """

    points: tuple[int | None, ...]
    filled: int
    sums: tuple[int, ...]
    earned: int
    bonus: int
    extra: int
    total: int
    out: bool = False

    def closed(self) -> Card:
        """Return the card of a seat that is out: open rows hold 0, and no bonus comes of that."""
        points = tuple(points or 0 for points in self.points)
        return self._replace(points=points, filled=(1 << len(points)) - 1, out=True)


class CardRules(Frozen):
    """A card game's rules, compiled to tables for every roll.

    Args:
        ruleset: a card game.

    Attributes:
        ruleset: the same.
        names: row names in card order.
        row_ids: row id by name.
        points: by first roll (0 or 1), row and roll: what the row pays by itself.
        joker_points: the same for a joker: as if the row's pattern held.
        face_of_five: by roll, the face of a five of a kind, else 0.
        section_of: by row, the section's number.
        turns: turns a card takes.
        watched_rows: rows whose points decide what a further five of a kind means.
        empty: the card before the first turn.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        sheet = ruleset.card
        assert sheet is not None
        self.ruleset, self.sheet, self.turns = ruleset, sheet, sheet.turns
        self.names = tuple(row.name for row in sheet.rows)
        self.row_ids: Mapping[str, RowId] = MappingProxyType({name: row for row, name in enumerate(self.names)})
        self.rolls = lattice(ruleset.dice).rolls
        matched = [[pattern_dice(sheet, row, dice) for dice in self.rolls] for row in sheet.rows]
        self.points, self.joker_points = (
            tuple(
                tuple(
                    tuple(
                        pays(row, dice, dice if found is None and as_if else found, first_roll=first)
                        for dice, found in zip(self.rolls, of_row, strict=True)
                    )
                    for row, of_row in zip(sheet.rows, matched, strict=True)
                )
                for first in (False, True)
            )
            for as_if in (False, True)
        )
        self.face_of_five = tuple(dice[0] if len(set(dice)) == 1 else 0 for dice in self.rolls)
        self.section_of = tuple(n for n, section in enumerate(sheet.sections) for _ in section.rows)
        self._masks = tuple(
            sum(1 << row for row, section in enumerate(self.section_of) if section == n)
            for n in range(len(sheet.sections))
        )
        self._face_rows = {row.face: n for n, row in enumerate(sheet.rows) if row.face}
        self._faceless = sum(1 << n for n, row in enumerate(sheet.rows) if not row.face)
        self._joker_row = self.row_ids[sheet.joker.row] if sheet.joker else -1
        self._bonus_row = self.row_ids[sheet.five_bonus.row] if sheet.five_bonus else -1
        self.watched_rows = tuple(sorted({self._joker_row, self._bonus_row} - {-1}))
        self._open: dict[int, int] = {}
        self._open_names: dict[int, tuple[str, ...]] = {}
        self.empty = Card((None,) * len(self.names), 0, (0,) * len(sheet.sections), 0, 0, 0, 0)
        self.freeze()

    @cached_property
    def gains(self) -> Gains:
        """What a turn can earn."""
        return Gains(self)

    def open_mask(self, filled: int) -> int:
        """Return the rows open to an ordinary roll, a bit a row.

        Args:
            filled: the filled rows, a bit a row.
        """
        mask = self._open.get(filled)
        if mask is None:
            mask = 0
            for section, rows in zip(self.sheet.sections, self._masks, strict=True):
                if (rows & filled).bit_count() < section.turns:
                    mask |= rows & ~filled
                    if self.sheet.in_order:
                        break
            self._open[filled] = mask
        return mask

    def joker_in_force(self, card: Card, roll: RollId) -> bool:
        """Return True if the roll is a further five of a kind to which the joker's rule applies.

        Source:
            The ruleset's own sheet: see the ``source`` and ``decisions`` of its file.
        """
        joker = self.sheet.joker
        if joker is None or joker.mode is JokerMode.NONE or not self.face_of_five[roll]:
            return False
        held = card.points[self._joker_row]
        return held is not None and joker.holds in (None, held)

    def joker_pays(self, card: Card, roll: RollId) -> bool:
        """Return True if a joker is in force and counts in full: its face's own row is not open any more."""
        own = self._face_rows.get(self.face_of_five[roll])
        return self.joker_in_force(card, roll) and (own is None or card.points[own] is not None)

    def legal(self, card: Card, roll: RollId) -> int:
        """Return the rows that a roll may legally fill, a bit a row.

        Source:
            The ruleset's own sheet: see the ``source`` and ``decisions`` of its file.
        """
        mask = self.open_mask(card.filled)
        if not self.face_of_five[roll] or not self.joker_in_force(card, roll):
            return mask
        assert self.sheet.joker is not None
        if self.sheet.joker.mode is JokerMode.FREE:
            return mask
        own = self._face_rows.get(self.face_of_five[roll])
        if own is not None and mask >> own & 1:
            return 1 << own
        return mask & self._faceless or mask

    def open_rows(self, card: Card, roll: RollId) -> tuple[str, ...]:
        """Return the names of the rows that a roll may legally fill, in card order."""
        mask = self.legal(card, roll)
        names = self._open_names.get(mask)
        if names is None:
            names = tuple(name for row, name in enumerate(self.names) if mask >> row & 1)
            self._open_names[mask] = names
        return names

    def row_pays(self, card: Card, row: RowId, roll: RollId, first_roll: bool) -> int:
        """Return what a row pays for a roll: without section bonuses and without points for a further five."""
        if self.face_of_five[roll] and self.joker_pays(card, roll):
            return self.joker_points[first_roll][row][roll]
        return self.points[first_roll][row][roll]

    def five_pays(self, card: Card, roll: RollId) -> int:
        """Return the points for a further five of a kind, wherever it is written.

        Source:
            The ruleset's own sheet: see the ``source`` and ``decisions`` of its file.
        """
        return self.further_five(card) if self.face_of_five[roll] else 0

    def further_five(self, card: Card) -> int:
        """Return the points that a further five of a kind would earn by itself, 0 while its row does not count."""
        bonus = self.sheet.five_bonus
        return bonus.points if bonus is not None and card.points[self._bonus_row] == bonus.holds else 0

    def bonus_from(self, card: Card, number: int) -> int | None:
        """Return the least points by which the next row of a section makes its bonus due; None where none can.

        Args:
            card: the card before the turn.
            number: the section's.

        Source:
            The ruleset's own, under ``due``: as soon as the rows sum to enough, or with the section's last turn.
        """
        section = self.sheet.sections[number]
        bonus = section.bonus
        if bonus is None or card.earned >> number & 1:
            return None
        if bonus.due is Due.COMPLETE and (card.filled & self._masks[number]).bit_count() + 1 < section.turns:
            return None
        return bonus.at - card.sums[number]

    def bonus_pays(self, card: Card, row: RowId, points: int) -> int:
        """Return the section bonus that a turn makes due by filling a row with points.

        Source:
            The ruleset's own sheet: see the ``source`` and ``decisions`` of its file.
        """
        number = self.section_of[row]
        bonus, least = self.sheet.sections[number].bonus, self.bonus_from(card, number)
        return bonus.points if bonus is not None and least is not None and points >= least else 0

    def fill(self, card: Card, row: RowId, roll: RollId, first_roll: bool) -> Card:
        """Return the card after a legal row is filled with a roll."""
        points = self.row_pays(card, row, roll, first_roll)
        extra = self.five_pays(card, roll) if self.face_of_five[roll] else 0
        return self.place(card, row, points, extra)

    def place(self, card: Card, row: RowId, points: int, extra: int = 0) -> Card:
        """Return the card after a row is filled with points, and extra points are earned beside it."""
        number = self.section_of[row]
        bonus = self.bonus_pays(card, row, points)
        return Card(
            (*card.points[:row], points, *card.points[row + 1 :]),
            card.filled | 1 << row,
            (*card.sums[:number], card.sums[number] + points, *card.sums[number + 1 :]),
            card.earned | (1 << number if bonus else 0),
            card.bonus + bonus,
            card.extra + extra,
            card.total + points + bonus + extra,
        )

    def card_of(self, filled: Mapping[str, int]) -> Card:
        """Return the card that holds these points; extra points, which the rows do not tell, are 0.

        Args:
            filled: points by row name.

        Raises:
            UserError: for a row that is not on the card, points that it cannot hold, rows that cannot be
                filled yet, or where the order of filling decides whether a bonus was earned.
        """
        card = self.empty
        for name, points in sorted(filled.items(), key=lambda item: self.row_ids.get(item[0], -1)):
            if name not in self.row_ids:
                raise UserError(f"no row {name!r} in {self.ruleset.id}{nearest(name, self.names)}")
            row = self.row_ids[name]
            if not self.open_mask(card.filled) >> row & 1:
                raise UserError(f"row {name!r} cannot be filled while the rows before it are open")
            possible = {pays for table in (*self.points, *self.joker_points) for pays in table[row]}
            if points not in possible:
                raise UserError(f"row {name!r} cannot hold {points}: it pays {', '.join(map(str, sorted(possible)))}")
            card = self.place(card, row, points)
        for number, section in enumerate(self.sheet.sections):
            bonus = section.bonus
            if bonus is None or bonus.due is not Due.REACHED or card.earned >> number & 1:
                continue
            rises = [points for row, points in enumerate(card.points) if self.section_of[row] == number and points]
            if any(points < 0 for points in rises) and sum(points for points in rises if points > 0) >= bonus.at:
                raise UserError(f"whether the bonus of {section.name} was earned depends on the order of filling")
        return card
