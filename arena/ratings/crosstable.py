"""From block results to the crosstable: sums over games, so that blocks may come in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.ratings.faults import FaultCounts
from arena.records import MIRRORED, MIRRORS, BlockResult, Crosstable, CrosstableRow, End, TableClusters, Tally
from arena.rules.model import Ruleset
from arena.rules.settlement import settle

Bools: TypeAlias = npt.NDArray[np.bool_]

GAME_COUNTS = (
    *("games", "wins_first", "draws", "losses_first"),
    *("score_first", "score_second", "score_sq_first", "score_sq_second"),
)
TALLY_COUNTS = ("games", "wins", "draws", "scored", "score", "score_sq", "settlement")
MIRROR_POINTS = {tuple(sorted(map("ldw".index, kind))): kind for kind in MIRRORS}
"""The kinds of a mirror by half points of its two games, the worse first."""


class CrosstableBuilder:
    """Adds block results of one ruleset up.

    Args:
        ruleset: how games are settled.
        agents: every agent, also one that has not played yet.
    """

    def __init__(self, ruleset: Ruleset, agents: Iterable[str]) -> None:
        self._ruleset, self._agents = ruleset, tuple(sorted(agents))
        self._seats = 2
        self._games: dict[tuple[str, str], Counter[str]] = {}
        self._mirrors: dict[tuple[str, str], Counter[str]] = {}
        self._clusters: dict[tuple[str, ...], TableClusters] = {}
        self._sums: dict[str, Counter[str]] = {name: Counter() for name in self._agents}
        self._faults = FaultCounts()

    def add(self, result: BlockResult) -> None:
        """Add a block; all blocks have the same seats."""
        self._seats = result.block.seats
        self._faults.add(result)
        for seating in range(result.block.seats):
            self._add_seats(result, seating)
            for first, second in combinations(range(result.block.seats), 2):
                self._add_pair(result, seating, first, second)
        if result.block.seats == 2:
            self._add_mirrors(result)
        elif result.block.seats > 2:
            self._add_clusters(result)

    def _add_seats(self, result: BlockResult, seating: int) -> None:
        totals, ends, winners = result.totals[:, seating], result.ends[:, seating], result.winners[:, seating]
        counted, scored = winners > 0, (ends == End.FINISHED).all(axis=1)
        money = settle(self._ruleset, totals, winners)
        shared = (winners & (winners - 1)) > 0
        for seat, entrant in enumerate(result.block.seated(seating)):
            points = totals[scored, seat].astype(np.int64)
            best = (winners >> seat & 1) > 0
            self._sums[entrant.name].update(
                games=int(counted.sum()),
                wins=int((best & ~shared).sum()),
                draws=int((best & shared).sum()),
                scored=int(scored.sum()),
                score=int(points.sum()),
                score_sq=int((points * points).sum()),
                settlement=int(money[counted, seat].sum()),
            )

    def _add_pair(self, result: BlockResult, seating: int, first: int, second: int) -> None:
        """Add the games of two seats of a seating, as if they had met alone."""
        seated = result.block.seated(seating)
        won, drawn, lost = _outcomes(result, seating, first, second)
        scored = (result.ends[:, seating] == End.FINISHED).all(axis=1)
        points = result.totals[scored, seating][:, [first, second]].astype(np.int64)
        score, squares = points.sum(axis=0), (points * points).sum(axis=0)
        self._games.setdefault((seated[first].name, seated[second].name), Counter()).update(
            games=int((won | drawn | lost).sum()),
            wins_first=int(won.sum()),
            draws=int(drawn.sum()),
            losses_first=int(lost.sum()),
            score_first=int(score[0]),
            score_second=int(score[1]),
            score_sq_first=int(squares[0]),
            score_sq_second=int(squares[1]),
        )

    def _add_mirrors(self, result: BlockResult) -> None:
        """Count two-seat mirrors by their two results, from the side of the pairing's first name."""
        first, second = (entrant.name for entrant in result.block.entrants)
        # Points for the first name, in half points: it sits in seat 0, then in seat 1. Winners 0 means nobody's.
        points = np.array([[-9, 2, 0, 1], [-9, 0, 2, 1]])
        both = points[0][result.winners[:, 0]], points[1][result.winners[:, 1]]
        low, high = np.minimum(*both), np.maximum(*both)
        ours = self._mirrors.setdefault((first, second), Counter())
        theirs = self._mirrors.setdefault((second, first), Counter())
        for (worse, better), key in MIRROR_POINTS.items():
            number = int(((low == worse) & (high == better)).sum())
            ours[key] += number
            theirs[MIRRORED[key]] += number

    def _add_clusters(self, result: BlockResult) -> None:
        """Add the products of outcome counts of every mirror of three or more seats."""
        seats = result.block.seats
        pairs = list(combinations(range(seats), 2))
        counts = np.zeros((result.block.mirrors, len(pairs), 3), dtype=np.int64)
        for seating in range(seats):
            # Seat k is taken by entrant (k + seating) % seats, so entrant e sits in seat (e - seating) % seats.
            for number, (one, other) in enumerate(pairs):
                places = (one - seating) % seats, (other - seating) % seats
                for outcome, happened in enumerate(_outcomes(result, seating, *places)):
                    counts[:, number, outcome] += happened
        flat = counts.reshape(len(counts), -1)
        names = tuple(entrant.name for entrant in result.block.entrants)
        before = self._clusters.get(names) or TableClusters(names, 0, np.zeros((flat.shape[1],) * 2, dtype=np.int64))
        self._clusters[names] = TableClusters(
            names, before.mirrors + int(flat.any(axis=1).sum()), before.products + flat.T @ flat
        )

    def build(self) -> Crosstable:
        """Return the crosstable of all that was added."""
        rows = tuple(
            CrosstableRow(
                first=first,
                second=second,
                seats=self._seats,
                **{key: games[key] for key in GAME_COUNTS},
                **{key: self._mirrors.get((first, second), Counter())[key] for key in MIRRORS},
            )
            for (first, second), games in sorted(self._games.items())
        )
        tallies = {
            name: Tally(
                **{key: self._sums[name][key] for key in TALLY_COUNTS},
                faults=self._faults.of(name),
            )
            for name in self._agents
        }
        return Crosstable(self._agents, rows, tallies, tuple(self._clusters[key] for key in sorted(self._clusters)))


def _outcomes(result: BlockResult, seating: int, first: int, second: int) -> tuple[Bools, Bools, Bools]:
    """Return three bool[mirrors] of two seats: first won, drawn, second won. Who is out loses to who is not."""
    totals, fine = result.totals[:, seating], result.ends[:, seating] == End.FINISHED
    ours, theirs, mine, yours = totals[:, first], totals[:, second], fine[:, first], fine[:, second]
    won = mine & (~yours | (ours > theirs))
    lost = yours & (~mine | (theirs > ours))
    return won, mine & yours & (ours == theirs), lost
