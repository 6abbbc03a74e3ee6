"""What a ruleset file can say and no game can mean: rows that no throw fills, options that change nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement
from typing import Any

from arena.dice.lattice import DICE, FACES
from arena.documents import Document
from arena.rules.model import CardSheet, Row, Ruleset, Settlement
from arena.rules.options import SHOWDOWN_OPTIONS
from arena.rules.patterns import pattern_dice, row_points

MOST_ROWS = 60
HAND_DICE = DICE
"""Kinds of hand are those of five dice."""

CARD_KEYS = ("sections", "sections_in_order", "five_bonus", "joker")
HAND_KEYS = ("ranking",)
OF_ALL_GAMES = ("rolls",)

NEEDED: Mapping[str, tuple[str, Callable[[CardSheet, Mapping[str, Any]], bool]]] = {
    "joker": ("a joker", lambda sheet, _: sheet.joker is not None),
    "five_bonus": ("five_bonus, with its row", lambda sheet, _: sheet.five_bonus is not None),
    "upper_bonus_at": ("a bonus with at: upper_bonus_at", lambda _, file: _bonus_at_option(file)),
    "first_roll_doubles": ("a row with doubles: true", lambda _, file: _any_doubles(file)),
    "sections_in_order": ("a second section", lambda sheet, _: len(sheet.sections) > 1),
}
"""What a card game must have for an option to change anything: in words, and how it is seen."""


def refuse_senseless(document: Document, ruleset: Ruleset) -> None:
    """Refuse what would be silently without effect in a ruleset.

    Raises:
        FileError: at the place that says it.
    """
    file = document.data
    strange = HAND_KEYS if ruleset.card else CARD_KEYS
    for key in strange:
        if key in file:
            raise document.error(f"means nothing with game: {file['game']}", (key,))
    for option in ruleset.options:
        if option.name not in OF_ALL_GAMES and (option.name in SHOWDOWN_OPTIONS) == bool(ruleset.card):
            raise document.error(f"means nothing with game: {file['game']}", ("options", option.name))
    if ruleset.min_seats > ruleset.max_seats:
        raise document.error(f"is more than max_seats, {ruleset.max_seats}", ("min_seats",))
    if ruleset.card:
        _check_card(document, ruleset, ruleset.card)
    else:
        if ruleset.dice != HAND_DICE:
            raise document.error(f"hands are of {HAND_DICE} dice", ("dice",))
        if ruleset.min_seats < 2:
            raise document.error("hands are compared by two seats at least: write min_seats: 2", ("min_seats",))


def _check_card(document: Document, ruleset: Ruleset, sheet: CardSheet) -> None:
    file = document.data
    if ruleset.settlement is Settlement.CHIPS:
        raise document.error(
            "chips are for games of hands; a card game settles by none, bank or mean", ("settlement",)
        )
    if len(sheet.rows) > MOST_ROWS:
        raise document.error(f"has {len(sheet.rows)} rows; {MOST_ROWS} at most", ("sections",))
    for option in ruleset.options:
        if option.name in NEEDED:
            words, has = NEEDED[option.name]
            if not has(sheet, file):
                raise document.error(f"changes nothing without {words}", ("options", option.name))
    if "sections_in_order" in file and "sections_in_order" in file["options"]:
        raise document.error("stands among the options too; one of them is enough", ("sections_in_order",))
    throws = list(combinations_with_replacement(range(1, FACES + 1), ruleset.dice))
    for section in sheet.sections:
        for row in section.rows:
            if not any(pattern_dice(sheet, row, dice) for dice in throws):
                sequence = row.sequence if isinstance(row.sequence, tuple) else [row.sequence or ""]
                what = f"{row.pattern} {''.join(map(str, sequence))}".strip()
                place = ("sections", section.name, "rows", row.name)
                raise document.error(f"no throw of {ruleset.dice} dice shows {what}", place)
    for key, part in (("five_bonus", sheet.five_bonus), ("joker", sheet.joker)):
        if part is not None and part.holds is not None:
            held = next(row for row in sheet.rows if row.name == part.row)
            if part.holds not in _payable(sheet, held, throws):
                raise document.error(f"{part.row} never holds {part.holds}", (key, "holds"))


def _payable(sheet: CardSheet, row: Row, throws: list[tuple[int, ...]]) -> set[int]:
    return {row_points(sheet, row, dice, first_roll=first) for dice in throws for first in (False, True)}


def _bonus_at_option(file: Mapping[str, Any]) -> bool:
    bonuses = [section.get("bonus") or {} for section in file["sections"].values()]
    return any(bonus.get("at") == "upper_bonus_at" for bonus in bonuses)


def _any_doubles(file: Mapping[str, Any]) -> bool:
    return any(row.get("doubles") for section in file["sections"].values() for row in section["rows"].values())
