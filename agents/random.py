"""Keeps each die or not by the toss of a coin, and writes into any open row."""


def hold(turn):
    return tuple(face for face in turn.dice if turn.rng.below(2))


def choose_row(turn):
    return turn.rng.choice(turn.open_rows)
