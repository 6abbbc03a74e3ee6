"""Positions as they are typed: a ruleset with options, dice, the rows of a card."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from arena.errors import UserError

if TYPE_CHECKING:
    from arena.rules.card import Card, CardRules
    from arena.rules.model import Ruleset

NUMBER = re.compile(r"-?[0-9]{1,9}")
RULESET = click.argument("ruleset_id", metavar="ID|FILE")
OPTION = click.option("--option", "options", multiple=True, metavar="K=V", help="Change an option of the ruleset.")


def ruleset_of(ruleset_id: str, options: Sequence[str]) -> Ruleset:
    """Return the ruleset of an id or a file, with options changed.

    Raises:
        UserError: if there is no such ruleset, its file is wrong, or an option does not fit.
    """
    from arena.agent.plugins import Plugins, ruleset_path
    from arena.rules.file import load_ruleset
    from arena.rules.options import parse_options

    return load_ruleset(ruleset_path(ruleset_id, Plugins()), parse_options(options))


def roll_of(ruleset: Ruleset, text: str) -> int:
    """Return the roll id of dice as they are typed, such as 44416.

    Raises:
        UserError: for another number of dice than the ruleset throws, or what is no face.
    """
    from arena.dice.lattice import FACE_DIGITS, FACES, lattice

    dice = [int(face) if face in FACE_DIGITS else 0 for face in text]
    if len(dice) != ruleset.dice:
        raise UserError(f"{text!r} are {len(dice)} dice; {ruleset.id} throws {ruleset.dice}, written such as 44416")
    if 0 in dice:
        raise UserError(f"{text!r}: {text[dice.index(0)]!r} is no face; faces are 1 to {FACES}")
    return lattice(ruleset.dice).roll_ids[tuple(dice)]


def card_of(card_rules: CardRules, text: str) -> Card:
    """Return the card of rows as they are typed, such as ``fours=12,chance=20``.

    Raises:
        UserError: for what is no row with points, a row filled twice, or a card that cannot be.
    """
    filled: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, points = (piece.strip() for piece in part.partition("="))
        if not equals or not NUMBER.fullmatch(points):
            raise UserError(f"--card: {part!r} is not ROW=POINTS")
        if name in filled:
            raise UserError(f"--card: the row {name!r} is filled twice")
        filled[name] = int(points)
    try:
        return card_rules.card_of(filled)
    except UserError as error:
        raise UserError(f"--card: {error}") from None
