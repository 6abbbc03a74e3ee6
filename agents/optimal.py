"""Plays every turn for the greatest expected points of the whole game, exactly; in showdown for its share of the pot.

Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card.
"""

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns, best_gains, hand_stakes, keep_values, lattice, row_gain, row_payments, values

TIE = 1e-9


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice that are worth most."""
    if turn.ruleset.card:
        charges = -values(turn.ruleset).after(turn)
        at_last = best_gains(turn, charges=charges)
        at_first = best_gains(turn, charges=charges, first_roll=True) if turn.roll == 1 else at_last
    else:
        at_last = at_first = hand_stakes(turn)
    dice = lattice(turn.ruleset.dice)
    keeps = list(dice.sub_keeps[turn.roll_id])
    worth = keep_values(at_last, turn.rolls_left, dice.dice)[keeps]
    worth[-1] = at_first[turn.roll_id]  # the last keeps all, and so stops
    best = np.flatnonzero(worth >= worth.max() - TIE)
    return dice.keeps[keeps[int(best[-1])]]


def choose_row(turn: Turn) -> str:
    """Choose the row that is worth most, with all that can still come after it."""
    assert turn.ruleset.card
    names = [row.name for row in turn.ruleset.card.rows]
    after, payments = values(turn.ruleset).after(turn), row_payments(turn)
    worth = {
        row: row_gain(turn, row) + float(after[at, np.searchsorted(payments[at], turn.score(row))])
        for row, at in ((row, names.index(row)) for row in turn.open_rows)
    }
    best = max(worth.values()) - TIE
    return next(row for row in turn.open_rows if worth[row] >= best)


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the dice that are worth most, in many turns."""
    rows, roll = np.arange(len(turns)), turns.roll_id
    if turns.ruleset.card:
        charges = -values(turns.ruleset).after(turns)
        at_last = best_gains(turns, charges=charges)
        doubles = turns.roll[0] == 1 and any(row.doubles for row in turns.ruleset.card.rows)
        at_first = best_gains(turns, charges=charges, first_roll=True) if doubles else at_last
    else:
        at_last = at_first = hand_stakes(turns)
    dice = lattice(turns.ruleset.dice)
    worth = np.where(turns.keepable, keep_values(at_last, int(turns.rolls_left[0]), dice.dice), -np.inf)
    worth[rows, roll + dice.first_roll_keep] = at_first[rows, roll]
    best = worth >= worth.max(axis=1, keepdims=True) - TIE
    return np.asarray(worth.shape[1] - 1 - best[:, ::-1].argmax(axis=1), np.int16)


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that is worth most, in many turns."""
    after, payments = values(turns.ruleset).after(turns), row_payments(turns)
    paid = np.stack([np.searchsorted(of, turns.row_points[:, at]) for at, of in enumerate(payments)], axis=1)
    worth = turns.row_gains + np.take_along_axis(after, paid[:, :, None], axis=2)[:, :, 0]
    worth[~turns.legal] = -np.inf
    return np.asarray((worth >= worth.max(axis=1, keepdims=True) - TIE).argmax(axis=1), np.int8)
