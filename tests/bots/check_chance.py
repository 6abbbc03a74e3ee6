"""Tosses coins that are not the arena's."""

import random


def hold(turn):
    return turn.dice[: random.randrange(6)]


def choose_row(turn):
    return turn.open_rows[0]
