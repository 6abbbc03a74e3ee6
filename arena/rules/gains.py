"""What a turn can earn: for every roll that may come, the most points among its legal rows, bonuses included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arena.rules.model import Due

if TYPE_CHECKING:
    from arena.rules.card import Card, CardRules

CACHED = 1 << 13
IMPOSSIBLE = -(1 << 20)


class Gains:
    """The most that each roll earns, kept for positions seen before.

    Args:
        rules: a card game's rules.
    """

    def __init__(self, rules: CardRules) -> None:
        self._rules = rules
        self._points = np.array(rules.points, dtype=np.int32)
        self._most = [max(map(max, pays)) for pays in zip(*rules.points, *rules.joker_points, strict=True)]
        self._fives = [roll for roll, face in enumerate(rules.face_of_five) if face]
        self._known: dict[tuple[object, ...], npt.NDArray[np.float64]] = {}

    def best(self, card: Card, *, first_roll: bool) -> npt.NDArray[np.float64]:
        """Return the most that a turn earns by ending with each roll.

        Counted are the row's points, the points for a further five of a kind, and a section bonus that the turn
        makes due.

        Args:
            card: the card before the turn.
            first_roll: True if the roll is taken on the first throw.

        Returns:
            float64[rolls], whole points, read-only.
        """
        rules, bonuses = self._rules, self._due_at(card)
        rows_held = tuple(card.points[row] for row in rules.watched_rows)
        key = (card.filled, first_roll, rows_held, *bonuses)
        known = self._known.get(key)
        if known is not None:
            return known
        gains = self._points[int(first_roll)].copy()
        for row, section in enumerate(rules.section_of):
            at = bonuses[section]
            bonus = rules.sheet.sections[section].bonus
            if at is not None and bonus is not None:
                gains[row] += np.where(gains[row] >= at, bonus.points, 0).astype(np.int32)
        mask = rules.open_mask(card.filled)
        closed = [row for row in range(len(gains)) if not mask >> row & 1]
        gains[closed] = IMPOSSIBLE
        best: npt.NDArray[np.float64] = gains.max(axis=0).astype(np.float64)
        if any(held is not None for held in rows_held):
            for roll in self._fives:
                best[roll] = max(
                    self.of_row(card, row, roll, first_roll=first_roll)
                    for row in range(len(gains))
                    if rules.legal(card, roll) >> row & 1
                )
        best.flags.writeable = False
        if len(self._known) >= CACHED:
            self._known.clear()
        self._known[key] = best
        return best

    def _due_at(self, card: Card) -> tuple[int | None, ...]:
        """Return, by section, the points from which on a row makes the bonus due; None where no row can."""
        due: list[int | None] = []
        for number, section in enumerate(self._rules.sheet.sections):
            bonus = section.bonus
            rows = self._rules.section_of.index(number)
            played = (card.filled >> rows & (1 << len(section.rows)) - 1).bit_count()
            if (
                bonus is None
                or card.earned >> number & 1
                or (bonus.due is Due.COMPLETE and played + 1 < section.turns)
            ):
                due.append(None)
            else:
                at = bonus.at - card.sums[number]
                most = max(self._most[rows : rows + len(section.rows)])
                due.append(at if at <= most else None)
        return tuple(due)

    def of_row(self, card: Card, row: int, roll: int, *, first_roll: bool) -> int:
        """Return what a turn earns by ending with a roll in a legal row."""
        points = self._rules.row_pays(card, row, roll, first_roll)
        return points + self._rules.bonus_pays(card, row, points) + self._rules.five_pays(card, roll)
