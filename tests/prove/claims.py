"""The claims: each a function from a seed to what it shows."""

from __future__ import annotations

import csv
import json
import math
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt
import yaml

from arena import pipeline
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, bundled_names, locate
from arena.game.new import compile_rules
from arena.ratings.elo import rate
from arena.records import Block, BlockResult, Entrant
from arena.report.crosstables import read_crosstable
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.shipped import shipped_ruleset
from arena.run_folder import FILE_NAME
from arena.solver.showdown import ShowdownValues
from arena.solver.values import CardValues
from arena.store import Store
from arena.tournament.block import play_block
from tests.apart import classroom
from tests.bench.rerun import rerun_times
from tests.docs import values_page
from tests.kills import SLOW_BOT, Killed
from tests.ratings.simulation import coverage
from tests.solver.right_values import RIGHT_VALUES, SD_WITHIN, WITHIN

ROOT = Path(__file__).parents[2]
QUICK = ROOT / "tournaments" / "quick.yaml"
CARD_GAMES = ("two-stage", "school", "fifteen", "thirteen", "yahtzee", "yatzy")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a claim came to.

    Attributes:
        claim: what is claimed, in one line.
        figure: what was measured.
        holds: whether the one is true of the other.
    """

    claim: str
    figure: str
    holds: bool


def coverage_of_intervals(seed: int) -> Shown:
    """Simulate leagues with mirrors of several sizes and correlations."""
    setups = [(50, 0.6), (50, 0.0), (50, -0.6), (25, 0.6), (200, -0.3)]
    shares = [coverage(2000, 5, mirrors, correlation, seed) for mirrors, correlation in setups]
    figure = ", ".join(f"{share:.1%} ({m} mirrors, {c:+.1f})" for share, (m, c) in zip(shares, setups, strict=True))
    return Shown(
        "95% intervals cover the truth in 93 to 97% of leagues", figure, all(0.93 <= s <= 0.97 for s in shares)
    )


def _file(folder: Path, *, games: int, agents: Sequence[str], rulesets: Sequence[str], seed: int) -> Path:
    content = {"name": "claim", "seed": seed, "rulesets": list(rulesets), "agents": list(agents), "games": games}
    path = folder / "claim.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def _arena(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena", "run", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _digest(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.splitlines()[-1]


def _files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def same_digest_everywhere(seed: int) -> Shown:
    """Play one league of seven rulesets in many ways."""
    rulesets, agents = [*CARD_GAMES, "showdown"], ["turn_optimal", "greedy", "collector", "random"]
    digests, files, games = set(), set(), set()
    ways = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shuffled = random.Random(seed)
        for backend, workers in [("serial", 1), ("processes", 1), ("processes", 2), ("processes", 4)]:
            for hash_seed in ("0", "1", "4711"):
                shuffled.shuffle(agents)
                path = _file(folder, games=1000, agents=agents, rulesets=rulesets, seed=seed)
                out = folder / f"out{ways}"
                options = [
                    "--backend",
                    backend,
                    "--workers",
                    str(workers),
                    "--run-dir",
                    f"run{ways}",
                    "--out",
                    str(out),
                ]
                digests.add(_digest(_arena(folder, str(path), *options, PYTHONHASHSEED=hash_seed)))
                files.add(json.dumps(_files(out)))
                games.add(_games_in(folder / f"run{ways}"))
                ways += 1
        with_files = ways
        for size in (1, 7, 100, 10_000):
            tournament = pipeline.load(path, games=1000)
            with Store(folder / f"size{size}") as store:
                plan = pipeline.plan(tournament, store, block_size=size)
                for _ in pipeline.play(plan, store, backend="processes", workers=2):
                    pass
                digests.add(f"digest {pipeline.rate(plan, store)[0].run_digest}")
            games.add(_games_in(folder / f"size{size}"))
            ways += 1
    holds = len(digests) == len(files) == len(games) == 1
    played = " or ".join(f"{number:,}" for number in sorted(games))
    figure = f"{_many(digests, 'digest')} over {ways} ways, {_many(files, 'set of files')} over {with_files}"
    claim = (
        "one digest for any backend, workers, order of agents, hash seed and block size, and one set of files for"
        " any but the last"
    )
    return Shown(claim, f"{figure}, {played} games each", holds)


def _many(things: Sized, what: str) -> str:
    """Return how many there are, in words: ``1 digest``, ``2 sets of files``."""
    first, space, rest = what.partition(" ")
    return f"{len(things)} {first}{'' if len(things) == 1 else 's'}{space}{rest}"


def _games_in(run: Path) -> int:
    """Return how many games a run's store holds, at tables of two."""
    with closing(sqlite3.connect(run / FILE_NAME)) as results:
        return 2 * int(results.execute("SELECT SUM(stop - first) FROM blocks").fetchone()[0])


