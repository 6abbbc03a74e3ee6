"""Plays every turn for its greatest expected points, exactly; in showdown for the chance to win the round.

A turn's points are the row's, the bonus for a further five of a kind and a section bonus that the turn makes due.
Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card.
"""

from functools import lru_cache

import numpy as np

from arena import best_gains, hand_ranks, lattice, row_gain

TIE = 1e-9


def hold(turn):
    after_last = hand_shares(turn) if not turn.open_rows else best_gains(turn)
    on_first = after_last if not turn.open_rows else best_gains(turn, first_roll=True)
    dice = turn.ruleset.dice
    values = keep_values(dice, turn.rolls_left, after_last.tobytes())
    of_roll = list(lattice(dice).sub_keeps[turn.roll_id])
    worth = values[of_roll]
    worth[-1] = on_first[turn.roll_id] if turn.roll == 1 else after_last[turn.roll_id]
    best = worth >= worth.max() - TIE
    return lattice(dice).keeps[of_roll[int(np.flatnonzero(best)[-1])]]


def choose_row(turn):
    return max(turn.open_rows, key=lambda row: row_gain(turn, row))


@lru_cache(maxsize=1 << 13)
def keep_values(dice, rolls_left, after_last):
    """Return what each keep is worth, given what each roll is worth when the turn ends with it."""
    dice_lattice = lattice(dice)
    if rolls_left == 1:
        return dice_lattice.expected(np.frombuffer(after_last))
    next_keeps = keep_values(dice, rolls_left - 1, after_last)
    return dice_lattice.expected(dice_lattice.best(next_keeps)[dice_lattice.first_roll_keep :])


def hand_shares(turn):
    """Return the share of the pot that each hand would win now; without a hand to beat, against one plain throw."""
    ranks = hand_ranks(turn)
    shown = [ranks[lattice().roll_ids[hand]] for hand in turn.hands if hand is not None]
    if shown:
        best = max(shown)
        return np.where(ranks > best, 1.0, np.where(ranks == best, 1 / (1 + shown.count(best)), 0.0))
    chance = lattice().roll_probability()
    return ((ranks[:, None] > ranks) + (ranks[:, None] == ranks) / 2) @ chance
