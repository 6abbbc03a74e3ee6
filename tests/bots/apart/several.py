"""Several bots with parameters, which draw random numbers and remember their game."""

import numpy as np


class Scalar:
    def __init__(self, risk=0.5, name="x"):
        self.risk, self.seen = risk, 0

    def hold(self, turn):
        self.seen += sum(turn.dice)
        return tuple(die for die in turn.dice if turn.rng.random() > self.risk * (self.seen % 2))

    def choose_row(self, turn):
        return turn.open_rows[self.seen % len(turn.open_rows)]


class Many:
    def __init__(self, risk=0.5):
        self.risk, self.seen = risk, None

    def hold_many(self, turns):
        if self.seen is None:
            self.seen = np.zeros(1 << 12, dtype=np.int64)
        self.seen[turns.slot] += turns.dice.sum(axis=1, dtype=np.int64)
        coins = turns.rng.below(1 << turns.ruleset.dice)
        return turns.keep_ids(np.where(self.seen[turns.slot] % 2, coins, 0))

    def choose_row_many(self, turns):
        return (
            (turns.legal * turns.row_points).argmax(axis=1) if turns.rng.below(1).any() else turns.legal.argmax(axis=1)
        )
