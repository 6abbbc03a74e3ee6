"""Keeps its most frequent face, the higher of two, and writes where it pays most."""

import numpy as np
import numpy.typing as npt

from arena import KEEPS, ROLLS, Turn, Turns

NOT_LEGAL = np.iinfo(np.int16).min


def most_frequent(dice: tuple[int, ...]) -> tuple[int, ...]:
    """Return every die of the most frequent face."""
    face = max(dice, key=lambda face: (dice.count(face), face))
    return (face,) * dice.count(face)


COLLECTED = np.array([KEEPS.index(most_frequent(roll)) for roll in ROLLS], np.int16)


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep every die of the most frequent face."""
    return most_frequent(turn.dice)


def choose_row(turn: Turn) -> str:
    """Choose the row that pays most now."""
    return max(turn.open_rows, key=turn.score)


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep every die of the most frequent face, in many turns."""
    return COLLECTED[turns.roll_id]


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that pays most now, in many turns."""
    paid = np.where(turns.legal, turns.row_points, NOT_LEGAL)
    return np.asarray(paid.argmax(axis=1), np.int8)
