"""Blocks that are taken together have the same games, and rate alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from leagues import Played, play_league, write_tournament

from arena.ratings.crosstable import CrosstableBuilder
from arena.ratings.digest import RulesetDigest
from arena.ratings.joined import joined
from arena.records import BlockResult, Timing


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Blocks of seven mirrors, with faults."""
    folder = tmp_path_factory.mktemp("joined")
    agents = ["greedy", {"name": "mine", "path": "mine.py"}]
    file = write_tournament(folder, agents=agents, games=80)
    (folder / "mine.py").write_text(
        "def hold(turn):\n    return turn.dice if turn.dice[0] > 1 else 5\n\n\n"
        "def choose_row(turn):\n    return turn.open_rows[0]\n"
    )
    return play_league(file, folder, block_size=7)


def results_of(played: Played) -> list[BlockResult]:
    [results] = played.results.values()
    return results


@pytest.mark.parametrize(
    ("mirrors", "stops"),
    [(1, [7, 14, 21, 28, 35, 40]), (7, [7, 14, 21, 28, 35, 40]), (8, [14, 28, 40]), (21, [21, 40]), (99, [40])],
)
def test_they_are_the_same_games(mirrors: int, stops: list[int], played: Played) -> None:
    results = results_of(played)
    larger = list(joined(results, mirrors))
    assert [one.block.stop for one in larger] == stops
    assert [one.block.first for one in larger] == [0, *stops[:-1]]
    for part in ("totals", "ends", "winners"):
        every = np.concatenate([getattr(one, part) for one in results])
        np.testing.assert_array_equal(np.concatenate([getattr(one, part) for one in larger]), every)
    assert [fault for one in larger for fault in one.faults] == [fault for one in results for fault in one.faults]
    assert any(one.faults for one in larger)
    for name in ("greedy", "mine"):
        spent = sum((one.timing[name] for one in larger), Timing())
        assert spent.decisions == sum(one.timing[name].decisions for one in results) > 0
        assert {one.levels[name] for one in larger} == {one.levels[name] for one in results}


def test_they_rate_alike(played: Played) -> None:
    [ruleset] = played.plan.tournament.rulesets
    found = []
    for blocks in (results_of(played), list(joined(results_of(played)))):
        table, digest = CrosstableBuilder(ruleset, ["greedy", "mine"]), RulesetDigest(ruleset.hash)
        for block in blocks:
            table.add(block)
            digest.add(block)
        built = table.build()
        found.append((built.rows, built.tallies, digest.hexdigest()))
    assert found[0] == found[1]


def test_what_does_not_follow_stays_apart(played: Played) -> None:
    """So that the digest sees the gap."""
    one, _, three, four, *_ = results_of(played)
    assert [(part.block.first, part.block.stop) for part in joined([one, three, four])] == [(0, 7), (14, 28)]
    first, second = joined([one, three, four])
    digest = RulesetDigest(one.block.ruleset_hash)
    digest.add(first)
    with pytest.raises(ValueError, match="out of order"):
        digest.add(second)
    assert list(joined([])) == []
    [alone] = joined([replace(one, moves=None)])
    assert (alone.block, alone.moves) == (one.block, None)
