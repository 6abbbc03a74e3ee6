"""Elo ratings: right, one whatever the order, and finite for every league."""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import row, table

from arena.ratings.davidson import Results, has_maximum
from arena.ratings.elo import ELO, Z95, rate
from arena.records import Crosstable, CrosstableRow, Ratings

GOLDEN = Path(__file__).parents[1] / "golden" / "ratings"
QUICK = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def read(name: str) -> list[CrosstableRow]:
    with (GOLDEN / name).open() as file:
        return [
            row(
                line["first"],
                line["second"],
                (int(line["wins_first"]), int(line["draws"]), int(line["losses_first"])),
            )
            for line in csv.DictReader(file)
        ]


def assert_finite(ratings: Ratings, agents: int, mean: float = 1500.0) -> None:
    assert len(ratings.by_name) == agents
    assert math.isfinite(ratings.draw)
    for one in ratings.by_name.values():
        assert math.isfinite(one.low)
        assert math.isfinite(one.high)
        assert one.low <= one.elo <= one.high
    assert sum(one.elo for one in ratings.by_name.values()) / agents == pytest.approx(mean, abs=1e-6)


counts = st.one_of(st.just(0), st.integers(1, 12), st.sampled_from([50, 1000, 10**7]))


@st.composite
def leagues(draw: st.DrawFn, *, count: st.SearchStrategy[int] = counts, linked: bool = False) -> list[CrosstableRow]:
    """Make up rows; linked ones have wins both ways in every pair."""
    bots = "abcde"[: draw(st.integers(2, 5))]
    rows = []
    for first, second in combinations(bots, 2):
        wins, draws, losses = draw(count), draw(count), draw(count)
        if linked:
            wins, losses = wins + 1, losses + 1
        rows.append(row(first, second, (wins, draws, losses)))
    return rows


def test_dice8_is_the_reference_fit() -> None:
    golden = json.loads((GOLDEN / "dice8.json").read_text())
    reference = golden["ref_davidson_seat0"]
    ratings = rate(table(read("dice8.csv")))
    for name, theta, error in zip(golden["players"], reference["theta"], reference["se_sand"], strict=True):
        one = ratings.by_name[name]
        assert one.elo == pytest.approx(1500 + theta, abs=0.01)
        assert one.high - one.elo == pytest.approx(Z95 * error, abs=0.01)
        assert one.elo - one.low == pytest.approx(Z95 * error, abs=0.01)
    assert ratings.draw == pytest.approx(reference["nu"], abs=1e-8)
    assert ratings.notes == ()


NEWMAN = json.loads((GOLDEN / "newman.json").read_text())
"""What another program finds by Newman's model of ties: its ``2 v`` is Davidson's nu, and all else is the same."""


def assert_agrees(rows: Sequence[CrosstableRow], newman: dict[str, Any]) -> None:
    ratings = rate(table(list(rows)), mean=0.0)
    assert set(ratings.by_name) == set(newman["scores"])
    elo = {name: ELO * math.log(score) for name, score in newman["scores"].items()}
    mean = sum(elo.values()) / len(elo)
    for name, theirs in elo.items():
        assert ratings.by_name[name].elo == pytest.approx(theirs - mean, abs=1e-3)
    assert ratings.draw == pytest.approx(2 * newman["v"], rel=1e-5, abs=1e-9)


def test_dice8_agrees_with_newman() -> None:
    assert_agrees(read("dice8.csv"), NEWMAN["dice8"])


def test_small_leagues_agree_with_newman() -> None:
    assert len(NEWMAN["leagues"]) == 100
    for league in NEWMAN["leagues"]:
        assert_agrees([row(first, second, tuple(games)) for first, second, *games in league["rows"]], league)


def log_likelihood(rows: Sequence[CrosstableRow], theta: dict[str, float], log_nu: float) -> float:
    total = 0.0
    for one in rows:
        win, loss = math.exp(theta[one.first]), math.exp(theta[one.second])
        draw = math.exp(log_nu) * math.sqrt(win * loss)
        everything = win + draw + loss
        total += one.wins_first * math.log(win / everything) + one.losses_first * math.log(loss / everything)
        total += one.draws * math.log(draw / everything) if one.draws else 0.0
    return total


@QUICK
@given(leagues(count=st.integers(0, 20), linked=True))
def test_the_readable_likelihood_is_flat_at_the_fit(rows: list[CrosstableRow]) -> None:
    ratings = rate(table(rows), mean=0.0)
    theta = {name: one.elo / ELO for name, one in ratings.by_name.items()}
    log_nu = math.log(ratings.draw) if ratings.draw else -math.inf
    assert (ratings.draw > 0) == any(one.draws for one in rows)

    h = 1e-4
    for name, at in theta.items():
        up = log_likelihood(rows, theta | {name: at + h}, log_nu)
        down = log_likelihood(rows, theta | {name: at - h}, log_nu)
        assert (up - down) / (2 * h) == pytest.approx(0, abs=1e-4)
    if ratings.draw:
        rise = log_likelihood(rows, theta, log_nu + h) - log_likelihood(rows, theta, log_nu - h)
        assert rise / (2 * h) == pytest.approx(0, abs=1e-4)


