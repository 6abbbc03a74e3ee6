"""Its class can be made only now and then."""


class Sometimes:
    """Cannot be made every third time."""

    made = 0

    def __init__(self):
        Sometimes.made += 1
        if Sometimes.made % 3 == 0:
            raise OSError("out of order")

    def hold(self, turn):
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
