"""A card game's rules and states as arrays, for the solver's kernels."""

from __future__ import annotations

import numpy as np

from arena.dice.arrays import dice_arrays
from arena.dice.lattice import FACES
from arena.dice.lattice_kernels import LANES
from arena.rules.model import Due
from arena.rules.sheet_arrays import JOKER_CODES, face_rows_of, faces_of
from arena.solver.kernels import CHUNK, Plan, Scratch
from arena.solver.moment_kernels import Squares
from arena.solver.space import Ints, Space


def plan_of(space: Space) -> Plan:
    """Return a game and its states for the kernels."""
    rules, gains = space.rules, space.rules.gains
    sheet = rules.sheet
    rows = len(rules.names)
    bits = {watch: 1 << bit for bit, watch in enumerate(space.watches)}
    marks = np.zeros(gains.payments.shape, dtype=np.int32)
    for watch, bit in bits.items():
        marks[watch.row] |= np.where(gains.payments[watch.row] == watch.holds, bit, 0).astype(np.int32)
    sum_of = np.full(rows, -1, dtype=np.int8)
    for place, sums in enumerate(space.sums):
        sum_of[list(sums.rows)] = place
    joker, extra = [0, 0, 0], [0, 0]
    if sheet.joker:
        row, holds = rules.row_ids[sheet.joker.row], sheet.joker.holds
        joker = [JOKER_CODES[sheet.joker.mode], row, next((b for w, b in bits.items() if w == (row, holds)), 0)]
    if sheet.five_bonus and sheet.five_bonus.points:
        bonus = sheet.five_bonus
        extra = [bonus.points, bits[next(w for w in bits if w == (rules.row_ids[bonus.row], bonus.holds))]]
    dice = dice_arrays(rules.ruleset.dice)
    return Plan(
        sets=space.sets,
        child=space.child,
        first=space.first,
        lanes=space.lanes,
        flags=space.flags,
        low=space.low,
        size=space.size,
        left=space.left,
        bonuses=np.array(
            [[s.bonus.points, s.bonus.at, s.bonus.due is Due.COMPLETE, s.turns] for s in space.sums], dtype=np.int32
        ).reshape(-1, 4),
        sum_of=sum_of,
        payments=gains.payments,
        many=np.array([len(np.unique(paid)) for paid in gains.payments], dtype=np.int32),
        levels=np.ascontiguousarray(gains.levels.transpose(0, 1, 3, 2).astype(np.uint8)),
        marks=marks,
        fives=np.array([rules.face_of_five.index(face) for face in range(1, FACES + 1)], dtype=np.int32),
        faces=faces_of(sheet),
        face_rows=face_rows_of(sheet),
        joker=np.array(joker, dtype=np.int32),
        extra=np.array(extra, dtype=np.int32),
        spread=dice.spread,
        climb=dice.climb,
        throws=np.array([rules.ruleset.rolls, int(not np.array_equal(gains.levels[:, 0], gains.levels[:, 1]))]),
    )


def scratch_of(plan: Plan) -> Scratch:
    """Return what one thread works in."""
    (rows, most), sums = plan.payments.shape, plan.size.shape[1]
    rolls = plan.levels.shape[2]
    keeps = np.zeros((len(plan.spread) + rolls) * LANES)
    of_sums = (np.zeros((sums, LANES), dtype=np.int64) for _ in range(3))
    return Scratch(
        keeps=keeps,
        at_end=keeps[-rolls * LANES :],
        stops=np.zeros(rolls * LANES),
        worth=np.zeros(rows * most * LANES),
        flag=np.zeros(LANES, dtype=np.int64),
        lane=np.zeros(LANES, dtype=np.int64),
        level=next(of_sums),
        outer=next(of_sums),
        inner=next(of_sums),
        state=np.zeros(LANES, dtype=np.int64),
        bonus=np.zeros(LANES),
        rows=np.zeros(rows, dtype=np.int64),
        legal=np.zeros(rows, dtype=np.bool_),
    )


def chunks_of(space: Space, level: int) -> Ints:
    """Return int64[n, 2], the chunks of a level: the set, and the first of its states in the chunk."""
    sets = np.arange(space.levels[level], space.levels[level + 1])
    counts = (space.first[sets + 1] - space.first[sets] + CHUNK - 1) // CHUNK
    starts = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack([np.repeat(sets, counts), starts * CHUNK], axis=1)


def squares_of(plan: Plan, dice: int) -> Squares:
    """Return what one thread works in for second moments.

    Args:
        plan: the game.
        dice: dice a throw.
    """
    of = dice_arrays(dice)
    (rows, most), keeps, rolls = plan.payments.shape, len(of.sizes), len(of.faces)
    squares, best = np.zeros(keeps * LANES), np.zeros(keeps * LANES)
    by_roll = (np.zeros(rolls * LANES) for _ in range(5))
    return Squares(
        worth=np.zeros(rows * most * LANES),
        keeps=squares,
        at_end=squares[-rolls * LANES :],
        best=best,
        best_at_end=best[-rolls * LANES :],
        chosen=next(by_roll),
        values=(next(by_roll), next(by_roll)),
        moments=(next(by_roll), next(by_roll)),
        choices=of.choices.astype(np.uint64) * np.uint64(LANES),
        starts=of.choice_starts,
    )
