"""From a crosstable to Elo ratings with 95% intervals: one maximum-likelihood fit, never game after game."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from arena.ratings.davidson import (
    CLUSTERS,
    Bools,
    Floats,
    Results,
    clustered,
    clustered_tables,
    fit,
    has_maximum,
    reach,
)
from arena.records import MIRRORED, MIRRORS, Z95, Crosstable, CrosstableRow, Rating, Ratings, TableClusters

ELO: Final = 400 / math.log(10)
"""Elo points in a nat: 400 to a tenfold of the odds."""


@dataclass(frozen=True, slots=True, eq=False)
class _League:
    """A crosstable by numbers: agents sorted by name, and each pair that met once, in that order.

    Attributes:
        names: the agents, sorted.
        results: games of both seat orders together.
        clusters: float64[pairs, 9], clusters of each of the kinds of `CLUSTERS`.
    """

    names: tuple[str, ...]
    results: Results
    clusters: Floats


def rate(crosstable: Crosstable, *, mean: float = 1500.0) -> Ratings:
    """Rate every agent by Davidson's model: draws are a part of it, seats are not.

    The intervals are of ratings whose mean is given, and come from the covariance clustered by mirror: both
    games of a mirror have the same dice, so they are not two independent witnesses. At larger tables, where every
    pair of seats counts as a game, a mirror holds all pairs' games of all its seatings.

    The clustered covariance is scaled by ``n / (n - 1)`` for the ``n`` clusters of the whole league. In 2,000
    simulated leagues of 5 bots at 25 mirrors a pair the intervals then held the truth in 95.1 to 95.3%. For
    two bots alone whose mirrors mostly end alike it was 95.2%, and 93.6% without the factor. A factor for
    each pair by its own ``n`` made the intervals of the 5 bots too wide (95.4 to 95.7%).

    Where no maximum exists, as when a bot won every game, and only there, every agent gets half a win and
    half a loss against one virtual opponent whose rating is free. An interval is then the wider of the
    model's and the clustered one, as the latter can learn nothing from games that all ended alike. So it is
    where the league is a single cluster, from which no spread can be told.

    The ratings depend on the rows as a set, not on their order.

    Args:
        crosstable: who met whom, and with what result.
        mean: the mean rating, in Elo points.

    Returns:
        A rating for each agent of the crosstable, always finite.

    Raises:
        ValueError: a pair's mirror counts hold more games than its rows, or differ between them.
    """
    league = _league(crosstable)
    agents = len(league.names)
    if agents == 0:
        return Ratings({}, 0.0)
    unlimited = not has_maximum(league.results)
    results, clusters = _with_virtual(league) if unlimited else (league.results, league.clusters)
    fitted = fit(results)
    if crosstable.clusters:
        count = float(sum(table.mirrors for table in crosstable.clusters))
        covariance = clustered_tables(results, fitted, _tables(league, crosstable.clusters))
    else:
        count = float(clusters.sum())
        covariance = clustered(results, fitted, clusters)
    errors = _errors(covariance * count / max(count - 1, 1), agents)
    if unlimited or count < 2:
        errors = np.maximum(errors, _errors(fitted.inverse, agents))
    elo = mean + ELO * (fitted.theta[:agents] - fitted.theta[:agents].mean())
    by_name = {
        name: Rating(float(at), float(at - Z95 * error), float(at + Z95 * error))
        for name, at, error in zip(league.names, elo, errors, strict=True)
    }
    notes = ([_virtual_note(league)] if unlimited else []) + _group_notes(league)
    notes += [] if crosstable.clusters else _alike_notes(league)
    return Ratings(by_name, fitted.nu, tuple(notes))


def _league(crosstable: Crosstable) -> _League:
    names = tuple(sorted(crosstable.agents))
    number = {name: at for at, name in enumerate(names)}
    pooled: dict[tuple[int, int], list[CrosstableRow]] = {}
    for row in crosstable.rows:
        low, high = sorted((number[row.first], number[row.second]))
        pooled.setdefault((low, high), []).append(row)
    clusters = {pair: _clusters(names[pair[0]], pooled[pair]) for pair in sorted(pooled)}
    met = [pair for pair, kinds in clusters.items() if any(kinds)]
    players = np.array(met, dtype=np.int64).reshape(-1, 2)
    kinds = np.array([clusters[pair] for pair in met], dtype=np.float64).reshape(-1, len(CLUSTERS))
    results = Results(len(names), players[:, 0], players[:, 1], kinds @ np.array(CLUSTERS, dtype=np.float64))
    return _League(names, results, kinds)


def _tables(league: _League, clusters: Sequence[TableClusters]) -> list[tuple[list[int], npt.NDArray[np.int64]]]:
    """Return each pairing's pairs by their numbers in the results, and its products without pairs that never met."""
    number = {name: at for at, name in enumerate(league.names)}
    pair_number = {
        pair: at
        for at, pair in enumerate(zip(league.results.first.tolist(), league.results.second.tolist(), strict=True))
    }
    tables = []
    for table in clusters:
        pairs = [(number[one], number[other]) for one, other in combinations(table.agents, 2)]
        met = [place for place, pair in enumerate(pairs) if pair in pair_number]
        columns = [3 * place + outcome for place in met for outcome in range(3)]
        tables.append(([pair_number[pairs[place]] for place in met], table.products[np.ix_(columns, columns)]))
    return tables


