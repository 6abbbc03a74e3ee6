"""Writes down what it sees: an instance a game and seat, in the order in which they are made."""


class Witness:
    """Keeps dice by a rule, and remembers every question.

    Args:
        keep: how many of the lowest dice to keep.
    """

    witnesses = []

    def __init__(self, keep=0):
        self.keep, self.seen = keep, []
        Witness.witnesses.append(self)

    def hold(self, turn):
        self.seen.append(("hold", turn.seat, turn.round, turn.roll, turn.dice))
        return turn.dice[: self.keep]

    def choose_row(self, turn):
        self.seen.append(("choose_row", turn.seat, turn.round, turn.roll, turn.dice))
        return turn.open_rows[0]
