"""What a game is worth in money, in whole units so that nothing is rounded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arena.rules.model import SHARED_UNITS, Ruleset, Settlement


def settlement_unit(ruleset: Ruleset, seats: int) -> int | None:
    """Return how many units make 1 of the ruleset's money, or None if it plays for none."""
    match ruleset.settlement:
        case Settlement.BANK:
            return SHARED_UNITS
        case Settlement.MEAN:
            return seats
        case Settlement.CHIPS:
            return 1 if ruleset.showdown and ruleset.showdown.ante else None
        case Settlement.NONE:
            return None


def settle(ruleset: Ruleset, totals: npt.NDArray[np.int32], winners: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Return what every seat wins or loses.

    Args:
        ruleset: how money is settled.
        totals: int32[games, seats], final points or chips.
        winners: uint8[games], a bit a seat.

    Returns:
        int64[games, seats] in parts of `settlement_unit`; zeros if the ruleset plays for nothing.

    Source:
        The sheets of the rulesets that settle so, named in their files. ``bank`` (two-stage): equal stakes of 1, the
        winner takes the bank; that winners who tie share it is the arena's decision. ``mean`` (school): a total minus
        the table's mean total. ``chips`` (showdown): chips at the end minus the stack.
    """
    seats = totals.shape[1]
    points = totals.astype(np.int64)
    match ruleset.settlement:
        case Settlement.BANK:
            won = (winners[:, None] >> np.arange(seats, dtype=np.uint8)) & 1
            shares = SHARED_UNITS * seats // np.maximum(won.sum(axis=1, keepdims=True), 1)
            return np.asarray(won * shares - SHARED_UNITS, dtype=np.int64)
        case Settlement.MEAN:
            return np.asarray(seats * points - points.sum(axis=1, keepdims=True), dtype=np.int64)
        case Settlement.CHIPS if ruleset.showdown and ruleset.showdown.ante:
            return points - ruleset.showdown.stack
        case _:
            return np.zeros_like(points)
