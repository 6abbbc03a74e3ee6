"""Finding out what is in bots' files: here for bots that are trusted, else in a process of their own."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.agent.frames import Writer
from arena.agent.limits import Level, Limits
from arena.agent.loader import load, names_in
from arena.agent.nursery import Nursery
from arena.agent.ref import AgentRef
from arena.agent.serve import told_ref
from arena.agent.talk import LostError, greeting, send
from arena.errors import FileError, NoSuchBot, one_line

AT_LINE = re.compile(r"(.+?):(\d+): (.*)", re.DOTALL)
"""A mistake in a file, as `FileError` is written."""


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
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self._ends = limits, ExitStack()
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
        said = self._asked(ref, names=False)
        in_arrays, in_scalars, per_game = (bool(said.get(form)) for form in ("in_arrays", "in_scalars", "per_game"))
        return Known(in_arrays, in_scalars, per_game, one_line(said.get("description", "")))

    def _asked(self, ref: AgentRef, *, names: bool) -> dict[str, Any]:
        if self._nursery is None:
            self._nursery = self._ends.enter_context(Nursery())
        unpacked = self._nursery.unpack(ref)
        process = self._nursery.start(unpacked, self._limits, boxed=ref.level == Level.SANDBOX)
        ending, kind = "", FileError
        try:
            send(process, Writer().text({"agent": told_ref(unpacked), "names": names}))
            return greeting(process)
        except LostError as loss:
            ending = str(loss).replace(str(unpacked.path), str(ref.path))
            kind = NoSuchBot if loss.no_such else FileError
        finally:
            ended = self._nursery.bury(process)
        if at_line := AT_LINE.fullmatch(ending):
            raise kind(Path(at_line[1]), at_line[3], line=int(at_line[2]))
        if ending.startswith(f"{ref.path}: "):
            raise kind(ref.path, ending.removeprefix(f"{ref.path}: "))
        raise FileError(ref.path, f"cannot be loaded: {ending}, {ended}")
