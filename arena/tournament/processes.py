"""The backend of worker processes under one supervisor: it loses no more than the block whose worker died.

Nothing relies on fork: a worker is started afresh, loads its bots from references, and speaks over one pipe.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import Connection, wait
from time import monotonic, sleep
from typing import Any

from arena.agent.standstill import STANDING_S, Standstill
from arena.errors import ArenaError, DiskError, NoProcessError, StarterGoneError, UserError, ended_how
from arena.records import Block, BlockResult, LostBlock
from arena.tournament.offspring import begin, end_with_parent, hear_interrupts
from arena.tournament.tries import MOST_IN_VAIN, TRIES, Tries
from arena.tournament.work import Job, Worker

LOOK_UP_SECONDS = 0.1
GOING_SECONDS = 10
"""After so many a worker is killed that has nothing to do and is not gone."""
AGAIN_S = 2.0
"""Seconds from one try to start a worker to the next, where the machine gives no process for it."""


class _Worker:
    """One worker process, and the block it has.

    Raises:
        NoProcessError: if the machine gives no process for it.
    """

    def __init__(self, job: Job) -> None:
        self.pipe, self.process = begin(_work, "a worker", job)
        self.standstill = Standstill(self.process.pid or 0)
        self.block: Block | None = None
        self.ready = False
        self.unable: _Unable | None = None
        self._why = ""

    def give(self, block: Block) -> None:
        """Hand a block over."""
        self.block = block
        with suppress(OSError):  # it died: the closed pipe tells so again when it is read
            self.pipe.send(block)

    def hear(self) -> Any:
        """Return a message; None if the worker is dead."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return None

    def give_up(self, why: str) -> None:
        """End the process, for a reason that is told instead of how it ended."""
        self._why = why
        self.process.kill()

    def stop(self) -> str:
        """End the process, and return how it ended, or why if that is known."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        code = self.process.exitcode
        assert code is not None
        return self.unable.why if self.unable else self._why or ended_how(code)


def _deaf() -> None:
    """Have this process hear no Ctrl-C, which is the supervisor's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hear_interrupts()


class Supervisor:
    """Hands blocks to worker processes, and goes on when one of them dies.

    Args:
        job: the run.
        blocks: what to play.
        workers: how many processes.
    """

    def __init__(self, job: Job, blocks: Sequence[Block], workers: int) -> None:
        self._job, self._waiting = job, deque(blocks)
        self._tries = Tries()
        self._failed_starts, self._most_failed_starts = 0, TRIES * workers
        self._workers: list[_Worker] = []
        self._wanted, self._hiring_at = min(workers, len(blocks)), 0.0
        self._in_vain, self._most_in_vain = 0, MOST_IN_VAIN * self._wanted

    @property
    def busy(self) -> bool:
        """True while blocks wait or are being played."""
        return bool(self._waiting) or any(worker.block for worker in self._workers)

    def results(self) -> Iterator[BlockResult | LostBlock]:
        """Wait a moment for messages, and return what they bring.

        Raises:
            UserError: if a bot does not load in a worker, or the machine has no room for workers that play.
            ArenaError: if workers die as they start.
        """
        self._hire()
        self._hand_out()
        if not self._workers:  # there is no room for one yet
            sleep(LOOK_UP_SECONDS)
            return
        by_pipe: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers}
        heard = wait(list(by_pipe), timeout=LOOK_UP_SECONDS)
        for worker in self._workers if not heard else ():
            if worker.standstill.lasts():
                worker.give_up(f"as it was stopped for {STANDING_S:g} seconds")
        for pipe in heard:
            worker = by_pipe[pipe]
            match worker.hear():
                case None:
                    yield from self._bury(worker)
                    continue
                case BlockResult() as result:
                    worker.block = None
                    self._in_vain = 0
                    yield result
                case _Unable() as unable:
                    worker.unable = unable
                    continue
                case _Ready():
                    worker.ready, self._failed_starts = True, 0
                case _Mistake() as mistake:
                    raise UserError(mistake.text)
                case message:
                    raise ArenaError(f"a worker failed:\n{message}")
            self._hand_out()

    def _hand_out(self) -> None:
        """Give a block to everybody who is ready and has none."""
        for worker in self._workers:
            if self._waiting and worker.ready and not worker.block:
                worker.give(self._waiting.popleft())

    def _hire(self) -> None:
        """Start the workers that are missing; where there is no room for one, later, while the others play.

        Raises:
            NoProcessError: if there has been no room for any, again and again.
        """
        while self._wanted and self._waiting and monotonic() >= self._hiring_at:
            if self._workers and self._in_vain >= self._most_in_vain:  # it is up to those who still play
                return
            try:
                self._workers.append(_Worker(self._job))
            except NoProcessError as error:
                self._hiring_at = monotonic() + AGAIN_S
                if not self._workers:
                    self._fail(error, self._wanted)
                return
            self._wanted -= 1

    def _fail(self, shortage: UserError, tries: int) -> None:
        """Count tries that failed for want of something; raise it if it lasts, once nobody plays any more."""
        self._in_vain += tries
        if self._in_vain >= self._most_in_vain and not self._workers:
            raise shortage

    def _bury(self, worker: _Worker) -> Iterator[LostBlock]:
        """Take a dead worker's block back, or set it aside; have another worker hired if there is work."""
        self._workers.remove(worker)
        ending = worker.stop()
        shortage = worker.unable.shortage if worker.unable else None
        if isinstance(shortage, StarterGoneError):  # by a bot, for all that is known
            shortage = None
        if worker.block:
            if lost := self._tries.died(worker.block, ending):
                yield lost
            else:
                self._waiting.appendleft(worker.block)
        elif not worker.ready and not shortage:
            self._failed_starts += 1
            if self._failed_starts >= self._most_failed_starts:
                raise ArenaError(f"workers die as they start, {ending}")
        if self._waiting:
            self._wanted += 1
        if shortage:
            self._fail(shortage, 1)

    def close(self) -> None:
        """Let workers go that have nothing to do, so that they see to their bots' ends, and kill the others."""
        for worker in self._workers:
            if worker.ready and not worker.block:
                worker.pipe.close()
        for worker in self._workers:
            if worker.pipe.closed:
                worker.process.join(GOING_SECONDS)
            worker.stop()


