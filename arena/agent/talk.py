"""Talking with a bot's process: frames there and back, with deadlines by the process's own clock.

A bot's time is its own processor time, read from its process's clock by the arena and counted from the mark that is
left for every decision, so that a busy machine makes no timeout. What it takes after its answer, while others are
asked, counts for the next one. Behind it stands a limit by the wall clock.
"""

from __future__ import annotations

import select
import time
from functools import partial
from math import inf
from typing import Any

from arena.agent.bot_process import BotProcess
from arena.agent.frames import FrameBuffer, FrameError, Reader, Writer
from arena.errors import one_line
from arena.records import End
from arena.sandbox.clock import cpu_seconds, seconds_in_line
from arena.sandbox.limits import threads_of

LOOKS = 4
"""How often in a limit of time is looked whether it has passed."""
MOST_LOOK_S = 0.25
"""Seconds from one look to the next at most, for the sake of threads."""
MOST_THREADS = 256
"""Threads of a bot's process: where their number is bounded for all, none may take what others need."""
LONGEST_LINE = 4
"""How many times a limit by the wall clock a process may stand in line for a processor, and that does not count."""
BY_CPU, BY_WALL = "of processor time", "by the clock on the wall"
"""How a limit of time is told, where a process's own time can be read, and where not."""
MOST_TEXT = 1 << 20
"""Bytes of an answer beside its numbers."""


class LostError(Exception):
    """A bot's process is of no more use.

    Args:
        end: the kind of fault.
        message: what happened, in words.
        no_such: True if the file is there, and not the bot that was named.
    """

    def __init__(self, end: End, message: str, *, no_such: bool = False) -> None:
        self.end, self.no_such = end, no_such
        super().__init__(message)


class DeadError(LostError):
    """A bot's process has ended by itself.

    Args:
        end: the kind of fault.
    """

    def __init__(self, end: End = End.CRASH) -> None:
        super().__init__(end, "its process ended")


class Patience:
    """How long a bot's process may go without progress, since its last answer.

    Args:
        process: whose.
        cpu_s: seconds of its processor time; by the wall clock where that cannot be read.
        wall_s: seconds by the wall clock in which it used less than a step of that, and had no need to wait for a
            processor.
        end: the kind of fault if that passes.
        what: the same in words, with `BY_CPU` if it is by that.
        step_s: the step, in seconds of processor time: work counts as progress where nobody can tell how far it is.
    """

    def __init__(
        self, process: BotProcess, cpu_s: float, wall_s: float, end: End, what: str, *, step_s: float = inf
    ) -> None:
        self._process, self._clock = process, partial(cpu_seconds, process.process)
        self._wall_s, self._step_s, self._end, self._what = wall_s, step_s, end, what
        self.look_s = min(min(cpu_s, wall_s, step_s) / LOOKS, MOST_LOOK_S)
        self._cpu: float | None = None
        self.renew(cpu_s)
        if process.answered is not None:
            self._cpu = process.answered

    def renew(self, cpu_s: float) -> None:
        """Begin anew, as there was progress."""
        self._cpu_s, self._steps = cpu_s, 0
        self._cpu, self._began = self._clock(), time.monotonic()
        self._moved, self._in_line = self._began, seconds_in_line(self._process.process)

    def over(self) -> LostError | None:
        """Return what the process is charged with if it is over now; None while it is not.

        Whoever asks must look for an answer, or for progress, once more after this: this process may have been stopped
        in between for as long as the bot needed.
        """
        if crowd := self._crowd():
            return crowd
        now, clock = time.monotonic(), self._clock()
        if clock is None or self._cpu is None:
            return (
                LostError(self._end, self._what.replace(BY_CPU, BY_WALL)) if now - self._began > self._cpu_s else None
            )
        spent = clock - self._cpu
        if spent > self._cpu_s:
            return LostError(self._end, self._what)
        if (steps := int(spent / self._step_s)) > self._steps:
            self._steps, self._moved, self._in_line = steps, now, seconds_in_line(self._process.process)
        if now - self._moved <= self._wall_s or now - self._moved - self._stood_in_line() <= self._wall_s:
            return None
        limits = "start_s + wall_s" if self._end is End.START else "wall_s"
        return LostError(self._end, f"made no move in {self._wall_s:g} s ({limits})")

    def _stood_in_line(self) -> float:
        """Return for how many of the seconds without progress the process waited for a processor."""
        stood = seconds_in_line(self._process.process) - self._in_line
        return min(stood, LONGEST_LINE * self._wall_s)

    def answered(self) -> None:
        """Note that there was an answer, whenever it came.

        One that comes at once may have been thought out while others were asked.

        Raises:
            LostError: if the process took too long for it, or has too many threads.
        """
        if crowd := self._crowd():
            raise crowd
        clock = self._clock()
        if clock is not None and self._cpu is not None and clock - self._cpu > self._cpu_s:
            raise LostError(self._end, self._what)
        self._process.answered = clock

    def _crowd(self) -> LostError | None:
        """Return what the process is charged with if it has too many threads."""
        if (threads := threads_of(self._process.process)) <= MOST_THREADS:
            return None
        end = End.START if self._end is End.START else End.CRASH
        return LostError(end, f"had {threads} threads; {MOST_THREADS} are allowed")