def killed_and_continued(seed: int) -> Shown:
    """Kill one league 30 times with SIGKILL at random moments, and go on each time; one bot is kept apart."""
    kills, games = 30, 12_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mine.py").write_text(SLOW_BOT, encoding="utf-8")
        content = {
            **{"name": "claim", "seed": seed, "rulesets": ["two-stage", "thirteen"], "games": games},
            **{"agents": ["greedy", "collector", {"path": "mine.py"}], "isolation": "auto"},
            "limits": {"decision_ms": 60_000, "start_s": 120, "wall_s": 600},
        }
        (folder / "claim.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        undisturbed = _digest(_arena(folder, "claim.yaml", "--run-dir", "whole", "--out", "whole-out"))
        with closing(sqlite3.connect(folder / "whole" / FILE_NAME)) as results:
            [(blocks,)] = results.execute("SELECT COUNT(*) FROM blocks")
        killed = Killed(
            lambda: _arena(folder, "claim.yaml", "--workers", "2", "--run-dir", "killed", "--out", "killed-out"),
            folder / "killed" / FILE_NAME,
            blocks,
            random.Random(seed),
        )
        for left in range(kills, 0, -1):
            killed.kill(left)
        out, _ = killed.finish()
        killed.check(games // 2)
        digest = out.splitlines()[-1]
        same_files = _files(folder / "whole-out") == _files(folder / "killed-out")
        exact = _games_in(folder / "killed") == 6 * games
    equal = "equal" if digest == undisturbed else "DIFFERENT"
    figure = (
        f"{killed.kills} kills of the whole group and {killed.workers_killed} of single workers, digest {equal},"
        f" files equal: {same_files}"
    )
    claim = (
        "a league killed at random moments and continued ends as an undisturbed one, no game played twice and no"
        " process left"
    )
    return Shown(claim, figure, digest == undisturbed and same_files and exact and killed.kills == kills)


def rerun_of_a_million(seed: int) -> Shown:
    """Run a finished league of a million games again, three times."""
    rerun = rerun_times(10**6, seed, repeats=3)
    figure = f"{min(rerun.seconds):.2f} s, {rerun.cpu_seconds:.2f} CPU-s, {rerun.games_played} games played"
    claim = "a finished league of a million games, run again, plays nothing and takes under 2 seconds"
    return Shown(claim, figure, rerun.same_digest and rerun.games_played == 0 and min(rerun.seconds) < 2)


def order_of_the_shipped_bots(seed: int) -> Shown:
    """Play the shipped bots at league size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = _file(folder, games=4000, agents=["turn_optimal", "greedy", "random"], rulesets=CARD_GAMES, seed=seed)
        _digest(_arena(folder, str(path), "--out", "out"))
        gaps = []
        for ruleset in CARD_GAMES:
            lines = json.loads((folder / "out" / ruleset / "standings.json").read_text())["standings"]
            by_name = {line["name"]: line for line in lines}
            order = [by_name[bot] for bot in ("turn_optimal", "greedy", "random")]
            gaps += [better["elo_low"] - worse["elo_high"] for better, worse in pairwise(order)]
    claim = "turn_optimal beats greedy beats random on every card game, with intervals that do not touch"
    return Shown(claim, f"narrowest gap between intervals {min(gaps):.0f} Elo, 4,000 games a pair", min(gaps) > 0)


def seats_of_thirteen(seed: int) -> Shown:
    """Count who wins thirteen by seat, in mirrors of equal bots."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "twin.py").write_text((ROOT / "agents" / "turn_optimal.py").read_text(), encoding="utf-8")
        content = {
            **{"name": "claim", "seed": seed, "rulesets": ["thirteen"], "games": 20_000},
            "agents": ["turn_optimal", {"name": "twin", "path": "twin.py"}],
        }
        (folder / "claim.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        _digest(_arena(folder, "claim.yaml", "--out", "out"))
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
        path = _file(folder, games=10**6, agents=["turn_optimal", "planner"], rulesets=["thirteen"], seed=seed)
        began = perf_counter()
        _digest(_arena(folder, str(path), "--workers", "2", "--out", "out"))
        minutes = (perf_counter() - began) / 60
        lines = json.loads((folder / "out" / "thirteen" / "standings.json").read_text())["standings"]
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
                path = _file(folder, games=games, agents=names, rulesets=[ruleset], seed=seed)
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


def four_at_a_table(seed: int) -> Shown:
    """Play all shipped bots at tables of four, and rate them again from the published files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        content = {"name": "claim", "seed": seed, "rulesets": ["thirteen", "showdown"], "games": 200, "seats": 4}
        path = folder / "claim.yaml"
        path.write_text(yaml.safe_dump({**content, "agents": bundled_names()}), encoding="utf-8")
        digests = {
            _digest(_arena(folder, str(path), "--workers", workers, "--run-dir", f"run{workers}", "--out", "out"))
            for workers in ("1", "2")
        }
        same = True
        for ruleset in ("thirteen", "showdown"):
            files = folder / "out" / ruleset
            again = rate(read_crosstable((files / "crosstable.csv").read_text(), (files / "clusters.csv").read_text()))
            for line in json.loads((files / "standings.json").read_text())["standings"]:
                rating = again.by_name[line["name"]]
                same &= abs(rating.elo - line["elo"]) < 0.01 and abs(rating.low - line["elo_low"]) < 0.01
    figure = f"{math.comb(len(bundled_names()), 4)} sets of four, {len(digests)} digest, rated again alike: {same}"
    return Shown(
        "a four-seat league of all bots, one digest, rated again from its files", figure, same and len(digests) == 1
    )


def optimal_scores_what_was_solved(seed: int) -> Shown:
    """Play `optimal` by itself, compare with the solved mean and deviation, and write the page of values."""
    games, scores, lines = 200_000, [], []
    with tempfile.TemporaryDirectory() as name:
        for ruleset_id in CARD_GAMES:
            folder = Path(name) / ruleset_id
            folder.mkdir()
            content = {"name": "claim", "seed": seed, "rulesets": [ruleset_id], "agents": ["optimal"], "seats": 1}
            (folder / "claim.yaml").write_text(yaml.safe_dump({**content, "games": games}), encoding="utf-8")
            _digest(_arena(folder, "claim.yaml", "--run-dir", "run", "--out", "out"))
            tournament = pipeline.load(folder / "claim.yaml")
            with Store(folder / "run") as store:
                [whole] = pipeline.plan(tournament, store).whole(tournament.rulesets[0])
                points = np.concatenate([result.totals.ravel() for result in store.results(whole)])
            values = CardValues(CardRules(shipped_ruleset(ruleset_id)))
            scores += z_scores(points, values.value, values.sd)
            lines.append(
                f"| {ruleset_id} | {len(points):,} | {points.mean():.3f} | {scores[-2]:+.2f} |"
                f" {points.std():.3f} | {scores[-1]:+.2f} |"
            )
    heads = ["| ruleset | games | mean | z | standard deviation | z |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    text = values_page.PAGE.read_text(encoding="utf-8")
    values_page.PAGE.write_text(values_page.written(text, values_page.PLAYED, heads + lines), encoding="utf-8")
    worst = max(map(abs, scores))
    figure = f"largest of {len(scores)} z-scores {worst:.2f}, {games:,} games of each card game"
    return Shown("optimal scores the solved mean and standard deviation", figure, worst < 3)


def optimal_wins_the_solved_shares(seed: int) -> Shown:
    """Play one round of showdown between copies of `optimal`, at tables of two and three."""
    ante, stack, scores, lines = 6, 20, [], []
    with tempfile.TemporaryDirectory() as name:
        for seats in values_page.SEATS:
            folder = Path(name) / str(seats)
            folder.mkdir()
            copies = [f"copy{number}.py" for number in range(1, seats)]
            for copy in copies:
                (folder / copy).write_text((ROOT / "agents" / "optimal.py").read_text(), encoding="utf-8")
            options = {"rounds": 1, "ante": ante, "stack": stack}
            content = {
                **{"name": "claim", "seed": seed, "seats": seats, "games": 100_000 * seats},
                "rulesets": [{"id": "showdown", "options": options}],
                "agents": ["optimal", *({"path": copy} for copy in copies)],
            }
            (folder / "claim.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
            _digest(_arena(folder, "claim.yaml", "--run-dir", "run", "--out", "out"))
            tournament = pipeline.load(folder / "claim.yaml")
            with Store(folder / "run") as store:
                [whole] = pipeline.plan(tournament, store).whole(tournament.rulesets[0])
                # Copies play a dice set alike in every seating, so one of them tells all.
                chips = np.concatenate([result.totals[:, 0] for result in store.results(whole)])
            shares = (chips - (stack - ante)) / (ante * seats)
            solved = ShowdownValues(HandRules(shipped_ruleset("showdown")), seats).shares
            errors = shares.std(axis=0) / math.sqrt(len(shares))
            z = (shares.mean(axis=0) - solved) / errors
            scores += z.tolist()
            found = " / ".join(f"{share:.4f}" for share in shares.mean(axis=0))
            lines.append(f"{seats} seats {found} (z {', '.join(f'{one:+.2f}' for one in z)})")
    claim = "copies of optimal win the solved shares of the pot"
    return Shown(claim, f"{'; '.join(lines)}, 100,000 rounds each", max(map(abs, scores)) < 3)


def z_scores(points: npt.NDArray[np.int32], mean: float, sd: float) -> list[float]:
    """Return how many standard errors the mean and the standard deviation of a sample lie from the exact ones."""
    off = points - points.mean()
    variance, fourth = float((off**2).mean()), float((off.astype(np.float64) ** 4).mean())
    error_of_sd = math.sqrt((fourth - variance**2) / len(points)) / (2 * math.sqrt(variance))
    return [
        float(points.mean() - mean) / (sd / math.sqrt(len(points))),
        (math.sqrt(variance) - sd) / error_of_sd,
    ]


def values_are_what_the_page_says(seed: int) -> Shown:
    """Solve every ruleset of the page of values anew, with standard deviations."""
    del seed  # nothing is drawn
    text = values_page.PAGE.read_text(encoding="utf-8")
    found = values_page.card_lines(values_page.card_rows(sd=True)), values_page.hand_lines()
    told = values_page.part(text, values_page.CARDS), values_page.part(text, values_page.HANDS)
    lines = sum(len(part) - 2 for part in found)
    return Shown("solved anew, every value of the page is as it stands", f"{lines} lines", found == told)


def duelist_beats_optimal(seed: int) -> Shown:
    """Play for the win against playing for the mean."""
    games, rulesets = 100_000, ("thirteen", "yahtzee", "yatzy")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = _file(folder, games=games, agents=["duelist", "optimal"], rulesets=rulesets, seed=seed)
        _digest(_arena(folder, str(path), "--out", "out"))
        shares = []
        for ruleset in rulesets:
            lines = json.loads((folder / "out" / ruleset / "standings.json").read_text())["standings"]
            by_name = {line["name"]: line for line in lines}
            duelist, optimal = by_name["duelist"], by_name["optimal"]
            points = (duelist["wins"] + duelist["draws"] / 2) / duelist["games"]
            shares.append((ruleset, points, duelist["elo_low"] - optimal["elo_high"]))
    figure = ", ".join(f"{ruleset} {points:.2%}" for ruleset, points, _ in shares)
    figure += f" of {games:,} games each; narrowest gap between intervals {min(gap for *_, gap in shares):.1f} Elo"
    return Shown("duelist beats optimal, with intervals that do not touch", figure, all(gap > 0 for *_, gap in shares))


def right_optima(_: int) -> Shown:
    """Solve the games whose optimum is known, anew."""
    values, sds = [], []
    for right in RIGHT_VALUES:
        found = CardValues(CardRules(shipped_ruleset(right.ruleset, right.options)), cached=False)
        values.append(abs(found.value - right.value))
        sds += [] if right.sd is None else [abs(found.sd - right.sd)]
    figure = f"{len(values)} values off by {max(values):.1e} at most, {len(sds)} deviations by {max(sds):.1e}"
    claim = "the value of a game and its standard deviation are those that are known"
    return Shown(claim, figure, max(values) < WITHIN and max(sds) < SD_WITHIN)


def class_contest(seed: int) -> Shown:
    """Play 200 bots against each other, a tenth of them broken, and the others again without these, trusted."""
    broken = classroom.BROKEN
    healthy, workers = 200 - len(broken), 2
    with tempfile.TemporaryDirectory() as name:
        runs = {}
        for part, bad, level in (("all", broken, "auto"), ("healthy", (), "inline")):
            folder = Path(name) / part
            file = classroom.write_contest(folder, healthy, bad, seed=seed, isolation=level)
            options = ("--workers", str(workers), "--out", str(folder / "out"))
            runs[part] = classroom.watched_run(file, folder / "run", *options)
        seen = runs["all"]
        wrong = classroom.wrongly_charged(Path(name) / "all" / "out", broken, 2 * (healthy + len(broken) - 1))
        games, different = classroom.different_games(Path(name) / "healthy" / "run", Path(name) / "all" / "run")
    figure = (
        f"{healthy + len(broken)} bots, first games after {seen.first_s:.0f} s, all after {seen.all_s / 60:.1f} min on"
        f" {workers} workers; at most {seen.peak_mb[0]:.0f} MB in the command and {seen.peak_mb[1]:.0f} MB in any"
        f" process of it, {max(seen.descriptors)} open descriptors, {seen.processes} processes; {len(wrong)} bots"
        f" charged wrongly; {different} of {games:,} games of the healthy others than without the broken"
    )
    bounded = max(seen.peak_mb) < 512 and max(seen.descriptors) < 128 and seen.processes < 64 and seen.first_s < 60
    holds = bounded and not wrong and not different and all(run.code == 0 for run in runs.values())
    return Shown("a contest of 200 bots, a tenth of them broken, ends as it should and stays small", figure, holds)


def no_false_timeouts(seed: int) -> Shown:
    """Have eight workers play bots that use a tenth of their limit at every hold."""
    with tempfile.TemporaryDirectory() as name:
        folder, limit = Path(name), 50
        spends = str(ROOT / "tests" / "bots" / "apart" / "spends.py")
        bots = [{"name": bot, "path": f"{spends}:Scalar", "params": {"ms": limit / 10}} for bot in ("one", "other")]
        content = {
            **{"name": "claim", "seed": seed, "rulesets": ["thirteen"], "agents": bots, "games": 2000},
            **{"isolation": "auto", "limits": {"decision_ms": limit}},
        }
        (folder / "claim.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        _digest(_arena(folder, "claim.yaml", "--workers", "8", "--run-dir", "run", "--out", "out"))
        tournament = pipeline.load(folder / "claim.yaml")
        with Store(folder / "run") as store:
            plan = pipeline.plan(tournament, store)
            found = [result for series in plan.series for result in store.results(series.block(0, series.mirrors))]
    holds = sum(timing.decisions for result in found for timing in result.timing.values()) * 2 // 3
    faults = sum(int((result.ends != 0).sum()) for result in found)
    levels = {level for result in found for level in result.levels.values()}
    claim = "eight workers on two cores charge no bot that uses a tenth of its limit with a timeout"
    told = f"{faults} faults in {holds:,} holds of {limit / 10:.0f} ms, limit {limit} ms, {', '.join(sorted(levels))}"
    return Shown(claim, told, faults == 0 and holds >= 100_000)


CLAIMS: dict[str, Callable[[int], Shown]] = {
    "coverage": coverage_of_intervals,
    "digest": same_digest_everywhere,
    "kills": killed_and_continued,
    "order": order_of_the_shipped_bots,
    "seats": seats_of_thirteen,
    "parity": both_games_are_equal,
    "tables": four_at_a_table,
    "rerun": rerun_of_a_million,
    "million": a_million_games,
    "sizes": bytes_on_disk,
    "values": values_are_what_the_page_says,
    "optimal": optimal_scores_what_was_solved,
    "shares": optimal_wins_the_solved_shares,
    "duelist": duelist_beats_optimal,
    "optima": right_optima,
    "class": class_contest,
    "timeouts": no_false_timeouts,
}
