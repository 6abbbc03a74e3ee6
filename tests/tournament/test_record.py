"""What is kept of a game: every decision, or how it ended; nothing else depends on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from leagues import Console, Played, play_league, write_tournament

from arena.errors import UserError
from arena.replays import stored_game
from arena.store import Store

LEAGUE: dict[str, Any] = {"rulesets": ["two-stage", "showdown"], "agents": ["greedy", "random", "collector"]}


def transcribed(played: Played) -> list[tuple[int, bool]]:
    """Return the first dice set of every stored block, and whether it has transcripts."""
    found = []
    with Store(played.run_dir) as store:
        for one in played.plan.series:
            for result in store.results(one.block(0, one.mirrors), moves=True):
                found.append((result.block.first, result.moves is not None))
    return found


def test_the_same_leaderboard_and_digest_with_and_without(tmp_path: Path) -> None:
    leagues = [
        play_league(write_tournament(tmp_path / record, record=record, games=40, **LEAGUE), tmp_path / record, **how)
        for record, how in [("full", {}), ("results", {}), ("full", {"backend": "processes", "workers": 2})]
    ]
    assert len({league.digest for league in leagues}) == 1
    assert leagues[0].files == leagues[1].files == leagues[2].files
    assert [{kept for _, kept in transcribed(league)} for league in leagues] == [{True}, {False}, {True}]


def test_full_is_the_default(tmp_path: Path) -> None:
    assert {kept for _, kept in transcribed(play_league(write_tournament(tmp_path), tmp_path))} == {True}


def test_what_was_played_without_stays_so(tmp_path: Path) -> None:
    """More games with another setting: blocks that are stored stay as they are."""
    play_league(write_tournament(tmp_path, record="results", games=32), tmp_path)
    more = play_league(write_tournament(tmp_path, record="full", games=64), tmp_path)
    assert transcribed(more) == [(0, False), (16, True)]
    with pytest.raises(UserError, match=r"^two-stage/greedy/random/15: its decisions were not kept: it was played"):
        stored_game(more.run_dir, "two-stage/greedy/random/15")
    assert len(list(stored_game(more.run_dir, "two-stage/greedy/random/16").turns())) == 4
    back = play_league(write_tournament(tmp_path, record="results", games=64), tmp_path)
    assert transcribed(back) == [(0, False), (16, True)]


def test_a_wrong_word(arena: Console, tmp_path: Path) -> None:
    file = write_tournament(tmp_path, record="ful")
    told = f"{file}:10: record: 'ful' is not allowed, did you mean 'full'?: 'full' or 'results'"
    assert arena("run", file).mistake == told


@pytest.mark.parametrize(("record", "most"), [("results", 10), ("full", 2 * 60)])
def test_what_a_game_takes(tmp_path: Path, record: str, most: int) -> None:
    """The whole file, of games that fill a card by chance."""
    games = 8192
    league = {"rulesets": ["yatzy"], "agents": ["greedy", "random"]}
    played = play_league(write_tournament(tmp_path, record=record, games=games, **league), tmp_path)
    assert sum(path.stat().st_size for path in played.run_dir.iterdir()) <= most * games
