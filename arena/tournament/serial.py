"""The backend without workers: blocks one after the other, in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, redirect_stdout
from pathlib import Path

from arena.errors import StarterGoneError
from arena.records import Block, BlockResult, LostBlock
from arena.tournament.work import Job, Worker


def play_serial(
    job: Job, blocks: Sequence[Block], stopped: Callable[[], bool]
) -> Generator[BlockResult | LostBlock, None, None]:
    """Play blocks here.

    Args:
        job: the run.
        blocks: what to play, in order.
        stopped: asked before every block; True ends the playing.

    Yields:
        A result a block.

    Raises:
        NoProcessError: if bots cannot be started.
    """
    with Path(os.devnull).open("w") as silence:  # a bot's prints would run into the tables
        with redirect_stdout(silence):
            worker = Worker(job)
        with closing(worker):
            for block in blocks:
                if stopped():
                    return
                try:
                    with redirect_stdout(silence):
                        result = worker.play(block)
                except StarterGoneError as error:
                    raise StarterGoneError(f"{block}: {error}") from None
                yield result