def no_outcome_suffers(rows: Sequence[CrosstableRow], way: dict[str, int], growth: float) -> bool:
    """Say whether going on and on that way, log nu growing by so much a step, costs no played outcome."""
    for one in rows:
        lead = way[one.first] - way[one.second]
        best = max(abs(lead) / 2, growth)
        if (one.wins_first and lead / 2 < best) or (one.losses_first and -lead / 2 < best):
            return False
        if one.draws and growth < best:
            return False
    return True


@settings(QUICK, max_examples=150)
@given(
    st.lists(st.tuples(*[st.sampled_from([0, 0, 1])] * 3), min_size=3, max_size=6).filter(lambda w: len(w) in (3, 6))
)
def test_a_maximum_is_missing_where_some_way_out_is_free(wdl: list[tuple[int, int, int]]) -> None:
    bots = "abc" if len(wdl) == 3 else "abcd"
    rows = [row(*pair, games) for pair, games in zip(combinations(bots, 2), wdl, strict=True)]
    with_draws = any(one.draws for one in rows)
    ways = [
        (dict(zip(bots, (0, *rest), strict=True)), growth)
        for rest in product(range(-3, 4), repeat=len(bots) - 1)
        for growth in ((0.0, 0.5) if with_draws else (0.0,))
        if any(rest) or growth
    ]
    free = any(no_outcome_suffers(rows, way, growth) for way, growth in ways)
    pairs = np.array(list(combinations(range(len(bots)), 2)))
    games = np.array(wdl, dtype=np.float64)
    played = any(any(games) for games in wdl)
    assert has_maximum(Results(len(bots), pairs[:, 0], pairs[:, 1], games)) == (played and not free)


@pytest.mark.parametrize("name", ["dice8.csv", "edge_two_bots.csv", "edge_undefeated.csv", "edge_only_draws.csv"])
def test_any_order_gives_the_same_bits(name: str) -> None:
    rows = read(name)
    expected = rate(table(rows))
    names = list(expected.by_name)
    for seed in range(5):
        shuffler = random.Random(seed)
        shuffler.shuffle(rows)
        shuffler.shuffle(names)
        again = rate(Crosstable(tuple(names), tuple(rows), {}))
        assert again == expected
        assert list(again.by_name) == sorted(names)


@QUICK
@given(leagues())
def test_turned_rows_give_the_same_bits(rows: list[CrosstableRow]) -> None:
    turned = [row(one.second, one.first, (one.losses_first, one.draws, one.wins_first)) for one in rows]
    assert rate(table(turned)) == rate(table(rows))


VIRTUAL = (
    "No finite ratings fit best ({}), so every bot was given half a win and half a loss against one "
    "weak virtual opponent."
)
EDGES = {
    "chain_sweep": ("ABC", [VIRTUAL.format("'A' won every game; 'C' lost every game")]),
    "cycle": ("A=B=C", []),
    "disconnected": (
        "CABD",
        [
            VIRTUAL.format("games do not link all bots"),
            "('A' and 'B') and ('C' and 'D') never met: ratings between them say nothing.",
        ],
    ),
    "one_draw": ("A=B", [VIRTUAL.format("every game was drawn")]),
    "one_game": ("AB", [VIRTUAL.format("'A' won every game; 'B' lost every game")]),
    "only_draws": ("A=B=C", [VIRTUAL.format("every game was drawn")]),
    "two_bots": ("AB", []),
    "undefeated": (
        "ABC",
        [VIRTUAL.format("'A' won every game; 'B' and 'C' lost every game against the others")],
    ),
    "winless": (
        "ABC",
        [VIRTUAL.format("'A' and 'B' won every game against the others; 'C' lost every game")],
    ),
}


@pytest.mark.parametrize("name", sorted(path.stem.removeprefix("edge_") for path in GOLDEN.glob("edge_*.csv")))
def test_edge(name: str) -> None:
    order, notes = EDGES[name]
    ratings = rate(table(read(f"edge_{name}.csv")))
    names = order.replace("=", "")
    assert_finite(ratings, len(names))
    elo = [ratings.by_name[one].elo for one in names]
    if "=" in order:
        assert elo == pytest.approx([1500] * len(names), abs=1e-6)
    else:
        assert elo == sorted(elo, reverse=True)
        assert len({round(one, 3) for one in elo}) == len(elo)
    assert list(ratings.notes) == notes


