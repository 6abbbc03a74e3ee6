"""Claims about exact values: as they are known, as the page tells them, and as `optimal` plays them."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arena import pipeline
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.shipped import shipped_ruleset
from arena.solver.showdown import ShowdownValues
from arena.solver.values import CardValues
from arena.store import Store
from tests.docs import values_page
from tests.prove.shown import CARD_GAMES, ROOT, Shown, digest_of, start_run, write_league
from tests.solver.right_values import RIGHT_VALUES, SD_WITHIN, WITHIN


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


def values_are_what_the_page_says(seed: int) -> Shown:
    """Solve every ruleset of the page of values anew, with standard deviations."""
    del seed  # nothing is drawn
    text = values_page.PAGE.read_text(encoding="utf-8")
    found = values_page.card_lines(values_page.card_rows(sd=True)), values_page.hand_lines()
    told = values_page.part(text, values_page.CARDS), values_page.part(text, values_page.HANDS)
    lines = sum(len(part) - 2 for part in found)
    return Shown("solved anew, every value of the page is as it stands", f"{lines} lines", found == told)


def optimal_scores_what_was_solved(seed: int) -> Shown:
    """Play `optimal` by itself, compare with the solved mean and deviation, and write the page of values."""
    games, scores, lines = 200_000, [], []
    with tempfile.TemporaryDirectory() as name:
        for ruleset_id in CARD_GAMES:
            folder = Path(name) / ruleset_id
            folder.mkdir()
            path = write_league(folder, games=games, agents=["optimal"], rulesets=[ruleset_id], seats=1, seed=seed)
            digest_of(start_run(folder, "claim.yaml", "--run-dir", "run", "--out", "out"))
            tournament = pipeline.load(path)
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


def z_scores(points: npt.NDArray[np.int32], mean: float, sd: float) -> list[float]:
    """Return how many standard errors the mean and the standard deviation of a sample lie from the exact ones."""
    off = points - points.mean()
    variance, fourth = float((off**2).mean()), float((off.astype(np.float64) ** 4).mean())
    error_of_sd = math.sqrt((fourth - variance**2) / len(points)) / (2 * math.sqrt(variance))
    return [
        float(points.mean() - mean) / (sd / math.sqrt(len(points))),
        (math.sqrt(variance) - sd) / error_of_sd,
    ]


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
            agents = ["optimal", *({"path": copy} for copy in copies)]
            rulesets = [{"id": "showdown", "options": {"rounds": 1, "ante": ante, "stack": stack}}]
            path = write_league(
                folder, games=100_000 * seats, agents=agents, rulesets=rulesets, seats=seats, seed=seed
            )
            digest_of(start_run(folder, "claim.yaml", "--run-dir", "run", "--out", "out"))
            tournament = pipeline.load(path)
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
