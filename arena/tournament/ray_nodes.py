"""What is known of a cluster's nodes and of the tasks that they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.records import Block
from arena.tournament.tries import TRIES

DIGITS = 8
"""Of a node's id, that people are told."""


@dataclass(frozen=True, slots=True)
class Patience:
    """When a task is overdue.

    Attributes:
        times: as often the time that was expected: it may wait for others first.
        least_s: no sooner than after so many seconds.
        unknown_s: what is expected of tasks whose bots never played.
        answer_s: seconds that a node has to show that it is there.
    """

    times: float = 40
    least_s: float = 60
    unknown_s: float = 30
    answer_s: float = 5

    def span(self, expected: Sequence[float | None]) -> float:
        """Return after how many seconds a task is overdue.

        Args:
            expected: seconds that each of its blocks will take; None where that is unknown.
        """
        return max(self.least_s, self.times * sum(self.unknown_s if one is None else one for one in expected))


PATIENCE = Patience()
"""What a run has, unless it is told otherwise."""


@dataclass(slots=True, eq=False)
class Node:
    """A node of the cluster.

    Attributes:
        id: Ray's.
        name: what people are told.
        slots: tasks that it plays at the same time.
        ready: how many workers there have loaded their bots; it gets no tasks before one has.
        doubted: True while it is not known to be there: it gets no tasks.
        silent: True once that was told.
        failed_starts: workers that did not become ready.
        in_vain: tasks that it has lost through no fault of theirs since it last ended one.
    """

    id: str
    name: str
    slots: int
    ready: int = 0
    doubted: bool = False
    silent: bool = False
    failed_starts: int = 0
    in_vain: int = 0

    @property
    def workers(self) -> int:
        """How many play there now."""
        return 0 if self.doubted else min(self.ready, self.slots)

    @property
    def spent(self) -> bool:
        """True once so many workers did not become ready that no further one is started."""
        return self.failed_starts >= TRIES * self.slots

    @property
    def failed(self) -> bool:
        """True if that is so, and there is none that did."""
        return self.spent and not self.ready


@dataclass(slots=True, eq=False)
class Task:
    """A task that is under way.

    Attributes:
        node: who has it.
        blocks: what is played; none to make ready, or to show that the node is there.
        due: when it is overdue, by the monotonic clock.
        span: seconds from its beginning until then.
        probe: True if it only shows that the node is there.
        overdue: how often it was.
        copied: True once its blocks were given to somebody else.
    """

    node: Node
    blocks: tuple[Block, ...]
    due: float
    span: float
    probe: bool = False
    overdue: int = 0
    copied: bool = False

    @property
    def starts(self) -> bool:
        """True if it makes a worker ready."""
        return not self.blocks and not self.probe


def short(id_: str) -> str:
    """Return the digits of a node's id that people are told: the first, or the last where those are all the same.

    Ray's nodes on one machine, that try a cluster out, have such ids.
    """
    return id_[:DIGITS] if len(set(id_[:DIGITS])) > 1 else id_[-DIGITS:]


def shares(processors: dict[str, int], most: int | None) -> dict[str, int]:
    """Return how many tasks each node plays at the same time: one a processor, evenly cut if fewer are wanted."""
    if most is None:
        return processors
    found = dict.fromkeys(processors, 0)
    while sum(found.values()) < most:
        free = [id_ for id_ in found if found[id_] < processors[id_]]
        if not free:
            break
        found[min(free, key=lambda id_: found[id_])] += 1
    return found
