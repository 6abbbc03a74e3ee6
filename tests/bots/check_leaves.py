"""Ends the process in the second round."""

import os


def hold(turn):
    if turn.round == 2:
        os._exit(0)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
