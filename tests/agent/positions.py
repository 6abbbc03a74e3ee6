"""Positions for tests: what a bot sees, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.agent.turn import SeatView, Turn, new_turn
from arena.dice.lattice import FACES, lattice
from arena.dice.rng import RngKey
from arena.game.card_game import CardGame
from arena.game.new import Rules, compile_rules
from arena.game.showdown_game import Felt, ShowdownGame
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.model import OptionValue
from arena.rules.shipped import shipped_ruleset


def rules_of(ruleset: str, **options: OptionValue) -> Rules:
    return compile_rules(shipped_ruleset(ruleset, options))


def view_of(rules: Rules, *, seat: int = 0, seats: int = 2, seed: int = 1) -> SeatView:
    names = [f"bot {number}" for number in range(seats)]
    return SeatView(rules, seat, seats, RngKey(seed, rules.ruleset.hash, names, 0, seat, names[seat]), 0)


def faces(dice: str) -> tuple[int, ...]:
    return tuple(map(int, dice))


def card_turn(
    rules: Rules,
    dice: str,
    *,
    roll: int = 1,
    round_: int | None = None,
    card: Mapping[str, int] | None = None,
    asks_row: bool = False,
    view: SeatView | None = None,
) -> Turn:
    """Return a turn of seat 0 in a card game for two, the other card being empty."""
    assert isinstance(rules, CardRules)
    held = rules.card_of(card or {})
    round_ = held.filled.bit_count() + 1 if round_ is None else round_
    roll_id = lattice().roll_ids[faces(dice)]
    return new_turn(Turn, (view or view_of(rules), 0, round_, roll, roll_id, asks_row, (held, rules.empty)))


def showdown_turn(rules: Rules, dice: str, *, roll: int = 1, shown: str = "") -> Turn:
    """Return a turn of seat 0 in a showdown for two, with the other's hand on the table or none."""
    assert isinstance(rules, HandRules)
    ids = lattice().roll_ids
    public = Felt((None, ids[faces(shown)] if shown else None), (19, 19), 2)
    return new_turn(Turn, (view_of(rules), 0, 1, roll, ids[faces(dice)], False, public))


def throw(dice: str) -> int:
    """Return the number from which dice thrown all together are read."""
    return sum((face - 1) * FACES**place for place, face in enumerate(faces(dice)))


def card_game(rules: Rules, rounds: Sequence[str], *, table: int = 0) -> CardGame:
    """Return a game for one, with these dice on the first roll of every round."""
    assert isinstance(rules, CardRules)
    return CardGame(rules, 1, table, lambda round_: {table: [[throw(rounds[round_ - 1])] * 3]})


def showdown_game(rules: Rules, dice: str) -> ShowdownGame:
    """Return a game for two, with the same dice in every first roll."""
    assert isinstance(rules, HandRules)
    return ShowdownGame(rules, 2, 0, lambda _: [[[throw(dice)] * 3] * 2])
