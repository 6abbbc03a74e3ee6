"""Keeps its most frequent face, the higher of two, and writes where it pays most."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns, lattice

NOT_LEGAL = np.iinfo(np.int16).min


def most_frequent(dice: tuple[int, ...]) -> tuple[int, ...]:
    """Return every die of the most frequent face."""
    face = max(dice, key=lambda face: (dice.count(face), face))
    return (face,) * dice.count(face)


@lru_cache
def collected(dice: int) -> npt.NDArray[np.int16]:
    """Return what is kept of every roll."""
    tables = lattice(dice)
    return np.array([tables.keep_ids[most_frequent(roll)] for roll in tables.rolls], np.int16)


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep every die of the most frequent face."""
    return most_frequent(turn.dice)


def choose_row(turn: Turn) -> str:
    """Choose the row that pays most now."""
    return max(turn.open_rows, key=turn.score)


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep every die of the most frequent face, in many turns."""
    return collected(turns.ruleset.dice)[turns.roll_id]


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that pays most now, in many turns."""
    paid = np.where(turns.legal, turns.row_points, NOT_LEGAL)
    return np.asarray(paid.argmax(axis=1), np.int8)
