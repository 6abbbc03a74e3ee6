"""From block results to the crosstable: sums over games, so that blocks may come in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from arena.records import BlockResult, Crosstable, CrosstableRow, End, Tally
from arena.rules.model import Ruleset
from arena.rules.settlement import settle

MIRROR_COUNTS = ("ll", "ld", "wl", "dd", "wd", "ww")
MIRROR_POINTS = {(0, 0): "ll", (0, 1): "ld", (0, 2): "wl", (1, 1): "dd", (1, 2): "wd", (2, 2): "ww"}
SWAPPED = {"ll": "ww", "ld": "wd", "wl": "wl", "dd": "dd", "wd": "ld", "ww": "ll"}


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
        self._sums: dict[str, Counter[str]] = {name: Counter() for name in self._agents}
        self._faults: dict[str, Counter[End]] = {name: Counter() for name in self._agents}

    def add(self, result: BlockResult) -> None:
        """Add a block of two-seat games."""
        block = result.block
        self._seats = block.seats
        for seating in range(block.seats):
            names = [entrant.name for entrant in block.seated(seating)]
            totals, ends = result.totals[:, seating], result.ends[:, seating]
            winners = result.winners[:, seating]
            counted = winners > 0
            scored = (ends == End.FINISHED).all(axis=1)
            money = settle(self._ruleset, totals, winners)
            first, second = names
            row = self._games.setdefault((first, second), Counter())
            row["games"] += int(counted.sum())
            for bits, key in ((1, "wins_first"), (2, "losses_first"), (3, "draws")):
                row[key] += int((winners == bits).sum())
            for seat, name in enumerate(names):
                points = totals[scored, seat].astype(np.int64)
                which = ("first", "second")[seat]
                row[f"score_{which}"] += int(points.sum())
                row[f"score_sq_{which}"] += int((points * points).sum())
                sums = self._sums[name]
                sums["scored"] += int(scored.sum())
                sums["score"] += int(points.sum())
                sums["settled"] += int(counted.sum())
                sums["settlement"] += int(money[counted, seat].sum())
                for end, number in zip(*np.unique(ends[:, seat], return_counts=True), strict=True):
                    if end != End.FINISHED:
                        self._faults[name][End(int(end))] += int(number)
        self._add_mirrors(result)

    def _add_mirrors(self, result: BlockResult) -> None:
        """Count mirrors by their two results, from the side of the pairing's first name."""
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
            theirs[SWAPPED[key]] += number

    def build(self) -> Crosstable:
        """Return the crosstable of all that was added."""
        rows = tuple(
            CrosstableRow(
                first=first,
                second=second,
                seats=self._seats,
                **{
                    key: games[key]
                    for key in (
                        *("games", "wins_first", "draws", "losses_first"),
                        *("score_first", "score_second", "score_sq_first", "score_sq_second"),
                    )
                },
                **{key: self._mirrors[first, second][key] for key in MIRROR_COUNTS},
            )
            for (first, second), games in sorted(self._games.items())
        )
        tallies = {
            name: Tally(
                **{key: self._sums[name][key] for key in ("scored", "score", "settled", "settlement")},
                faults=dict(sorted(self._faults[name].items())),
            )
            for name in self._agents
        }
        return Crosstable(self._agents, rows, tallies)
