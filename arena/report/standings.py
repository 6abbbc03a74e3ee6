"""From a crosstable and its ratings to the lines of a leaderboard."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from arena.records import Z95, Crosstable, Ratings, Standing, Tally
from arena.rules.model import Ruleset
from arena.rules.settlement import settlement_unit

ELO_DIGITS = 2
MEAN_DIGITS = 4
"""Published figures are rounded, so that the last bits of a machine's arithmetic leave no trace in files."""


def standings(
    ruleset: Ruleset,
    crosstable: Crosstable,
    ratings: Ratings,
    seats: int,
    disqualified: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Standing, ...]:
    """Return a line an agent, best rating first; equal ratings share a rank and go by name.

    Who is disqualified stands below all others.

    Args:
        ruleset: says what a game is worth in money.
        crosstable: the results.
        ratings: of the same agents.
        seats: seats at the table.
        disqualified: the reason, by agent.
    """
    unit = settlement_unit(ruleset, seats)
    tallies = crosstable.tallies
    means = {name: _mean(tallies[name].score, tallies[name].scored) for name in crosstable.agents}
    rounded = {name: round(rating.elo, ELO_DIGITS) for name, rating in ratings.by_name.items()}
    # Solo there is nobody to be rated against, so mean scores are ranked.
    worth: dict[str, float] = rounded
    if seats == 1:
        worth = {name: -math.inf if mean is None else mean for name, mean in means.items()}
    place = {name: (name in disqualified, -worth[name]) for name in crosstable.agents}
    order = sorted(crosstable.agents, key=lambda name: (place[name], name))
    lines = []
    for name in order:
        rating, tally = ratings.by_name[name], tallies[name]
        faults = {end.label: number for end, number in tally.faults.items() if number}
        low, high = _mean_interval(tally)
        lines.append(
            Standing(
                rank=1 + sum(place[other] < place[name] for other in order),
                name=name,
                elo=rounded[name] if seats > 1 else None,
                elo_low=round(rating.low, ELO_DIGITS) if seats > 1 else None,
                elo_high=round(rating.high, ELO_DIGITS) if seats > 1 else None,
                games=tally.games,
                wins=tally.wins if seats > 1 else 0,
                draws=tally.draws,
                losses=tally.games - tally.wins - tally.draws if seats > 1 else 0,
                mean_score=means[name],
                mean_low=low,
                mean_high=high,
                settlement=_settlement(tally, unit),
                faults=sum(faults.values()),
                faults_by_kind=faults,
                disqualified=disqualified.get(name, ""),
            )
        )
    return tuple(lines)


def _mean_interval(tally: Tally) -> tuple[float | None, float | None]:
    """Return the ends of the mean score's 95% interval, by the normal distribution; None below two games."""
    games = tally.scored
    if games < 2:
        return None, None
    mean = tally.score / games
    variance = (tally.score_sq - tally.score * tally.score / games) / (games - 1)
    reach = Z95 * math.sqrt(max(variance, 0.0) / games)
    return round(mean - reach, MEAN_DIGITS), round(mean + reach, MEAN_DIGITS)


def _mean(total: int, games: int) -> float | None:
    return round(total / games, MEAN_DIGITS) if games else None


def _settlement(tally: Tally, unit: int | None) -> float | None:
    return None if unit is None else _mean(tally.settlement, tally.games * unit)
