"""Claims about ratings: their intervals, their order, and that they follow from what is published."""

from __future__ import annotations

import math
import tempfile
from itertools import pairwise
from pathlib import Path

from arena.agent.sources import bundled_names
from arena.ratings.elo import rate
from arena.report.crosstables import read_crosstable
from tests.prove.shown import CARD_GAMES, Shown, digest_of, standings, start_run, write_league
from tests.ratings.simulation import coverage


def coverage_of_intervals(seed: int) -> Shown:
    """Simulate leagues with mirrors of several sizes and correlations."""
    setups = [(50, 0.6), (50, 0.0), (50, -0.6), (25, 0.6), (200, -0.3)]
    shares = [coverage(2000, 5, mirrors, correlation, seed) for mirrors, correlation in setups]
    figure = ", ".join(f"{share:.1%} ({m} mirrors, {c:+.1f})" for share, (m, c) in zip(shares, setups, strict=True))
    return Shown(
        "95% intervals cover the truth in 93 to 97% of leagues", figure, all(0.93 <= s <= 0.97 for s in shares)
    )


def order_of_the_shipped_bots(seed: int) -> Shown:
    """Play the shipped bots at league size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_league(
            folder, games=4000, agents=["turn_optimal", "greedy", "random"], rulesets=CARD_GAMES, seed=seed
        )
        digest_of(start_run(folder, str(path), "--out", "out"))
        gaps = []
        for ruleset in CARD_GAMES:
            lines = standings(folder / "out", ruleset)
            by_name = {line["name"]: line for line in lines}
            order = [by_name[bot] for bot in ("turn_optimal", "greedy", "random")]
            gaps += [better["elo_low"] - worse["elo_high"] for better, worse in pairwise(order)]
    claim = "turn_optimal beats greedy beats random on every card game, with intervals that do not touch"
    return Shown(claim, f"narrowest gap between intervals {min(gaps):.0f} Elo, 4,000 games a pair", min(gaps) > 0)


def four_at_a_table(seed: int) -> Shown:
    """Play all shipped bots at tables of four, and rate them again from the published files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_league(
            folder, games=200, agents=bundled_names(), rulesets=["thirteen", "showdown"], seats=4, seed=seed
        )
        digests = {
            digest_of(start_run(folder, str(path), "--workers", workers, "--run-dir", f"run{workers}", "--out", "out"))
            for workers in ("1", "2")
        }
        same = True
        for ruleset in ("thirteen", "showdown"):
            files = folder / "out" / ruleset
            again = rate(read_crosstable((files / "crosstable.csv").read_text(), (files / "clusters.csv").read_text()))
            for line in standings(folder / "out", ruleset):
                rating = again.by_name[line["name"]]
                same &= abs(rating.elo - line["elo"]) < 0.01 and abs(rating.low - line["elo_low"]) < 0.01
    figure = f"{math.comb(len(bundled_names()), 4)} sets of four, {len(digests)} digest, rated again alike: {same}"
    return Shown(
        "a four-seat league of all bots, one digest, rated again from its files", figure, same and len(digests) == 1
    )


def duelist_beats_optimal(seed: int) -> Shown:
    """Play for the win against playing for the mean."""
    games, rulesets = 100_000, ("thirteen", "yahtzee", "yatzy")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write_league(folder, games=games, agents=["duelist", "optimal"], rulesets=rulesets, seed=seed)
        digest_of(start_run(folder, str(path), "--out", "out"))
        shares = []
        for ruleset in rulesets:
            lines = standings(folder / "out", ruleset)
            by_name = {line["name"]: line for line in lines}
            duelist, optimal = by_name["duelist"], by_name["optimal"]
            points = (duelist["wins"] + duelist["draws"] / 2) / duelist["games"]
            shares.append((ruleset, points, duelist["elo_low"] - optimal["elo_high"]))
    figure = ", ".join(f"{ruleset} {points:.2%}" for ruleset, points, _ in shares)
    figure += f" of {games:,} games each; narrowest gap between intervals {min(gap for *_, gap in shares):.1f} Elo"
    return Shown("duelist beats optimal, with intervals that do not touch", figure, all(gap > 0 for *_, gap in shares))
