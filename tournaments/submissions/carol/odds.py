"""What Carol thinks of dice."""

GOOD_ENOUGH = 30


def promising(dice):
    """Return the faces that show most often, the higher of two."""
    best = max(dice, key=lambda face: (dice.count(face), face))
    return tuple(face for face in dice if face == best)
