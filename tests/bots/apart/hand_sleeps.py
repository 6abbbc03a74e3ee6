"""Functions that sleep at one rare hand; else they take the first roll and the first open row."""

import time


def hold(turn):
    if turn.round == 1 and sum(turn.dice) == 10:
        time.sleep(3600)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
