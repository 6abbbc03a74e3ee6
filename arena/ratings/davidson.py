"""Davidson's model of win, draw and loss: its best fit, whether there is one, and how far to trust it.

Two players whose strengths differ by ``t = ti - tj`` (in nats) end a game so::

    P(i wins) : P(draw) : P(j wins)  =  exp(t / 2) : nu : exp(-t / 2)

Source: Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments, JASA 65, 317-328. Outcomes are always in the order win, draw, loss,
as the pair's first player sees them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.records import MIRRORS

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

CLUSTERS: Final = (
    *MIRRORS.values(),
    (1, 0, 0),  # one game, won
    (0, 1, 0),  # one game, drawn
    (0, 0, 1),  # one game, lost
)
"""Wins, draws and losses in each kind of cluster: the six results of a mirror, and the games on their own."""

_SETTLED: Final = 1e-12  # squared length of a Newton step, in standard errors; the next error is about its square
_LONGEST: Final = 2.0  # nats a step may move a difference or log nu; further out the curvature is another one
_MOST_STEPS: Final = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Games between pairs of players, each pair once.

    Attributes:
        players: how many players there are, numbered from 0.
        first: int64[pairs], a player.
        second: int64[pairs], another player.
        games: float64[pairs, 3], games won, drawn and lost by ``first``.
    """

    players: int
    first: Ints
    second: Ints
    games: Floats

    def matrix(self, values: Floats) -> Floats:
        """Return float64[players, players] with a pair's value at ``[first, second]``, and 0 elsewhere."""
        square = np.zeros((self.players, self.players))
        square[self.first, self.second] = values
        return square

    def scored(self) -> tuple[Bools, Bools]:
        """Return two bool[players, players]: row beat column at least once, and they drew at least once."""
        won, drawn, lost = (self.matrix(column) > 0 for column in self.games.T)
        return won | lost.T, drawn | drawn.T


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The most likely strengths.

    Attributes:
        theta: float64[players], strengths in nats; their sum is 0.
        nu: the draw parameter; 0 where no game was drawn, and then it is no parameter.
        scores: float64[pairs, 3, 2], the slope of an outcome's log-likelihood in ``t`` and in log nu.
        inverse: float64[parameters, parameters], inverse information. Only its values at contrasts mean
            anything: directions that sum to 0 over the players.
    """

    theta: Floats
    nu: float
    scores: Floats
    inverse: Floats


def reach(edges: Bools) -> Bools:
    """Return bool[players, players]: a path of edges leads from row to column, or they are the same."""
    closed = edges | np.eye(len(edges), dtype=np.bool_)
    while True:
        wider: Bools = closed.astype(np.float32) @ closed.astype(np.float32) > 0
        if (wider == closed).all():
            return closed
        closed = wider


def has_maximum(results: Results) -> bool:
    """Return whether the likelihood has a maximum at finite strengths and, with draws, at a finite nu.

    It has none exactly if one can go on for ever along a direction ``(d, e)`` of strengths and log nu in
    which no played outcome becomes less likely: ``di - dj >= max(0, 2e)`` wherever i beat j, and
    ``|di - dj| <= 2e`` wherever they drew.

    - With ``e = 0`` such a direction exists unless everyone can be reached from everyone, where a win is a
      step to the beaten and a draw a step either way.
    - With ``e = 1`` these are bounds on differences. Bellman and Ford: they contradict each other, as we want
      it, exactly if some round trip has more wins than draws. So a win and a draw against one opponent and
      nothing else have no maximum: strength and nu grow together.

    Source: Ford (1957), Solution of a ranking problem from binary comparisons, American Mathematical Monthly
    64(8), 28-33, for the first; the second extends it to a free nu.
    """
    won, drawn = results.scored()
    if not reach(won | drawn).all() or not won.any():
        return False
    if not drawn.any() or (won & won.T).any():
        return True
    weight = np.where(won, -1.0, np.where(drawn, 1.0, np.inf))
    distance = np.zeros(results.players)
    for _ in range(results.players):
        nearer = np.minimum(distance, (distance[:, None] + weight).min(axis=0))
        if (nearer == distance).all():
            return False
        distance = nearer
    return True


def fit(results: Results) -> Fit:
    """Return the maximum of the likelihood, by Newton's method with backtracking.

    The log-likelihood is concave in the strengths and log nu, so there is one maximum. A step is cut short
    where it would leave the region whose curvature it knows, and halved until no likelihood is lost.

    Args:
        results: games for which `has_maximum` holds.

    Raises:
        ArithmeticError: the steps did not settle.
    """
    won, drawn, lost = results.games.sum(axis=0)
    with_draws = bool(drawn > 0)
    theta = np.zeros(results.players)
    log_nu = float(np.log(2 * drawn / (won + lost))) if with_draws else -np.inf  # right if all were equal
    likelihood = _log_likelihood(results, theta, log_nu)
    rounding = 1e-14 * float(results.games.sum())  # a game's logarithm has lost what lies below
    for _ in range(_MOST_STEPS):
        scores, inverse = _curvature(results, theta, log_nu, with_draws)
        slope = _gradient(results, scores)[: len(inverse)]
        step = inverse @ slope
        length = float(slope @ step)
        by_theta, by_log_nu = step[: results.players], float(step[-1]) if with_draws else 0.0
        longest = max(abs(by_log_nu), float(np.abs(by_theta[results.first] - by_theta[results.second]).max()))
        size = min(1.0, _LONGEST / longest) if longest else 1.0
        while True:
            new_theta, new_log_nu = theta + size * by_theta, log_nu + size * by_log_nu
            new_likelihood = _log_likelihood(results, new_theta, new_log_nu)
            if new_likelihood >= likelihood - rounding or size < 1e-12:
                break
            size /= 2
        theta, log_nu, likelihood = new_theta - new_theta.mean(), new_log_nu, new_likelihood
        if length < _SETTLED and longest < _LONGEST:
            scores, inverse = _curvature(results, theta, log_nu, with_draws)
            return Fit(theta, float(np.exp(log_nu)), scores, inverse)
    raise ArithmeticError(f"the fit of {results.players} players did not settle in {_MOST_STEPS} steps")


def clustered(results: Results, fitted: Fit, clusters: Floats) -> Floats:
    """Return the sandwich covariance: right also where the games of a cluster depend on each other.

    It is ``inverse @ meat @ inverse``, where the meat sums, over the clusters, the outer square of the slope
    of a cluster's log-likelihood.

    Source: Liang and Zeger (1986), Longitudinal data analysis using generalized linear models, Biometrika 73,
    13-22.

    Args:
        results: the games that were fitted.
        fitted: their fit.
        clusters: float64[pairs, 9], clusters of each of the kinds of `CLUSTERS`.

    Returns:
        float64[parameters, parameters], in squared nats.
    """
    slopes = np.einsum("co,kop->kcp", np.array(CLUSTERS, dtype=np.float64), fitted.scores)
    blocks = np.einsum("kc,kcp,kcq->kpq", clusters, slopes, slopes)
    size = len(fitted.inverse)
    meat = _assemble(results, blocks)[:size, :size]
    return fitted.inverse @ meat @ fitted.inverse


def clustered_tables(
    results: Results, fitted: Fit, tables: Sequence[tuple[Sequence[int], npt.NDArray[np.int64]]]
) -> Floats:
    """Return the sandwich covariance where a cluster holds results of several pairs, as at larger tables.

    The slope of a cluster is linear in its counts of outcomes, so the products of counts, summed over the clusters,
    are all that the meat needs. Source: as `clustered`.

    Args:
        results: the games that were fitted.
        fitted: their fit.
        tables: for every set of players who met: their pairs' numbers in ``results``, and
            int64[3 pairs, 3 pairs], sums of the products of the counts of outcomes.

    Returns:
        float64[parameters, parameters], in squared nats.
    """
    size = len(fitted.inverse)
    meat = np.zeros((size, size))
    for pairs, products in tables:
        slopes = np.zeros((results.players + 1, len(pairs), 3))
        for place, pair in enumerate(pairs):
            slopes[results.first[pair], place] += fitted.scores[pair, :, 0]
            slopes[results.second[pair], place] -= fitted.scores[pair, :, 0]
            slopes[-1, place] += fitted.scores[pair, :, 1]
        flat = slopes.reshape(results.players + 1, -1)[:size]
        meat += flat @ products @ flat.T
    return fitted.inverse @ meat @ fitted.inverse


def _log_outcomes(results: Results, theta: Floats, log_nu: float) -> Floats:
    """Return float64[pairs, 3], the logarithms of the outcomes' probabilities."""
    half = (theta[results.first] - theta[results.second]) / 2
    weights = np.stack([half, np.full_like(half, log_nu), -half], axis=1)
    weights -= weights.max(axis=1, keepdims=True)
    logs: Floats = weights - np.log(np.exp(weights).sum(axis=1, keepdims=True))
    return logs


