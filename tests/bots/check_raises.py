"""Looks at its first opponent, and has none when it plays alone."""


def hold(turn):
    return turn.dice if turn.ruleset.showdown or leads(turn) else ()


def choose_row(turn):
    return turn.open_rows[0]


def leads(turn):
    return turn.total >= turn.opponents[0].total
