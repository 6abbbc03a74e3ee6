"""Keeps each die or not by the toss of a coin, and writes into any open row."""

from arena import Turn


def hold(turn: Turn) -> tuple[int, ...]:
    """Toss a coin a die."""
    return tuple(face for face in turn.dice if turn.rng.below(2))


def choose_row(turn: Turn) -> str:
    """Choose any open row."""
    return turn.rng.choice(turn.open_rows)
