"""Results do not depend on threads, on compiling, or on how many positions are asked at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled_rules import card_rules
from positions import view_of
from small_rulesets import GIVEN, rules_of_text

from arena import KEEPS, ROLLS, best_keep, keep_values
from arena.agent.turn import Turn, new_turn
from arena.agent.turns import Turns
from arena.dice.lattice import lattice
from arena.game.card_tables import CardTables
from arena.rules.card import CardRules
from arena.solver.solve import Floats, solve
from arena.solver.space import Space

ROOT = Path(__file__).parents[2]


def solved(space: Space, threads: int) -> tuple[Floats, Floats]:
    worth = solve(space, threads=threads)
    return worth, solve(space, moments_of=worth, threads=threads)


@pytest.mark.parametrize("name", ["thirteen", *GIVEN])
def test_any_number_of_threads(name: str) -> None:
    space = Space(card_rules(name) if name == "thirteen" else rules_of_text(GIVEN[name]))
    worth, squares = solved(space, 1)
    assert worth[0] != 0
    for threads in (2, 3):
        again = solved(space, threads)
        assert again[0].tobytes() == worth.tobytes()
        assert again[1].tobytes() == squares.tobytes()


def test_any_number_of_threads_with_many_sums_and_a_joker() -> None:
    space = Space(card_rules("yahtzee"))
    one, two, three = (solve(space, threads=threads).tobytes() for threads in (1, 2, 3))
    assert one == two == three


PLAIN = """
import json, sys
import numba
assert numba.config.DISABLE_JIT
from small_rulesets import GIVEN, rules_of_text
from test_same_bits import solved
from arena.solver.space import Space
spaces = {name: Space(rules_of_text(GIVEN[name])) for name in sys.argv[1:]}
print(json.dumps({name: [part.tolist() for part in solved(space, 1)] for name, space in spaces.items()}))
"""


def test_without_compiling() -> None:
    """The kernels as plain Python: every kind of rule, values and second moments."""
    names = ["forced over points", "free", "two bonuses, fewer turns", "first roll doubles"]
    folders = [str(ROOT), *(str(ROOT / "tests" / name) for name in ("solver", "rules", "agent"))]
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, *names],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name, parts in json.loads(done.stdout).items():
        for plain, compiled in zip(parts, solved(Space(rules_of_text(GIVEN[name])), 1), strict=True):
            np.testing.assert_allclose(compiled, plain, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("dice", [2, 3, 5, 6])
@pytest.mark.parametrize("rolls_left", [1, 2])
def test_keep_values_of_few_and_of_many(dice: int, rolls_left: int) -> None:
    """Positions one by one and in blocks: equal bit for bit, and right by the readable lattice."""
    of = lattice(dice)
    some = np.random.default_rng(dice).normal(0, 20, (70, len(of.rolls)))
    alone = np.stack([keep_values(one, rolls_left, dice) for one in some])
    for many in (1, 2, 5, 6, 7, 31, 32, 33, 70):
        assert keep_values(some[:many], rolls_left, dice).tobytes() == alone[:many].tobytes()
    worth = of.expected(some)
    for _ in range(rolls_left - 1):
        worth = of.expected(of.best(worth)[:, of.first_roll_keep :])
    assert alone == pytest.approx(worth, abs=1e-10)


def best_by_hand(at_last: Floats, at_first: Floats | None, roll: int, roll_id: int) -> int:
    """Return the best keep by the readable lattice; of keeps worth the same the last."""
    of = lattice()
    worth = of.expected(at_last)
    for _ in range(2 - roll):
        worth = of.expected(of.best(worth)[of.first_roll_keep :])
    keeps = of.sub_keeps[roll_id]
    stop = (at_last if at_first is None or roll > 1 else at_first)[roll_id]
    found = [stop if keep == keeps[-1] else worth[keep] for keep in keeps]
    return max(keep for keep, value in zip(keeps, found, strict=True) if value >= max(found) - 1e-9)


def turns_on(rules: CardRules, roll_ids: Any, roll: int) -> Turns:
    game = CardTables(rules, 1, len(roll_ids), lambda _: np.zeros((len(roll_ids), 1, 3), dtype=np.int64))
    game.round, game.seat = 1, 0
    game.roll_ids[:], game.roll_numbers[:] = roll_ids, roll
    return Turns(view_of(rules, seats=1), game, np.arange(len(roll_ids), dtype=np.int32))


@pytest.mark.parametrize("doubled", [False, True])
@pytest.mark.parametrize("roll", [1, 2])
@pytest.mark.parametrize("many", [3, 40])
def test_best_keep_of_one_and_of_many(many: int, roll: int, doubled: bool) -> None:
    """Whole numbers from few make many ties, which the written rule decides."""
    rules, rng = card_rules("thirteen"), np.random.default_rng(many)
    for highest in (2, 4, 1000):
        at_last = rng.integers(0, highest, (many, len(ROLLS))).astype(np.float64)
        at_first = at_last + rng.integers(0, highest, at_last.shape) if doubled else None
        roll_ids = rng.integers(0, len(ROLLS), many)
        found = best_keep(turns_on(rules, roll_ids, roll), at_last, at_first)
        for number, roll_id in enumerate(roll_ids.tolist()):
            turn = new_turn(Turn, (view_of(rules), 0, 1, roll, roll_id, False, (rules.empty, rules.empty)))
            first = None if at_first is None else at_first[number]
            assert KEEPS[found[number]] == best_keep(turn, at_last[number], first)
            assert found[number] == best_by_hand(at_last[number], first, roll, roll_id)
