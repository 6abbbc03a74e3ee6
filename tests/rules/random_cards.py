"""Cards in the middle of a game, made by random legal turns with many fives of a kind, so that jokers come."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from compiled_rules import card_rules

from arena.dice.lattice import RollId
from arena.rules.card import Card, RowId

OPTION_SETS: list[tuple[str, dict[str, Any]]] = [
    ("two-stage", {}),
    ("two-stage", {"first_roll_doubles": False, "five_is_full_house": True, "four_is_two_pairs": True}),
    ("school", {}),
    ("school", {"sections_in_order": False}),
    ("school", {"first_roll_doubles": False, "sections_in_order": False, "five_is_full_house": True}),
    ("fifteen", {}),
    ("fifteen", {"upper_bonus_at": 63, "joker": "none"}),
    ("fifteen", {"upper_bonus_at": 20, "five_bonus": 7, "four_is_two_pairs": True}),
    ("thirteen", {}),
    ("thirteen", {"five_is_full_house": True, "four_is_two_pairs": True}),
    ("yahtzee", {}),
    ("yahtzee", {"joker": "free"}),
    ("yahtzee", {"joker": "none", "five_bonus": 0, "upper_bonus_at": 1}),
    ("yahtzee", {"joker": "free", "five_is_full_house": True, "upper_bonus_at": 30}),
    ("yatzy", {}),
    ("yatzy", {"upper_bonus_at": 40, "four_is_two_pairs": True, "five_is_full_house": True}),
]
"""Every card game as it comes, and with its options changed."""


def name_of(ruleset_id: str, options: dict[str, Any]) -> str:
    return "+".join([ruleset_id, *(f"{name}={value}" for name, value in options.items())])


NAMES = [name_of(*one) for one in OPTION_SETS]


def random_roll(rng: Random) -> RollId:
    """Return a roll: five of a kind, a school-like good one, or any."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice([0, 126, 196, 231, 246, 251])
    return rng.randrange(252)


def random_turns(ruleset_id: str, options: dict[str, Any], rng: Random) -> Iterator[tuple[Card, RowId, RollId, bool]]:
    """Play a card to its end; yield the card before each turn, and the turn."""
    rules = card_rules(ruleset_id, **options)
    card = rules.empty
    for _ in range(rules.turns):
        roll, first = random_roll(rng), rng.random() < 0.3
        legal = rules.open_rows(card, roll)
        best = max(legal, key=lambda name: rules.row_pays(card, rules.row_ids[name], roll, first))
        row = rules.row_ids[best if rng.random() < 0.5 else rng.choice(legal)]
        yield card, row, roll, first
        card = rules.fill(card, row, roll, first)
    yield card, -1, -1, False


def random_card(ruleset_id: str, options: dict[str, Any], rng: Random) -> Card:
    """Return a card with at least one open row."""
    turns = rng.randrange(card_rules(ruleset_id, **options).turns)
    return next(card for n, (card, *_) in enumerate(random_turns(ruleset_id, options, rng)) if n == turns)
