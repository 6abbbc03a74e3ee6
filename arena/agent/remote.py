"""Asks a bot in a process of its own, and charges it for what goes wrong there: death, silence, nonsense.

A bot's time is its own processor time, read from its process's clock by the arena and counted from the mark that is
left for every decision, so that a busy machine makes no timeout. Behind it stands a limit by the wall clock.
"""

from __future__ import annotations

import select
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from arena.agent.chronicle import Chronicle, write_question
from arena.agent.frames import FrameBuffer, FrameError, Reader, Writer
from arena.agent.inline import Failure, to_failure
from arena.agent.limits import Limits
from arena.agent.nursery import BotProcess, Nursery
from arena.agent.ref import AgentRef
from arena.agent.serve import HOLD, MOST_TOLD, ROW, told_ref
from arena.agent.tables import Asked, TablesOf
from arena.agent.turn import SeatView
from arena.game.tables import Flags, Keeps, Rows, Tables
from arena.records import End, Timing
from arena.sandbox.clock import cpu_seconds

STARTS = 4
"""Processes that a bot of functions has in a leg at most: one, and three more."""
LOOKS = 4
"""How often in a limit of time is looked whether it has passed."""
MOST_TEXT = 1 << 20
"""Bytes of an answer beside its numbers."""
OWN_KINDS = {End.ILLEGAL_HOLD, End.ILLEGAL_ROW, End.EXCEPTION, End.MEMORY, End.START}
"""What a bot's process may say of itself."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A bot that is asked in processes of its own.

    Attributes:
        ref: a reference to the bot.
        nursery: starts processes.
        limits: what the bot may take.
    """

    ref: AgentRef
    nursery: Nursery
    limits: Limits

    def driver(self, view: SeatView, tables: int, chronicle: Chronicle) -> RemoteDriver:
        """Start the bot's process for one seat of a leg, and return what asks it."""
        self.nursery.learn(view.ruleset)
        return RemoteDriver(self.nursery.unpack(self.ref), view, tables, chronicle, self.nursery, self.limits)


class _LostError(Exception):
    """A bot's process is of no more use."""

    def __init__(self, end: End, message: str) -> None:
        self.end = end
        super().__init__(message)


