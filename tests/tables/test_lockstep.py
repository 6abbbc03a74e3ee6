"""The array game equals the scalar game, game by game, for every ruleset and option, with and without compiling."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leagues import ROOT
from lockstep import Player, SharedDice, play_arrays, play_scalar

from arena.game.card_tables import CardTables
from arena.game.new import compile_rules
from arena.records import End
from arena.rules.card import CardRules
from arena.rules.options import OPTIONS
from arena.rules.shipped import ruleset_ids, shipped_ruleset

VALUES: dict[str, list[Any]] = {
    "upper_bonus_at": [20, 63, 64],
    "five_bonus": [0, 100],
    "stack": [1, 3, 20],
    "ante": [0, 1, 2],
    "rounds": [1, 10],
}


@st.composite
def changed_rulesets(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Any shipped ruleset, with any of its options at any value that is allowed."""
    ruleset_id = draw(st.sampled_from(ruleset_ids()))
    options = {}
    for option in shipped_ruleset(ruleset_id).options:
        words = option.allowed.split(", ")
        choices = VALUES.get(option.name) or [v for v in OPTIONS[option.name].choices if str(v).lower() in words]
        options[option.name] = draw(st.sampled_from(choices))
    return ruleset_id, options


@settings(max_examples=60)
@given(changed_rulesets(), st.integers(1, 6), st.integers(0, 2**32))
def test_games_are_equal(changed: tuple[str, dict[str, Any]], seats: int, seed: int) -> None:
    rules = compile_rules(shipped_ruleset(*changed))
    seats = max(seats, rules.ruleset.min_seats)
    dice, player = SharedDice(seed, 6, seats, rules.ruleset.rolls), Player(seed)
    assert play_arrays(rules, seats, 6, dice, player) == play_scalar(rules, seats, 6, dice, player)


@pytest.mark.parametrize("ruleset_id", ruleset_ids())
def test_games_are_equal_at_every_table_size(ruleset_id: str) -> None:
    rules = compile_rules(shipped_ruleset(ruleset_id))
    for seats in range(rules.ruleset.min_seats, rules.ruleset.max_seats + 1):
        dice, player = SharedDice(seats, 4, seats, rules.ruleset.rolls), Player(seats)
        assert play_arrays(rules, seats, 4, dice, player) == play_scalar(rules, seats, 4, dice, player)


def test_games_are_equal_where_nobody_runs_out_soon() -> None:
    rules = compile_rules(shipped_ruleset("showdown", {"ends": "last_standing", "stack": 3, "rounds": None}))
    dice, player = SharedDice(5, 20, 4, 3), Player(5)
    assert play_arrays(rules, 4, 20, dice, player) == play_scalar(rules, 4, 20, dice, player)


def test_the_same_without_compiling() -> None:
    """Run some of this file with the kernels as plain Python."""
    names = ["two-stage", "yahtzee", "showdown"]
    chosen = [f"{__file__}::test_games_are_equal_at_every_table_size[{name}]" for name in names]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", *chosen],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "3 passed" in ran.stdout


@pytest.mark.parametrize("bad", [-32768 % 462, 462, 32767])
def test_a_keep_that_is_none_changes_nothing(bad: int) -> None:
    rules = compile_rules(shipped_ruleset("thirteen"))
    assert isinstance(rules, CardRules)
    game = CardTables(rules, 2, 3, SharedDice(1, 3, 2, 3).arrays)
    tables = next(game.turns())
    keeps = np.full(3, bad, dtype=np.int16)
    if bad < 462:  # a keep, but of no roll here
        keepable = game.dice.keepable[game.roll_ids]
        keeps[:] = [int(np.flatnonzero(~row)[-1]) for row in keepable]
    before = game.roll_ids.copy()
    rolling, codes = game.hold(tables, keeps)
    assert rolling.tolist() == []
    assert codes.tolist() == [End.ILLEGAL_HOLD] * 3
    assert (game.roll_ids == before).all()
    assert game.roll_numbers.tolist() == [1, 1, 1]


def test_a_row_that_is_none_changes_nothing() -> None:
    rules = compile_rules(shipped_ruleset("school"))
    assert isinstance(rules, CardRules)
    game = CardTables(rules, 2, 3, SharedDice(1, 3, 2, 3).arrays)
    tables = next(game.turns())
    legal = game.legal(tables)
    rows = np.array([rules.row_ids["chance"], 127, 15], dtype=np.int8)  # not open yet, and no rows
    assert game.choose(tables, rows, *legal).tolist() == [End.ILLEGAL_ROW] * 3
    assert not game.cards.filled.any()
    assert not game.cards.totals.any()


@pytest.mark.parametrize("ruleset", ["two-stage", "thirteen", "yahtzee"])
def test_charges_beyond_all_points_are_alike_for_one_and_for_many(ruleset: str) -> None:
    """What closed rows are held to be worth is below whatever a bot charges the open ones."""
    rules = compile_rules(shipped_ruleset(ruleset))
    assert isinstance(rules, CardRules)
    game = CardTables(rules, 1, 1, lambda round_: np.zeros((1, 1, rules.ruleset.rolls), np.int64))
    tables = np.zeros(1, np.int32)
    for charge in (0.0, 3.5, 1e6, 1e13, -1e13):
        charges = np.full((len(rules.names), 1), charge)
        one = rules.gains.best(rules.empty, first_roll=False, charges=charges)
        many = game.best_gains(tables, first_roll=False, charges=charges[None])
        np.testing.assert_array_equal(one, many[0])
        assert (one <= 1000 - charge).all()
    nothing = rules.gains.best(rules.empty, first_roll=False, charges=np.zeros((len(rules.names), 0)))
    np.testing.assert_array_equal(nothing, rules.gains.best(rules.empty, first_roll=False))
    for shape in ((len(rules.names),), (2, 1), (1, len(rules.names), 1)):
        with pytest.raises(ValueError, match=rf"charges of {len(rules.names)} rows are not of shape"):
            rules.gains.best(rules.empty, first_roll=False, charges=np.zeros(shape))
        with pytest.raises(ValueError, match=rf"charges of 1 turns and {len(rules.names)} rows are not of shape"):
            game.best_gains(tables, first_roll=False, charges=np.zeros((*shape, 1)))
