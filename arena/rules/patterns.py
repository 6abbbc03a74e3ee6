"""Points: what a row pays for dice. The one place where they are defined; everything faster is made from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.rules.model import CardSheet, Pattern, Pay, Row

OF_A_KIND = {
    Pattern.PAIR: 2,
    Pattern.THREE_OF_A_KIND: 3,
    Pattern.FOUR_OF_A_KIND: 4,
    Pattern.FIVE_OF_A_KIND: 5,
}
SCHOOL_PAR = 3
"""Dice of the face that make 0 in the school."""


def pattern_dice(sheet: CardSheet, row: Row, dice: Sequence[int]) -> tuple[int, ...] | None:
    """Return the dice that form a row's pattern, or None where it does not hold.

    Args:
        sheet: the card's rules, which may widen the full house and two pairs.
        row: what is asked for.
        dice: the faces now showing.

    Source:
        The patterns are those of the five rule sheets named in the catalogue; where they differ, a row's
        ``sequence`` and the sheet's switches say so.
    """
    counts = Counter(dice)
    faces = sorted(counts, reverse=True)
    match row.pattern:
        case Pattern.CHANCE:
            return tuple(dice)
        case Pattern.TWO_PAIRS:
            most = 2 if sheet.four_is_two_pairs else 1
            pairs = [face for face in faces for _ in range(min(counts[face] // 2, most))]
            return (pairs[0], pairs[0], pairs[1], pairs[1]) if len(pairs) >= 2 else None
        case Pattern.FULL_HOUSE:
            holds = sorted(counts.values()) == [2, 3] or (sheet.five_is_full_house and max(counts.values()) == 5)
            return tuple(dice) if holds else None
        case Pattern.SMALL_STRAIGHT | Pattern.LARGE_STRAIGHT:
            return _sequence(row.sequence, counts)
        case kind:
            size = OF_A_KIND[kind]
            return next(((face,) * size for face in faces if counts[face] >= size), None)


def _sequence(sequence: int | tuple[int, ...], counts: Counter[int]) -> tuple[int, ...] | None:
    if isinstance(sequence, tuple):
        return sequence if counts == Counter(sequence) else None
    for top in range(max(counts), sequence - 1, -1):
        run = tuple(range(top - sequence + 1, top + 1))
        if all(face in counts for face in run):
            return run
    return None


def row_points(
    sheet: CardSheet, row: Row, dice: Sequence[int], *, first_roll: bool = False, as_if: bool = False
) -> int:
    """Return what a row pays for dice, without bonuses of the section or for a further five of a kind.

    Args:
        sheet: the card's rules.
        row: the row that is chosen.
        dice: the faces now showing.
        first_roll: True if all the dice were kept after the first roll.
        as_if: True for a joker: the row pays as if its pattern held (all the dice stand for a missing one).

    Returns:
        Points; below 0 only in the school.

    Source:
        The rule sheet of each ruleset, named in its file under ``source``; what the sheets leave open stands there
        under ``decisions``.
    """
    matched = pattern_dice(sheet, row, dice)
    return pays(row, dice, tuple(dice) if matched is None and as_if else matched, first_roll=first_roll)


def pays(row: Row, dice: Sequence[int], matched: Sequence[int] | None, *, first_roll: bool) -> int:
    """Return what a row pays for dice whose pattern is known: see `row_points`.

    Args:
        row: the row that is chosen.
        dice: the faces now showing.
        matched: those that form the pattern, None where it does not hold.
        first_roll: True if all the dice were kept after the first roll.
    """
    if matched is None:
        return 0
    match row.pay:
        case Pay.SUM_ALL:
            points = sum(dice)
        case Pay.SUM_PATTERN:
            points = sum(matched)
        case Pay.FIXED:
            points = row.amount
        case Pay.SUM_FACE:
            points = row.amount * list(dice).count(row.amount)
        case Pay.SCHOOL:
            points = row.amount * (list(dice).count(row.amount) - SCHOOL_PAR)
    if first_roll and row.doubles:
        points *= 2
    return points + row.plus
