"""Wavers between good moves: the nearer a move is to the best, the likelier it is made.

Moves are compared by what a turn can be expected to earn. A move loses its chance as it falls short of the best, by
the square, and has none left where it falls short by a sixth of the way to the worst. One draw a decision.
"""

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns, best_gains, hand_ranks, keep_values, lattice, row_gain

WAVERING = 1 / 6
LOTS = 1000  # of the best move; whole numbers, so that both forms draw alike

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep dice, likelier those that can be expected to earn more."""
    dice, roll = lattice(turn.ruleset.dice), np.array([turn.roll_id])
    if turn.ruleset.card:
        at_last, at_first = (best_gains(turn, first_roll=first)[None] for first in (False, turn.roll == 1))
    else:
        at_last = at_first = hand_ranks(turn)[None]
    may = np.isin(np.arange(len(dice.keeps)), dice.sub_keeps[turn.roll_id])[None]
    lots = lots_of(keep_worth(at_last, at_first, turn.rolls_left, dice.dice, roll), may)
    return dice.keeps[int(drawn(lots, np.array([turn.rng.below(int(lots.sum()))]))[0])]


def choose_row(turn: Turn) -> str:
    """Choose a row, likelier one that earns more."""
    worth = np.array([[row_gain(turn, row) for row in turn.open_rows]], np.float64)
    lots = lots_of(worth, np.ones(worth.shape, np.bool_))
    return turn.open_rows[int(drawn(lots, np.array([turn.rng.below(int(lots.sum()))]))[0])]


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep dice, likelier those that can be expected to earn more, in many turns."""
    if turns.ruleset.card:
        at_last = at_first = best_gains(turns)
        if turns.roll[0] == 1:
            at_first = best_gains(turns, first_roll=True)
    else:
        at_last = at_first = np.repeat(hand_ranks(turns)[None], len(turns), axis=0)
    worth = keep_worth(at_last, at_first, int(turns.rolls_left[0]), turns.ruleset.dice, turns.roll_id)
    lots = lots_of(worth, turns.keepable)
    return np.asarray(drawn(lots, turns.rng.below(lots.sum(axis=1))), np.int16)


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose a row, likelier one that earns more, in many turns."""
    lots = lots_of(turns.row_gains.astype(np.float64), turns.legal)
    return np.asarray(drawn(lots, turns.rng.below(lots.sum(axis=1))), np.int8)


def keep_worth(at_last: Floats, at_first: Floats, left: int, dice: int, roll: npt.NDArray[np.integer]) -> Floats:
    """Return float64[n, keeps], what each keep is worth; keeping all the dice is worth what the roll is now."""
    worth, rows = keep_values(at_last, left, dice), np.arange(len(roll))
    worth[rows, roll + lattice(dice).first_roll_keep] = at_first[rows, roll]
    return worth


def lots_of(worth: Floats, may: Flags) -> npt.NDArray[np.int64]:
    """Return int64[n, moves], how many lots each move has: 1000 the best, none those that are far from it.

    Args:
        worth: float64[n, moves].
        may: bool[n, moves], which are possible; at least one a line.
    """
    best = np.where(may, worth, -np.inf).max(axis=1, keepdims=True)
    worst = np.where(may, worth, np.inf).min(axis=1, keepdims=True)
    short = (best - worth) / np.where(best > worst, WAVERING * (best - worst), 1.0)
    nearness = np.clip(1.0 - np.where(may, short, 1.0), 0.0, 1.0)
    return np.asarray(np.floor(LOTS * nearness * nearness + 1e-6), np.int64)


def drawn(lots: npt.NDArray[np.int64], number: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return int64[n], the moves whose lots have the numbers drawn."""
    return np.asarray((lots.cumsum(axis=1) > number[:, None]).argmax(axis=1), np.int64)
