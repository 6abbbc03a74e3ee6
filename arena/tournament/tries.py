"""How often blocks were tried whose workers died: twice, then a block is set aside."""

from __future__ import annotations

from arena.records import Block, LostBlock

TRIES = 2
MOST_IN_VAIN = 5
"""Tries a worker, one after the other, that fail for want of processes or disk before a run ends."""


class Tries:
    """Deaths of workers, by the block that they played."""

    def __init__(self) -> None:
        self._deaths: dict[Block, list[str]] = {}

    def died(self, block: Block, how: str) -> LostBlock | None:
        """Count a death; returns the lost block if it was the last try.

        Args:
            block: what was played.
            how: the worker ended, or where.
        """
        deaths = self._deaths.setdefault(block, [])
        deaths.append(how)
        if len(deaths) < TRIES:
            return None
        return LostBlock(block, f"its worker died {len(deaths)} times, {' and '.join(dict.fromkeys(deaths))}")

    def forgive(self, how: str) -> None:
        """Count deaths no more that were none of the blocks' fault."""
        for block, deaths in self._deaths.items():
            self._deaths[block] = [one for one in deaths if one != how]
