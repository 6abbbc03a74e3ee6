"""Its two forms differ: one stops with three of a kind, the other with three of a kind but ones."""

import numpy as np

from arena import lattice


def hold(turn):
    return turn.dice if any(turn.dice.count(face) >= 3 for face in turn.dice) else ()


def choose_row(turn):
    return turn.open_rows[0]


def hold_many(turns):
    stops = np.array([any((dice == face).sum() >= 3 for face in dice if face > 1) for dice in turns.dice])
    return np.where(stops, turns.roll_id + lattice(turns.ruleset.dice).first_roll_keep, 0)


def choose_row_many(turns):
    return turns.legal.argmax(axis=1)
