"""Shipped rulesets with their tables, made once for all tests."""

from __future__ import annotations

from functools import cache
from typing import Any

from arena.dice.lattice import RollId, lattice
from arena.rules.card import Card, CardRules
from arena.rules.hands import HandRules
from arena.rules.model import Ruleset
from arena.rules.shipped import shipped_ruleset

ALL_IDS = ("fifteen", "school", "showdown", "thirteen", "two-stage", "yahtzee", "yatzy")


@cache
def _card_rules(ruleset_id: str, options: frozenset[tuple[str, Any]]) -> CardRules:
    return CardRules(shipped_ruleset(ruleset_id, dict(options)))


@cache
def _hand_rules(options: frozenset[tuple[str, Any]]) -> HandRules:
    return HandRules(shipped_ruleset("showdown", dict(options)))


def card_rules(ruleset_id: str, **options: Any) -> CardRules:
    """Return the rules of a card game with some options changed."""
    return _card_rules(ruleset_id, frozenset(options.items()))


def hand_rules(**options: Any) -> HandRules:
    """Return the rules of showdown with some options changed."""
    return _hand_rules(frozenset(options.items()))


def ruleset_of(ruleset_id: str, **options: Any) -> Ruleset:
    """Return a shipped ruleset with some options changed."""
    return hand_rules(**options).ruleset if ruleset_id == "showdown" else card_rules(ruleset_id, **options).ruleset


def roll_of(dice: str) -> RollId:
    """Return the roll of dice written such as ``55512``, in any order."""
    return lattice().roll_ids[tuple(int(face) for face in dice)]


def faces_of(dice: str) -> tuple[int, ...]:
    """Return dice written such as ``55512`` as faces."""
    return tuple(int(face) for face in dice)


def pays(ruleset_id: str, row: str, dice: str, *, first: bool = False, **options: Any) -> int:
    """Return what a row pays for dice on an empty card."""
    rules = card_rules(ruleset_id, **options)
    return rules.row_pays(rules.empty, rules.row_ids[row], roll_of(dice), first)


def played(rules: CardRules, *turns: str) -> Card:
    """Return the card after turns written such as ``pair 66123`` or ``pair 66123 first``, each of them legal."""
    card = rules.empty
    for turn in turns:
        row, dice, *first = turn.split()
        assert row in rules.open_rows(card, roll_of(dice)), f"{row} is not legal for {dice}"
        card = rules.fill(card, rules.row_ids[row], roll_of(dice), first == ["first"])
    return card
