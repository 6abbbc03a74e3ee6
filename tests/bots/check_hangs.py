"""Never comes back from its third round."""


def hold(turn):
    while turn.round == 3:
        pass
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
