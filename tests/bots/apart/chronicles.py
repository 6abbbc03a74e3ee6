"""Writes every question down where others of its kind do, before it answers: at `process` nothing prevents that.

Args:
    path: the file.
    hasty: the seat at which it takes the dice as they fall, so that it is asked for fewer holds than at others.
"""


class Chronicler:
    def __init__(self, path, hasty=None):
        self.path, self.hasty = path, hasty

    def write(self, turn, roll):
        with open(self.path, "a") as file:
            file.write(f"{turn.round} {turn.seat} {roll}\n")

    def hold(self, turn):
        self.write(turn, turn.roll)
        return turn.dice if turn.seat == self.hasty else ()

    def choose_row(self, turn):
        self.write(turn, 99)
        return turn.open_rows[0]
