"""Rolls and keeps as arrays, for the array game and for bots that answer many turns at once."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import DICE, FACES, Lattice, lattice
from arena.dice.lattice_kernels import LANES
from arena.records import NO_MOVE

AT_ONCE = 3
"""Keeps with one die less that one step of `arena.dice.lattice_kernels.improve` looks at."""


class DiceArrays:
    """The lattice of a number of dice as arrays.

    Attributes:
        faces: uint8[rolls, dice], sorted.
        keep_faces: uint8[keeps, dice], sorted, padded with 0.
        first_rolls: int16[6**dice], the roll by number when all the dice are thrown.
        rerolled: int16[...], the roll by keep and number, one keep's part after the other.
        starts: int32[keeps], where a keep's part begins.
        sizes: int32[keeps], how long it is: 6 to the number of dice rolled.
        keepable: bool[rolls, keeps], which keeps can be made of which rolls.
        places: uint8[rolls, keeps], the place of a keep among those of the roll, ascending; `NO_MOVE` if it is none.
        spread: uint64[keeps - rolls, 7], keep ids times `LANES`, for `arena.dice.lattice_kernels.expect`.
        climb: uint64[n, 4], keep ids times `LANES`, for `arena.dice.lattice_kernels.improve`.
        choices: int16[n], the keeps that can be made of each roll, ascending, roll by roll.
        choice_starts: int32[rolls + 1], where those of a roll begin.
        keep_of_mask: int16[rolls, 2**dice], the keep of the sorted dice whose bits are set, bit 0 the lowest die.
    """

    def __init__(self, dice: int) -> None:
        of = lattice(dice)
        self.faces = np.array(of.rolls, dtype=np.uint8)
        self.keep_faces = np.array([keep + (0,) * (dice - len(keep)) for keep in of.keeps], dtype=np.uint8)
        self.first_rolls = np.array(of.rerolled[0], dtype=np.int16)
        self.sizes = np.array([len(part) for part in of.rerolled], dtype=np.int32)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int32)
        self.rerolled = np.array([roll for part in of.rerolled for roll in part], dtype=np.int16)
        self.keepable = np.zeros((len(of.rolls), len(of.keeps)), dtype=np.bool_)
        self.places = np.full(self.keepable.shape, NO_MOVE, dtype=np.uint8)
        for roll, keeps in enumerate(of.sub_keeps):
            self.keepable[roll, list(keeps)] = True
            self.places[roll, list(keeps)] = np.arange(len(keeps))
        self.keep_of_mask = np.array(
            [
                [of.keep_ids[tuple(roll[die] for die in range(dice) if mask >> die & 1)] for mask in range(1 << dice)]
                for roll in of.rolls
            ],
            dtype=np.int16,
        )
        self.spread, self.climb = _spread(of), _climb(of)
        self.choices = np.array([keep for keeps in of.sub_keeps for keep in keeps], dtype=np.int16)
        self.choice_starts = np.cumsum([0, *map(len, of.sub_keeps)]).astype(np.int32)
        for array in vars(self).values():
            array.flags.writeable = False


def _spread(of: Lattice) -> npt.NDArray[np.uint64]:
    ids = of.keep_ids
    steps = [
        [ids[keep], *(ids[(*keep, face)] for face in range(1, FACES + 1))] for keep in of.keeps if len(keep) < of.dice
    ]
    return np.array(steps[::-1], dtype=np.uint64) * np.uint64(LANES)


def _climb(of: Lattice) -> npt.NDArray[np.uint64]:
    ids, steps = of.keep_ids, []
    for keep in of.keeps[1:]:
        less = sorted({ids[keep[:die] + keep[die + 1 :]] for die in range(len(keep))})
        for start in range(0, len(less), AT_ONCE):
            some = less[start : start + AT_ONCE]
            steps.append([ids[keep], *some, *some[-1:] * (AT_ONCE - len(some))])
    return np.array(steps, dtype=np.uint64) * np.uint64(LANES)


@cache
def dice_arrays(dice: int = DICE) -> DiceArrays:
    """Return the arrays of a number of dice; the same object every time, as it never changes."""
    return DiceArrays(dice)