def _clusters(first: str, rows: Sequence[CrosstableRow]) -> list[int]:
    """Count the clusters of a pair by the kinds of `CLUSTERS`, as ``first`` sees them.

    The six counts of mirrors stand in both rows of the pair. Games they do not hold, as the other game of the
    mirror was nobody's, are clusters of one.
    """
    games = [0, 0, 0]
    seen = set()
    for row in rows:
        wdl = [row.wins_first, row.draws, row.losses_first]
        six = [getattr(row, kind if row.first == first else MIRRORED[kind]) for kind in MIRRORS]
        if row.first != first:
            wdl.reverse()
        games = [one + more for one, more in zip(games, wdl, strict=True)]
        seen.add(tuple(six))
    if len(seen) > 1:
        raise ValueError(f"{rows[0].first!r} and {rows[0].second!r}: the mirror counts of the two rows differ")
    mirrors = list(seen.pop())
    paired = [sum(n * kind[k] for n, kind in zip(mirrors, CLUSTERS, strict=False)) for k in range(3)]
    alone = [all_ - held for all_, held in zip(games, paired, strict=True)]
    if min(alone) < 0:
        raise ValueError(f"{rows[0].first!r} and {rows[0].second!r}: more games in the mirrors than in the rows")
    return mirrors + alone


def _with_virtual(league: _League) -> tuple[Results, Floats]:
    """Add a player whom every agent beats half a time and loses to half a time.

    It adds no cluster: nothing was observed.
    """
    real, agents = league.results, len(league.names)
    results = Results(
        agents + 1,
        np.append(real.first, np.arange(agents)),
        np.append(real.second, np.full(agents, agents)),
        np.concatenate([real.games, np.tile([0.5, 0.0, 0.5], (agents, 1))]),
    )
    return results, np.concatenate([league.clusters, np.zeros((agents, len(CLUSTERS)))])


def _errors(covariance: Floats, agents: int) -> Floats:
    """Return float64[agents], standard errors in Elo points of the ratings less their mean.

    Args:
        covariance: float64[parameters, parameters] in squared nats, the agents first.
        agents: how many agents there are.
    """
    centre = np.eye(agents) - 1 / agents
    variance = np.diag(centre @ covariance[:agents, :agents] @ centre)
    return ELO * np.sqrt(np.maximum(variance, 0))


def _virtual_note(league: _League) -> str:
    return (
        f"No finite ratings fit best ({'; '.join(_reasons(league))}), so every bot was given half a win and "
        "half a loss against one weak virtual opponent."
    )


def _reasons(league: _League) -> list[str]:
    """Say why no maximum exists, as clauses."""
    won, drawn = league.results.scored()
    if not (won | drawn).any():
        return ["no game was played"]
    if not won.any():
        return ["every game was drawn"]
    met = reach(won | won.T | drawn)
    ahead = reach(won | drawn)
    reasons = [] if met.all() else ["games do not link all bots"]
    unbeaten = [group for group in _groups(ahead & ahead.T) if (ahead[:, group[0]] <= ahead[group[0]]).all()]
    winless = [group for group in _groups(ahead & ahead.T) if (ahead[group[0]] <= ahead[:, group[0]]).all()]
    for groups, verb in ((unbeaten, "won"), (winless, "lost")):
        for group in groups:
            if len(group) < met[group[0]].sum():
                others = "" if len(group) == 1 else " against the others"
                reasons.append(f"{_quoted(league, group)} {verb} every game{others}")
    return reasons or ["only draws hold the ratings together"]


def _group_notes(league: _League) -> list[str]:
    won, drawn = league.results.scored()
    groups = _groups(reach(won | won.T | drawn))
    if len(groups) == 1:
        return []
    names = _list([f"({_quoted(league, group)})" for group in groups])
    return [f"{names} never met: ratings between them say nothing."]


def _alike_notes(league: _League) -> list[str]:
    """Name the pairs that won and lost, or drew, each mirror, of at least two."""
    even = np.array(CLUSTERS)
    split = league.clusters[:, [kind.sum() == 2 and kind[0] == kind[2] for kind in even]].sum(axis=1)
    alike = (split >= 2) & (split == league.clusters.sum(axis=1))
    return [
        f"{_quoted(league, pair)} split every mirror: they play alike."
        for pair in zip(league.results.first[alike], league.results.second[alike], strict=True)
    ]


def _groups(same: Bools) -> list[list[int]]:
    """Return the classes of an equivalence, each sorted, by their first members."""
    return [np.flatnonzero(row).tolist() for at, row in enumerate(same) if not row[:at].any()]


def _quoted(league: _League, group: Iterable[int]) -> str:
    return _list([repr(league.names[at]) for at in group])


def _list(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
