"""Goes by the order of a set of strings, which is another in every process."""

LETTERS = "".join({chr(letter) * 3 for letter in range(ord("a"), ord("z") + 1)})


def hold(turn):
    return turn.dice


def choose_row(turn):
    return min(turn.open_rows, key=lambda row: LETTERS.index(row[0]))
