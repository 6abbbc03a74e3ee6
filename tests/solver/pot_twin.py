"""Showdown solved again in plain Python: who rolls knows the best hand so far, how many hold it and how many follow.

Hands are ordered by the twin of the rules. Of keeps worth the same within `TIE` the last by keep id is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from itertools import pairwise

import showdown_twin

from arena.dice.lattice import lattice

TIE = 1e-9
Shares = tuple[float, ...]


def ranks(tie_break: str, straight_above_three: bool) -> list[int]:
    """Return the rank of every roll, from 0; equal ranks tie."""

    def compare(one: int, other: int) -> int:
        hands = lattice().rolls[one], lattice().rolls[other]
        return showdown_twin.compare(*hands, tie_break=tie_break, straight_above_three=straight_above_three)

    order = sorted(range(len(lattice().rolls)), key=cmp_to_key(compare))
    found = {order[0]: 0}
    for below, above in pairwise(order):
        found[above] = found[below] + (compare(above, below) != 0)
    return [found[roll] for roll in range(len(order))]


def spread(by_roll: Sequence[float]) -> list[float]:
    """Return what every keep is worth, a die at a time from the keeps with one die more."""
    of = lattice()
    worth = [0.0] * of.first_roll_keep + list(by_roll)
    for keep in range(of.first_roll_keep - 1, -1, -1):
        worth[keep] = sum(worth[of.keep_ids[(*of.keeps[keep], face)]] for face in range(1, 7)) / 6
    return worth


def best_share(stakes: Sequence[float], rolls: int) -> float:
    """Return the expected share of who plays a turn for it; ``stakes`` by roll."""
    by_roll = list(stakes)
    for _ in range(rolls - 1):
        worth = spread(by_roll)
        by_roll = [
            max(stakes[roll], *(worth[keep] for keep in keeps[:-1])) for roll, keeps in enumerate(lattice().sub_keeps)
        ]
    return spread(by_roll)[0]


class PotTwin:
    """The shares of any number of seats.

    Args:
        of_roll: the rank of every roll.
        rolls: throws a turn.
    """

    def __init__(self, of_roll: Sequence[int], rolls: int) -> None:
        self.of_roll, self.rolls = of_roll, rolls
        self.known: dict[tuple[int, int, int], Shares] = {}

    def play(self, later: int, best: int, held: int) -> Shares:
        """Return the share of each holder of the best hand, of who rolls now, and of each who follows."""
        key = later, best, held
        if key not in self.known:
            by_rank = {rank: self._after(later, best, held, rank) for rank in set(self.of_roll)}
            self.known[key] = self._turn([by_rank[rank] for rank in self.of_roll])
        return self.known[key]

    def _after(self, later: int, best: int, held: int, rank: int) -> Shares:
        """Return the same once the hand is rolled."""
        now, holders = (best, held) if rank < best else (rank, 1) if rank > best else (rank, held + 1)
        of_holder, *followers = self.play(later - 1, now, holders) if later else (1 / holders,)
        return (of_holder if rank <= best else 0.0, of_holder if rank >= best else 0.0, *followers)

    def _turn(self, after: list[Shares]) -> Shares:
        """Play a turn for the second of the shares."""
        of, by_roll = lattice(), after
        for _ in range(self.rolls - 1):
            worth = [spread([shares[n] for shares in by_roll]) for n in range(len(after[0]))]
            held = []
            for roll, keeps in enumerate(of.sub_keeps):
                own = [worth[1][keep] for keep in keeps[:-1]] + [after[roll][1]]
                last = max(n for n, share in enumerate(own) if share >= max(own) - TIE)
                held.append(after[roll] if keeps[last] == keeps[-1] else tuple(part[keeps[last]] for part in worth))
            by_roll = held
        return tuple(spread([shares[n] for shares in by_roll])[0] for n in range(len(after[0])))
