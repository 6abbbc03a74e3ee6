"""From a crosstable and its ratings to the lines of a leaderboard."""

from __future__ import annotations

from arena.records import Crosstable, Ratings, Standing, Tally
from arena.rules.model import Ruleset
from arena.rules.settlement import settlement_unit

ELO_DIGITS = 2
MEAN_DIGITS = 4
"""Published figures are rounded, so that the last bits of a machine's arithmetic leave no trace in files."""


def standings(ruleset: Ruleset, crosstable: Crosstable, ratings: Ratings, seats: int) -> tuple[Standing, ...]:
    """Return a line an agent, best rating first; equal ratings share a rank and go by name.

    Args:
        ruleset: says what a game is worth in money.
        crosstable: the results.
        ratings: of the same agents.
        seats: seats at the table.
    """
    unit = settlement_unit(ruleset, seats)
    rounded = {name: round(ratings.by_name[name].elo, ELO_DIGITS) for name in crosstable.agents}
    order = sorted(crosstable.agents, key=lambda name: (-rounded[name], name))
    lines = []
    for name in order:
        rating, tally = ratings.by_name[name], crosstable.tallies[name]
        as_first = [row for row in crosstable if row.first == name]
        as_second = [row for row in crosstable if row.second == name]
        faults = {end.label: number for end, number in tally.faults.items() if number}
        lines.append(
            Standing(
                rank=1 + sum(rounded[other] > rounded[name] for other in order),
                name=name,
                elo=rounded[name],
                elo_low=round(rating.low, ELO_DIGITS),
                elo_high=round(rating.high, ELO_DIGITS),
                games=sum(row.games for row in as_first + as_second),
                wins=sum(row.wins_first for row in as_first) + sum(row.losses_first for row in as_second),
                draws=sum(row.draws for row in as_first + as_second),
                losses=sum(row.losses_first for row in as_first) + sum(row.wins_first for row in as_second),
                mean_score=_mean(tally.score, tally.scored),
                settlement=_settlement(tally, unit),
                faults=sum(faults.values()),
                faults_by_kind=faults,
            )
        )
    return tuple(lines)


def _mean(total: int, games: int) -> float | None:
    return round(total / games, MEAN_DIGITS) if games else None


def _settlement(tally: Tally, unit: int | None) -> float | None:
    return None if unit is None else _mean(tally.settlement, tally.settled * unit)
