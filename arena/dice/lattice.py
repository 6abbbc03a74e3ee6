"""Rolls and keeps of n dice as small integers, and the lattice that one die at a time makes of them.

A *keep* is a sorted tuple of at most n faces, a *roll* one of exactly n. Ids are lexicographic, by size, then by
faces: the empty keep is 0, and the rolls, the largest keeps, come last. Five dice have 252 rolls and 462 keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, permutations
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.frozen import Frozen

FACES = 6
FACE_DIGITS = "".join(map(str, range(1, FACES + 1)))
"""The faces as they are written: one digit each."""
DICE = 5
"""Dice a throw, where nobody says otherwise."""
MIN_DICE, MAX_DICE = 2, 6
"""Fewest and most dice a ruleset may throw."""

Faces: TypeAlias = tuple[int, ...]
RollId: TypeAlias = int
KeepId: TypeAlias = int
Floats: TypeAlias = npt.NDArray[np.float64]
Ids: TypeAlias = npt.NDArray[np.intp]


class Lattice(Frozen):
    """Every roll and keep of ``dice`` six-sided dice. Made once a number of dice, by `lattice`.

    Attributes:
        dice: how many dice are thrown.
        keeps: faces by `KeepId`.
        rolls: faces by `RollId`.
        first_roll_keep: the keep id of roll 0, so that ``keep == roll + first_roll_keep`` keeps all the dice.
        keep_ids: keep id by faces, for every order in which the faces may be given.
        roll_ids: roll id by faces, for every order.
        sub_keeps: by roll id, the keeps that can be made of the roll, ascending.
        keepable: the same as sets.
        rerolled: by keep id, the roll that follows for each number read off a word of the dice stream:
            ``rerolled[keep][word % len(rerolled[keep])]``. Of the number's base-6 digits the least significant
            come first; a reroll of k dice takes the first k, so dice do not depend on how many were kept before.
    """

    def __init__(self, dice: int) -> None:
        self.dice = dice
        by_size = [list(combinations_with_replacement(range(1, FACES + 1), size)) for size in range(dice + 1)]
        self.keeps: tuple[Faces, ...] = tuple(faces for keeps in by_size for faces in keeps)
        self.rolls: tuple[Faces, ...] = tuple(by_size[dice])
        self.first_roll_keep = len(self.keeps) - len(self.rolls)
        self._first = [sum(len(keeps) for keeps in by_size[:size]) for size in range(dice + 2)]
        ids = {order: keep for keep, faces in enumerate(self.keeps) for order in set(permutations(faces))}
        self.keep_ids: Mapping[Faces, KeepId] = MappingProxyType(ids)
        self.roll_ids: Mapping[Faces, RollId] = MappingProxyType(
            {order: keep - self.first_roll_keep for order, keep in ids.items() if len(order) == dice}
        )
        # The lattice, by size: one die more (6 columns, a face each), and one die less (a column a die).
        self._with_face: list[Ids] = [
            np.array([[ids[(*faces, face)] for face in range(1, FACES + 1)] for faces in keeps], dtype=np.intp)
            for keeps in by_size[:dice]
        ]
        self._without_die: list[Ids] = [
            np.array(
                [[ids[faces[:die] + faces[die + 1 :]] for die in range(size)] for faces in keeps],
                dtype=np.intp,
            )
            for size, keeps in enumerate(by_size)
        ]
        self.sub_keeps: tuple[tuple[KeepId, ...], ...] = self._sub_keeps()
        self.keepable: tuple[frozenset[KeepId], ...] = tuple(map(frozenset, self.sub_keeps))
        self.rerolled: tuple[tuple[RollId, ...], ...] = self._rerolled()
        self.freeze()

    def _sub_keeps(self) -> tuple[tuple[KeepId, ...], ...]:
        below: list[set[KeepId]] = []
        for size in range(self.dice + 1):
            for row, parents in enumerate(self._without_die[size].tolist()):
                below.append({self._first[size] + row}.union(*(below[parent] for parent in parents)))
        return tuple(tuple(sorted(keeps)) for keeps in below[self.first_roll_keep :])

    def _rerolled(self) -> tuple[tuple[RollId, ...], ...]:
        tables: list[list[RollId]] = [[]] * len(self.keeps)
        for size in range(self.dice, -1, -1):
            for row in range(self._first[size + 1] - self._first[size]):
                keep = self._first[size] + row
                if size == self.dice:
                    tables[keep] = [row]
                    continue
                # The first digit of the number is its remainder by 6; what is left reads on from there.
                after = [tables[keep_with] for keep_with in self._with_face[size][row].tolist()]
                tables[keep] = [after[n % FACES][n // FACES] for n in range(FACES * len(after[0]))]
        return tuple(map(tuple, tables))

    def expected(self, roll_values: Floats) -> Floats:
        """Return what each keep is worth before the other dice are rolled, given what each roll is worth.

        Goes down the lattice one die at a time: the value of a keep is the mean over the six faces that the next
        die may show.

        Args:
            roll_values: float64[..., rolls].

        Returns:
            float64[..., keeps], in the unit of ``roll_values``.

        Source:
            Expectation is linear; dice are independent and fair.
        """
        values = np.empty((*roll_values.shape[:-1], len(self.keeps)))
        values[..., self.first_roll_keep :] = roll_values
        for size in range(self.dice - 1, -1, -1):
            ids = self._with_face[size]
            total = values[..., ids[:, 0]]
            for face in range(1, FACES):
                total = total + values[..., ids[:, face]]
            values[..., self._first[size] : self._first[size + 1]] = total / FACES
        return values

    def best(self, keep_values: Floats) -> Floats:
        """Return, for each keep, the best value among all the keeps that can be made of it.

        Goes up the lattice one die at a time.

        Args:
            keep_values: float64[..., keeps].

        Returns:
            float64[..., keeps]; its last ``len(rolls)`` columns are the values of the rolls.
        """
        values = keep_values.copy()
        for size in range(1, self.dice + 1):
            here = slice(self._first[size], self._first[size + 1])
            for die in range(size):
                np.maximum(values[..., here], values[..., self._without_die[size][:, die]], out=values[..., here])
        return values

    def roll_probability(self) -> Floats:
        """Return float64[rolls], the probability of each roll when all the dice are thrown."""
        counts = np.bincount(self.rerolled[0], minlength=len(self.rolls))
        probability: Floats = counts / counts.sum()
        return probability


_made = cache(Lattice)


def lattice(dice: int = DICE) -> Lattice:
    """Return the lattice of a number of dice; the same object every time, as it never changes."""
    return _made(dice)


ROLLS = lattice().rolls
"""The 252 rolls of five dice, by roll id: sorted faces."""

KEEPS = lattice().keeps
"""The 462 keeps of five dice, by keep id: sorted faces; the last 252 are the rolls."""
