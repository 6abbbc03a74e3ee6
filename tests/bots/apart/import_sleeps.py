"""Does it as it is loaded."""

import time

time.sleep(600)


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
