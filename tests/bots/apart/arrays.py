"""Answers many turns at once with what are no answers."""

import os
import signal

import numpy as np


def good_holds(turns):
    return np.full(len(turns), len(turns.dice[0]) and 461, dtype=np.int16)


class Sly(np.ndarray):
    """An array that counts as another type."""

    def astype(self, *args, **kwargs):
        return [0] * 3

    def min(self, *args, **kwargs):
        return 0


class Object:
    def __array__(self, *args, **kwargs):
        raise KeyError("no array")


HOLDS = {
    "none": lambda turns, good: None,
    "short": lambda turns, good: good[:-1],
    "long": lambda turns, good: np.repeat(good, 2),
    "floats": lambda turns, good: good.astype(float),
    "nans": lambda turns, good: np.full(len(good), np.nan),
    "objects": lambda turns, good: good.astype(object),
    "minus_crash": lambda turns, good: np.full(len(good), -5, dtype=np.int16),
    "minus": lambda turns, good: np.full(len(good), -1, dtype=np.int64),
    "beyond": lambda turns, good: np.full(len(good), 1 << 40, dtype=np.int64),
    "all_last": lambda turns, good: np.full(len(good), 461, dtype=np.int64),
    "object": lambda turns, good: Object(),
    "exit": lambda turns, good: os._exit(3),
    "kill": lambda turns, good: os.kill(os.getpid(), signal.SIGKILL),
    "spin": lambda turns, good: spin(),
    "raise": lambda turns, good: 1 / 0,
    "memory": lambda turns, good: np.ones(1 << 40),
    "writes": lambda turns, good: turns.dice.__setitem__(0, 6),
    "unlocks": lambda turns, good: turns.dice.setflags(write=True) or good,
}


def spin():
    while True:
        pass


class Arrays:
    def __init__(self, what):
        self.answer = HOLDS[what]

    def hold_many(self, turns):
        kept = turns.dice.shape[1]
        good = turns.keep_ids(np.full(len(turns.slot), (1 << kept) - 1))
        return self.answer(turns, good)

    def choose_row_many(self, turns):
        return turns.legal.argmax(axis=1).astype(np.int8)
