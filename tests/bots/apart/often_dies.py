"""Functions that end their process at every first roll of the second round."""

import os


def hold(turn):
    if turn.round == 2:
        os._exit(4)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