@pytest.mark.parametrize(
    ("rows", "alone", "reason"),
    [
        ([], "a", "no game was played"),
        ([], "ab", "no game was played"),
        ([row("a", "b", (0, 0, 0))], "", "no game was played"),
        ([row("a", "b", (3, 1, 2))], "z", "games do not link all bots"),
        ([row("a", "b", (10**7, 0, 0))], "", "'a' won every game; 'b' lost every game"),
        ([row("a", "b", (0, 10**7, 0))], "", "every game was drawn"),
        ([row("a", "b", (3, 5, 0))], "", "only draws hold the ratings together"),
        ([row("a", "b", (5, 0, 0)), row("c", "d", (1, 4_699_033, 0))], "", "games do not link all bots; "),
    ],
)
def test_without_a_maximum(rows: list[CrosstableRow], alone: str, reason: str) -> None:
    crosstable = table(rows, *alone)
    ratings = rate(crosstable, mean=0.0)
    assert_finite(ratings, len(crosstable.agents), mean=0.0)
    assert ratings.notes[0].startswith(f"No finite ratings fit best ({reason}")


@pytest.mark.parametrize(
    "rows",
    [
        [row("a", "b", (10**7, 0, 1)), row("b", "c", (10**7, 0, 1))],
        [row("a", "b", (10**7, 0, 1)), row("b", "c", (1, 10**7, 1)), row("c", "a", (1, 0, 10**7))],
        [row("a", "b", (1, 0, 1)), row("b", "c", (10**7, 10**7, 10**7)), row("a", "c", (0, 0, 1))],
        [row(f"b{k:02}", f"b{k + 1:02}", (10**7, k % 2, 1)) for k in range(30)],
        [row("a", "b", (2, 1, 0)), row("b", "c", (2, 1, 0)), row("c", "a", (0, 1, 0))],
    ],
)
def test_huge_and_lopsided_with_a_maximum(rows: list[CrosstableRow]) -> None:
    crosstable = table(rows)
    ratings = rate(crosstable)
    assert_finite(ratings, len(crosstable.agents))
    assert ratings.notes == ()


@QUICK
@given(leagues())
def test_every_league_is_finite(rows: list[CrosstableRow]) -> None:
    crosstable = table(rows)
    assert_finite(rate(crosstable), len(crosstable.agents))


def test_no_agents() -> None:
    assert rate(table([])) == Ratings({}, 0.0)


def test_the_virtual_interval_is_never_narrower_than_the_models() -> None:
    one = rate(table([row("a", "b", (40, 0, 0))])).by_name["a"]
    more = rate(table([row("a", "b", (4000, 0, 0))])).by_name["a"]
    assert one.high - one.low > 300
    assert more.high - more.low > 300
    assert more.elo > one.elo


def test_split_mirrors_are_said() -> None:
    others = [
        row("a", "c", (5, 0, 1), (0, 0, 1, 0, 0, 2)),
        row("b", "c", (5, 0, 1), (0, 0, 1, 0, 0, 2)),
    ]
    pair = [row(*names, (2, 1, 2), (0, 0, 4, 1, 0, 0)) for names in ("ab", "ba")]
    ratings = rate(table([*others, *pair]))
    assert ratings.notes == ("'a' and 'b' split every mirror: they play alike.",)
    assert rate(table([*others, row("a", "b", (4, 2, 4), (0, 0, 4, 1, 0, 0))])) == ratings

    once = rate(table([row("a", "b", (1, 0, 1), (0, 0, 1, 0, 0, 0))]))
    assert once.notes == ()
    assert once.by_name["a"].high > once.by_name["a"].elo

    beside = rate(table([row("a", "b", (3, 0, 2), (0, 0, 2, 0, 0, 0))]))
    assert beside.notes == ()


def test_mirrors_are_seen_from_either_row() -> None:
    ours = row("a", "b", (20, 3, 9), (2, 1, 4, 0, 2, 7))
    theirs = row("b", "a", (9, 3, 20), (7, 2, 4, 0, 1, 2))
    assert rate(table([ours])) == rate(table([theirs]))


def test_games_that_lost_their_mirror_count_alone() -> None:
    whole = rate(table([row("a", "b", (12, 0, 8), (0, 0, 8, 0, 0, 2))])).by_name["a"]
    half = rate(table([row("a", "b", (12, 0, 8), (0, 0, 4, 0, 0, 1))])).by_name["a"]
    none = rate(table([row("a", "b", (12, 0, 8))])).by_name["a"]
    assert whole.elo == half.elo == none.elo
    assert whole.high < half.high < none.high


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row("a", "b", (1, 0, 1), (0, 0, 0, 0, 0, 1))], "more games in the mirrors than in the rows"),
        (
            [
                row("a", "b", (2, 0, 1), (0, 0, 1, 0, 0, 0)),
                row("b", "a", (2, 0, 1), (0, 0, 0, 1, 0, 0)),
            ],
            "the mirror counts of the two rows differ",
        ),
    ],
)
def test_wrong_mirror_counts_are_refused(rows: list[CrosstableRow], message: str) -> None:
    with pytest.raises(ValueError, match=f"'a' and 'b': {message}"):
        rate(table(rows))
