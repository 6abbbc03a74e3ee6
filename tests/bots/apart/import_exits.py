"""Does it as it is loaded."""

import os

os._exit(3)


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
