"""Takes the first roll as it comes and writes it where it pays most; in showdown stands on any pair."""

import numpy as np
import numpy.typing as npt

from arena import ROLLS, Turn, Turns, lattice

FIRST_ROLL_KEEP = lattice().first_roll_keep
STANDS_ON = np.array(
    [FIRST_ROLL_KEEP + n if len(set(roll)) < len(roll) else 0 for n, roll in enumerate(ROLLS)], np.int16
)
NOT_LEGAL = np.iinfo(np.int16).min


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep everything; in showdown roll again a hand without a pair."""
    if turn.ruleset.card or len(set(turn.dice)) < len(turn.dice):
        return turn.dice
    return ()


def choose_row(turn: Turn) -> str:
    """Choose the row that pays most now."""
    return max(turn.open_rows, key=turn.score)


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep everything, in many turns; in showdown roll again a hand without a pair."""
    if turns.ruleset.card:
        return turns.roll_id + np.int16(lattice(turns.ruleset.dice).first_roll_keep)
    return STANDS_ON[turns.roll_id]


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that pays most now, in many turns."""
    paid = np.where(turns.legal, turns.row_points, NOT_LEGAL)
    return np.asarray(paid.argmax(axis=1), np.int8)
