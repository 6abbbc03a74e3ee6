"""Solve a card game: backward over sets of filled rows, level by level, each level's blocks shared among threads.

The recurrence: a state is worth the mean, over the first roll, of the best keep; a keep the mean, over the dice
rolled again, of the best keep after it; the last roll, or a stop, the most among its legal rows of what the row
brings and what the state after it is worth. A finished card is worth nothing more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np

from arena.dice.lattice import Floats
from arena.dice.lattice_kernels import LANES
from arena.solver import kernels, moment_kernels
from arena.solver.kernels import CHUNK
from arena.solver.plan import chunks_of, plan_of, scratch_of, squares_of
from arena.solver.space import Ints, Space

Progress: TypeAlias = Callable[[int, int], None]
"""Is told the states done, and all there are."""
BLOCK = LANES // CHUNK
"""Chunks of a block."""


def solve(
    space: Space, *, moments_of: Floats | None = None, threads: int = 1, progress: Progress | None = None
) -> Floats:
    """Return the value of every state, or the second moment.

    Args:
        space: the game's states.
        moments_of: the values, to get second moments.
        threads: how many work at a time; the result does not depend on it.
        progress: told after every level.

    Returns:
        float64[states], expected points still to come under optimal play; or the expectation of their square, in
        points squared, with ties broken as `arena.solver.moment_kernels` says.

    Source:
        Backward induction over a finite game of chance (Bellman).
    """
    plan, dice = plan_of(space), space.rules.ruleset.dice
    out = np.zeros(len(space))
    scratches = [scratch_of(plan) for _ in range(threads)]
    squares = [squares_of(plan, dice) for _ in range(threads)] if moments_of is not None else []

    def work(part: tuple[int, Ints, int, int]) -> None:
        thread, chunks, start, stop = part
        scratch = scratches[thread]
        if moments_of is None:
            kernels.solve_blocks(plan, scratch, out, chunks, start, stop)
        else:
            moment_kernels.square_blocks(plan, scratch, squares[thread], moments_of, out, chunks, start, stop)

    last = space.levels[len(space.levels) - 2]
    done = len(space) - int(space.first[last])
    with ThreadPoolExecutor(threads) as pool:
        for level in range(len(space.levels) - 3, -1, -1):
            chunks = chunks_of(space, level)
            share = -(-len(chunks) // (threads * BLOCK)) * BLOCK
            parts = [
                (thread, chunks, start, min(start + share, len(chunks)))
                for thread, start in enumerate(range(0, len(chunks), share))
            ]
            if threads == 1:
                work(parts[0])
            else:
                list(pool.map(work, parts))
            done += int(space.first[space.levels[level + 1]] - space.first[space.levels[level]])
            if progress:
                progress(done, len(space))
    return out


def compile_kernels(space: Space, *, moments: bool) -> float:
    """Compile the kernels, or fetch them compiled; returns the seconds that took.

    Args:
        space: any game's states; none is worked on.
        moments: True for those of second moments.
    """
    start = time.perf_counter()
    plan = plan_of(space)
    nothing, scratch = np.zeros((0, 2), dtype=np.int64), scratch_of(plan)
    if not moments:
        kernels.solve_blocks(plan, scratch, np.zeros(0), nothing, 0, 0)
    else:
        squares = squares_of(plan, space.rules.ruleset.dice)
        moment_kernels.square_blocks(plan, scratch, squares, np.zeros(0), np.zeros(0), nothing, 0, 0)
    return time.perf_counter() - start
