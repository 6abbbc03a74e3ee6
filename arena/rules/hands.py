"""Showdown's hands: kinds, and one number by which any two of them compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.dice.lattice import lattice
from arena.frozen import Frozen
from arena.rules.model import FaceStyle, Hand, Ruleset, ShowdownSheet, TieBreak

CARD_FACES = ("9", "10", "J", "Q", "K", "A")

SHAPES = {
    (5,): Hand.FIVE_OF_A_KIND,
    (4, 1): Hand.FOUR_OF_A_KIND,
    (3, 2): Hand.FULL_HOUSE,
    (3, 1, 1): Hand.THREE_OF_A_KIND,
    (2, 2, 1): Hand.TWO_PAIRS,
    (2, 1, 1, 1): Hand.PAIR,
}


def hand_kind(dice: Sequence[int]) -> Hand:
    """Return the kind of a hand of five dice; the straight is any five in sequence."""
    shape = tuple(sorted(Counter(dice).values(), reverse=True))
    if shape in SHAPES:
        return SHAPES[shape]
    return Hand.STRAIGHT if max(dice) - min(dice) == len(dice) - 1 else Hand.NOTHING


def hand_strength(sheet: ShowdownSheet, dice: Sequence[int]) -> tuple[int, ...]:
    """Return what compares as the hand does: greater is better, equal ties.

    Args:
        sheet: the ranking of kinds and the tie-break.
        dice: five faces.

    Source:
        "Покер на костях" (Russian rules page with a glossary) for the kinds; the tie-breaks are the arena's options.
    """
    kind = hand_kind(dice)
    place = len(sheet.ranking) - sheet.ranking.index(kind)
    counts = Counter(dice)
    groups = sorted(counts, key=lambda face: (counts[face], face), reverse=True)
    match kind:
        case Hand.NOTHING:
            pattern: list[int] = []
        case Hand.STRAIGHT:
            pattern = [max(dice)]
        case _:
            pattern = [face for face in groups if counts[face] >= 2]
    match sheet.tie_break:
        case TieBreak.HIGH_DIE:
            return (place, max(dice))
        case TieBreak.KICKERS:
            rest = [] if kind is Hand.STRAIGHT else [face for face in groups if face not in pattern]
            return (place, *pattern, *rest)
        case TieBreak.FACE:
            return (place, *pattern)


class HandRules(Frozen):
    """Showdown's rules, compiled to a table.

    Args:
        ruleset: a showdown ruleset.

    Attributes:
        ruleset: the same.
        ranks: by roll id, from 0 for the lowest hand; equal ranks tie.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        assert ruleset.showdown is not None
        self.ruleset, self.sheet = ruleset, ruleset.showdown
        strengths = [hand_strength(self.sheet, dice) for dice in lattice(ruleset.dice).rolls]
        order = {strength: rank for rank, strength in enumerate(sorted(set(strengths)))}
        self.ranks = tuple(order[strength] for strength in strengths)
        self.freeze()


def show_dice(dice: Sequence[int], faces: FaceStyle = FaceStyle.NUMBERS) -> str:
    """Return dice as people read them: ``5 5 3 2 1``, or ``K K J 10 9`` where faces are cards."""
    return " ".join(CARD_FACES[face - 1] if faces == FaceStyle.CARDS else str(face) for face in dice)
