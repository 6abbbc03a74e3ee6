"""How long blocks will take, from how long others took. A matter of execution only: no result depends on it."""

from __future__ import annotations

from typing import TypeVar

from arena.records import Block, BlockResult

Key = TypeVar("Key")


class Pace:
    """Seconds a game, learnt from blocks that were played: of every bot under every ruleset, and of all the rest."""

    def __init__(self) -> None:
        self._bots: dict[tuple[str, str], float] = {}
        self._rest: dict[str, float] = {}

    def learn(self, result: BlockResult, seconds: float) -> None:
        """Take a block's time into account, the later ones counting more.

        Args:
            result: of the block.
            seconds: what it took in all.
        """
        block = result.block
        spent = sum(timing.seconds for timing in result.timing.values())
        for name, timing in result.timing.items():
            _mix(self._bots, (block.ruleset_hash, name), timing.seconds / block.games)
        _mix(self._rest, block.ruleset_hash, max(seconds - spent, 0.0) / block.games)

    def seconds(self, block: Block) -> float | None:
        """Return how long a block will take; None if one of its bots never played under its ruleset."""
        rest = self._rest.get(block.ruleset_hash)
        bots = [self._bots.get((block.ruleset_hash, entrant.name)) for entrant in block.entrants]
        known = [seconds for seconds in bots if seconds is not None]
        if rest is None or len(known) < len(bots):
            return None
        return block.games * (rest + sum(known))


def _mix(rates: dict[Key, float], key: Key, rate: float) -> None:
    rates[key] = (rates[key] + rate) / 2 if key in rates else rate
