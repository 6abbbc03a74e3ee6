"""Functions that raise at one hand; see hand_dies.py."""


def hold(turn):
    if turn.round == 4 and turn.roll == 1 and sum(turn.dice) % 9 == 0:
        raise ValueError
    return turn.dice[: turn.rng.below(6)]


def choose_row(turn):
    return turn.rng.choice(turn.open_rows)
