"""The backend without workers: blocks one after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arena.records import Block, BlockResult
from arena.tournament.work import Job, Worker


def play_serial(job: Job, blocks: Sequence[Block], stopped: Callable[[], bool]) -> Iterator[BlockResult]:
    """Play blocks here.

    Args:
        job: the run.
        blocks: what to play, in order.
        stopped: asked before every block; True ends the playing.

    Yields:
        A result a block.
    """
    worker = Worker(job)
    for block in blocks:
        if stopped():
            return
        yield worker.play(block)
