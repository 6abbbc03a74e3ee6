"""A class whose instances share what each believes its own."""


class Shares:
    """Does in the next game what it did well to do in the last."""

    kept = []

    def hold(self, turn):
        if turn.round == 1 and turn.roll == 1:
            self.kept.append(turn.dice)
        return turn.dice if len(self.kept) % 2 else ()

    def choose_row(self, turn):
        return turn.open_rows[0]
