"""The compiled kernels of the solver: the value of every state of a level, from the values of the levels after it.

States are worked on in blocks, one a lane, as in `arena.dice.lattice_kernels`. A block is made of chunks of `CHUNK`
lanes, each of one set of filled rows, and its buffer of all keeps stays within the cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.dice.lattice_kernels import LANES, expect, improve
from arena.jit import kernel
from arena.rules.joker_kernels import narrow

CHUNK = 8
IMPOSSIBLE = -1e300


class Plan(NamedTuple):
    """A card game and its states, for kernels; see `arena.solver.plan`.

    Attributes:
        sets: int64[m], filled rows, a bit a row.
        child: int32[m, rows], the set after a row is filled, -1 where the row is not open.
        first: int64[m + 1], a set's first state.
        lanes: int32[m], states of a set for the same watched rows.
        flags: int32[m], combinations of watched rows.
        low: int32[m, sums].
        size: int32[m, sums].
        left: int32[m, sums].
        bonuses: int32[sums, 4]: points, the sum that earns them, 1 if due only when complete, the section's turns.
        sum_of: int8[rows], which of the sums a row adds to, -1 for none.
        payments: float64[rows, k], the points a row can pay, ascending.
        many: int32[rows], how many there are.
        levels: uint8[2, 2, rolls, rows], the place in it of what is paid: by joker and by first roll.
        marks: int32[rows, k], the watches that come true when a row is filled with these points, a bit each.
        fives: int32[faces], the rolls of five of a kind, by face from 1.
        faces: int8[rows], the face that a row collects, else 0.
        face_rows: int8[7], the row that collects a face, else -1.
        joker: int32[3]: mode (0 none, 1 forced, 2 free), its row, the watch that must be true (a bit), 0 for none.
        extra: int32[2]: points for a further five of a kind, the watch that earns them (a bit), 0 for none.
        spread: uint64[keeps - rolls, 7], places: of a keep and of the keeps with one die more, largest keeps first.
        climb: uint64[n, 4], places: of a keep and of three keeps with one die less, smallest keeps first.
        throws: int64[2]: rolls a turn, and 1 if the first roll pays otherwise.
    """

    sets: Any
    child: Any
    first: Any
    lanes: Any
    flags: Any
    low: Any
    size: Any
    left: Any
    bonuses: Any
    sum_of: Any
    payments: Any
    many: Any
    levels: Any
    marks: Any
    fives: Any
    faces: Any
    face_rows: Any
    joker: Any
    extra: Any
    spread: Any
    climb: Any
    throws: Any


class Scratch(NamedTuple):
    """What one thread works in.

    Attributes:
        keeps: float64[keeps * LANES], the block's values by keep.
        at_end: the part of it that holds the rolls.
        stops: float64[rolls * LANES], what stopping on the first roll is worth.
        worth: float64[rows * k * LANES], what a row filled with certain points is worth, by lane.
        flag: int64[LANES], which watches are true, by lane.
        lane: int64[LANES], the lane's place among the states of its set with the same flag.
        level: int64[sums, LANES], the place of the lane's sum in its window.
        outer: int64[sums, LANES], the places of the sums before it.
        inner: int64[sums, LANES], those of the sums after it.
        state: int64[LANES], the state that follows, by lane.
        bonus: float64[LANES], the bonus that follows, and then what is still to come.
        rows: int64[rows], the open rows.
        legal: bool[rows], rows that five of a kind may fill as a joker.
    """

    keeps: Any
    at_end: Any
    stops: Any
    worth: Any
    flag: Any
    lane: Any
    level: Any
    outer: Any
    inner: Any
    state: Any
    bonus: Any
    rows: Any
    legal: Any


@kernel
def copy(source: Any, target: Any) -> None:
    """Copy numbers; a slice assigned to another would make numba compile how shapes are printed."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel
def decode(plan: Plan, s: Scratch, number: int, start: int, count: int) -> None:
    """Set what the states of some lanes are: ``count`` states of a set from ``start``, the last repeated."""
    lanes = plan.lanes[number]
    last = lanes * plan.flags[number] - 1
    for n in range(count):
        state = min(start + n, last)
        s.flag[n] = state // lanes
        s.lane[n] = state % lanes
    after = 1
    for place in range(plan.size.shape[1] - 1, -1, -1):
        size = plan.size[number, place]
        for n in range(count):
            s.inner[place, n] = s.lane[n] % after
            s.level[place, n] = s.lane[n] // after % size
            s.outer[place, n] = s.lane[n] // (after * size)
        after *= size


