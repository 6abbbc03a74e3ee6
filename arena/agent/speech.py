"""How bots' processes are spoken with, and the one way of it that is for Python bots: by frames.

What all ways have in common, who is charged with what and who goes on, is in `arena.agent.remote`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from arena.agent.bot_process import BotProcess
from arena.agent.chronicle import Chronicle, write_question
from arena.agent.frames import FrameError, Writer
from arena.agent.inline import MAX_ANSWER, MAX_TRACEBACK, Failure
from arena.agent.limits import Limits
from arena.agent.nursery import Nursery
from arena.agent.ref import AgentRef
from arena.agent.serve import HOLD, MOST_TOLD, hello
from arena.agent.tables import TablesOf
from arena.agent.talk import BY_CPU, MOST_TEXT, LostError, greeting, receive_in_time, send
from arena.agent.turn import SeatView
from arena.dice import kernels
from arena.dice.rng import RngKey
from arena.errors import one_line
from arena.game.tables import Flags, Tables
from arena.records import End

FOLLOWING_S = 1e-5
"""Seconds that a bot's process may take, for every byte of what happened, to bring its games up to date."""
OWN_KINDS = {End.ILLEGAL_HOLD, End.ILLEGAL_ROW, End.EXCEPTION, End.MEMORY, End.START}
"""What a bot's process may say of itself."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers to a question.

    Attributes:
        answers: int16[n] or int8[n]; below 0 minus an end code.
        failures: what was wrong, by place.
    """

    answers: npt.NDArray[Any]
    failures: Mapping[int, Failure] = field(default_factory=dict)


class Speech(Protocol):
    """Speaks with one bot's processes, one after the other."""

    most: int
    """Turns of the next question at most; changes only in greeting and in answering."""
    whole: bool
    """Whether all turns of a question are decided at once, so that all are lost with the process."""
    per_game: bool
    """Whether the bot remembers its games, so that no fresh process can go on with them."""

    def start(self) -> BotProcess:
        """Start a process and tell it what is played.

        Raises:
            FileError: if the bot is not what it was any more.
            NoProcessError, DiskError: if the machine cannot do it.
        """

    def greet(self, process: BotProcess) -> None:
        """Wait until the bot is ready.

        Raises:
            LostError: if it is not.
        """

    def ask(self, process: BotProcess, kind: int, game: TablesOf, tables: Tables) -> None:
        """Send a question about some tables."""

    def answer(
        self, process: BotProcess, kind: int, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None
    ) -> Reply:
        """Wait for the answer to the question that was sent.

        Raises:
            LostError: if there is none.
        """


def keys_of(view: SeatView, tables: int) -> npt.NDArray[np.uint64]:
    """Return uint64[tables], the keys of the games' random numbers."""
    if view.array_keys is None:
        key, first = view.key
        assert isinstance(key, RngKey), "of other keys the arrays are given"
        games = np.arange(first, first + tables, dtype=np.uint64)
        view.array_keys = kernels.game_keys(np.uint64(key.low), np.uint64(key.high), games)
    keys: npt.NDArray[np.uint64] = view.array_keys
    return keys


class FrameSpeech:
    """Speaks with a Python bot: see `arena.agent.serve`.

    Args:
        ref: the bot.
        nursery: starts processes.
        limits: what the bot may take.
        boxed: True for the sandbox.
        view: the seat.
        tables: how many games are played together.
        chronicle: what happens in them.
    """

    def __init__(
        self,
        ref: AgentRef,
        nursery: Nursery,
        limits: Limits,
        view: SeatView,
        tables: int,
        chronicle: Chronicle,
        *,
        boxed: bool,
    ) -> None:
        self._ref, self._nursery, self._limits, self._boxed = ref, nursery, limits, boxed
        self._view, self._tables, self._chronicle = view, tables, chronicle
        self._told = self._events = 0
        self.most = tables
        self.whole = self.per_game = False

    def start(self) -> BotProcess:
        """Start a process and tell it what is played."""
        self._told = 0
        unpacked = self._nursery.unpack(self._ref, alone=not self._boxed)
        process = self._nursery.start(unpacked, self._limits, boxed=self._boxed)
        view = self._view
        keys = keys_of(view, self._tables)
        send(process, hello(unpacked, view.ruleset.hash, view.seat, view.seats, keys))
        return process

    def greet(self, process: BotProcess) -> None:
        """Wait until the bot is loaded.

        Raises:
            LostError: if it cannot be.
        """
        said = greeting(process)
        self.whole, self.per_game = bool(said.get("in_arrays")), bool(said.get("per_game"))

    def ask(self, process: BotProcess, kind: int, game: TablesOf, tables: Tables) -> None:
        """Send a question about some tables, with what happened since the last one."""
        self._told, events = self._chronicle.since(self._told)
        self._events = len(events)
        frame = Writer().number(kind).blob(events)
        write_question(frame, game, tables)
        process.leave(0)
        send(process, frame)

    def answer(
        self, process: BotProcess, kind: int, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None
    ) -> Reply:
        """Wait for the answer to the question that was sent.

        Raises:
            LostError: if there is none.
        """
        del game, legal  # the bot's process has games of its own
        limits, count = self._limits, len(tables)
        dtype = np.dtype(np.int16 if kind == HOLD else np.int8)
        seconds = limits.decision_ms / 1000 + (count / 1000 if self.whole else 0)
        what = f"took more than {seconds * 1000:.0f} ms {BY_CPU}"
        reply = receive_in_time(
            process,
            seconds,
            limits.wall_s,
            End.TIMEOUT,
            what,
            most=dtype.itemsize * count + MOST_TEXT,
            decisions=1 if self.whole else count,
            before_s=FOLLOWING_S * (self._events + count),
        )
        try:
            got = reply.array(dtype, count)
            told = reply.text()
            reply.end()
            failures = {int(index): _failure(*failure) for index, failure in told.items()}
        except (FrameError, TypeError, ValueError, AttributeError) as error:
            raise LostError(End.PROTOCOL, f"answered nonsense: {error}") from None
        if got.min(initial=0) < 0:
            got[(got < 0) & ~np.isin(got, [-int(end) for end in OWN_KINDS])] = -int(End.PROTOCOL)
        kept = list(failures.items())[: MOST_TOLD + len(OWN_KINDS)]
        return Reply(got, {index: failure for index, failure in kept if 0 <= index < count})


def _failure(end: int, message: str, traceback: str, answer: str = "") -> Failure:
    """Return what a bot's process told of itself, cut to size."""
    if End(end) not in OWN_KINDS:
        raise ValueError(f"no fault of its own: {end}")
    traceback = str(traceback)[:MAX_TRACEBACK].encode(errors="replace").decode()
    return Failure(End(end), one_line(message)[:1000], traceback, one_line(answer)[:MAX_ANSWER])
