"""Takes the first roll as it comes and writes it where it pays most; in showdown stands on any pair."""

from arena import Turn


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep everything; in showdown roll again a hand without a pair."""
    if turn.open_rows or len(set(turn.dice)) < len(turn.dice):
        return turn.dice
    return ()


def choose_row(turn: Turn) -> str:
    """Choose the row that pays most now."""
    return max(turn.open_rows, key=turn.score)
