"""The plan: which pairings meet, and which blocks of their mirrors are still to be played."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass
from itertools import combinations, count

from arena.dice.rng import Rng
from arena.dice.stream import derive_key
from arena.records import Block, Entrant, series_id

MOST_MIRRORS = 512
MOST_MIRRORS_IN_ARRAYS = 4096
FEWEST_MIRRORS = 16
BLOCKS_AIMED_AT = 64
MOST_SETS = 1000
"""Sets of three agents and more that are all played; of more sets than these, a sample of as many is."""


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


def pairings(names: Sequence[str], seats: int, *, seed: int, gauntlet: Collection[str] = ()) -> list[tuple[str, ...]]:
    """Return the sets of agents that meet at a table, each sorted, in order.

    All sets at one and two seats, and where they are few; else a sample drawn by the seed, in which everybody plays
    about equally often.

    Args:
        names: the agents, in any order.
        seats: agents at a table.
        seed: the tournament's secret seed.
        gauntlet: if given, only sets with one of these are played.
    """
    ordered = sorted(names)
    possible = math.comb(len(ordered), seats)
    if gauntlet:
        possible -= math.comb(len(ordered) - len(set(gauntlet)), seats)
    if seats <= 2 or possible <= MOST_SETS:
        chosen = list(combinations(ordered, seats))
        return [table for table in chosen if not gauntlet or set(table) & set(gauntlet)]
    return _sample(ordered, seats, seed, gauntlet)


def _sample(names: Sequence[str], seats: int, seed: int, gauntlet: Collection[str]) -> list[tuple[str, ...]]:
    """Draw tables from those who have played least so far, from a few more where a table stands already."""
    rng = Rng(derive_key(b"arena pairings", seed, list(names), seats, sorted(gauntlet))[0], 0, 0)
    played: Counter[str] = Counter()
    found: set[tuple[str, ...]] = set()

    def least(among: Collection[str], number: int, of: int) -> list[str]:
        """Return some of those who have played least, drawn from a pool of a few more."""
        pool = sorted(_shuffled(sorted(among), rng), key=lambda name: played[name])[:of]
        return _shuffled(pool, rng)[:number]

    while len(found) < MOST_SETS:
        for more in count():
            table = least(gauntlet, 1, 1 + more)
            table += least(set(names) - set(table), seats - len(table), seats + more)
            if (chosen := tuple(sorted(table))) not in found:
                break
        found.add(chosen)
        played.update(chosen)
    return sorted(found)


def _shuffled(names: list[str], rng: Rng) -> list[str]:
    """Return the names in an order drawn from random numbers."""
    for last in range(len(names) - 1, 0, -1):
        swap = rng.below(last + 1)
        names[last], names[swap] = names[swap], names[last]
    return names


def plan_series(
    seed: int,
    ruleset_hashes: Sequence[str],
    entrants: Sequence[Entrant],
    tables: Sequence[tuple[str, ...]],
    games: int,
) -> list[Series]:
    """Return every pairing under every ruleset, in canonical order: rulesets as given, pairings by name.

    Args:
        seed: the tournament's secret seed.
        ruleset_hashes: by ruleset.
        entrants: who plays, in any order.
        tables: from `pairings`.
        games: games a pairing, all seatings together.
    """
    by_name = {entrant.name: entrant for entrant in entrants}
    found = []
    for ruleset_hash in ruleset_hashes:
        for names in tables:
            seated = tuple(by_name[name] for name in names)
            found.append(Series(series_id(seed, ruleset_hash, seated), ruleset_hash, seated, games // len(names)))
    return found


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
