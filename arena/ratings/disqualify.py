"""Who is out of a league by too many faults, and which games count then.

It is decided when a league is rated, from its games alone, gone through in canonical order (pairing, dice set),
whoever played them when. The mirror in which a bot has its last fault too many is the last of its mirrors that counts;
the later ones are nobody's, and neither are their faults anybody's. So the decision needs nothing but the faults of
every bot so far. Every ruleset has a leaderboard of its own, and decides for itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from arena.records import BlockResult, End


class Disqualifier:
    """Takes the results of one ruleset in canonical order, and gives back what counts of each.

    Args:
        after: so many faults, and a bot is out; None lets everybody stay.

    Attributes:
        games_left_out: by the name of every bot that is out, how many of its games do not count.
    """

    def __init__(self, after: int | None) -> None:
        self._after = after
        self._faults: Counter[str] = Counter()
        self.games_left_out: dict[str, int] = {}

    def counting(self, result: BlockResult) -> BlockResult | None:
        """Return the mirrors of the next block that count, all of them or the first; None if there are none."""
        if self._after is None:
            return result
        block = result.block
        names = [entrant.name for entrant in block.entrants]
        mirrors = 0
        if not any(name in self.games_left_out for name in names):
            so_far = np.array([self._faults[name] for name in names]) + np.cumsum(_by_entrant(result), axis=0)
            too_many = so_far >= self._after
            ended = np.flatnonzero(too_many.any(axis=1))
            mirrors = int(ended[0]) + 1 if len(ended) else block.mirrors
            for place, name in enumerate(names):
                self._faults[name] = int(so_far[mirrors - 1, place])
                if too_many[mirrors - 1, place]:
                    self.games_left_out[name] = 0
        for name in names:
            if name in self.games_left_out:
                self.games_left_out[name] += (block.mirrors - mirrors) * block.seats
        return _first(result, mirrors) if mirrors else None

    def reasons(self) -> dict[str, str]:
        """Return why every bot that is out is, in words that follow ``disqualified``."""
        told = f"after {self._after} fault{'' if self._after == 1 else 's'}"
        return dict.fromkeys(sorted(self.games_left_out), told)

    def notes(self) -> tuple[str, ...]:
        """Return a sentence for every bot that is out."""
        return tuple(
            f"{name!r} was disqualified {reason}: {_later(self.games_left_out[name])}."
            for name, reason in self.reasons().items()
        )


def _later(games: int) -> str:
    if not games:
        return "no game was left"
    return "its last game counts for nobody" if games == 1 else f"its last {games:,} games count for nobody"


def _by_entrant(result: BlockResult) -> npt.NDArray[np.int64]:
    """Return int64[mirrors, entrants], the faults of every agent of the pairing by mirror."""
    seats = result.block.seats
    faults = np.zeros((result.block.mirrors, seats), dtype=np.int64)
    for seating in range(seats):
        # Seat k is taken by entrant (k + seating) % seats.
        faults += np.roll(result.ends[:, seating] != End.FINISHED, seating, axis=1)
    return faults


def _first(result: BlockResult, mirrors: int) -> BlockResult:
    """Return the first mirrors of a block."""
    if mirrors == result.block.mirrors:
        return result
    block = replace(result.block, stop=result.block.first + mirrors)
    return replace(
        result,
        block=block,
        totals=result.totals[:mirrors],
        ends=result.ends[:mirrors],
        winners=result.winners[:mirrors],
        faults=tuple(fault for fault in result.faults if fault.dice_set < block.stop),
        moves=None if result.moves is None else result.moves[..., :mirrors],
    )
