"""Climbs to straights while a row asks for one, and collects its most frequent face when none does.

It answers many turns at once and in no other way. In showdown it climbs from the fourth rung on.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena import Turns, lattice

RUNGS = ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))
NOT_LEGAL = np.iinfo(np.int16).min


def climbed(dice: tuple[int, ...]) -> tuple[int, ...]:
    """Return one die of every face that the nearer straight has use for, the higher of two as near."""
    return max((tuple(sorted(set(dice) & set(rungs))) for rungs in RUNGS), key=lambda keep: (len(keep), keep))


def collected(dice: tuple[int, ...]) -> tuple[int, ...]:
    """Return every die of the most frequent face."""
    face = max(dice, key=lambda face: (dice.count(face), face))
    return (face,) * dice.count(face)


@lru_cache
def kept(dice: int) -> npt.NDArray[np.int16]:
    """Return int16[2, rolls], what is kept of every roll: collecting, and climbing."""
    of = lattice(dice)
    return np.array([[of.keep_ids[keep(roll)] for roll in of.rolls] for keep in (collected, climbed)], np.int16)


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the rungs of the nearer straight where one is asked for, else the most frequent face."""
    collect, climb = kept(turns.ruleset.dice)[:, turns.roll_id]
    if turns.ruleset.card:
        wanted = (turns.legal & asks_straight(turns)).any(axis=1)
    else:
        wanted = climb >= lattice().keep_ids[1, 2, 3, 4]  # four dice or five: keeps are numbered by their size first
    return np.asarray(np.where(wanted, climb, collect), np.int16)


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose a row whose straight is there, the higher first, else the row that pays most now."""
    paid = turns.row_points.astype(np.int32)
    paid[(paid > 0) & asks_straight(turns)] *= 100
    return np.asarray(np.where(turns.legal, paid, NOT_LEGAL).argmax(axis=1), np.int8)


def asks_straight(turns: Turns) -> npt.NDArray[np.bool_]:
    """Return bool[rows], the rows that ask for dice in sequence."""
    assert turns.ruleset.card
    return np.array([bool(row.sequence) for row in turns.ruleset.card.rows])
