"""Claims about bots that are kept apart: a class of them, and what a busy machine makes of their limits."""

from __future__ import annotations

import tempfile
from pathlib import Path

from arena import pipeline
from arena.store import Store
from tests.apart import classroom
from tests.prove.shown import ROOT, Shown, digest_of, start_run, write_league


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
        f" process of it, {max(seen.descriptors)} open descriptors, {seen.processes} processes; charged wrongly:"
        f" {', '.join(wrong) or 'nobody'}; {different} of {games:,} games of the healthy others than without the broken"
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
        limits = {"decision_ms": limit}
        path = write_league(
            folder, games=2000, agents=bots, rulesets=["thirteen"], isolation="auto", limits=limits, seed=seed
        )
        digest_of(start_run(folder, "claim.yaml", "--workers", "8", "--run-dir", "run", "--out", "out"))
        tournament = pipeline.load(path)
        with Store(folder / "run") as store:
            plan = pipeline.plan(tournament, store)
            found = [result for series in plan.series for result in store.results(series.block(0, series.mirrors))]
    holds = sum(timing.decisions for result in found for timing in result.timing.values()) * 2 // 3
    faults = sum(int((result.ends != 0).sum()) for result in found)
    levels = {level for result in found for level in result.levels.values()}
    claim = "eight workers on two cores charge no bot that uses a tenth of its limit with a timeout"
    told = f"{faults} faults in {holds:,} holds of {limit / 10:.0f} ms, limit {limit} ms, {', '.join(sorted(levels))}"
    return Shown(claim, told, faults == 0 and holds >= 100_000)
