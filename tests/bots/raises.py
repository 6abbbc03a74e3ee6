"""Raises what it is told to, where it is told to; else takes the first roll and the first open row."""

import builtins


class Raises:
    """Raises an exception.

    Args:
        at: where: ``hold``, ``choose_row``, or ``hand`` for one hand only.
        error: the exception's name.
        hand: that hand.
    """

    def __init__(self, at, error="ValueError", hand=()):
        self.at, self.error, self.bad_hand = at, getattr(builtins, error), tuple(hand)

    def hold(self, turn):
        if self.at == "hold" or (self.at == "hand" and turn.dice == self.bad_hand):
            raise self.error("it would not hold")
        return turn.dice

    def choose_row(self, turn):
        if self.at == "choose_row":
            raise self.error("it would not choose")
        return turn.open_rows[0]
