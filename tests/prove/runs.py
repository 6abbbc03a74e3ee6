"""Claims about runs: the same however they are played, killed and continued, or run again."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from collections.abc import Sized
from contextlib import closing
from pathlib import Path

from arena import pipeline
from arena.run_folder import FILE_NAME
from arena.store import Store
from tests.bench.rerun import rerun_times
from tests.kills import SLOW_BOT, Killed
from tests.prove.shown import CARD_GAMES, Shown, digest_of, files_in, games_in, start_run, write_league


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
                path = write_league(folder, games=1000, agents=agents, rulesets=rulesets, seed=seed)
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
                digests.add(digest_of(start_run(folder, str(path), *options, PYTHONHASHSEED=hash_seed)))
                files.add(json.dumps(files_in(out)))
                games.add(games_in(folder / f"run{ways}"))
                ways += 1
        with_files = ways
        for size in (1, 7, 100, 10_000):
            tournament = pipeline.load(path, games=1000)
            with Store(folder / f"size{size}") as store:
                plan = pipeline.plan(tournament, store, block_size=size)
                for _ in pipeline.play(plan, store, backend="processes", workers=2):
                    pass
                digests.add(f"digest {pipeline.rate(plan, store)[0].run_digest}")
            games.add(games_in(folder / f"size{size}"))
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


def killed_and_continued(seed: int) -> Shown:
    """Kill one league 30 times with SIGKILL at random moments, and go on each time; one bot is kept apart."""
    kills, games = 30, 12_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mine.py").write_text(SLOW_BOT, encoding="utf-8")
        agents = ["greedy", "collector", {"path": "mine.py"}]
        apart = {"isolation": "auto", "limits": {"decision_ms": 60_000, "start_s": 120, "wall_s": 600}}
        write_league(folder, games=games, agents=agents, rulesets=["two-stage", "thirteen"], seed=seed, **apart)
        undisturbed = digest_of(start_run(folder, "claim.yaml", "--run-dir", "whole", "--out", "whole-out"))
        with closing(sqlite3.connect(folder / "whole" / FILE_NAME)) as results:
            [(blocks,)] = results.execute("SELECT COUNT(*) FROM blocks")
        killed = Killed(
            lambda: start_run(folder, "claim.yaml", "--workers", "2", "--run-dir", "killed", "--out", "killed-out"),
            folder / "killed" / FILE_NAME,
            blocks,
            random.Random(seed),
        )
        for left in range(kills, 0, -1):
            killed.kill(left)
        out, _ = killed.finish()
        killed.check(games // 2)
        digest = out.splitlines()[-1]
        same_files = files_in(folder / "whole-out") == files_in(folder / "killed-out")
        exact = games_in(folder / "killed") == 6 * games
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
