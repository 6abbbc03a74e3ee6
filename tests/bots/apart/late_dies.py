"""Functions that end their process at a rare hand of the last round."""

import os


def hold(turn):
    if len(turn.card) == turn.round and turn.roll == 1 and sum(turn.dice) == 8:
        os._exit(4)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