def play_processes(
    job: Job, blocks: Sequence[Block], stopped: Callable[[], bool], workers: int
) -> Generator[BlockResult | LostBlock, None, None]:
    """Play blocks in worker processes.

    A block whose worker dies is tried once more by another, then set aside.

    Args:
        job: the run.
        blocks: what to play; the order in which results come is not theirs.
        stopped: asked several times a second; True ends the playing, and unfinished blocks are dropped.
        workers: how many processes.

    Yields:
        A result a block, or the block that was set aside.

    Raises:
        UserError: if a bot does not load in a worker.
        NoProcessError, DiskError: if there is no room for workers that play, though it was tried for a while.
        ArenaError: if workers die before they play anything.
    """
    supervisor = Supervisor(job, blocks, workers)
    try:
        while supervisor.busy and not stopped():
            yield from supervisor.results()
    finally:
        supervisor.close()


class _Ready:
    """A worker's message: its bots are loaded."""


class _Mistake:
    """A worker's message: a user's mistake."""

    def __init__(self, text: str) -> None:
        self.text = text


class _Unable:
    """A worker's last message: why it cannot go on, though another may.

    Args:
        error: what ended it.

    Attributes:
        why: in words.
        shortage: the error, if the machine had no more to give.
    """

    def __init__(self, error: Exception) -> None:
        self.why = f"as {error}"
        self.shortage = error if isinstance(error, NoProcessError | DiskError) else None


def _work(pipe: Connection, job: Job) -> None:
    """Play the blocks that come, until the pipe closes; the worker's whole life."""
    _deaf()
    try:
        end_with_parent("in a worker")
    except NoProcessError as error:
        pipe.send(_Unable(error))
        return
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # a bot's prints would run into the supervisor's table
    try:
        with closing(Worker(job)) as worker:
            worker.warm_up()
            _say(pipe, _Ready())
            while (block := _next(pipe)) is not None:
                _say(pipe, worker.play(block))
    except (NoProcessError, DiskError) as error:
        _say(pipe, _Unable(error))
    except UserError as error:
        _say(pipe, _Mistake(str(error)))
    except Exception:
        _say(pipe, traceback.format_exc())


def _say(pipe: Connection, message: Any) -> None:
    """Send a message, if somebody is there."""
    with suppress(ConnectionError):  # `_next` finds out
        pipe.send(message)


def _next(pipe: Connection) -> Block | None:
    """Return the next block, None once nobody sends any."""
    try:
        block: Block = pipe.recv()
    except (EOFError, ConnectionError):
        return None
    return block
