"""External bots: commands such as ``[node, bot.js]``, the files they name, and a folder of their own for these."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.agent.programs import chain, find_program, is_file, loaders, surroundings
from arena.agent.ref import AgentRef, Part, source_hash
from arena.agent.sources import stem
from arena.errors import UserError, nearest

OUTSIDE = "outside"
"""The folder among a bot's own for files that do not lie beneath the tournament file's folder."""
FILE_NAME = re.compile(r"[^\s-][^\s=:]*\.[A-Za-z]\w*")
"""A word that looks like the name of a file with a suffix."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a bot's process is started.

    Attributes:
        argv: its words; the first is the program's path.
        folder: the bot's own.
        readable: what else it may read in the sandbox.
        executable: what it may execute there.
        search: PATH, as far as the bot needs it.
    """

    argv: tuple[str, ...]
    folder: str
    readable: tuple[str, ...]
    executable: tuple[str, ...]
    search: str


def locate_command(
    argv: Sequence[str], beside: Path, *, name: str | None = None, params: Mapping[str, Any] | None = None
) -> AgentRef:
    """Return a reference to an external bot, without starting it.

    Args:
        argv: the program and its words.
        beside: the folder that paths are relative to. A word that names a file or folder there is meant as that.
        name: the agent's name; else the stem of the first file that is named, else of the program.
        params: handed over to the bot.

    Raises:
        UserError: if there is no such program, the parameters cannot be handed over, or a link leads out of a folder.
    """
    program = find_program(argv[0], beside)
    try:
        json.dumps(params or {}, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UserError(f"params cannot be handed over as JSON: {error}") from None
    parts = parts_of(argv, beside)
    path = next((part.path for part in parts if part.inside), program)
    try:
        digest = command_hash(argv, [part.path for part in parts])
    except OSError as error:
        raise UserError(f"{error.filename!r} cannot be read: {error.strerror}") from None
    return AgentRef(
        *(name or stem(path), "command", path, "", params or {}, digest),
        root=beside,
        argv=tuple(argv),
        parts=tuple(parts),
    )


def missing_files(ref: AgentRef) -> str:
    """Return a hint at words of an external bot's command that seem to name files and do not; empty if none does."""
    hints = []
    root = ref.root or Path()
    named = {part.place for part in ref.parts}
    for place, word in enumerate(ref.argv):
        if place and place not in named and FILE_NAME.fullmatch(word):
            siblings = [other.name for other in (root / word).parent.glob("*")]
            hints.append(f"; no file {word!r} in {root}{nearest(Path(word).name, siblings)}")
    return "".join(hints)


def parts_of(argv: Sequence[str], beside: Path) -> list[Part]:
    """Return the files and folders that a command names, in order.

    Raises:
        UserError: for a folder that holds the tournament file's own.
    """
    found = []
    for place, word in enumerate(argv):
        path = beside / word
        with suppress(OSError, ValueError):  # a word that can be no path
            if place and word and path.is_dir():
                if beside.resolve().is_relative_to(path.resolve()):
                    raise UserError(f"{word!r} is the folder of this file, or holds it: name one of the bot's own")
                found.append(Part(place, path, _inside(place, word, beside)))
        if word and is_file(path):
            stays = not place and Path(word).is_absolute()
            found.append(Part(place, path, "" if stays else _inside(place, word, beside)))
    return found


def _inside(place: int, word: str, beside: Path) -> str:
    relative = Path(os.path.relpath(beside / word, beside))
    if Path(word).is_absolute() or ".." in relative.parts:
        return (Path(OUTSIDE) / str(place) / relative.name).as_posix()
    return relative.as_posix()


def command_hash(argv: Sequence[str], paths: Sequence[Path]) -> str:
    """Return the sha256 of a command: its words, and the files and folders that it names.

    Raises:
        OSError: if one cannot be read.
    """
    return hashlib.sha256(json.dumps([*argv, [source_hash(path) for path in paths]]).encode()).hexdigest()


def launch(ref: AgentRef, home: Path) -> Launch:
    """Return how an unpacked bot is started.

    Args:
        ref: the bot.
        home: its own folder.

    Raises:
        UserError: if the program is gone.
    """
    argv = list(ref.argv)
    for part in ref.parts:
        if part.inside:
            argv[part.place] = part.inside
    own = any(not part.place and part.inside for part in ref.parts)
    program = home / argv[0] if own else find_program(argv[0], home)
    argv[0] = str(program)
    programs = chain(program)
    folders = dict.fromkeys(str(path.parent) for path in programs if not path.is_relative_to(home))
    return Launch(
        argv=tuple(argv),
        folder=str(home),
        readable=tuple(map(str, surroundings(programs))),
        executable=tuple(map(str, (home, *programs, *loaders()))),
        search=os.pathsep.join(dict.fromkeys([*folders, "/usr/local/bin", "/usr/bin", "/bin"])),
    )
