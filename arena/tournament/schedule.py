"""The plan: which pairings meet, and which blocks of their mirrors are still to be played."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.records import Block, Entrant, series_id

MOST_MIRRORS = 512
MOST_MIRRORS_IN_ARRAYS = 4096
FEWEST_MIRRORS = 16
BLOCKS_AIMED_AT = 64


@dataclass(frozen=True, slots=True)
class Series:
    """All mirrors of one pairing under one ruleset.

    Attributes:
        id: see `arena.records.series_id`.
        ruleset_hash: content hash of the ruleset.
        entrants: the pairing, sorted by name.
        mirrors: dice sets to be played, from 0.
    """

    id: str
    ruleset_hash: str
    entrants: tuple[Entrant, ...]
    mirrors: int

    def block(self, first: int, stop: int) -> Block:
        """Return the block of some of the dice sets."""
        return Block(self.id, self.ruleset_hash, self.entrants, first, stop)


def round_robin(
    seed: int, ruleset_hashes: Sequence[str], entrants: Sequence[Entrant], *, seats: int, games: int
) -> list[Series]:
    """Return every pairing under every ruleset, in canonical order: rulesets as given, pairings by name.

    Args:
        seed: the tournament's secret seed.
        ruleset_hashes: by ruleset.
        entrants: who plays, in any order.
        seats: agents at a table.
        games: games a pairing, all seatings together.
    """
    ordered = sorted(entrants, key=lambda entrant: entrant.name)
    return [
        Series(series_id(seed, ruleset_hash, pairing), ruleset_hash, pairing, games // seats)
        for ruleset_hash in ruleset_hashes
        for pairing in combinations(ordered, seats)
    ]


def block_size(series: Sequence[Series], one: Series, in_arrays: Container[str]) -> int:
    """Return how many mirrors a block of a series has: 512, fewer where that would leave workers idle.

    Bots in array form get up to 4,096, as the cost of asking them is by the call. A matter of execution only: no
    result depends on it.

    Args:
        series: all that is wanted.
        one: the series.
        in_arrays: names of the bots that answer many turns at once.
    """
    total = sum(other.mirrors for other in series)
    fast = all(entrant.name in in_arrays for entrant in one.entrants)
    most = MOST_MIRRORS_IN_ARRAYS if fast else MOST_MIRRORS
    return min(most, max(FEWEST_MIRRORS, total // BLOCKS_AIMED_AT))


def missing_blocks(
    series: Sequence[Series],
    known: Callable[[str], Sequence[tuple[int, int]]],
    size_of: Callable[[Series], int],
) -> list[Block]:
    """Return the blocks that are still to be played.

    Args:
        series: what is wanted.
        known: from a series id to the ranges ``(first, stop)`` that are known, ascending and apart.
        size_of: from a series to the mirrors of its blocks.
    """
    blocks = []
    for one in series:
        first, size = 0, size_of(one)
        for known_first, known_stop in [*known(one.id), (one.mirrors, one.mirrors)]:
            gap_stop = min(known_first, one.mirrors)
            blocks += [one.block(start, min(start + size, gap_stop)) for start in range(first, gap_stop, size)]
            first = max(first, known_stop)
    return blocks
