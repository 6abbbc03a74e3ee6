"""The score cards, written again from the rules' own sentences: plain Python, and none of the arena's code.

Rolls are any order of five faces, cards are mappings from a filled row to the points it holds, and options are
those that differ from the default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Options = Mapping[str, Any]
Held = Mapping[str, int]

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")

SCHOOL_UPPER = {row: f"school {face}" for face, row in enumerate(UPPER, start=1)}
FACE_UPPER = {row: f"sum_face {face}" for face, row in enumerate(UPPER, start=1)}

PAYS: dict[str, dict[str, str]] = {
    "two-stage": {
        **SCHOOL_UPPER,
        "pair": "sum_pattern doubled",
        "two_pairs": "sum_pattern doubled",
        "three_of_a_kind": "sum_pattern doubled",
        "small_straight": "sum_pattern doubled",
        "large_straight": "sum_pattern doubled",
        "full_house": "sum_pattern doubled",
        "four_of_a_kind": "sum_pattern doubled",
        "five_of_a_kind": "sum_pattern doubled, 50 more",
    },
    "school": {
        **SCHOOL_UPPER,
        "pair": "sum_pattern doubled",
        "two_pairs": "sum_pattern doubled",
        "three_of_a_kind": "sum_pattern doubled",
        "small_straight": "sum_pattern doubled",
        "large_straight": "sum_pattern doubled",
        "full_house": "sum_pattern doubled",
        "four_of_a_kind": "sum_pattern doubled",
        "five_of_a_kind": "sum_pattern doubled, 50 more",
        "chance": "sum_all",
    },
    "fifteen": {
        **FACE_UPPER,
        "pair": "sum_all",
        "two_pairs": "sum_all",
        "three_of_a_kind": "sum_all",
        "four_of_a_kind": "sum_all",
        "full_house": "fixed 25",
        "small_straight": "fixed 30",
        "large_straight": "fixed 40",
        "five_of_a_kind": "fixed 50",
        "chance": "sum_all",
    },
    "thirteen": {
        **FACE_UPPER,
        "three_of_a_kind": "sum_all",
        "four_of_a_kind": "sum_all",
        "full_house": "fixed 25",
        "small_straight": "fixed 30",
        "large_straight": "fixed 40",
        "five_of_a_kind": "fixed 50",
        "chance": "sum_all",
    },
    "yahtzee": {
        **FACE_UPPER,
        "three_of_a_kind": "sum_all",
        "four_of_a_kind": "sum_all",
        "full_house": "fixed 25",
        "small_straight": "fixed 30",
        "large_straight": "fixed 40",
        "five_of_a_kind": "fixed 50",
        "chance": "sum_all",
    },
    "yatzy": {
        **FACE_UPPER,
        "pair": "sum_pattern",
        "two_pairs": "sum_pattern",
        "three_of_a_kind": "sum_pattern",
        "four_of_a_kind": "sum_pattern",
        "small_straight": "sum_pattern",
        "large_straight": "sum_pattern",
        "full_house": "sum_pattern",
        "chance": "sum_all",
        "five_of_a_kind": "fixed 50",
    },
}
"""Rows in card order and what they pay, in the words of the rules."""

CARD_GAMES = tuple(PAYS)

STRAIGHTS = {  # the sequences that hold, the best first
    "small_straight": {"any": ("3456", "2345", "1234"), "fixed": ("12345",)},
    "large_straight": {"any": ("23456", "12345"), "fixed": ("23456",)},
}
FIXED_STRAIGHTS = ("school", "yatzy")

TURNS = {"two-stage": 2, "school": 15, "fifteen": 15, "thirteen": 13, "yahtzee": 13, "yatzy": 15}

OF_A_KIND = {"pair": 2, "three_of_a_kind": 3, "four_of_a_kind": 4, "five_of_a_kind": 5}


def pattern_of(ruleset: str, row: str, dice: Sequence[int], options: Options) -> tuple[int, ...] | None:
    """Return the dice that form the row's pattern, None if it does not hold."""
    count = {face: list(dice).count(face) for face in (6, 5, 4, 3, 2, 1)}
    found: list[tuple[int, ...]] = []
    if row in UPPER or row == "chance":
        found = [tuple(dice)]
    elif row in OF_A_KIND:
        found = [(face,) * OF_A_KIND[row] for face in count if count[face] >= OF_A_KIND[row]]
    elif row == "two_pairs":
        twice = [face for face in count if count[face] >= 2]
        if len(twice) == 2:
            found = [(twice[0], twice[0], twice[1], twice[1])]
        elif options.get("four_is_two_pairs"):
            found = [(face,) * 4 for face in count if count[face] >= 4]
    elif row == "full_house":
        of_two_faces = 3 in count.values() and 2 in count.values()
        of_one_face = 5 in count.values() and options.get("five_is_full_house")
        if of_two_faces or of_one_face:
            found = [tuple(dice)]
    else:
        runs = STRAIGHTS[row]["fixed" if ruleset in FIXED_STRAIGHTS else "any"]
        found = [tuple(map(int, run)) for run in runs if set(map(int, run)) <= set(dice)]
    return found[0] if found else None


