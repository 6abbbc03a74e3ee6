"""Leagues made up by Davidson's model, whose true ratings are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from arena.ratings.elo import ELO, rate
from arena.records import Crosstable, CrosstableRow

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SPREAD = 300.0  # Elo between the best and the worst bot
NO_MIRRORS = (0, 0, 0, 0, 0, 0)
NU = 0.15  # about 7% draws between equals


def row(first: str, second: str, wdl: tuple[int, int, int], mirrors: Sequence[int] = NO_MIRRORS) -> CrosstableRow:
    """Make a row from its results and the six counts ll, ld, wl, dd, wd, ww."""
    return CrosstableRow(first, second, 2, sum(wdl), *wdl, 0, 0, 0, 0, *mirrors)


def table(rows: list[CrosstableRow], *alone: str) -> Crosstable:
    """Make a crosstable of rows, and of agents without games."""
    agents = {name for one in rows for name in (one.first, one.second)} | set(alone)
    return Crosstable(tuple(sorted(agents)), tuple(sorted(rows, key=lambda r: (r.first, r.second))), {})


def coverage(leagues: int, bots: int, mirrors: int, correlation: float, seed: int, *, clustered: bool = True) -> float:
    """Return the share of 95% intervals that hold the true rating.

    Args:
        leagues: how many leagues to make up.
        bots: bots in a league, their ratings evenly spaced.
        mirrors: mirrors of each pair, two games each.
        correlation: -1 to 1: the two games of a mirror end alike, independently, or opposite.
        seed: of the random draws.
        clustered: whether the rating may know which games are of one mirror.
    """
    rng = np.random.default_rng(seed)
    truth = np.linspace(-SPREAD / 2, SPREAD / 2, bots)
    names = [f"bot{k}" for k in range(bots)]
    chances = {
        (i, j): joint(outcome_chances(truth[i] - truth[j]), correlation) for i, j in combinations(range(bots), 2)
    }
    held = 0
    for _ in range(leagues):
        rows: list[CrosstableRow] = []
        for (i, j), chance in chances.items():
            counts = rng.multinomial(mirrors, chance.ravel()).reshape(3, 3)
            rows += mirror_rows(names[i], names[j], counts, clustered)
        rated = rate(table(rows), mean=0.0).by_name
        held += sum(rated[name].low <= at <= rated[name].high for name, at in zip(names, truth, strict=True))
    return held / (leagues * bots)


def outcome_chances(elo: float) -> Floats:
    """Return the probabilities of a win, a draw and a loss at a difference in Elo points."""
    half = elo / ELO / 2
    weights = np.array([math.exp(half), NU, math.exp(-half)])
    return weights / weights.sum()


def joint(chances: Floats, correlation: float) -> Floats:
    """Return float64[3, 3], probabilities of both results of a mirror, each with the given chances by itself.

    With probability ``abs(correlation)`` the second game is as like the first as it can be, or as unlike:
    both results are read off one uniform number, or off ``u`` and ``1 - u``. Else they are independent.
    """
    ends = np.append(0.0, np.cumsum(chances))
    low, high = ends[:-1], ends[1:]
    if correlation < 0:
        low, high = 1 - high, 1 - low
    overlap = np.minimum.outer(ends[1:], high) - np.maximum.outer(ends[:-1], low)
    bound = np.maximum(overlap, 0)
    whole: Floats = abs(correlation) * bound + (1 - abs(correlation)) * np.outer(chances, chances)
    return whole / whole.sum()


def mirror_rows(first: str, second: str, counts: Ints, clustered: bool = True) -> list[CrosstableRow]:
    """Make both rows of a pair from int64[3, 3], how many mirrors ended win, draw, loss in each seating."""
    (ww, wd, wl), (dw, dd, dl), (lw, ld, ll) = counts.tolist()
    ll_ld, wl_dd, wd_ww = (ll, ld + dl), (wl + lw, dd), (wd + dw, ww)
    ours, theirs = (ll_ld + wl_dd + wd_ww, wd_ww[::-1] + wl_dd + ll_ld[::-1]) if clustered else (NO_MIRRORS,) * 2
    win, draw, loss = counts.sum(axis=1).tolist()
    win_back, draw_back, loss_back = counts.sum(axis=0).tolist()
    return [
        row(first, second, (win, draw, loss), ours),
        row(second, first, (loss_back, draw_back, win_back), theirs),
    ]
