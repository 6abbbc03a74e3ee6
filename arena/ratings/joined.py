"""Blocks taken together for rating: adding a small one up costs more than its games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from arena.records import BlockResult, Timing

MIRRORS = 4096


def joined(results: Iterable[BlockResult], mirrors: int = MIRRORS) -> Iterator[BlockResult]:
    """Return results of blocks that follow one another as those of fewer, larger blocks, without transcripts.

    Args:
        results: of one pairing under one ruleset, in order of their dice sets.
        mirrors: a larger block has at least as many, unless no further one follows it.
    """
    waiting: list[BlockResult] = []
    for result in results:
        if waiting and waiting[-1].block.stop != result.block.first:
            yield _one_of(waiting)
            waiting = []
        waiting.append(result)
        if result.block.stop - waiting[0].block.first >= mirrors:
            yield _one_of(waiting)
            waiting = []
    if waiting:
        yield _one_of(waiting)


def _one_of(results: Sequence[BlockResult]) -> BlockResult:
    timing: dict[str, Timing] = {}
    for result in results:
        timing.update({name: timing.get(name, Timing()) + spent for name, spent in result.timing.items()})
    return BlockResult(
        block=replace(results[0].block, stop=results[-1].block.stop),
        totals=np.concatenate([result.totals for result in results]),
        ends=np.concatenate([result.ends for result in results]),
        winners=np.concatenate([result.winners for result in results]),
        faults=tuple(fault for result in results for fault in result.faults),
        timing=timing,
        levels={name: level for result in results for name, level in result.levels.items()},
    )
