"""What the dice may still bring in this turn, for bots that calculate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arena.agent.turn import Turn
from arena.rules.card import CardRules
from arena.rules.hands import HandRules


def best_gains(turn: Turn, *, first_roll: bool = False) -> npt.NDArray[np.float64]:
    """Return the most that this turn earns by ending with each roll, in a card game.

    Counted are the row's points, the points for a further five of a kind, and a section bonus that becomes due.

    Args:
        turn: the position.
        first_roll: True if the roll is the turn's first and all of it is kept.

    Returns:
        float64[252] by roll id, in points, read-only.

    Raises:
        ValueError: in showdown.
    """
    view = turn[0]
    if not isinstance(view.rules, CardRules):
        raise ValueError(f"{view.ruleset.id} has no card; see hand_ranks")
    return view.rules.gains.best(turn[6][view.seat], first_roll=first_roll)


def row_gain(turn: Turn, row: str) -> int:
    """Return what this turn earns by ending now in a row: as `best_gains`, for the dice now showing.

    Raises:
        ValueError: if the row is not among ``turn.open_rows``.
    """
    view = turn[0]
    if row not in turn.open_rows:
        raise ValueError(f"the row {row!r} is not open; open: {', '.join(turn.open_rows) or 'none'}")
    card = turn[6][view.seat]
    gain: int = view.rules.gains.of_row(card, view.rules.row_ids[row], turn.roll_id, first_roll=turn.roll == 1)
    return gain


def hand_ranks(turn: Turn) -> npt.NDArray[np.float64]:
    """Return the rank of each hand in showdown: the higher wins, equal ranks tie.

    Returns:
        float64[252] by roll id.

    Raises:
        ValueError: in a card game.
    """
    view = turn[0]
    if not isinstance(view.rules, HandRules):
        raise ValueError(f"{view.ruleset.id} compares no hands; see best_gains")
    return np.array(view.rules.ranks, dtype=np.float64)
