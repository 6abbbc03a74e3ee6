"""Rolls everything again at every seventh question, whoever asks."""

asked = 0


def hold(turn):
    global asked
    asked += 1
    return turn.dice if asked % 7 else ()


def choose_row(turn):
    return turn.open_rows[0]
