"""A module of functions that fails whenever it is asked."""


def hold(turn):
    return 1 / 0


def choose_row(turn):
    return turn.open_rows[0]
