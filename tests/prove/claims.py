"""The claims, by name: each a function from a seed to what it shows."""

from __future__ import annotations

from collections.abc import Callable

from tests.prove import apart, games, ratings, runs, solver
from tests.prove.shown import Shown

CLAIMS: dict[str, Callable[[int], Shown]] = {
    "coverage": ratings.coverage_of_intervals,
    "digest": runs.same_digest_everywhere,
    "kills": runs.killed_and_continued,
    "order": ratings.order_of_the_shipped_bots,
    "seats": games.seats_of_thirteen,
    "parity": games.both_games_are_equal,
    "tables": ratings.four_at_a_table,
    "rerun": runs.rerun_of_a_million,
    "million": games.a_million_games,
    "sizes": games.bytes_on_disk,
    "values": solver.values_are_what_the_page_says,
    "optimal": solver.optimal_scores_what_was_solved,
    "shares": solver.optimal_wins_the_solved_shares,
    "duelist": ratings.duelist_beats_optimal,
    "optima": solver.right_optima,
    "class": apart.class_contest,
    "timeouts": apart.no_false_timeouts,
}
