"""Answers what is no answer: to its first question of every game, or in its rows."""

import math


def hand(turn):
    return turn.dice


class Tricky:
    """Equal to everything, and endless."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash((1, 1, 1, 1, 1))

    def __iter__(self):
        while True:
            yield 1

    def __len__(self):
        return 3

    def __repr__(self):
        raise RuntimeError("nothing to show")


class Name(str):
    """A row's name that looks like another's."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class Shifty(list):
    """Another thing whenever it is looked at."""

    def __iter__(self):
        self.append(6)
        return iter([7] * 5)


def not_held(turn):
    return (next(face for face in range(1, 7) if face not in turn.dice),)


def closed(turn):
    return next((row for row, points in turn.card.items() if points is not None), turn.open_rows[0])


HOLDS = {
    "none": lambda turn: None,
    "text": lambda turn: "11111",
    "bytes": lambda turn: b"\1\1",
    "float": lambda turn: 1.5,
    "nan": lambda turn: math.nan,
    "nans": lambda turn: (math.nan, math.nan),
    "huge": lambda turn: 1 << 100_000,
    "huge_faces": lambda turn: (1 << 100_000,),
    "six_dice": lambda turn: (*turn.dice, 1),
    "not_held": not_held,
    "all_ones": lambda turn: (1, 1, 1, 1, 1) if turn.dice != (1, 1, 1, 1, 1) else (2,),
    "zero": lambda turn: (0,),
    "negative": lambda turn: (-1,),
    "million": lambda turn: [1] * 1_000_000,
    "generator": lambda turn: (face for face in turn.dice),
    "dict_of_lists": lambda turn: {"keep": [1]},
    "tricky": lambda turn: Tricky(),
    "shifty": lambda turn: Shifty([1]),
    "itself": lambda turn: turn,
}
ROWS = {
    "none": lambda turn: None,
    "number": lambda turn: 0,
    "nan": lambda turn: math.nan,
    "unknown": lambda turn: "no such row",
    "list": lambda turn: [turn.open_rows[0]],
    "huge_text": lambda turn: "x" * (3 << 20),
    "tricky": lambda turn: Tricky(),
    "name": lambda turn: Name("no such row"),
    "control": lambda turn: "\x1b[2J\ud800\n\0",
    "closed": closed,
}


class Answers:
    def __init__(self, hold="", row=""):
        self.what, self.which = HOLDS.get(hold, hand), ROWS.get(row)

    def hold(self, turn):
        return self.what(turn)

    def choose_row(self, turn):
        return self.which(turn) if self.which else turn.open_rows[0]


class Joker:
    """Collects its most frequent face, and has its five-of-a-kind row first; where a joker forbids rows it takes one.

    Args:
        honest: take one that is allowed there, too.
    """

    def __init__(self, honest=False):
        self.honest = honest

    def hold(self, turn):
        most = max(turn.dice, key=turn.dice.count)
        return tuple(face for face in turn.dice if face == most)

    def choose_row(self, turn):
        forbidden = [row for row, points in turn.card.items() if points is None and row not in turn.open_rows]
        if forbidden and not self.honest:
            return forbidden[0]
        fives = "five_of_a_kind" in turn.open_rows and len(set(turn.dice)) == 1
        return "five_of_a_kind" if fives else turn.open_rows[0]
