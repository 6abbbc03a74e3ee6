"""Asks a bot in a process of its own, and charges it for what goes wrong there: death, silence, nonsense."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from arena.agent.chronicle import Chronicle, write_question
from arena.agent.frames import FrameError, Writer
from arena.agent.inline import MAX_ANSWER, MAX_TRACEBACK, Failure, to_failure
from arena.agent.limits import Level, Limits
from arena.agent.nursery import NO_MEMORY, BotProcess, Nursery
from arena.agent.ref import AgentRef
from arena.agent.serve import HOLD, MOST_TOLD, ROW, told_ref
from arena.agent.tables import Asked, TablesOf
from arena.agent.talk import MOST_TEXT, LostError, greeting, receive_in_time, send
from arena.agent.turn import SeatView
from arena.dice import kernels
from arena.dice.rng import RngKey
from arena.errors import one_line
from arena.game.tables import Flags, Keeps, Rows, Tables
from arena.records import End, Timing
from arena.sandbox.clock import cpu_seconds

STARTS = 4
"""Processes that a bot of functions has in a leg at most: one, and three more."""
FOLLOWING_S = 1e-5
"""Seconds that a bot's process may take, for every byte of what happened, to bring its games up to date."""
OWN_KINDS = {End.ILLEGAL_HOLD, End.ILLEGAL_ROW, End.EXCEPTION, End.MEMORY, End.START}
"""What a bot's process may say of itself."""


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
        self.nursery.learn(view.ruleset, self.ref)
        return RemoteDriver(self, view, tables, chronicle)


class _Sent(NamedTuple):
    """A question that was sent: when, by the wall and by the process's clock, and bytes of events in it."""

    wall: float
    cpu: float | None
    events: int

    def spent(self, process: BotProcess) -> float:
        """Return the seconds since, of the process's own processor time where that can be told."""
        cpu = cpu_seconds(process.process)
        return time.perf_counter() - self.wall if cpu is None or self.cpu is None else cpu - self.cpu


