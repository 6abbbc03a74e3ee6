"""Asks a bot in a process of its own, and charges it for what goes wrong there: death, silence, nonsense."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from arena.agent.bot_process import BotProcess
from arena.agent.chronicle import Chronicle
from arena.agent.inline import Failure, to_failure
from arena.agent.limits import Level, Limits
from arena.agent.line_speech import line_speech
from arena.agent.nursery import NO_MEMORY, Nursery
from arena.agent.printed import in_place, places, tail_in_place
from arena.agent.ref import AgentRef
from arena.agent.serve import HOLD, ROW
from arena.agent.speech import FrameSpeech, Speech
from arena.agent.tables import Asked, TablesOf
from arena.agent.talk import DeadError, LostError
from arena.agent.turn import SeatView
from arena.game.tables import Flags, Keeps, Rows, Tables
from arena.records import End, Timing
from arena.sandbox.clock import cpu_seconds

STARTS = 4
"""Processes that a bot of functions has in a leg at most: one, and three more."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A bot that is asked in processes of its own.

    Attributes:
        ref: a reference to the bot.
        nursery: starts processes.
        limits: what the bot may take.
        boxed: True for the sandbox.
    """

    ref: AgentRef
    nursery: Nursery
    limits: Limits
    boxed: bool

    @property
    def level(self) -> Level:
        """How far apart it is kept."""
        return Level.SANDBOX if self.boxed else Level.PROCESS

    def driver(self, view: SeatView, tables: int, chronicle: Chronicle) -> RemoteDriver:
        """Start the bot's process for one seat of a leg, and return what asks it."""
        ref, nursery, limits = self.ref, self.nursery, self.limits
        if ref.argv:
            return RemoteDriver(self, line_speech(ref, nursery, limits, view, tables, boxed=self.boxed))
        nursery.learn(view.ruleset, ref)
        return RemoteDriver(self, FrameSpeech(ref, nursery, limits, view, tables, chronicle, boxed=self.boxed))


class _Sent(NamedTuple):
    """When a question was sent, by the wall, and what the process's clock had shown at the answer before."""

    wall: float
    cpu: float | None

    def spent(self, process: BotProcess) -> float:
        """Return the seconds since, of the process's own processor time where that can be told."""
        cpu = cpu_seconds(process.process)
        return time.perf_counter() - self.wall if cpu is None or self.cpu is None else cpu - self.cpu


