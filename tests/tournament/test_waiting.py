"""Blocks that wait make tasks of about the same time, in order."""

from __future__ import annotations

import pytest

from arena.records import Block, Entrant
from arena.tournament.pace import Pace
from arena.tournament.ray_waiting import AHEAD, TASK_S, Waiting


class Known(Pace):
    """Every block takes as long; counts how often it is asked."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__()
        self._seconds, self.asked = seconds, 0

    def seconds(self, block: Block) -> float | None:
        del block
        self.asked += 1
        return self._seconds


def blocks(number: int) -> list[Block]:
    return [Block("s", "r", (Entrant("a", ""), Entrant("b", "")), first, first + 1) for first in range(number)]


def test_tasks_of_the_same_time() -> None:
    all_of_them = blocks(1000)
    waiting = Waiting(all_of_them)
    taken = [waiting.take(set(all_of_them), Known(TASK_S / 4), 2) for _ in range(3)]
    assert taken == [tuple(all_of_them[first : first + 4]) for first in (0, 4, 8)]


def test_fewer_towards_the_end() -> None:
    all_of_them = blocks(8)
    assert len(Waiting(all_of_them).take(set(all_of_them), Known(TASK_S / 4), 2)) == 8 / (AHEAD * 2)


def test_one_that_is_unknown_alone() -> None:
    all_of_them = blocks(8)
    assert Waiting(all_of_them).take(set(all_of_them), Known(None), 1) == (all_of_them[0],)


def test_a_task_does_not_look_at_all_that_waits() -> None:
    all_of_them = blocks(10_000)
    pace = Known(TASK_S)
    assert Waiting(all_of_them).take(set(all_of_them), pace, 2) == (all_of_them[0],)
    assert pace.asked <= AHEAD * 2 + 2


@pytest.mark.parametrize("alone", [True, False])
def test_put_back(alone: bool) -> None:
    """Those without a result come first and in order; those that a worker died of come by themselves."""
    one, two, three, four = blocks(4)
    waiting, pace = Waiting([three, four]), Known(TASK_S / 100)
    waiting.put_back([one, two])
    if alone:
        waiting.put_alone(two)
        assert waiting.take({one, two, three, four}, pace, 1) == (two,)
    assert waiting.take({two, three, four}, Known(0.0), 1)[0] == two
