"""A bot of two files: stops once a row pays enough."""

import odds


def hold(turn):
    """Stop if the dice are good enough, else keep what may become more."""
    if any(turn.score(row) >= odds.GOOD_ENOUGH for row in turn.open_rows):
        return turn.dice
    return odds.promising(turn.dice)


def choose_row(turn):
    """Choose the row that pays most."""
    return max(turn.open_rows, key=turn.score)
