"""How long a block will take is known once its bots have played under its ruleset."""

from __future__ import annotations

import numpy as np
import pytest

from arena.records import Block, BlockResult, Entrant, Timing
from arena.tournament.pace import Pace
from arena.tournament.ray_nodes import Patience, shares


def block(*names: str, mirrors: int = 10, ruleset: str = "r") -> Block:
    return Block("s", ruleset, tuple(Entrant(name, "") for name in names), 0, mirrors)


def played(of: Block, **seconds: float) -> BlockResult:
    nothing = np.zeros(0)
    return BlockResult(of, nothing, nothing, nothing, (), {name: Timing(1, spent) for name, spent in seconds.items()})


def test_a_pairing_is_known_by_its_bots() -> None:
    pace = Pace()
    pace.learn(played(block("a", "b"), a=2.0, b=4.0), 7.0)
    pace.learn(played(block("c", "d"), c=1.0, d=0.0), 2.0)
    assert pace.seconds(block("a", "c", mirrors=20)) == pytest.approx(40 * (2 + 1 + 1) / 20)
    assert pace.seconds(block("a", "e")) is None
    assert pace.seconds(block("a", "b", ruleset="other")) is None


def test_later_blocks_count_more() -> None:
    pace = Pace()
    for spent in (40.0, 2.0, 2.0, 2.0):
        pace.learn(played(block("a", "b"), a=spent, b=0.0), spent)
    seconds = pace.seconds(block("a", "b"))
    assert seconds is not None
    assert 2 < seconds < (40 + 3 * 2) / 4


def test_a_bots_clock_may_run_ahead_of_the_blocks() -> None:
    pace = Pace()
    pace.learn(played(block("a", "b"), a=3.0, b=3.0), 5.9)
    assert pace.seconds(block("a", "b")) == pytest.approx(6.0)


def test_patience() -> None:
    patience = Patience(times=10, least_s=30, unknown_s=20)
    assert patience.span([1.0, 0.5]) == 30
    assert patience.span([4.0, 2.0]) == 60
    assert patience.span([4.0, None]) == 240


@pytest.mark.parametrize(
    ("most", "expected"), [(None, [4, 2, 0]), (1, [1, 0, 0]), (3, [2, 1, 0]), (5, [3, 2, 0]), (9, [4, 2, 0])]
)
def test_workers_are_spread_evenly(most: int | None, expected: list[int]) -> None:
    assert list(shares({"a": 4, "b": 2, "c": 0}, most).values()) == expected
