"""How many faults every bot has, by kind: counted from the ends of games, as their details are capped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from arena.records import BlockResult, End


class FaultCounts:
    """Adds up the faults of blocks, which may come in any order."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[End]] = {}

    def add(self, result: BlockResult) -> None:
        """Count the faults of a block."""
        if not result.ends.any():
            return
        for seating in range(result.block.seats):
            for seat, entrant in enumerate(result.block.seated(seating)):
                for end, number in zip(*np.unique(result.ends[:, seating, seat], return_counts=True), strict=True):
                    if end != End.FINISHED:
                        self._counts.setdefault(entrant.name, Counter())[End(int(end))] += int(number)

    def of(self, agent: str) -> Mapping[End, int]:
        """Return an agent's faults by kind, in the order of the kinds; only kinds that happened."""
        return dict(sorted(self._counts.get(agent, {}).items()))

    @property
    def agents(self) -> list[str]:
        """Who has faults, sorted."""
        return sorted(self._counts)
