"""Claims about games: both engines, both seats, a million of them, and what they weigh."""

from __future__ import annotations

import csv
import math
import tempfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from time import perf_counter

from arena import pipeline
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, bundled_names, locate
from arena.game.new import compile_rules
from arena.records import Block, BlockResult, Entrant
from arena.rules.shipped import shipped_ruleset
from arena.run_folder import FILE_NAME
from arena.store import Store
from arena.tournament.block import play_block
from tests.prove.shown import CARD_GAMES, ROOT, Shown, digest_of, standings, start_run, write_league


def seats_of_thirteen(seed: int) -> Shown:
    """Count who wins thirteen by seat, in mirrors of equal bots."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "twin.py").write_text((ROOT / "agents" / "turn_optimal.py").read_text(), encoding="utf-8")
        agents = ["turn_optimal", {"name": "twin", "path": "twin.py"}]
        write_league(folder, games=20_000, agents=agents, rulesets=["thirteen"], seed=seed)
        digest_of(start_run(folder, "claim.yaml", "--out", "out"))
        with (folder / "out" / "thirteen" / "crosstable.csv").open() as text:
            rows = list(csv.DictReader(text))
    first, second, drawn = (sum(int(row[key]) for row in rows) for key in ("wins_first", "losses_first", "draws"))
    games = first + second + drawn
    share = first / (first + second)
    error = math.sqrt(share * (1 - share) / (first + second))
    figure = f"first {first / games:.2%}, second {second / games:.2%}, drawn {drawn / games:.2%} of {games:,}"
    claim = "between equal bots neither seat of thirteen wins more (the sheet: 49.25%, 49.89%, 0.84%)"
    return Shown(claim, figure, abs(share - 0.5) < 4 * error)


def both_games_are_equal(seed: int) -> Shown:
    """Play every pair of shipped bots that have both forms in the array and in the scalar game."""
    bots = {name: load(locate(bundled_folder() / f"{name}.py")) for name in bundled_names()}
    both = [name for name, bot in bots.items() if callable(getattr(bot.source, "hold", None))]
    games = different = 0
    for ruleset in [*CARD_GAMES, "showdown"]:
        rules = compile_rules(shipped_ruleset(ruleset))
        for pair in combinations(sorted(both), 2):
            block = Block("", rules.ruleset.hash, tuple(Entrant(name, "") for name in pair), 0, 100)
            one, other = (play_block(block, rules, seed, bots, engine=engine) for engine in ("arrays", "scalar"))
            games += block.games
            different += int((one.totals != other.totals).any(axis=2).sum()) + int((one.ends != other.ends).sum())
    figure = f"{games:,} games of {len(both)} bots under seven rulesets, {different} different"
    return Shown("the array game and the scalar game end alike, game by game", figure, different == 0)


def a_million_games(seed: int) -> Shown:
    """Play a million games of thirteen on two workers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_league(folder, games=10**6, agents=["turn_optimal", "planner"], rulesets=["thirteen"], seed=seed)
        began = perf_counter()
        digest_of(start_run(folder, str(path), "--workers", "2", "--out", "out"))
        minutes = (perf_counter() - began) / 60
        lines = standings(folder / "out", "thirteen")
        size = (folder / "runs" / "claim" / FILE_NAME).stat().st_size / 10**6
    best = lines[0]
    won = f"{best['name']} won {best['wins'] / best['games']:.2%}"
    figure = f"{minutes:.1f} minutes on two workers, {won}, {size / 2:.1f} bytes a seat"
    claim = "a million games of thirteen, turn_optimal against planner, every decision kept"
    return Shown(claim, figure, best["games"] == 10**6 and size <= 2 * 60)


def bytes_on_disk(seed: int) -> Shown:
    """Play a million games of every ruleset at random, fewer of better bots, and weigh the files."""
    tables = [(("greedy", "random"), 10**6), (("optimal", "random"), 10**5), (("planner", "turn_optimal"), 10**5)]
    a_game, a_seat = [], []
    for names, games in tables:
        for ruleset in [*CARD_GAMES, "showdown"]:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                path = write_league(folder, games=games, agents=names, rulesets=[ruleset], seed=seed)
                with Store(folder / "full") as full, Store(folder / "results") as results:
                    plan = pipeline.plan(pipeline.load(path), full)
                    for result in pipeline.play(plan, full, backend="processes", workers=2):
                        assert isinstance(result, BlockResult)
                        results.put(replace(result, moves=None))
                told = f"{ruleset}, {' against '.join(names)}"
                a_game.append(((folder / "results" / FILE_NAME).stat().st_size / games, told))
                a_seat.append(((folder / "full" / FILE_NAME).stat().st_size / games / 2, told))
    (game, in_game), (seat, in_seat) = max(a_game), max(a_seat)
    figure = f"at most {game:.1f} bytes a game ({in_game}) and {seat:.1f} a seat ({in_seat})"
    claim = (
        "the file of a million games takes at most 10 bytes a game with `record: results` and 60 a seat with `full`,"
        " for every ruleset; so does that of 100,000 games of better bots"
    )
    return Shown(claim, figure, game <= 10 and seat <= 60)
