"""One tournament, one result: whoever plays it, in whatever order, in whatever portions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from leagues import Console, Played, block_ranges, bot, files_in, play_league, write_tournament

from arena.records import BlockResult

RULESETS = ["two-stage", "showdown"]
AGENTS: list[Any] = [
    "turn_optimal",
    "collector",
    "random",
    bot("two_bots.py:Meek", "meek"),
    bot("raises.py", "hasty", at="hand", hand=[1, 2, 3, 4, 6]),
]
LEAGUE = {"rulesets": RULESETS, "agents": AGENTS, "games": 40}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("expected")
    return play_league(write_tournament(folder, **LEAGUE), folder)


def assert_same(played: Played, expected: Played) -> None:
    assert played.digest == expected.digest
    assert played.files == expected.files


def test_the_league_has_what_could_differ(expected: Played) -> None:
    assert len(expected.digest) == 64
    per_ruleset = ["crosstable.csv", "standings.json", "standings.md"]
    published = [f"{ruleset}/{file}" for ruleset in sorted(RULESETS) for file in per_ruleset]
    assert sorted(expected.files) == ["README.md", *published]
    for league in expected.leagues.values():
        assert all(row.games for row in league.crosstable)
        assert any(row.draws for row in league.crosstable)
        assert {line.name: line.faults > 0 for line in league.standings} == {
            "turn_optimal": False,
            "collector": False,
            "random": False,
            "meek": False,
            "hasty": True,
        }


@pytest.mark.parametrize("workers", [1, 4])
def test_any_number_of_workers(workers: int, expected: Played, tmp_path: Path) -> None:
    file = write_tournament(tmp_path, **LEAGUE)
    assert_same(play_league(file, tmp_path, backend="processes", workers=workers), expected)


@pytest.mark.parametrize("agents", [AGENTS[::-1], [AGENTS[i] for i in (2, 4, 0, 3, 1)]])
def test_any_order_of_agents(agents: list[Any], expected: Played, tmp_path: Path) -> None:
    assert_same(play_league(write_tournament(tmp_path, **{**LEAGUE, "agents": agents}), tmp_path), expected)


def test_any_order_of_rulesets(expected: Played, tmp_path: Path) -> None:
    assert_same(play_league(write_tournament(tmp_path, **{**LEAGUE, "rulesets": RULESETS[::-1]}), tmp_path), expected)


@pytest.mark.parametrize("block_size", [1, 7, 19, 512])
def test_any_size_of_blocks(block_size: int, expected: Played, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, **LEAGUE), tmp_path, block_size=block_size)
    assert {block.mirrors for block in played.plan.missing} <= {block_size, 20 % block_size or block_size, 20}
    assert_same(played, expected)


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_any_hash_seed(seed: str, expected: Played, tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, **LEAGUE)
    how = ("--backend", "serial") if seed == "0" else ("--workers", "1")
    run = arena.process("run", file, "--out", "out", *how, cwd=tmp_path, PYTHONHASHSEED=seed)
    assert run.code == 0, run.err
    assert run.lines[-1] == f"digest {expected.digest}"
    assert files_in(tmp_path / "out") == expected.files


def test_any_place_of_the_files(expected: Played, tmp_path: Path) -> None:
    """Neither where the file is, nor where its bots are, nor how they are written leaves a trace."""
    file = write_tournament(tmp_path / "elsewhere" / "tournaments", **LEAGUE)
    (tmp_path / "bots").symlink_to(Path(AGENTS[3]["path"]).parent)
    text = yaml.safe_load(file.read_text())
    for agent in text["agents"][3:]:
        agent["path"] = f"../../bots/{Path(agent['path']).name}"
    file.write_text(yaml.safe_dump(text, default_flow_style=True))
    assert_same(play_league(file, tmp_path), expected)


def games_of(results: list[BlockResult]) -> tuple[np.ndarray, ...]:
    parts = ("totals", "ends", "winners")
    return tuple(np.concatenate([getattr(result, part) for result in results]) for part in parts)


def test_another_bot_changes_no_game_of_the_others(expected: Played, tmp_path: Path) -> None:
    more = {**LEAGUE, "agents": ["greedy", *AGENTS]}
    played = play_league(write_tournament(tmp_path, **more), tmp_path)
    assert played.digest != expected.digest
    before = {key: games_of(results) for key, results in expected.results.items()}
    after = {key: games_of(results) for key, results in played.results.items()}
    assert len(before) == 20
    assert len(after) == 30
    for key, games in before.items():
        for one, other in zip(games, after[key], strict=True):
            np.testing.assert_array_equal(one, other)


def test_another_seed_is_another_league(expected: Played, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, **{**LEAGUE, "seed": 8}), tmp_path)
    for key, results in expected.results.items():
        assert not np.array_equal(games_of(results)[0], games_of(played.results[key])[0])


def test_the_digest_of_a_ruleset_does_not_depend_on_the_others(expected: Played, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, **LEAGUE), tmp_path, only=["showdown"])
    assert list(played.leagues) == ["showdown"]
    assert played.leagues["showdown"].digest == expected.leagues["showdown"].digest
    assert played.digest != expected.digest


def test_blocks_are_apart_and_cover_every_dice_set(expected: Played, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, **LEAGUE), tmp_path, backend="processes", workers=2, block_size=7)
    assert_same(played, expected)
    stored = block_ranges(played.run_dir)
    assert len(stored) == 20
    for ranges in stored.values():
        assert ranges[0][0] == 0
        assert ranges[-1][1] == 20
        assert all(one[1] == other[0] for one, other in pairwise(ranges))
