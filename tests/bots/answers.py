"""Answers what nobody should answer; else takes the first roll and the first open row."""

import math

import numpy as np


class Liar:
    """Says that it is equal to everything, and that it is a keep."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash((6, 6, 6, 6, 6))


class Unhashable:
    def __hash__(self):
        raise RuntimeError("no hash")


class NoList:
    """Looks like a list until it is read."""

    __hash__ = None

    def __init__(self, size):
        self.size = size

    def __len__(self):
        if isinstance(self.size, Exception):
            raise self.size
        return self.size

    def __iter__(self):
        raise RuntimeError("no items")


class Endless(NoList):
    """Says that it has two dice, and has no end."""

    def __iter__(self):
        while True:
            yield 1


class Unspeakable:
    def __repr__(self):
        raise SystemExit(7)


class Name(str):
    """A row's name that lies about which."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("ones")


HOLDS = {
    "list": lambda turn: list(turn.dice[:2]),
    "backwards": lambda turn: turn.dice[::-1],
    "array": lambda turn: np.array(turn.dice[::-1], dtype=np.uint8),
    "empty_array": lambda turn: np.array([], dtype=np.int64),
    "iterated_array": lambda turn: tuple(np.array(turn.dice)),
    "none": lambda turn: None,
    "true": lambda turn: True,
    "number": lambda turn: 5,
    "float": lambda turn: 5.5,
    "nan": lambda turn: math.nan,
    "huge": lambda turn: 10**6000,
    "text": lambda turn: "".join(map(str, turn.dice)),
    "empty_text": lambda turn: "",
    "bytes": lambda turn: bytes(turn.dice),
    "nan_die": lambda turn: (math.nan,),
    "half_die": lambda turn: (turn.dice[0] + 0.5,),
    "six_dice": lambda turn: (*turn.dice, turn.dice[0]),
    "other_dice": lambda turn: (turn.dice[0] % 6 + 1,) * 5,
    "no_face": lambda turn: (0,),
    "negative": lambda turn: (-1,),
    "seven": lambda turn: (7,),
    "generator": lambda turn: (die for die in turn.dice),
    "nested": lambda turn: [list(turn.dice)],
    "nested_tuple": lambda turn: (turn.dice,),
    "nested_array": lambda turn: np.array([turn.dice]),
    "number_array": lambda turn: np.array(5),
    "liar": lambda turn: Liar(),
    "too_long": lambda turn: NoList(10**9),
    "endless": lambda turn: Endless(2),
    "unspeakable": lambda turn: Unspeakable(),
    "class": lambda turn: Unspeakable,
    "unhashable": lambda turn: Unhashable(),
    "no_items": lambda turn: NoList(2),
    "no_length": lambda turn: NoList(RuntimeError("no length")),
}

CHOICES = {
    "none": lambda turn: None,
    "number": lambda turn: 0,
    "nan": lambda turn: math.nan,
    "huge": lambda turn: 10**6000,
    "unknown": lambda turn: "sevens",
    "empty_text": lambda turn: "",
    "bytes": lambda turn: turn.open_rows[0].encode(),
    "list": lambda turn: [turn.open_rows[0]],
    "tuple": lambda turn: turn.open_rows,
    "closed": lambda turn: next((row for row, points in turn.card.items() if points is not None), "none yet"),
    "not_yet": lambda turn: next(row for row in reversed(turn.card) if row not in turn.open_rows),
    "liar": lambda turn: Name("ones") if "ones" not in turn.open_rows else turn.open_rows[0],
    "unspeakable": lambda turn: Unspeakable(),
}


class Answers:
    """Gives one kind of answer.

    Args:
        hold: which answer to the first question, a key of `HOLDS`.
        choose_row: which answer to the second, a key of `CHOICES`.
    """

    def __init__(self, hold="", choose_row=""):
        self.to_hold = HOLDS[hold] if hold else lambda turn: turn.dice
        self.to_choose = CHOICES[choose_row] if choose_row else lambda turn: turn.open_rows[0]

    def hold(self, turn):
        return self.to_hold(turn)

    def choose_row(self, turn):
        return self.to_choose(turn)
