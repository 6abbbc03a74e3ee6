"""The compiled kernels that find many cards' states, and read what the tables say of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.jit import kernel
from arena.solver.kernels import Plan, Scratch, decode, look_ahead


class Index(NamedTuple):
    """What finds a card's state, besides `Plan`.

    Attributes:
        levels: int64[n], where the sets of 0, 1, ... rows begin, and the end.
        sections: int32[sums], the section of each of the sums.
        watches: int32[w, 2], rows and the points that they must hold.
    """

    levels: Any
    sections: Any
    watches: Any


@kernel
def find_state(plan: Plan, index: Index, filled: Any, points: Any, sums: Any, earned: Any) -> tuple[int, int]:
    """Return the set and the state of one card: see `find_states`."""
    rows, count = np.int64(0), 0
    for row in range(filled.shape[0]):
        if filled[row]:
            rows |= np.int64(1) << row
            count += 1
    number, end = index.levels[count], index.levels[count + 1]
    while end - number > 1:
        middle = (number + end) // 2
        if plan.sets[middle] <= rows:
            number = middle
        else:
            end = middle
    lane = 0
    for place in range(index.sections.shape[0]):
        section = index.sections[place]
        held = np.int64(sums[section])
        if plan.bonuses[place, 2] == 0 and earned[section]:
            held = np.int64(plan.bonuses[place, 1])
        size = np.int64(plan.size[number, place])
        lane = lane * size + min(max(held - plan.low[number, place], 0), size - 1)
    flag = 0
    for bit in range(index.watches.shape[0]):
        row = index.watches[bit, 0]
        if filled[row] and points[row] == index.watches[bit, 1]:
            flag |= 1 << bit
    return number, plan.first[number] + flag * plan.lanes[number] + lane


@kernel
def find_states(plan: Plan, index: Index, filled: Any, points: Any, sums: Any, earned: Any, out: Any) -> None:
    """Set int64[n], the states of n cards.

    Args:
        plan: the game.
        index: what finds a card's state.
        filled: bool[n, rows].
        points: int16[n, rows], 0 while open.
        sums: int32[n, sections].
        earned: bool[n, sections], whether the section's bonus is earned.
        out: set.
    """
    for i in range(out.shape[0]):
        out[i] = find_state(plan, index, filled[i], points[i], sums[i], earned[i])[1]


@kernel
def read_after(
    plan: Plan, s: Scratch, index: Index, table: Any, filled: Any, points: Any, sums: Any, earned: Any, out: Any
) -> None:
    """Set float64[n, rows, k], what a table says of the cards after each open row is filled with each of its points.

    Args:
        plan: the game.
        s: a place to work in.
        index: what finds a card's state.
        table: float64[states].
        filled: bool[n, rows].
        points: int16[n, rows], 0 while open.
        sums: int32[n, sections].
        earned: bool[n, sections].
        out: set; 0 where a row is not open.
    """
    rows, most = plan.payments.shape
    for i in range(out.shape[0]):
        number, state = find_state(plan, index, filled[i], points[i], sums[i], earned[i])
        decode(plan, s, number, state - plan.first[number], 1)
        for row in range(rows):
            if plan.child[number, row] < 0:
                out[i, row, :] = 0.0
                continue
            many = plan.many[row]
            for paid in range(many):
                if plan.sum_of[row] >= 0 or paid == 0 or plan.marks[row, paid] != plan.marks[row, paid - 1]:
                    look_ahead(plan, s, number, row, paid, 1)
                out[i, row, paid] = table[s.state[0]]
            for paid in range(many, most):
                out[i, row, paid] = out[i, row, many - 1]
