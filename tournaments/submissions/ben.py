"""A bot that remembers something for as long as a game lasts."""


class Ben:
    """Collects the face that it saw most often in this game."""

    def __init__(self):
        """Begin with nothing seen."""
        self.seen = []

    def hold(self, turn):
        """Keep the face seen most often."""
        self.seen += turn.dice
        favourite = max(turn.dice, key=self.seen.count)
        return (favourite,) * turn.dice.count(favourite)

    def choose_row(self, turn):
        """Choose the row that pays most."""
        return max(turn.open_rows, key=turn.score)
