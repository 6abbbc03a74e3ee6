"""Keeps its most frequent face, the higher of two, and writes where it pays most."""


def hold(turn):
    face = max(turn.dice, key=lambda face: (turn.dice.count(face), face))
    return tuple(die for die in turn.dice if die == face)


def choose_row(turn):
    return max(turn.open_rows, key=turn.score)
