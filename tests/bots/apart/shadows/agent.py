"""Imports its own numpy, json and arena, which are none."""

import arena
import json
import numpy

from helper import NUMBER

assert (arena.MINE, json.MINE, numpy.MINE, NUMBER) == (True, True, True, 5)


def hold(turn):
    import struct

    assert struct.MINE
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