@kernel
def look_ahead(plan: Plan, s: Scratch, number: int, row: int, paid: int, count: int) -> None:
    """Set ``s.state`` and ``s.bonus`` to what follows, by lane, once a row is filled with its ``paid``-th points."""
    child = plan.child[number, row]
    mark, first, lanes = plan.marks[row, paid], plan.first[child], plan.lanes[child]
    place = plan.sum_of[row]
    if place < 0:
        for n in range(count):
            s.state[n] = first + (s.flag[n] | mark) * lanes + s.lane[n]
            s.bonus[n] = 0.0
        return
    bonus, at, complete, turns = plan.bonuses[place]
    last = plan.left[number, place] == 1
    under_way = plan.left[number, place] < turns
    low, low_after, size = plan.low[number, place], plan.low[child, place], plan.size[child, place]
    later = 1
    for other in range(place + 1, plan.size.shape[1]):
        later *= plan.size[child, other]
    points = int(plan.payments[row, paid])
    for n in range(count):
        held = low + s.level[place, n]
        after = held + points
        earned = after >= at and (last or not complete)
        if under_way and not complete and held >= at:
            earned = False  # before, and for good
            after = at
        level = 0 if last else min(max(after - low_after, 0), size - 1)
        s.bonus[n] = bonus if earned else 0.0
        s.state[n] = (
            first + (s.flag[n] | mark) * lanes + (s.outer[place, n] * size + level) * later + s.inner[place, n]
        )


@kernel
def find_open_rows(plan: Plan, s: Scratch, number: int) -> int:
    """Set ``s.rows`` to the open rows, ascending; returns how many."""
    opened = 0
    for row in range(plan.child.shape[1]):
        if plan.child[number, row] >= 0:
            s.rows[opened] = row
            opened += 1
    return opened


@kernel
def fill_worth(plan: Plan, s: Scratch, values: Any, number: int, count: int) -> int:
    """Set what filling each open row with each of its points is worth, in ``count`` lanes; returns the open rows."""
    most, opened = plan.payments.shape[1], find_open_rows(plan, s, number)
    for i in range(opened):
        row = s.rows[i]
        for paid in range(plan.many[row]):
            if plan.sum_of[row] >= 0 or paid == 0 or plan.marks[row, paid] != plan.marks[row, paid - 1]:
                look_ahead(plan, s, number, row, paid, count)
                for n in range(count):
                    s.bonus[n] += values[s.state[n]]
            points, a = plan.payments[row, paid], np.uint64((row * most + paid) * LANES)
            for lane in range(LANES):
                o = np.uint64(lane)
                s.worth[a + o] = points + s.bonus[lane]
    return opened


@kernel
def places_of(plan: Plan, s: Scratch, levels: Any, roll: int, i: int, opened: int) -> tuple[Any, Any, Any]:
    """Return where the worth of three open rows from the ``i``-th begins, for a roll; the last stands in for more."""
    most = plan.payments.shape[1]
    row, second, third = s.rows[i], s.rows[min(i + 1, opened - 1)], s.rows[min(i + 2, opened - 1)]
    a = np.uint64((row * most + levels[roll, row]) * LANES)
    b = np.uint64((second * most + levels[roll, second]) * LANES)
    c = np.uint64((third * most + levels[roll, third]) * LANES)
    return a, b, c


@kernel
def best_rows(plan: Plan, s: Scratch, out: Any, opened: int, first: int) -> None:
    """Set, by roll, the most that an open row is worth, in every lane of the block.

    A loop of its own, for the many blocks that are one set: with 7 open rows a full block of 32 lanes takes 6.7 us,
    by chunks, as below, 11.8 us.
    """
    w, levels = s.worth, plan.levels[0, first]
    for roll in range(levels.shape[0]):
        o = np.uint64(roll * LANES)
        for i in range(0, opened, 3):
            a, b, c = places_of(plan, s, levels, roll, i, opened)
            if i:
                for lane in range(LANES):
                    n = np.uint64(lane)
                    out[o + n] = max(out[o + n], w[a + n], w[b + n], w[c + n])
            else:
                for lane in range(LANES):
                    n = np.uint64(lane)
                    out[o + n] = max(w[a + n], w[b + n], w[c + n])


