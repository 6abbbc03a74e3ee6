"""Showdown's hands, compared again from the rules' own sentences: plain Python, and none of the arena's code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

TIE_BREAKS = ("face", "kickers", "high_die")


@cache
def kinds(straight_above_three: bool) -> list[str]:
    """Return the kinds of hand, the highest first."""
    middle = ["straight", "three_of_a_kind"] if straight_above_three else ["three_of_a_kind", "straight"]
    return ["five_of_a_kind", "four_of_a_kind", "full_house", *middle, "two_pairs", "pair", "nothing"]


def faces_seen(dice: Sequence[int], times: int) -> list[int]:
    """Return the faces that show exactly so many times, the higher first."""
    return [face for face in (6, 5, 4, 3, 2, 1) if list(dice).count(face) == times]


@cache
def kind_of(dice: tuple[int, ...]) -> str:
    """Return the kind of a hand."""
    if faces_seen(dice, 5):
        return "five_of_a_kind"
    if faces_seen(dice, 4):
        return "four_of_a_kind"
    if faces_seen(dice, 3):
        return "full_house" if faces_seen(dice, 2) else "three_of_a_kind"
    if set(dice) in ({1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}):
        return "straight"
    return ("nothing", "pair", "two_pairs")[len(faces_seen(dice, 2))]


def compare(a: tuple[int, ...], b: tuple[int, ...], *, tie_break: str, straight_above_three: bool = True) -> int:
    """Return 1 if the first hand wins, -1 if the second does, 0 if they tie."""
    order = kinds(straight_above_three)
    if kind_of(a) != kind_of(b):
        return 1 if order.index(kind_of(a)) < order.index(kind_of(b)) else -1
    steps = _to_compare(a, tie_break), _to_compare(b, tie_break)
    for mine, theirs in zip(*steps, strict=True):
        if mine != theirs:
            return 1 if mine > theirs else -1
    return 0


@cache
def _to_compare(dice: tuple[int, ...], tie_break: str) -> list[int]:
    """Return the faces that two hands of this kind compare, one after the other."""
    if tie_break == "high_die":
        return [max(dice)]
    kind = kind_of(dice)
    if kind == "straight":
        return [max(dice)]
    forming = [face for times in (5, 4, 3, 2) for face in faces_seen(dice, times)]  # the larger group first
    return forming + faces_seen(dice, 1) if tie_break == "kickers" else forming
