"""Plays for the win and not for points: bold when behind, careful when ahead; else as optimal.

The chance to win is that of two sums which are about normal: what both cards hold already, and the mean and variance
of what is still to come on each if everybody plays optimally. Against several it is the product of the chances. Of
keeps as good within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card. To a seat
that is out nobody loses; alone, or with all others out, it plays for points.
"""

from functools import cache
from math import erf, sqrt

import numpy as np
import numpy.typing as npt

from arena import (
    Ruleset,
    Turn,
    Turns,
    best_gains,
    best_keep,
    best_row,
    further_five,
    hand_stakes,
    lattice,
    row_outcomes,
    values,
)

FAR = 8.0
"""Standard deviations beyond which a lead is a win."""
STEPS = 1 << 14
LEAST_SPREAD = 1e-3
"""Points; so that a game that is decided has a winner, or is a draw."""

Floats = npt.NDArray[np.float64]


def prepare(ruleset: Ruleset) -> None:
    """Solve the ruleset, or load what was solved before."""
    if ruleset.card:
        values(ruleset).prepare(variances=True)


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice that win most often."""
    return best_keep(turn, *worth_of_rolls(turn))


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the dice that win most often, in many turns."""
    return best_keep(turns, *worth_of_rolls(turns))


def choose_row(turn: Turn) -> str:
    """Choose the row that wins most often."""
    five = len(set(turn.dice)) == 1
    return best_row(turn, chances_of_rows(turn, further_five(turn) if five else np.zeros(())))


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that wins most often, in many turns."""
    five = (turns.dice == turns.dice[:, :1]).all(axis=1)
    return best_row(turns, chances_of_rows(turns, np.where(five, further_five(turns), 0)))


def worth_of_rolls(turn: Turn | Turns) -> tuple[Floats, Floats | None]:
    """Return the chance to win by ending with each roll, and with the first roll where that pays otherwise."""
    if not turn.ruleset.card:
        return hand_stakes(turn), None
    outcomes, extra = row_outcomes(turn), further_five(turn)
    plain = outcomes - chances_of_rows(turn, np.zeros_like(extra))
    with_extra = outcomes - chances_of_rows(turn, extra) if extra.any() else plain
    fives = np.array([len(set(roll)) == 1 for roll in lattice(turn.ruleset.dice).rolls])

    def best(first_roll: bool) -> Floats:
        # What a row earns less the difference to its chance is its chance; further points are added in between.
        chance = best_gains(turn, charges=plain, first_roll=first_roll)
        if not extra.any():
            return chance
        of_five = best_gains(turn, charges=with_extra, first_roll=first_roll) - extra[..., None]
        return np.where(fives, of_five, chance)

    first = any(row.doubles for row in turn.ruleset.card.rows) and np.max(turn.roll) == 1
    return best(False), best(True) if first else None


def chances_of_rows(turn: Turn | Turns, extra: npt.NDArray[np.integer] | Floats) -> Floats:
    """Return the chance to win by filling each row with each of its points; with nobody to lose to the points.

    Args:
        turn: the position, or n of them.
        extra: points earned beside the row, for each position.

    Returns:
        float64[rows, k], of n positions float64[n, rows, k].
    """
    table = values(turn.ruleset)
    mine = row_outcomes(turn) + extra[..., None, None] + table.after(turn)
    if turn.seats == 1:
        return mine
    totals, out = totals_of(turn), seats_out(turn)
    mine += totals[..., turn.seat, None, None]
    spread, to_come, variance = table.variance_after(turn), table.to_come(turn), table.variance(turn)
    chance = np.ones_like(mine)
    for seat in range(turn.seats):
        if seat != turn.seat:
            ahead = mine - (totals[..., seat] + to_come[..., seat])[..., None, None]
            sd = np.sqrt(spread + variance[..., seat, None, None]) + LEAST_SPREAD
            chance *= np.where(out[..., seat, None, None], 1.0, np.interp(ahead / sd, *normal()))
    alone = np.asarray(out[..., np.arange(turn.seats) != turn.seat].all(axis=-1))
    return np.where(alone[..., None, None], mine, chance)


def totals_of(turn: Turn | Turns) -> Floats:
    """Return every seat's points, float64[seats], of n positions float64[n, seats]."""
    if not isinstance(turn, Turn):
        return turn.totals.astype(np.float64)
    by_seat = {turn.seat: turn.total} | {opponent.seat: opponent.total for opponent in turn.opponents}
    return np.array([by_seat[seat] for seat in range(turn.seats)], dtype=np.float64)


def seats_out(turn: Turn | Turns) -> npt.NDArray[np.bool_]:
    """Return which seats are out by a fault, bool[seats], of n positions bool[n, seats]."""
    if not isinstance(turn, Turn):
        return turn.out
    out = {opponent.seat for opponent in turn.opponents if opponent.out}
    return np.array([seat in out for seat in range(turn.seats)])


@cache
def normal() -> tuple[Floats, Floats]:
    """Return points of the normal distribution function, to interpolate between."""
    at = np.linspace(-FAR, FAR, STEPS + 1)
    return at, np.array([(1 + erf(float(x) / sqrt(2))) / 2 for x in at])
