"""Takes the first roll as it comes and writes it where it pays most; in showdown stands on any pair."""


def hold(turn):
    if turn.open_rows or len(set(turn.dice)) < len(turn.dice):
        return turn.dice
    return ()


def choose_row(turn):
    return max(turn.open_rows, key=turn.score)
