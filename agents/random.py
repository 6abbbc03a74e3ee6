"""Keeps each die or not by the toss of a coin, and writes into any open row."""

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns


def hold(turn: Turn) -> tuple[int, ...]:
    """Toss a coin a die, all in one draw."""
    coins = turn.rng.below(1 << len(turn.dice))
    return tuple(face for die, face in enumerate(turn.dice) if coins >> die & 1)


def choose_row(turn: Turn) -> str:
    """Choose any open row."""
    return turn.rng.choice(turn.open_rows)


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Toss a coin a die, in many turns."""
    return turns.keep_ids(turns.rng.below(1 << turns.ruleset.dice))


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose any open row, in many turns."""
    legal = np.ascontiguousarray(turns.legal.T)  # many turns side by side: sums over rows go over whole lines
    chosen = turns.rng.below(legal.sum(axis=0, dtype=np.int8)).astype(np.int8)
    not_yet = np.cumsum(legal, axis=0, dtype=np.int8) <= chosen
    return np.asarray(not_yet.sum(axis=0), np.int8)