class RemoteDriver:
    """Asks one agent in one seat of an array game, in a process of its own.

    Args:
        bot: who is asked.
        speech: how it is spoken with.

    Attributes:
        timing: decisions asked for, and seconds that its process spent on them, if these can be told of its own
            processor time; otherwise by the wall.
    """

    def __init__(self, bot: Remote, speech: Speech) -> None:
        self._ref, self._name, self._nursery, self._speech = bot.ref, bot.ref.name, bot.nursery, speech
        self._renamed: dict[str, str] = {}  # paths that faults may tell, and what they are told as
        self.timing = Timing()
        self._starts = 0
        self._process: BotProcess | None = None
        self._greeted = False
        self._lost: Failure | None = None
        self._failures: dict[int, Failure] = {}
        self._asked: Asked | None = None
        self._sent: _Sent | None = None
        self._start()

    def close(self) -> None:
        """End the bot's process."""
        if self._process is not None:
            self._nursery.dismiss(self._process)
            self._process = None

    def greet(self) -> None:
        """Wait until the bot is loaded, if that was not done.

        Raises:
            LostError: if it cannot be.
        """
        if not self._greeted:
            try:
                self._speech.greet(self._living())
            except DeadError:  # it could not even be loaded
                raise DeadError(End.START) from None
            self._greeted = True

    def begin_hold(self, game: TablesOf, tables: Tables) -> None:
        """Send what ``hold`` asks, if the bot is known to be loaded."""
        self._begin(HOLD, game, tables)

    def begin_row(self, game: TablesOf, tables: Tables) -> None:
        """Send what ``choose_row`` asks, if the bot is known to be loaded."""
        self._begin(ROW, game, tables)

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
            told = self._failures[index]
        elif code is End.PROTOCOL:
            told = Failure(code, f"{self._name!r} answered with a fault that is not its own")
        else:
            assert self._asked is not None
            told = to_failure(self._asked.error(self._name, index), code)
        printed = self._process.tail() if self._process is not None and not told.printed else told.printed
        message, traceback, answer = (
            in_place(text, self._renamed) for text in (told.message, told.traceback, told.answer)
        )
        printed = tail_in_place(printed, self._renamed)
        return replace(told, message=message, traceback=traceback, answer=answer, printed=printed)

    def _start(self) -> None:
        self._starts += 1
        self._greeted, self._sent = False, None
        self._process = self._speech.start()
        self._renamed |= places(self._ref, self._process.home)

    def _living(self) -> BotProcess:
        assert self._process is not None
        return self._process

    def _begin(self, kind: int, game: TablesOf, tables: Tables) -> None:
        if self._lost is None and self._greeted:
            self._send(kind, game, tables[: self._speech.most])

    def _ask(self, kind: int, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None) -> Any:
        dtype = np.int16 if kind == HOLD else np.int8
        answers = np.zeros(len(tables), dtype=dtype)
        self._failures = {}
        self._asked = Asked("hold_many" if kind == HOLD else "choose_row_many", answers, game, tables, legal)
        waiting = np.arange(len(tables))
        self.timing += Timing(len(tables))
        while len(waiting):
            if self._lost is not None:
                answers[waiting] = -int(self._lost.end)
                self._failures.update(dict.fromkeys(waiting.tolist(), self._lost))
                break
            part = waiting
            try:
                self.greet()
                part = waiting[: self._speech.most]
                if self._sent is None:
                    self._send(kind, game, tables[part])
                of_part = legal
                if legal is not None and len(part) < len(tables):
                    of_part = legal[0][part], legal[1][part]
                self._receive(kind, game, tables, of_part, part, answers)
            except LostError as loss:
                part = self._charge(loss, part, answers)
            waiting = np.setdiff1d(waiting, part) if len(part) < len(waiting) else waiting[:0]
        return answers

    def _send(self, kind: int, game: TablesOf, tables: Tables) -> None:
        """Send a question about some tables."""
        process = self._living()
        cpu = cpu_seconds(process.process) if process.answered is None else process.answered
        self._sent = _Sent(time.perf_counter(), cpu)
        self._speech.ask(process, kind, game, tables)

    def _receive(
        self, kind: int, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None, part: Any, answers: Any
    ) -> None:
        """Wait for the answer to the question that was sent about a part of the tables, and write it.

        Raises:
            LostError: if the process gives none.
        """
        process, sent = self._living(), self._sent
        assert sent is not None
        try:
            reply = self._speech.answer(process, kind, game, tables[part], legal)
        finally:
            self._sent = None
            self.timing += Timing(0, sent.spent(process))
        answers[part] = reply.answers
        self._failures.update((int(part[index]), failure) for index, failure in reply.failures.items())

    def _charge(self, loss: LostError, part: Any, answers: Any) -> Any:
        """Bury the process, charge the table it was at, and start another if the bot may have one.

        Returns:
            The tables that are charged, of those it was asked about.
        """
        process = self._living()
        at, printed = process.at(), process.tail()
        ended = self._nursery.bury(process)
        self._process = None
        end = End.MEMORY if loss.end is End.CRASH and ended == NO_MEMORY else loss.end
        died = isinstance(loss, DeadError)
        message = f"{loss}, {ended}" if died else str(loss)
        between = " could not start: " if end is End.START else ": " if died else " "
        failure = Failure(end, f"{self._name!r}{between}{message}", printed=printed)
        speech = self._speech
        everything = speech.whole or speech.per_game or not self._greeted or loss.end is End.PROTOCOL
        at = min(max(at, 1), len(part))  # the mark is the process's own to write
        charged = part if everything else part[at - 1 : at]
        answers[charged] = -int(end)
        self._failures.update(dict.fromkeys(charged.tolist(), failure))
        if speech.per_game or not self._greeted or self._starts >= STARTS:
            self._lost = failure
        else:
            self._start()
        return charged
