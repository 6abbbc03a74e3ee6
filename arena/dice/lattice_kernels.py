"""The compiled kernels of the lattice of keeps: means over the next die, and best keeps, for many positions at once.

Positions lie side by side, `LANES` of them a block, so that every inner loop runs over neighbours: the value of keep
``k`` in a lane stands at ``k * LANES + lane``. Places are unsigned, which spares the compiler the question whether
they count from the end. One position alone is worked on without lanes, in the same order of operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.jit import kernel

LANES = 32
FEW = 6
"""So many positions are quicker one by one than in a block."""
TIE = 1e-9
"""Decisions whose values differ by less are worth the same; which one is taken is a written rule."""


@kernel
def expect(v: Any, spread: Any) -> None:
    """Set the value of every keep of fewer dice to the mean over the next die, in every lane.

    Args:
        v: float64[keeps * LANES], by keep and lane.
        spread: uint64[keeps - rolls, 7], places: of a keep and of the six with one die more, largest keeps first.
    """
    for i in range(spread.shape[0]):
        o, a, b = spread[i, 0], spread[i, 1], spread[i, 2]
        c, d, e, f = spread[i, 3], spread[i, 4], spread[i, 5], spread[i, 6]
        for lane in range(LANES):
            n = np.uint64(lane)
            v[o + n] = (v[a + n] + v[b + n] + v[c + n] + v[d + n] + v[e + n] + v[f + n]) * (1 / 6)


@kernel
def improve(v: Any, climb: Any) -> None:
    """Set the value of every keep to the best among all keeps that can be made of it, in every lane.

    Args:
        v: float64[keeps * LANES], by keep and lane.
        climb: uint64[n, 4], places: of a keep and of three with one die less, smallest keeps first.
    """
    for i in range(climb.shape[0]):
        o, a, b, c = climb[i, 0], climb[i, 1], climb[i, 2], climb[i, 3]
        for lane in range(LANES):
            n = np.uint64(lane)
            v[o + n] = max(v[o + n], v[a + n], v[b + n], v[c + n])


@kernel
def turn_of_one(v: Any, rolls_left: int, spread: Any, climb: Any) -> None:
    """Set float64[keeps], what each keep is worth at one position; the rolls' values stand in ``v``."""
    lanes = np.uint64(LANES)
    for left in range(rolls_left):
        if left:
            for i in range(climb.shape[0]):
                o, a, b, c = climb[i, 0] // lanes, climb[i, 1] // lanes, climb[i, 2] // lanes, climb[i, 3] // lanes
                v[o] = max(v[o], v[a], v[b], v[c])
        for i in range(spread.shape[0]):
            o = spread[i, 0] // lanes
            total = v[spread[i, 1] // lanes]
            for face in range(2, spread.shape[1]):
                total += v[spread[i, face] // lanes]
            v[o] = total * (1 / 6)


@kernel
def turn_of_block(v: Any, values: Any, start: int, count: int, rolls_left: int, spread: Any, climb: Any) -> None:
    """Set the same for a block: for positions ``start`` to ``start + count`` of ``values``, float64[m, rolls]."""
    full = spread.shape[0]
    for lane in range(LANES):
        position = start + min(lane, count - 1)
        for roll in range(values.shape[1]):
            v[(full + roll) * LANES + lane] = values[position, roll]
    for left in range(rolls_left):
        if left:
            improve(v, climb)
        expect(v, spread)


@kernel
def keep_values(values: Any, rolls_left: int, spread: Any, climb: Any, out: Any) -> None:
    """Set float64[m, keeps], what each keep is worth while rolls are left: see `arena.agent.outlook.keep_values`.

    Args:
        values: float64[m, rolls], what each roll is worth at the end of the turn.
        rolls_left: from 1.
        spread: see `expect`.
        climb: see `improve`.
        out: set.
    """
    many, keeps = out.shape
    full = spread.shape[0]
    if many < FEW:
        for position in range(many):
            for roll in range(values.shape[1]):
                out[position, full + roll] = values[position, roll]
            turn_of_one(out[position], rolls_left, spread, climb)
        return
    v = np.empty(keeps * LANES)
    for start in range(0, many, LANES):
        count = min(LANES, many - start)
        turn_of_block(v, values, start, count, rolls_left, spread, climb)
        for lane in range(count):
            for keep in range(keeps):
                out[start + lane, keep] = v[keep * LANES + lane]


@kernel
def best_of(v: Any, step: int, lane: int, stop: float, keeps: Any, roll: int, full: int) -> int:
    """Return the best keep of a roll; of keeps worth the same within `TIE` the last.

    Args:
        v: float64[keeps * step], by keep and lane.
        step: lanes.
        lane: which one.
        stop: what keeping all the dice is worth.
        keeps: int16[c], the keeps that can be made of the roll, ascending; the last keeps all.
        roll: the roll.
        full: the keep of roll 0.
    """
    best = stop
    for i in range(keeps.shape[0] - 1):
        best = max(best, v[keeps[i] * step + lane])
    if stop >= best - TIE:
        return full + roll
    for i in range(keeps.shape[0] - 2, -1, -1):
        if v[keeps[i] * step + lane] >= best - TIE:
            return int(keeps[i])
    return full + roll  # never: one of them is the best


@kernel
def best_keeps(
    values: Any, stops: Any, roll_ids: Any, rolls_left: int, spread: Any, climb: Any,
    choices: Any, starts: Any, out: Any,
) -> None:  # fmt: skip
    """Set int16[m], the best keep at each position: see `arena.agent.outlook.best_keep`.

    Args:
        values: float64[m, rolls], what each roll is worth at the end of the turn.
        stops: the same if all the dice now showing are kept.
        roll_ids: int16[m], the dice now showing.
        rolls_left: from 1.
        spread: see `expect`.
        climb: see `improve`.
        choices: int16[n], the keeps that can be made of each roll, ascending, roll by roll.
        starts: int32[rolls + 1], where those of a roll begin.
        out: set.
    """
    many, full = out.shape[0], spread.shape[0]
    keeps = full + values.shape[1]
    v = np.empty(keeps * LANES)
    for start in range(0, many, LANES):
        count = min(LANES, many - start)
        together = count >= FEW
        if together:
            turn_of_block(v, values, start, count, rolls_left, spread, climb)
        for lane in range(count):
            position = start + lane
            roll = roll_ids[position]
            of_roll = choices[starts[roll] : starts[roll + 1]]
            if together:
                out[position] = best_of(v, LANES, lane, stops[position, roll], of_roll, roll, full)
            else:
                for other in range(values.shape[1]):
                    v[full + other] = values[position, other]
                turn_of_one(v, rolls_left, spread, climb)
                out[position] = best_of(v, 1, 0, stops[position, roll], of_roll, roll, full)
