"""What a turn can earn: for every roll that may come, the most points among its legal rows, bonuses included.

A bot may charge a row for being used up, by what it is filled with: see `Gains.payments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arena.frozen import Frozen

if TYPE_CHECKING:
    from arena.rules.card import Card, CardRules

CACHED = 1 << 13


class Gains(Frozen):
    """The most that each roll earns, kept for positions seen before.

    Args:
        rules: a card game's rules.

    Attributes:
        score_table: float64[2, rows, rolls], what each row pays by itself, by first roll.
        payments: float64[rows, k], the different points that each row can pay, ascending; the last stands in for
            what is missing to k.
        levels: int8[2, 2, rows, rolls], the place in ``payments`` of what is paid: by whether a joker counts in full,
            by first roll, by row and roll.
    """

    def __init__(self, rules: CardRules) -> None:
        self._rules = rules
        self._points = np.array(rules.points, dtype=np.int32)
        self.score_table = np.array(rules.points, dtype=np.float64)
        pays = np.array([rules.points, rules.joker_points], dtype=np.int32)
        paid = [np.unique(pays[:, :, row]) for row in range(len(rules.names))]
        most = max(map(len, paid))
        self.payments = np.array([np.pad(some, (0, most - len(some)), mode="edge") for some in paid], dtype=np.float64)
        levels = [np.searchsorted(some, pays[:, :, row]) for row, some in enumerate(paid)]
        self.levels = np.ascontiguousarray(np.stack(levels, axis=2).astype(np.int8))
        for array in (self.score_table, self.payments, self.levels):
            array.flags.writeable = False
        self._most = [max(map(max, pays)) for pays in zip(*rules.points, *rules.joker_points, strict=True)]
        self._fives = [roll for roll, face in enumerate(rules.face_of_five) if face]
        self._known: dict[tuple[object, ...], npt.NDArray[np.float64]] = {}
        self.freeze()

    def best(
        self, card: Card, *, first_roll: bool, charges: npt.NDArray[np.float64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the most that a turn earns by ending with each roll.

        Counted are the row's points, the points for a further five of a kind, and a section bonus that the turn
        makes due.

        Args:
            card: the card before the turn.
            first_roll: True if the roll is taken on the first throw.
            charges: float64[rows, j], taken off what each row earns, by what it pays in the order of ``payments``;
                the last of fewer than k stands for the rest.

        Returns:
            float64[rolls], points, read-only.

        Raises:
            ValueError: if the charges are not of that shape.
        """
        if charges is not None:
            charges = np.asarray(charges, dtype=np.float64)
            if charges.ndim != 2 or len(charges) != len(self.payments):
                raise ValueError(f"charges of {len(self.payments)} rows are not of shape {charges.shape}")
            return self._best(card, int(first_roll), charges if charges.shape[1] else np.zeros((len(charges), 1)))
        rows_held = tuple(card.points[row] for row in self._rules.watched_rows)
        key = (card.filled, first_roll, rows_held, *self._due_at(card))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= CACHED:
                self._known.clear()
            known = self._known[key] = self._best(card, int(first_roll), np.zeros((len(self.payments), 1)))
        return known

    def _best(self, card: Card, first: int, charges: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        rules, bonuses = self._rules, self._due_at(card)
        levels = np.minimum(self.levels[:, first], charges.shape[1] - 1)
        gains = self._points[first].copy()
        for row, section in enumerate(rules.section_of):
            at = bonuses[section]
            bonus = rules.sheet.sections[section].bonus
            if at is not None and bonus is not None:
                gains[row] += np.where(gains[row] >= at, bonus.points, 0).astype(np.int32)
        net = gains - np.take_along_axis(charges, levels[0], axis=1)
        mask = rules.open_mask(card.filled)
        closed = [row for row in range(len(gains)) if not mask >> row & 1]
        net[closed] = -np.inf
        best: npt.NDArray[np.float64] = net.max(axis=0)
        if any(card.points[row] is not None for row in rules.watched_rows):
            for roll in self._fives:
                joker = int(rules.joker_pays(card, roll))
                extra = rules.five_pays(card, roll)
                best[roll] = extra + max(
                    self.of_row(card, row, roll, first_roll=bool(first))
                    - extra
                    - charges[row, levels[joker, row, roll]]
                    for row in range(len(gains))
                    if rules.legal(card, roll) >> row & 1
                )
        best.flags.writeable = False
        return best

    def _due_at(self, card: Card) -> tuple[int | None, ...]:
        """Return, by section, the points from which on a row makes the bonus due; None where no row can."""
        due: list[int | None] = []
        for number, section in enumerate(self._rules.sheet.sections):
            rows = self._rules.section_of.index(number)
            most = max(self._most[rows : rows + len(section.rows)])
            least = self._rules.bonus_from(card, number)
            due.append(least if least is not None and least <= most else None)
        return tuple(due)

    def outcomes(self, card: Card) -> npt.NDArray[np.float64]:
        """Return float64[rows, k], what a turn earns by filling each row with each of ``payments``, bonus included."""
        out = self.payments.copy()
        for row, section in enumerate(self._rules.section_of):
            bonus, least = self._rules.sheet.sections[section].bonus, self._rules.bonus_from(card, section)
            if bonus is not None and least is not None:
                out[row] += np.where(out[row] >= least, bonus.points, 0)
        return out

    def of_row(self, card: Card, row: int, roll: int, *, first_roll: bool) -> int:
        """Return what a turn earns by ending with a roll in a legal row."""
        points = self._rules.row_pays(card, row, roll, first_roll)
        return points + self._rules.bonus_pays(card, row, points) + self._rules.five_pays(card, roll)
