"""Keeps every face that shows twice or more, and writes where it pays most."""


def hold(turn):
    """Keep what shows twice or more."""
    return tuple(face for face in turn.dice if turn.dice.count(face) > 1)


def choose_row(turn):
    """Choose the row that pays most."""
    return max(turn.open_rows, key=turn.score)