@kernel
def best_rows_of_chunks(plan: Plan, s: Scratch, out: Any, opened: int, first: int, place: int, count: int) -> None:
    """Set the same in ``count`` lanes of the block from ``place``."""
    w, levels = s.worth, plan.levels[0, first]
    for roll in range(levels.shape[0]):
        for i in range(0, opened, 3):
            a, b, c = places_of(plan, s, levels, roll, i, opened)
            o: Any = np.uint64(roll * LANES + place)
            for _ in range(0, count, CHUNK):
                for lane in range(CHUNK):
                    n = np.uint64(lane)
                    best = max(w[a + n], w[b + n], w[c + n])
                    out[o + n] = max(out[o + n], best) if i else best
                a, b, c, o = a + np.uint64(CHUNK), b + np.uint64(CHUNK), c + np.uint64(CHUNK), o + np.uint64(CHUNK)


@kernel
def joker_rows(plan: Plan, s: Scratch, number: int, opened: int, face: int) -> int:
    """Set which open rows five of a face may fill as a joker; returns 1 if it counts in full there."""
    own = plan.face_rows[face]
    s.legal[:] = False
    for i in range(opened):
        s.legal[s.rows[i]] = True
    narrow(plan.joker[0], own, plan.faces, s.legal)
    return 1 if own < 0 or plan.sets[number] >> own & 1 else 0


@kernel
def joker_may_be(plan: Plan, number: int) -> bool:
    """Return True if the joker's row is filled in a set; what it holds is told by the lane's flag."""
    return bool(plan.joker[0] > 0 and plan.sets[number] >> plan.joker[1] & 1 == 1)


@kernel
def best_fives(plan: Plan, s: Scratch, out: Any, number: int, opened: int, first: int, place: int, count: int) -> None:
    """Set what five of a kind is worth where a joker or further points come with it."""
    may_be = joker_may_be(plan, number)
    if not may_be and plan.flags[number] == 1:
        return
    most = plan.payments.shape[1]
    for face in range(1, plan.fives.shape[0] + 1):
        roll = plan.fives[face - 1]
        in_full = joker_rows(plan, s, number, opened, face)
        for n in range(count):
            flag = s.flag[n]
            joker = may_be and (plan.joker[2] == 0 or flag & plan.joker[2] != 0)
            if joker:
                best = IMPOSSIBLE
                for i in range(opened):
                    row = s.rows[i]
                    if s.legal[row]:
                        best = max(best, s.worth[(row * most + plan.levels[in_full, first, roll, row]) * LANES + n])
                out[roll * LANES + place + n] = best
            if flag & plan.extra[1] != 0:
                out[roll * LANES + place + n] += plan.extra[0]


@kernel
def end_turns(plan: Plan, s: Scratch, out: Any, number: int, opened: int, first: int, place: int, count: int) -> None:
    """Set what ending the turn with each roll is worth, in ``count`` lanes of the block from ``place``."""
    if place == 0 and count > LANES // 2:
        best_rows(plan, s, out, opened, first)  # the lanes behind are set after these
    else:
        best_rows_of_chunks(plan, s, out, opened, first, place, count)
    best_fives(plan, s, out, number, opened, first, place, count)


@kernel
def run_length(chunks: Any, chunk: int, end: int) -> int:
    """Return how many chunks from one on are of the same set."""
    many = 1
    while chunk + many < end and chunks[chunk + many, 0] == chunks[chunk, 0]:
        many += 1
    return many


@kernel
def write(plan: Plan, keeps: Any, out: Any, chunks: Any, begin: int, end: int) -> None:
    """Write the numbers of the empty keep, with which every turn begins, to the states of a block."""
    for chunk in range(begin, end):
        number = chunks[chunk, 0]
        state = plan.first[number] + chunks[chunk, 1]
        for n in range(min(CHUNK, plan.first[number + 1] - state)):
            out[state + n] = keeps[(chunk - begin) * CHUNK + n]


@kernel
def solve_blocks(plan: Plan, s: Scratch, values: Any, chunks: Any, start: int, stop: int) -> None:
    """Set the values of some states of one level, from those of the levels after it.

    Args:
        plan: the game.
        s: what this thread works in.
        values: float64[states], points still to come under optimal play; set for the states of the chunks.
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
            opened = fill_worth(plan, s, values, number, count)
            for first in range(1 + doubled):
                end_turns(plan, s, s.stops if first else s.at_end, number, opened, first, place, count)
            chunk += many
        for left in range(several - 1, -1, -1):
            if left == 0 and doubled:
                copy(s.stops, s.at_end)
            if left < several - 1:
                improve(s.keeps, plan.climb)
            expect(s.keeps, plan.spread)
        write(plan, s.keeps, values, chunks, begin, end)