def row_pays(ruleset: str, row: str, dice: Sequence[int], *, first_roll: bool, options: Options) -> int:
    """Return what the row pays by itself."""
    pattern = pattern_of(ruleset, row, dice, options)
    if pattern is None:
        return 0
    pay = PAYS[ruleset][row]
    word, *rest = pay.split()
    if word == "sum_all":
        points = sum(dice)
    elif word == "sum_pattern":
        points = sum(pattern)
    elif word == "fixed":
        points = int(rest[0])
    else:
        face = int(rest[0])
        n = list(dice).count(face)
        points = n * face if word == "sum_face" else (n - 3) * face
    if "doubled" in pay and first_roll and options.get("first_roll_doubles", True):
        points += points
    return points + 50 if pay.endswith("50 more") else points


def joker_is_in_force(ruleset: str, held: Held, dice: Sequence[int], options: Options) -> bool:
    """Return True if five of a kind must, or may, be written by the joker's rule."""
    if ruleset not in ("fifteen", "yahtzee") or len(set(dice)) > 1 or options.get("joker") == "none":
        return False
    if ruleset == "fifteen":
        return held.get("five_of_a_kind") == 50
    return "five_of_a_kind" in held


def open_rows(ruleset: str, held: Held, options: Options) -> list[str]:
    """Return the rows open to any roll, in card order."""
    rows = list(PAYS[ruleset])
    part_1 = [row for row in rows if row in UPPER]
    part_2 = [row for row in rows if row not in UPPER]
    if ruleset == "two-stage":
        if not any(row in held for row in part_1):
            return part_1
        return part_2 if not any(row in held for row in part_2) else []
    if ruleset == "school" and options.get("sections_in_order", True):
        return [row for row in part_1 if row not in held] or [row for row in part_2 if row not in held]
    return [row for row in rows if row not in held]


def legal_rows(ruleset: str, held: Held, dice: Sequence[int], options: Options) -> list[str]:
    """Return the rows that the roll may fill, in card order."""
    rows = open_rows(ruleset, held, options)
    if not joker_is_in_force(ruleset, held, dice, options) or options.get("joker") == "free":
        return rows
    own = UPPER[dice[0] - 1]
    if own in rows:
        return [own]
    lower = [row for row in rows if row not in UPPER]
    return lower or rows


def turn_pays(ruleset: str, held: Held, row: str, dice: Sequence[int], *, first_roll: bool, options: Options) -> int:
    """Return what a legal row pays for a roll, a joker's full pay included."""
    if (
        row not in UPPER
        and joker_is_in_force(ruleset, held, dice, options)
        and UPPER[dice[0] - 1] in held  # by the free joker, only then
    ):
        return {"full_house": 25, "small_straight": 30, "large_straight": 40}.get(row, sum(dice))
    return row_pays(ruleset, row, dice, first_roll=first_roll, options=options)


def five_pays(ruleset: str, held: Held, dice: Sequence[int], options: Options) -> int:
    """Return the points for a further five of a kind."""
    if ruleset not in ("fifteen", "yahtzee") or len(set(dice)) > 1 or held.get("five_of_a_kind") != 50:
        return 0
    return int(options.get("five_bonus", 100))


def section_bonus(ruleset: str, held: Held, options: Options) -> int:
    """Return the bonus that the filled rows have earned so far."""
    upper = [held[row] for row in UPPER if row in held]
    if ruleset == "two-stage":
        return 50 if upper and upper[0] >= 0 else 0
    if ruleset == "school":
        return 50 if len(upper) == 6 and sum(upper) >= 0 else 0
    if ruleset == "thirteen" or not upper:
        return 0
    points, at = {"fifteen": (35, 64), "yahtzee": (35, 63), "yatzy": (50, 63)}[ruleset]
    return points if sum(upper) >= options.get("upper_bonus_at", at) else 0
