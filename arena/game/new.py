"""Which game a ruleset is: rules compiled once, a new game for every table."""

from __future__ import annotations

from typing import TypeAlias

from arena.game.card_game import CardGame
from arena.game.showdown_game import ShowdownGame
from arena.game.table import Game, Throws
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.model import Ruleset

Rules: TypeAlias = CardRules | HandRules


def compile_rules(ruleset: Ruleset) -> Rules:
    """Return a ruleset's rules with their tables."""
    return CardRules(ruleset) if ruleset.card else HandRules(ruleset)


def new_game(rules: Rules, seats: int, table: int, throws: Throws) -> Game:
    """Return a game that waits for its first decision.

    Args:
        rules: from `compile_rules`.
        seats: seats at the table.
        table: the table's number, by which its dice are found.
        throws: the dice.
    """
    if isinstance(rules, CardRules):
        return CardGame(rules, seats, table, throws)
    return ShowdownGame(rules, seats, table, throws)
