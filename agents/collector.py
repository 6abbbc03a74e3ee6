"""Keeps its most frequent face, the higher of two, and writes where it pays most."""

from arena import Turn


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep every die of the most frequent face."""
    face = max(turn.dice, key=lambda face: (turn.dice.count(face), face))
    return tuple(die for die in turn.dice if die == face)


def choose_row(turn: Turn) -> str:
    """Choose the row that pays most now."""
    return max(turn.open_rows, key=turn.score)