class RemoteDriver:
    """Asks one agent in one seat of an array game, in a process of its own.

    Args:
        bot: who is asked.
        view: the seat.
        tables: how many games are played together.
        chronicle: what happens in them.

    Attributes:
        timing: decisions asked for, and seconds that its process spent on them, if these can be told of its own
            processor time; otherwise by the wall.
    """

    def __init__(self, bot: Remote, view: SeatView, tables: int, chronicle: Chronicle) -> None:
        self._ref = bot.nursery.unpack(bot.ref)
        self._renamed = [(self._ref.path, bot.ref.path)]
        if self._ref.root is not None and bot.ref.root is not None:
            self._renamed.append((self._ref.root, bot.ref.root))
        self._view, self._tables, self._chronicle = view, tables, chronicle
        self._nursery, self._limits, self._boxed = bot.nursery, bot.limits, bot.boxed
        self.timing = Timing()
        self._starts, self._told = 0, 0
        self._in_arrays = self._per_game = False
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
            said = greeting(self._living())
            self._in_arrays, self._per_game = bool(said.get("in_arrays")), bool(said.get("per_game"))
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
            told = Failure(code, f"{self._ref.name!r} answered with a fault that is not its own")
        else:
            assert self._asked is not None
            told = to_failure(self._asked.error(self._ref.name, index), code)
        printed = self._process.tail() if self._process is not None and not told.printed else told.printed
        message, traceback = self._in_place(told.message), self._in_place(told.traceback)
        return replace(told, message=message, traceback=traceback, printed=printed)

    def _in_place(self, text: str) -> str:
        """Return a text with the bot's own paths for those of its copy."""
        for copy, original in self._renamed:
            text = text.replace(str(copy), str(original))
        return text

    def _start(self) -> None:
        self._starts += 1
        self._told, self._sent = 0, None
        self._process, self._greeted = self._nursery.start(self._ref, self._limits, boxed=self._boxed), False
        view = self._view
        told = {"ruleset": view.ruleset.hash, "seat": view.seat, "seats": view.seats, "tables": self._tables}
        key, first = view.key
        assert isinstance(key, RngKey)
        games = np.arange(first, first + self._tables, dtype=np.uint64)
        keys = kernels.game_keys(np.uint64(key.low), np.uint64(key.high), games)
        send(self._process, Writer().text({**told, "agent": told_ref(self._ref)}).array(keys))

    def _living(self) -> BotProcess:
        assert self._process is not None
        return self._process

    def _begin(self, kind: int, game: TablesOf, tables: Tables) -> None:
        if self._lost is None and self._greeted:
            self._send(kind, game, tables)

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
            try:
                self.greet()
                if self._sent is None:
                    self._send(kind, game, tables[waiting])
                self._receive(waiting, answers)
                break
            except LostError as loss:
                waiting = self._charge(loss, waiting, answers)
        return answers

    def _send(self, kind: int, game: TablesOf, tables: Tables) -> None:
        """Send a question about some tables."""
        process = self._living()
        self._told, events = self._chronicle.since(self._told)
        frame = Writer().number(kind).blob(events)
        write_question(frame, game, tables)
        process.mark[:4] = bytes(4)
        self._sent = _Sent(time.perf_counter(), cpu_seconds(process.process), len(events))
        send(process, frame)

    def _receive(self, waiting: Any, answers: Any) -> None:
        """Wait for the answer to the question that was sent about some tables, and write it.

        Raises:
            LostError: if the process gives none.
        """
        process, sent = self._living(), self._sent
        assert sent is not None
        limits, count = self._limits, len(waiting)
        seconds = limits.decision_ms / 1000 + (count / 1000 if self._in_arrays else 0)
        what = f"took more than {seconds * 1000:.0f} ms of processor time"
        try:
            reply = receive_in_time(
                process,
                seconds,
                limits.wall_s,
                End.TIMEOUT,
                what,
                most=answers.itemsize * count + MOST_TEXT,
                decisions=1 if self._in_arrays else count,
                before_s=FOLLOWING_S * (sent.events + count),
            )
        finally:
            self._sent = None
            self.timing += Timing(0, sent.spent(process))
        try:
            got = reply.array(answers.dtype, count)
            told = reply.text()
            reply.end()
            failures = {int(index): _failure(*failure) for index, failure in told.items()}
        except (FrameError, TypeError, ValueError, AttributeError) as error:
            raise LostError(End.PROTOCOL, f"answered nonsense: {error}") from None
        for index, failure in list(failures.items())[: MOST_TOLD + len(OWN_KINDS)]:
            if 0 <= index < count:
                self._failures[int(waiting[index])] = failure
        got[(got < 0) & ~np.isin(got, [-int(end) for end in OWN_KINDS])] = -int(End.PROTOCOL)
        answers[waiting] = got

    def _charge(self, loss: LostError, waiting: Any, answers: Any) -> Any:
        """Bury the process, charge the table it was at, and start another if the bot may have one.

        Returns:
            The tables that still wait for an answer.
        """
        process = self._living()
        at, printed = process.at(), process.tail()
        ended = self._nursery.bury(process)
        self._process = None
        end = End.MEMORY if loss.end is End.CRASH and ended == NO_MEMORY else loss.end
        message = f"{loss}, {ended}" if loss.end is End.CRASH else str(loss)
        if end is End.START:
            message = f"could not start: {message}"
        failure = Failure(end, f"{self._ref.name!r} {message}", printed=printed)
        everything = self._in_arrays or self._per_game or not self._greeted or loss.end is End.PROTOCOL
        at = min(max(at, 1), len(waiting))  # the mark is the process's own to write
        charged = waiting if everything else waiting[at - 1 : at]
        answers[charged] = -int(end)
        self._failures.update(dict.fromkeys(charged.tolist(), failure))
        if self._per_game or not self._greeted or self._starts >= STARTS:
            self._lost = failure
        else:
            self._start()
        return np.setdiff1d(waiting, charged)


def _failure(end: int, message: str, traceback: str, answer: str = "") -> Failure:
    """Return what a bot's process told of itself, cut to size."""
    if End(end) not in OWN_KINDS:
        raise ValueError(f"no fault of its own: {end}")
    traceback = str(traceback)[:MAX_TRACEBACK].encode(errors="replace").decode()
    return Failure(End(end), one_line(message)[:1000], traceback, one_line(answer)[:MAX_ANSWER])
