"""Does it as it is loaded."""

import os

os.write(3, b'\x0c\0\0\0\x08\0\0\0{"a": 1}')


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
