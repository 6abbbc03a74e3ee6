"""The plan: which pairings meet, and which blocks of their mirrors are still to be played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.records import Block, Entrant, series_id

MOST_MIRRORS = 512
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


def block_size(series: Sequence[Series]) -> int:
    """Return how many mirrors a block has: 512, fewer where that would leave workers idle.

    A matter of execution only: no result depends on it.
    """
    total = sum(one.mirrors for one in series)
    return min(MOST_MIRRORS, max(FEWEST_MIRRORS, total // BLOCKS_AIMED_AT))


def missing_blocks(
    series: Sequence[Series], known: Callable[[str], Sequence[tuple[int, int]]], size: int | None = None
) -> list[Block]:
    """Return the blocks that are still to be played.

    Args:
        series: what is wanted.
        known: from a series id to the ranges ``(first, stop)`` that are known, ascending and apart.
        size: mirrors a block; by default `block_size`.
    """
    size = size or block_size(series)
    blocks = []
    for one in series:
        first = 0
        for known_first, known_stop in [*known(one.id), (one.mirrors, one.mirrors)]:
            gap_stop = min(known_first, one.mirrors)
            blocks += [one.block(start, min(start + size, gap_stop)) for start in range(first, gap_stop, size)]
            first = max(first, known_stop)
    return blocks
