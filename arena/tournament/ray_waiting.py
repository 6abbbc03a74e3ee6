"""Blocks that wait to be played on a cluster, and which of them make a task."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterable, Sequence

from arena.records import Block
from arena.tournament.pace import Pace

AHEAD = 2
"""Tasks that a processor has: one that is played, one that waits."""
TASK_S = 1.5
"""Seconds that a task is meant to take."""
MOST_BLOCKS = 256
"""Blocks of a task."""


class Waiting:
    """Blocks that wait, in order; those that a worker died of wait apart, as each is played alone.

    Args:
        blocks: all of them.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._rest, self._alone = deque(blocks), deque[Block]()

    def put_alone(self, block: Block) -> None:
        """Have a block played by itself, before all others."""
        self._alone.append(block)

    def put_back(self, blocks: Sequence[Block]) -> None:
        """Have blocks played before those that wait."""
        self._rest.extendleft(reversed(blocks))

    def withdraw(self, blocks: Collection[Block]) -> None:
        """Have blocks wait no more that are played after all."""
        self._rest = deque(block for block in self._rest if block not in blocks)

    def take(self, wanted: Container[Block], pace: Pace, slots: int) -> tuple[Block, ...]:
        """Take blocks that together make a task; fewer towards the end, so that all end together.

        Args:
            wanted: blocks without a result; others are left out.
            pace: knows how long blocks take.
            slots: tasks that the cluster plays at the same time.
        """
        while self._alone:
            block = self._alone.popleft()
            if block in wanted:
                return (block,)
        share, sum_s = AHEAD * max(slots, 1), 0.0
        taken: list[Block] = []
        goal = self._left_s(pace, TASK_S * share) / share
        while self._rest and len(taken) < MOST_BLOCKS:
            if self._rest[0] not in wanted:
                self._rest.popleft()
                continue
            seconds = pace.seconds(self._rest[0])
            if taken and (seconds is None or sum_s + seconds > goal):
                break
            taken.append(self._rest.popleft())
            if seconds is None:  # so that it becomes known
                break
            sum_s += seconds
        return tuple(taken)

    def _left_s(self, pace: Pace, most: float) -> float:
        """Return how many seconds of one worker all that waits will take, as far as is known, or `most`."""
        left = 0.0
        for block in self._rest:
            left += pace.seconds(block) or TASK_S
            if left >= most:
                return most
        return left