def send(process: BotProcess, frame: Writer) -> None:
    """Send a frame; a process that does not take it is found out when it is to answer."""
    channel, body = process.channel, memoryview(frame.bytes())
    deadline = time.monotonic() + process.limits.wall_s
    try:
        while body and time.monotonic() < deadline:
            try:
                body = body[channel.send(body) :]
            except BlockingIOError:
                select.select([], [channel], [], 0.05)
                process.drain()
    except ConnectionError:
        pass


def receive_in_time(
    process: BotProcess,
    cpu_s: float,
    wall_s: float,
    end: End,
    what: str,
    *,
    most: int = MOST_TEXT,
    decisions: int = 0,
    before_s: float = 0,
) -> Reader:
    """Return the next frame.

    Args:
        process: whose.
        cpu_s: seconds of processor time without progress.
        wall_s: seconds by the wall clock without progress.
        end: the kind of fault if that passes.
        what: the same in words, with `BY_CPU` if it is by that.
        most: the longest frame, in bytes.
        decisions: how many are to be made. The mark is the process's own to write, so that it counts as progress only
            in going up, and no further than this.
        before_s: further seconds of processor time before the first decision, for what is not the bot's.

    Raises:
        LostError: if none comes.
    """
    buffer, at = FrameBuffer(most), 0
    whole = Patience(process, before_s + cpu_s * max(decisions, 1), wall_s, end, what)
    patience = Patience(process, cpu_s + before_s, wall_s, end, what)
    while True:
        over = patience.over()
        ready, _, _ = select.select([process.channel, *process.signs()], [], [], 0 if over else patience.look_s)
        if process.output in ready:
            process.drain()
        if process.channel in ready:
            try:
                alive = buffer.read(process.channel)
                frame = buffer.frame()
            except FrameError as error:
                raise LostError(End.PROTOCOL, f"answered nonsense: {error}") from None
            if frame is not None:
                whole.answered()
                return Reader(frame)
            if not alive:
                raise DeadError
        elif process.ended in ready and not select.select([process.channel], [], [], 0)[0]:  # a child may hold it open
            raise DeadError
        if at < (reached := process.at()) <= decisions:
            at = reached
            patience.renew(cpu_s)
        elif over and process.channel not in ready:  # of a long answer the rest may be there
            raise over


def greeting(process: BotProcess) -> dict[str, Any]:
    """Return what a bot's process says of the bot once it is loaded.

    Raises:
        LostError: if it cannot be.
    """
    limits = process.limits
    try:
        what = f"did not start in {limits.start_s:g} s {BY_CPU}"
        told = receive_in_time(process, limits.start_s, limits.start_s + limits.wall_s, End.START, what)
        said = told.text()
        told.end()
    except FrameError as error:
        raise LostError(End.PROTOCOL, str(error)) from None
    if not isinstance(said, dict):
        raise LostError(End.PROTOCOL, f"answered nonsense: {said!r:.100}")
    if "broken" in said:
        raise LostError(End.START, one_line(said["broken"])[:1000], no_such=bool(said.get("no_such")))
    return said
