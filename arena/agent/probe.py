"""Finding out what is in bots' files: here for bots that are trusted, else in a process of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.agent.bot_process import BotProcess
from arena.agent.commands import missing_files
from arena.agent.frames import Writer
from arena.agent.limits import Level, Limits
from arena.agent.line_speech import LineSpeech
from arena.agent.loader import load, names_in
from arena.agent.nursery import Nursery
from arena.agent.printed import in_place, places, tail_in_place, with_tail
from arena.agent.protocol import hello
from arena.agent.ref import AgentRef
from arena.agent.serve import told_ref
from arena.agent.spawned import new_nursery
from arena.agent.talk import LostError, greeting, send
from arena.errors import FileError, NoSuchBot, StarterGoneError, one_line
from arena.records import End
from arena.rules.model import Ruleset

AT_LINE = re.compile(r"(.+?):(\d+): (.*)", re.DOTALL)
"""A mistake in a file, as `FileError` is written."""


def _buried(process: BotProcess, nursery: Nursery) -> str:
    """Kill a bot's process, and return how it had ended, in words.

    Raises:
        StarterGoneError: if the bot has ended what starts bots.
    """
    try:
        return nursery.bury(process)
    except StarterGoneError:
        process.close()
        raise


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a bot once it was loaded.

    Attributes:
        in_arrays: True if it answers many turns at once.
        in_scalars: True if it answers one turn at a time.
        per_game: True for a class.
        description: the first line of its own docstring, or an empty string.
    """

    in_arrays: bool
    in_scalars: bool
    per_game: bool
    description: str


class Prober:
    """Loads bots once, each as far apart as it is to play; a context manager.

    Args:
        limits: what a bot may take.
        ruleset: what external bots are told that is played; None if there are none.
        seats: at how many seats.
    """

    def __init__(self, limits: Limits, ruleset: Ruleset | None = None, seats: int = 2) -> None:
        self._limits, self._ruleset, self._seats, self._ends = limits, ruleset, seats, ExitStack()
        self._nursery: Nursery | None = None

    def __enter__(self) -> Prober:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def names(self, ref: AgentRef) -> list[str]:
        """Return the names of the bots in a file or folder, in the order in which it offers them.

        Raises:
            FileError: if it cannot be run.
        """
        if ref.level == Level.INLINE:
            return names_in(ref)
        with self._outlived(ref):
            names = self._asked(ref, names=True).get("names")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise FileError(ref.path, f"names no bots but {names!r:.100}")
        return names

    def tried(self, ref: AgentRef) -> AgentRef:
        """Return the reference with what is known once the bot was loaded.

        Raises:
            FileError: if it cannot be loaded.
        """
        return replace(ref, in_arrays=self.known(ref).in_arrays)

    def known(self, ref: AgentRef) -> Known:
        """Return what is known of a bot once it was loaded.

        Raises:
            NoSuchBot: if the file does not have the bot that was named, or is no bot's.
            FileError: if it cannot be loaded.
        """
        if ref.level == Level.INLINE:
            bot = load(ref)
            return Known(bot.in_arrays, bot.in_scalars, bot.per_game, bot.description)
        with self._outlived(ref):
            if ref.argv:
                self._greeted(ref)
                return Known(in_arrays=False, in_scalars=False, per_game=False, description="")
            said = self._asked(ref, names=False)
        in_arrays, in_scalars, per_game = (bool(said.get(form)) for form in ("in_arrays", "in_scalars", "per_game"))
        return Known(in_arrays, in_scalars, per_game, one_line(said.get("description", "")))

    def _bots(self) -> Nursery:
        if self._nursery is None:
            self._nursery = self._ends.enter_context(new_nursery())
        return self._nursery

    @contextmanager
    def _outlived(self, ref: AgentRef) -> Iterator[None]:
        """Have the next bot tried by a new nursery if a bot ends the one that it is tried by.

        Raises:
            FileError: if it does.
        """
        try:
            yield
        except StarterGoneError as error:
            self._nursery = None
            raise FileError(ref.path, f"cannot be loaded: {error}") from None

    def _greeted(self, ref: AgentRef) -> None:
        """Start an external bot once, and wait for its hello.

        Raises:
            FileError: if there is none.
        """
        assert self._ruleset is not None
        nursery, boxed = self._bots(), ref.level == Level.SANDBOX
        said = hello(self._ruleset, 0, self._seats, [0], ref.params)
        speech = LineSpeech(ref, nursery, self._limits, said, None, boxed=boxed)
        process = speech.start()
        try:
            speech.greet(process)
        except LostError as loss:
            why, end = str(loss), loss.end
        else:
            nursery.dismiss(process)
            return
        renamed = places(ref, process.home)
        printed = tail_in_place(process.tail(), renamed)
        ended = _buried(process, nursery)
        how = f", {ended}" if end is End.CRASH else ""
        told = with_tail(f"cannot be started: {in_place(why, renamed)}{how}", printed)
        raise FileError(ref.path, f"{told}{missing_files(ref)}", printed=printed)

    def _asked(self, ref: AgentRef, *, names: bool) -> dict[str, Any]:
        nursery = self._bots()
        boxed = ref.level == Level.SANDBOX
        unpacked = nursery.unpack(ref, alone=not boxed)
        process = nursery.start(unpacked, self._limits, boxed=boxed)
        ending, printed, kind = "", "", FileError
        try:
            send(process, Writer().text({"agent": told_ref(unpacked), "names": names}))
            return greeting(process)
        except LostError as loss:
            renamed = places(ref, process.home)
            ending = in_place(str(loss), renamed)
            printed = tail_in_place(process.tail(), renamed)
            kind = NoSuchBot if loss.no_such else FileError
        finally:
            ended = _buried(process, nursery)
        if at_line := AT_LINE.fullmatch(ending):
            raise kind(Path(at_line[1]), at_line[3], line=int(at_line[2]), printed=printed)
        if ending.startswith(f"{ref.path}: "):
            raise kind(ref.path, ending.removeprefix(f"{ref.path}: "), printed=printed)
        raise FileError(ref.path, with_tail(f"cannot be loaded: {ending}, {ended}", printed), printed=printed)
