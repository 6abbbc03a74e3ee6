"""Rolls and keeps as arrays, for the array game and for bots that answer many turns at once."""

from __future__ import annotations

from functools import cache

import numpy as np

from arena.dice.lattice import DICE, FACES, lattice


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
        with_face: int16[keeps - rolls, 6], the keep with one die more, by face.
        without_die: int16[keeps, dice], the keep with one die less, by die; padded with the keep itself.
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
        for roll, keeps in enumerate(of.sub_keeps):
            self.keepable[roll, list(keeps)] = True
        self.keep_of_mask = np.array(
            [
                [of.keep_ids[tuple(roll[die] for die in range(dice) if mask >> die & 1)] for mask in range(1 << dice)]
                for roll in of.rolls
            ],
            dtype=np.int16,
        )
        ids = of.keep_ids
        self.with_face = np.array(
            [[ids[(*keep, face)] for face in range(1, FACES + 1)] for keep in of.keeps if len(keep) < dice],
            dtype=np.int16,
        )
        self.without_die = np.array(
            [
                [ids[keep[:die] + keep[die + 1 :]] if die < len(keep) else own for die in range(dice)]
                for own, keep in enumerate(of.keeps)
            ],
            dtype=np.int16,
        )
        for array in vars(self).values():
            array.flags.writeable = False


@cache
def dice_arrays(dice: int = DICE) -> DiceArrays:
    """Return the arrays of a number of dice; the same object every time, as it never changes."""
    return DiceArrays(dice)