def _log_likelihood(results: Results, theta: Floats, log_nu: float) -> float:
    logs = _log_outcomes(results, theta, log_nu)
    played = results.games > 0
    return float((results.games[played] * logs[played]).sum())


def _curvature(results: Results, theta: Floats, log_nu: float, with_draws: bool) -> tuple[Floats, Floats]:
    """Return the outcomes' slopes and the inverse information, as in `Fit`.

    Slopes are sums of probabilities of the other outcomes, never ``1 - p``: that would lose its digits where
    ``p`` is near 1.
    """
    outcomes = np.exp(_log_outcomes(results, theta, log_nu))
    win, draw, loss = outcomes.T
    scores = np.stack(
        [
            np.stack([loss + draw / 2, -draw], axis=1),
            np.stack([(loss - win) / 2, win + loss], axis=1),
            np.stack([-win - draw / 2, -draw], axis=1),
        ],
        axis=1,
    )
    games = results.games.sum(axis=1)
    information = _assemble(results, np.einsum("k,ko,kop,koq->kpq", games, outcomes, scores, scores))
    # all strengths up by the same changes nothing: any weight on their sum makes the matrix invertible
    players = results.players
    information[:players, :players] += np.trace(information[:players, :players]) / players**2
    size = players + with_draws
    inverse = np.linalg.inv(information[:size, :size]).astype(np.float64, copy=False)
    return scores, inverse


def _gradient(results: Results, scores: Floats) -> Floats:
    """Return float64[players + 1], the slope of the log-likelihood in each strength and in log nu."""
    slopes = np.einsum("ko,kop->kp", results.games, scores)
    square = results.matrix(slopes[:, 0])
    return np.append(square.sum(axis=1) - square.sum(axis=0), slopes[:, 1].sum())


def _assemble(results: Results, blocks: Floats) -> Floats:
    """Sum matrices of single pairs to one of the league.

    Args:
        results: who the pairs are.
        blocks: float64[pairs, 2, 2], symmetric, over ``t`` and log nu.

    Returns:
        float64[players + 1, players + 1], over the strengths and log nu.
    """
    square = results.matrix(blocks[:, 0, 0])
    square += square.T
    mixed = results.matrix(blocks[:, 0, 1])
    border = mixed.sum(axis=1) - mixed.sum(axis=0)
    whole = np.empty((results.players + 1, results.players + 1))
    whole[:-1, :-1] = np.diag(square.sum(axis=1)) - square
    whole[:-1, -1] = whole[-1, :-1] = border
    whole[-1, -1] = blocks[:, 1, 1].sum()
    return whole
