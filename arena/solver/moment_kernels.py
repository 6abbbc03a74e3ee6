"""The compiled kernels of the solver's second pass: the second moment of what is still to come, under optimal play.

Values do not depend on which of several equal decisions is taken, second moments do. The rule: of rows worth the same
within `TIE` the first on the card, of keeps the last by keep id, so rather more dice. Everything else is as in
`arena.solver.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.dice.lattice_kernels import LANES, TIE, expect, improve
from arena.jit import kernel
from arena.solver.kernels import (
    CHUNK,
    Plan,
    Scratch,
    copy,
    decode,
    end_turns,
    find_open_rows,
    joker_may_be,
    joker_rows,
    look_ahead,
    run_length,
    write,
)


class Squares(NamedTuple):
    """What one thread works in, besides `Scratch`: by lane, float64[... * LANES], but for the last two.

    Attributes:
        worth: by row and points, the second moment of filling it with them.
        keeps: by keep, the second moment.
        at_end: the part of it that holds the rolls.
        best: by keep, the best value among the keeps that can be made of it.
        best_at_end: the part of it that holds the rolls.
        chosen: by roll, the second moment under the best keep.
        values: by roll, the value of stopping: on a later roll, and on the first; a tuple of two.
        moments: the same, the second moment.
        choices: uint64[n], places of the keeps that can be made of each roll, their ids times `LANES`, ascending, roll
            by roll.
        starts: int64[rolls + 1], where those of a roll begin.
    """

    worth: Any
    keeps: Any
    at_end: Any
    best: Any
    best_at_end: Any
    chosen: Any
    values: Any
    moments: Any
    choices: Any
    starts: Any


@kernel
def fill_moments(plan: Plan, s: Scratch, q: Squares, values: Any, squares: Any, number: int, count: int) -> int:
    """Set value and second moment of filling each open row with each of its points; returns the open rows."""
    most, opened = plan.payments.shape[1], find_open_rows(plan, s, number)
    for i in range(opened):
        row = s.rows[i]
        for paid in range(plan.many[row]):
            look_ahead(plan, s, number, row, paid, count)
            start = (row * most + paid) * LANES
            for n in range(count):
                gain = plan.payments[row, paid] + s.bonus[n]
                value, square = values[s.state[n]], squares[s.state[n]]
                s.worth[start + n] = gain + value
                q.worth[start + n] = gain * gain + 2.0 * gain * value + square
    return opened


@kernel
def choose_rows(plan: Plan, s: Scratch, q: Squares, opened: int, first: int, place: int, count: int) -> None:
    """Set, by roll, the second moment of the row to take, in ``count`` lanes of the block from ``place``."""
    most = plan.payments.shape[1]
    levels, w, squares = plan.levels[0, first], s.worth, q.worth
    best, out = q.values[first], q.moments[first]
    for roll in range(levels.shape[0]):
        for i in range(opened - 1, -1, -1):
            row = s.rows[i]
            a = np.uint64((row * most + levels[roll, row]) * LANES)
            o = np.uint64(roll * LANES + place)
            for _ in range(0, count, CHUNK):
                for lane in range(CHUNK):
                    n = np.uint64(lane)
                    square, kept = squares[a + n], out[o + n]
                    out[o + n] = square if w[a + n] >= best[o + n] - TIE else kept
                a, o = a + np.uint64(CHUNK), o + np.uint64(CHUNK)


@kernel
def choose_rows_of_fives(
    plan: Plan, s: Scratch, q: Squares, number: int, opened: int, first: int, place: int, count: int
) -> None:
    """Set the same for five of a kind where a joker or further points come with it."""
    may_be = joker_may_be(plan, number)
    if not may_be and plan.flags[number] == 1:
        return
    most = plan.payments.shape[1]
    for face in range(1, plan.fives.shape[0] + 1):
        roll = plan.fives[face - 1]
        in_full = joker_rows(plan, s, number, opened, face)
        for n in range(count):
            joker = may_be and (plan.joker[2] == 0 or s.flag[n] & plan.joker[2] != 0)
            extra = plan.extra[0] if s.flag[n] & plan.extra[1] != 0 else 0
            at = roll * LANES + place + n
            for i in range(opened - 1, -1, -1):
                row = s.rows[i]
                a = (row * most + plan.levels[in_full if joker else 0, first, roll, row]) * LANES + n
                value = s.worth[a] + extra
                if (not joker or s.legal[row]) and value >= q.values[first][at] - TIE:
                    q.moments[first][at] = q.worth[a] + 2.0 * extra * s.worth[a] + extra * extra


@kernel
def choose_keeps(s: Scratch, q: Squares) -> None:
    """Set, by roll, the second moment under the best keep."""
    full = q.best.shape[0] - q.chosen.shape[0]
    values, squares, best, chosen = s.keeps, q.keeps, q.best, q.chosen
    for roll in range(q.starts.shape[0] - 1):
        o = np.uint64(roll * LANES)
        b = np.uint64(full) + o
        for i in range(q.starts[roll], q.starts[roll + 1]):
            k = q.choices[i]
            for lane in range(LANES):
                n = np.uint64(lane)
                square, kept = squares[k + n], chosen[o + n]
                chosen[o + n] = square if values[k + n] >= best[b + n] - TIE else kept


@kernel
def square_blocks(
    plan: Plan, s: Scratch, q: Squares, values: Any, squares: Any, chunks: Any, start: int, stop: int
) -> None:
    """Set the second moments of some states of one level, from those of the levels after it.

    Args:
        plan: the game.
        s: what this thread works in.
        q: the same.
        values: float64[states], points still to come under optimal play.
        squares: float64[states], their expected squares; set for the states of the chunks.
        chunks: int64[n, 2], the set and the first state in it of every chunk of `CHUNK` states.
        start: the first chunk.
        stop: the end.
    """
    several, doubled = plan.throws
    for begin in range(start, stop, LANES // CHUNK):
        end = min(begin + LANES // CHUNK, stop)
        chunk = begin
        while chunk < end:
            number, many = chunks[chunk, 0], run_length(chunks, chunk, end)
            place, count = (chunk - begin) * CHUNK, many * CHUNK
            decode(plan, s, number, chunks[chunk, 1], count)
            opened = fill_moments(plan, s, q, values, squares, number, count)
            for first in range(1 + doubled):
                end_turns(plan, s, q.values[first], number, opened, first, place, count)
                choose_rows(plan, s, q, opened, first, place, count)
                choose_rows_of_fives(plan, s, q, number, opened, first, place, count)
            chunk += many
        for left in range(several - 1, -1, -1):
            first = 1 if left == 0 and doubled else 0
            copy(q.values[first], s.at_end)
            copy(q.moments[first], q.at_end)
            if left < several - 1:
                copy(s.keeps, q.best)
                improve(q.best, plan.climb)
                choose_keeps(s, q)
                copy(q.best_at_end, s.at_end)
                copy(q.chosen, q.at_end)
            expect(s.keeps, plan.spread)
            expect(q.keeps, plan.spread)
        write(plan, q.keeps, squares, chunks, begin, end)
