"""Takes the first empty row of its card: not always a legal one, as the joker of five of a kind forbids some."""

SECTIONS = ("two-stage", "school")


def hold(turn):
    return turn.dice


def choose_row(turn):
    if turn.ruleset.id in SECTIONS:
        return turn.open_rows[0]
    return next(row for row, points in turn.card.items() if points is None)
