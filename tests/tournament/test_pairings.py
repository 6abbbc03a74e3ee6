"""Who meets whom: all sets where they are few, else a balanced sample, and gauntlets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.schedule import MOST_SETS, pairings

NAMES = [f"bot {n:02}" for n in range(30)]


@given(st.permutations(NAMES[:7]), st.integers(1, 6))
def test_all_sets_where_they_are_few(names: list[str], seats: int) -> None:
    assert pairings(names, seats, seed=1) == list(combinations(NAMES[:7], seats))


def test_all_pairs_however_many() -> None:
    many = [f"bot {n:03}" for n in range(60)]
    assert len(pairings(many, 2, seed=1)) == 60 * 59 // 2 > MOST_SETS


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_a_sample_is_balanced_and_drawn_by_the_seed(seats: int) -> None:
    chosen = pairings(NAMES, seats, seed=1)
    assert len(chosen) == len(set(chosen)) == MOST_SETS
    assert chosen == sorted(chosen)
    assert all(len(set(table)) == seats and list(table) == sorted(table) for table in chosen)
    games = Counter(name for table in chosen for name in table)
    assert set(games) == set(NAMES)
    assert max(games.values()) - min(games.values()) <= 0.1 * MOST_SETS * seats / len(NAMES)
    assert pairings(NAMES[::-1], seats, seed=1) == chosen
    assert pairings(NAMES, seats, seed=2) != chosen


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_a_gauntlet_has_one_of_its_agents_at_every_table(seats: int) -> None:
    names, hosts = NAMES[:6], {NAMES[0], NAMES[3]}
    chosen = pairings(names, seats, seed=1, gauntlet=hosts)
    assert chosen == [table for table in combinations(names, seats) if hosts & set(table)]


def test_a_sampled_gauntlet() -> None:
    hosts = NAMES[:3]
    chosen = pairings(NAMES, 4, seed=1, gauntlet=hosts)
    assert len(set(chosen)) == MOST_SETS
    assert all(set(hosts) & set(table) for table in chosen)
    games = Counter(name for table in chosen for name in table)
    guests = [games[name] for name in NAMES[3:]]
    assert max(guests) - min(guests) <= 0.1 * sum(guests) / len(guests)
    crowded = pairings(NAMES, 5, seed=1, gauntlet=NAMES[:28])  # fewer others than seats
    assert len(set(crowded)) == MOST_SETS
