"""Faults of every kind that a bot can have by itself: most of the first, few of the others."""


class Kinds:
    """Fails at every game's first hold, by the sum of its dice."""

    def hold(self, turn):
        points = sum(turn.dice)
        if points >= 26:
            raise MemoryError("no room")
        if points >= 25:
            return (7, 7)
        return self.failing(turn)

    def failing(self, turn):
        return turn.score("no such row")

    def choose_row(self, turn):
        return turn.open_rows[0]


class Chained(Kinds):
    """Raises one error because of another, each from a call of the arena's."""

    def failing(self, turn):
        try:
            return turn.score("no such row")
        except Exception as error:
            raise RuntimeError("no score") from error


class Unready(Kinds):
    """Cannot make ready for any ruleset."""

    @staticmethod
    def prepare(ruleset):
        raise OSError("not today")
