"""Two bots in one file."""


class Bold:
    """Rolls everything again."""

    def hold(self, turn):
        return ()

    def choose_row(self, turn):
        return turn.open_rows[-1]


class Meek:
    """Stops at once."""

    def __init__(self, row=0, *, last=False):
        self.row = -1 if last else row

    def hold(self, turn):
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[self.row]


class Helper:
    """No bot: it cannot choose a row."""

    def hold(self, turn):
        return turn.dice