class RemoteDriver:
    """Asks one agent in one seat of an array game, in a process of its own.

    Args:
        ref: a reference to the unpacked bot.
        view: the seat.
        tables: how many games are played together.
        chronicle: what happens in them.
        nursery: starts processes.
        limits: what the bot may take.

    Attributes:
        timing: decisions asked for, and wall seconds spent on them.
    """

    def __init__(
        self, ref: AgentRef, view: SeatView, tables: int, chronicle: Chronicle, nursery: Nursery, limits: Limits
    ) -> None:
        self._ref, self._view, self._tables, self._chronicle = ref, view, tables, chronicle
        self._nursery, self._limits = nursery, limits
        self.timing = Timing()
        self._starts, self._told = 0, 0
        self._in_arrays = self._per_game = False
        self._process: BotProcess | None = None
        self._lost: Failure | None = None
        self._failures: dict[int, Failure] = {}
        self._asked: Asked | None = None
        self._start()

    def close(self) -> None:
        """End the bot's process."""
        if self._process is not None:
            self._nursery.bury(self._process)
            self._process = None

    def hold(self, game: TablesOf, tables: Tables) -> Keeps:
        """Return int16[m], the keeps at some tables; the game checks them."""
        keeps: Keeps = self._ask(HOLD, game, tables, None)
        return keeps

    def choose_row(self, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags]) -> Rows:
        """Return int8[m], the rows at some tables; the game checks them."""
        rows: Rows = self._ask(ROW, game, tables, legal)
        return rows

    def failure(self, index: int, code: End) -> Failure:
        """Return what was wrong with one of the answers just given."""
        if index in self._failures:
            return self._failures[index]
        if code is End.PROTOCOL:
            return Failure(code, f"{self._ref.name!r} answered with a fault that is not its own")
        assert self._asked is not None
        return to_failure(self._asked.error(self._ref.name, index), code)

    def _start(self) -> None:
        self._starts += 1
        self._told = 0
        process = self._nursery.start(self._ref, self._limits)
        self._process, self._greeted = process, False
        view = self._view
        told = {"ruleset": view.ruleset.hash, "seat": view.seat, "seats": view.seats, "tables": self._tables}
        key, first = view.key
        keys = np.array([key.for_game(first + table) for table in range(self._tables)], dtype=np.uint64)
        self._send(Writer().text({**told, "agent": told_ref(self._ref)}).array(keys))

    def _send(self, frame: Writer) -> None:
        """Send a frame; a process that does not take it is found out when it is to answer."""
        assert self._process is not None
        channel, body = self._process.channel, memoryview(frame.bytes())
        deadline = time.monotonic() + self._limits.wall_s
        try:
            while body and time.monotonic() < deadline:
                try:
                    body = body[channel.send(body) :]
                except BlockingIOError:
                    select.select([], [channel], [], 0.05)
                    self._process.drain()
        except ConnectionError:
            pass

    def _greet(self) -> None:
        """Wait until the bot is loaded, if that was not done.

        Raises:
            _LostError: if it cannot be.
        """
        if self._greeted:
            return
        limits = self._limits
        try:
            told = self._receive(limits.start_s, limits.start_s + limits.wall_s, End.START, "did not start", 0).text()
        except FrameError as error:
            raise _LostError(End.PROTOCOL, str(error)) from None
        if not isinstance(told, dict) or "broken" in told:
            raise _LostError(End.START, f"could not start: {told.get('broken') if isinstance(told, dict) else told!r}")
        self._in_arrays, self._per_game = bool(told.get("in_arrays")), bool(told.get("per_game"))
        self._greeted = True

    def _ask(self, kind: int, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None) -> Any:
        began = time.perf_counter()
        dtype = np.int16 if kind == HOLD else np.int8
        answers = np.zeros(len(tables), dtype=dtype)
        self._failures = {}
        self._asked = Asked("hold_many" if kind == HOLD else "choose_row_many", answers, game, tables, legal)
        waiting = np.arange(len(tables))
        while len(waiting):
            if self._lost is not None:
                answers[waiting] = -int(self._lost.end)
                self._failures.update(dict.fromkeys(waiting.tolist(), self._lost))
                break
            try:
                self._greet()
                self._exchange(kind, game, tables, waiting, answers)
                break
            except _LostError as loss:
                waiting = self._charge(loss, waiting, answers)
        self.timing += Timing(len(tables), time.perf_counter() - began)
        return answers

    def _exchange(self, kind: int, game: TablesOf, tables: Tables, waiting: Any, answers: Any) -> None:
        """Ask about some tables, and write the answers.

        Raises:
            _LostError: if the process gives none.
        """
        assert self._process is not None
        self._told, events = self._chronicle.since(self._told)
        frame = Writer().number(kind).blob(events)
        write_question(frame, game, tables[waiting])
        self._process.mark[:4] = bytes(4)
        self._send(frame)
        limits, count = self._limits, len(waiting)
        seconds = limits.decision_ms / 1000 + (count / 1000 if self._in_arrays else 0)
        what = f"took more than {seconds * 1000:.0f} ms of processor time"
        reply = self._receive(seconds, limits.wall_s, End.TIMEOUT, what, answers.itemsize * count + MOST_TEXT)
        try:
            answers[waiting] = reply.array(answers.dtype, count)
            told = reply.text()
            reply.end()
            failures = {int(index): _failure(*failure) for index, failure in told.items()}
        except (FrameError, TypeError, ValueError, AttributeError) as error:
            raise _LostError(End.PROTOCOL, f"answered nonsense: {error}") from None
        for index, failure in list(failures.items())[:MOST_TOLD]:
            if 0 <= index < count:
                self._failures[int(waiting[index])] = failure
        bad = (answers < 0) & ~np.isin(answers, [-int(end) for end in OWN_KINDS])
        answers[bad] = -int(End.PROTOCOL)

    def _receive(self, cpu_s: float, wall_s: float, end: End, what: str, most: int) -> Reader:
        """Return the next frame.

        Args:
            cpu_s: processor time without progress.
            wall_s: wall time without progress.
            end: the kind of fault if that passes.
            what: the same in words.
            most: the longest frame, in bytes; 0 for a short one.

        Raises:
            _LostError: if none comes.
        """
        process = self._process
        assert process is not None
        buffer = FrameBuffer(most or MOST_TEXT)
        clock = partial(cpu_seconds, process.process)
        at, cpu, wall = process.at(), clock(), time.monotonic()
        talks = True
        while True:
            reading: list[Any] = [process.channel, *([process.output] if talks else [])]
            ready, _, _ = select.select(reading, [], [], cpu_s / LOOKS)
            if process.output in ready:
                talks = process.drain()
            if process.channel in ready:
                try:
                    alive = buffer.read(process.channel)
                    frame = buffer.frame()
                except FrameError as error:
                    raise _LostError(End.PROTOCOL, f"answered nonsense: {error}") from None
                if frame is not None:
                    return Reader(frame)
                if not alive:
                    raise _LostError(End.CRASH, "its process ended")
            if process.at() != at:
                at, cpu, wall = process.at(), clock(), time.monotonic()
                continue
            now, spent = time.monotonic(), clock()
            if spent is not None and cpu is not None and spent - cpu > cpu_s:
                raise _LostError(end, what)
            if now - wall > (wall_s if spent is not None else cpu_s):
                raise _LostError(end, what if spent is None else f"made no move in {wall_s:.0f} s")

    def _charge(self, loss: _LostError, waiting: Any, answers: Any) -> Any:
        """Bury the process, charge the table it was at, and start another if the bot may have one.

        Returns:
            The tables that still wait for an answer.
        """
        process = self._process
        assert process is not None
        at, printed = process.at(), process.tail()
        ended = self._nursery.bury(process)
        self._process = None
        message = f"{loss}, {ended}" if loss.end is End.CRASH else str(loss)
        failure = Failure(loss.end, f"{self._ref.name!r} {message}", printed)
        everything = self._in_arrays or self._per_game or not self._greeted or loss.end is End.PROTOCOL
        charged = waiting if everything else waiting[max(at - 1, 0) : max(at, 1)]
        answers[charged] = -int(loss.end)
        self._failures.update(dict.fromkeys(charged.tolist(), failure))
        if self._per_game or not self._greeted or self._starts >= STARTS:
            self._lost = failure
        else:
            self._start()
        return np.setdiff1d(waiting, charged)


def _failure(end: int, message: str, traceback: str) -> Failure:
    """Return what a bot's process told of itself, cut to size."""
    if End(end) not in OWN_KINDS:
        raise ValueError(f"no fault of its own: {end}")
    return Failure(End(end), str(message)[:1000], str(traceback)[:4000])
