"""What the dice may still bring in this turn, for bots that calculate."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from arena.agent.turn import Turn, position_of
from arena.dice.lattice import DICE, Faces, lattice
from arena.rules.card import CardRules
from arena.rules.hands import HandRules

if TYPE_CHECKING:
    from arena.agent.turns import Turns


def best_gains(
    turn: Turn | Turns, *, first_roll: bool = False, charges: npt.NDArray[np.float64] | None = None
) -> npt.NDArray[np.float64]:
    """Return the most that this turn earns by ending with each roll, in a card game.

    Counted are the row's points, the points for a further five of a kind, and a section bonus that becomes due.

    Args:
        turn: the position, or n of them.
        first_roll: True if the roll is the turn's first and all of it is kept.
        charges: float64[rows, j], what it costs to use a row up, taken off what the row earns, by what it is filled
            with in the order of `row_payments`; the last stands for all that follow, so that a column is enough
            where that does not matter. Of n positions float64[n, rows, j].

    Returns:
        float64[252] by roll id, in points, read-only; of n positions float64[n, 252].

    Raises:
        ValueError: in showdown, or if the charges are of another shape.
    """
    if not isinstance(turn, Turn):
        return turn.best_gains(first_roll=first_roll, charges=charges)
    view, public = position_of(turn)
    return _card_rules(turn).gains.best(public[view.seat], first_roll=first_roll, charges=charges)


def score_table(turn: Turn | Turns) -> npt.NDArray[np.float64]:
    """Return what each row pays for each roll by itself, in a card game: no bonuses, no jokers.

    Returns:
        float64[2, rows, 252], points by whether the roll is kept as the turn's first (0 or 1), by row in card order
        and by roll id; read-only.

    Raises:
        ValueError: in showdown.
    """
    return _card_rules(turn).gains.score_table


def row_payments(turn: Turn | Turns) -> npt.NDArray[np.float64]:
    """Return the different points that each row can pay, jokers and first rolls included, in a card game.

    Returns:
        float64[rows, k], ascending; the last is repeated where a row has fewer than k; read-only.

    Raises:
        ValueError: in showdown.
    """
    return _card_rules(turn).gains.payments


def row_outcomes(turn: Turn | Turns) -> npt.NDArray[np.float64]:
    """Return what this turn earns by filling each row with each of the points it can pay, section bonuses included.

    Returns:
        float64[rows, k] in the order of `row_payments`; of n positions float64[n, rows, k].

    Raises:
        ValueError: in showdown.
    """
    rules = _card_rules(turn)
    if not isinstance(turn, Turn):
        return turn.row_outcomes()
    view, public = position_of(turn)
    return rules.gains.outcomes(public[view.seat])


def further_five(turn: Turn | Turns) -> npt.NDArray[np.int32]:
    """Return the points that a further five of a kind would earn now by itself, wherever it is written.

    Returns:
        int32, of n positions int32[n]; 0 where there are none.

    Raises:
        ValueError: in showdown.
    """
    rules = _card_rules(turn)
    if not isinstance(turn, Turn):
        return turn.further_five()
    view, public = position_of(turn)
    return np.asarray(rules.further_five(public[view.seat]), dtype=np.int32)


def _card_rules(turn: Turn | Turns) -> CardRules:
    rules = position_of(turn)[0].rules if isinstance(turn, Turn) else turn.rules
    if not isinstance(rules, CardRules):
        raise ValueError(f"{turn.ruleset.id} has no card; see hand_ranks")
    return rules


def row_gain(turn: Turn, row: str) -> int:
    """Return what this turn earns by ending now in a row: as `best_gains`, for the dice now showing.

    Raises:
        ValueError: if the row is not among ``turn.open_rows``.
    """
    view, public = position_of(turn)
    if row not in turn.open_rows:
        raise ValueError(f"the row {row!r} is not open; open: {', '.join(turn.open_rows) or 'none'}")
    card = public[view.seat]
    assert isinstance(view.rules, CardRules)
    return view.rules.gains.of_row(card, view.rules.row_ids[row], turn.roll_id, first_roll=turn.roll == 1)


def hand_ranks(turn: Turn | Turns) -> npt.NDArray[np.float64]:
    """Return the rank of each hand in showdown: the higher wins, equal ranks tie.

    Returns:
        float64[252] by roll id.

    Raises:
        ValueError: in a card game.
    """
    rules = position_of(turn)[0].rules if isinstance(turn, Turn) else turn.rules
    if not isinstance(rules, HandRules):
        raise ValueError(f"{turn.ruleset.id} compares no hands; see best_gains")
    return np.array(rules.ranks, dtype=np.float64)


def keep_values(roll_values: npt.NDArray[np.float64], rolls_left: int, dice: int = DICE) -> npt.NDArray[np.float64]:
    """Return what each keep is worth, given what each roll is worth at the end of the turn.

    Args:
        roll_values: float64[252] by roll id, or float64[n, 252] for n positions.
        rolls_left: rolls that may still follow, at least 1; between them the best keep is held.
        dice: how many dice are thrown.

    Returns:
        float64[462] by keep id, or float64[n, 462], in the unit of ``roll_values``.

    Raises:
        ValueError: if no rolls are left, or the shape does not fit.

    Source:
        Expectation one die at a time over the lattice of keeps; dice are independent and fair.
    """
    from arena.dice import lattice_kernels as kernels  # noqa: PLC0415 - numba, for bots that calculate
    from arena.dice.arrays import dice_arrays  # noqa: PLC0415 - as above

    arrays = dice_arrays(dice)
    values = np.ascontiguousarray(np.atleast_2d(roll_values), dtype=np.float64)
    if rolls_left < 1 or values.shape[1] != len(arrays.faces):
        raise ValueError(f"keep_values takes at least one roll left and {len(arrays.faces)} rolls a position")
    out = np.empty((len(values), len(arrays.sizes)))
    kernels.keep_values(values, rolls_left, arrays.spread, arrays.climb, out)
    return out[0] if np.ndim(roll_values) == 1 else out


@overload
def best_keep(
    turn: Turn, at_last: npt.NDArray[np.float64], at_first: npt.NDArray[np.float64] | None = None
) -> Faces: ...


@overload
def best_keep(
    turn: Turns, at_last: npt.NDArray[np.float64], at_first: npt.NDArray[np.float64] | None = None
) -> npt.NDArray[np.int16]: ...


def best_keep(
    turn: Turn | Turns, at_last: npt.NDArray[np.float64], at_first: npt.NDArray[np.float64] | None = None
) -> Faces | npt.NDArray[np.int16]:
    """Return the dice to keep, given what each roll is worth at the end of the turn: the answer to ``hold``.

    Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice.

    Args:
        turn: the position, or n of them.
        at_last: float64[252] by roll id, what ending the turn with a roll is worth; of n positions float64[n, 252].
        at_first: the same if all the dice of the first roll are kept, where that pays otherwise.

    Returns:
        the faces to keep; of n positions int16[n], keep ids.

    Raises:
        ValueError: after the last roll, for positions on different rolls, or if a shape does not fit.

    Source:
        Expectation one die at a time over the lattice of keeps; dice are independent and fair.
    """
    from arena.dice import lattice_kernels as kernels  # noqa: PLC0415 - numba, for bots that calculate
    from arena.dice.arrays import dice_arrays  # noqa: PLC0415 - as above

    dice = lattice(turn.ruleset.dice)
    arrays = dice_arrays(dice.dice)
    if isinstance(turn, Turn):
        rolls, roll, left = np.array([turn.roll_id], dtype=np.int16), turn.roll, turn.rolls_left
    else:
        rolls, roll, left = turn.roll_id, int(turn.roll[0]), int(turn.rolls_left[0])
        if (turn.roll != roll).any():
            raise ValueError(f"best_keep takes positions on one roll, not on {sorted(set(turn.roll.tolist()))}")
    if left < 1:
        raise ValueError(f"nothing is kept after roll {roll}, the last of {turn.ruleset.name}")
    values = np.ascontiguousarray(np.atleast_2d(at_last), dtype=np.float64)
    stops = values if at_first is None or roll > 1 else np.ascontiguousarray(np.atleast_2d(at_first), dtype=np.float64)
    if values.shape != (len(rolls), len(dice.rolls)) or stops.shape != values.shape:
        raise ValueError(f"best_keep takes {len(dice.rolls)} rolls a position")
    out = np.empty(len(rolls), dtype=np.int16)
    steps = (arrays.spread, arrays.climb, arrays.choices, arrays.choice_starts)
    kernels.best_keeps(values, stops, rolls, left, *steps, out)
    return dice.keeps[int(out[0])] if isinstance(turn, Turn) else out


@overload
def best_row(turn: Turn, worth: npt.NDArray[np.float64]) -> str: ...


@overload
def best_row(turn: Turns, worth: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]: ...


def best_row(turn: Turn | Turns, worth: npt.NDArray[np.float64]) -> str | npt.NDArray[np.int8]:
    """Return the row to fill, given what each row is worth by its points: the answer to ``choose_row``.

    Of rows worth the same within 1e-9 it takes the first on the card.

    Args:
        turn: the position, or n of them.
        worth: float64[rows, k], in the order of `row_payments`; of n positions float64[n, rows, k].

    Returns:
        the row's name; of n positions int8[n], row numbers.

    Raises:
        ValueError: in showdown.
    """
    from arena.dice.lattice_kernels import TIE  # noqa: PLC0415 - numba, for bots that calculate

    payments = row_payments(turn)
    if isinstance(turn, Turn):
        names = list(turn.card)
        legal, points = np.isin(names, turn.open_rows)[None], np.array([[turn.score(name) for name in names]])
    else:
        legal, points = turn.legal, turn.row_points
    paid = np.stack([np.searchsorted(of, points[:, row]) for row, of in enumerate(payments)], axis=1)
    now = np.take_along_axis(worth.reshape(len(points), *payments.shape), paid[:, :, None], axis=2)[:, :, 0]
    now[~legal] = -np.inf
    best = (now >= now.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return names[int(best[0])] if isinstance(turn, Turn) else np.asarray(best, np.int8)
