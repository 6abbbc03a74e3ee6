"""A reference to a bot: where it is and what it must be, small enough to travel to a worker."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from arena.errors import FileError, printable
from arena.records import Entrant

Origin = Literal["bundled", "file", "folder", "class", "plugin", "command"]
MAIN_FILE = "agent.py"


@dataclass(frozen=True, slots=True)
class Part:
    """A file or folder that the command of an external bot names.

    Attributes:
        place: which of the command's words.
        path: where it is.
        inside: where it is put in the bot's own folder; an empty string if it stays where it is.
    """

    place: int
    path: Path
    inside: str


@dataclass(frozen=True, slots=True)
class AgentRef:
    """Where a bot is and what it must be: all that a worker needs to load it.

    Attributes:
        name: the agent's name in the tournament.
        origin: ``bundled``, also for a file equal to a bundled one; else ``file``, ``folder``, ``class`` (of a
            module), ``plugin`` or ``command``.
        path: the file or folder with its source; of a command the first file that it names, else its program.
        class_name: which bot of the file, module or plugin; an empty string if there is but one.
        params: for the class.
        source_hash: sha256 of the file, or of all files of the folder.
        in_arrays: True if the bot answers many turns at once, as far as is known.
        module: for a class its module, for a plugin what its entry point names; else an empty string.
        root: for a class whose module is no installed one: the folder that it is imported from; for a command the
            folder that its words are relative to.
        broken: why the bot cannot be loaded, if the tournament goes on with such; else an empty string.
        printed: the last of what it had printed then.
        level: how far apart it is kept: a `arena.agent.limits.Level`.
        argv: of an external bot its command, the program first; else empty.
        parts: the files and folders that it names.
    """

    name: str
    origin: Origin
    path: Path
    class_name: str
    params: Mapping[str, Any]
    source_hash: str
    in_arrays: bool = False
    module: str = ""
    root: Path | None = None
    broken: str = ""
    printed: str = ""
    level: str = "inline"
    argv: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def installed(self) -> bool:
        """True if its module is an installed one, whose files are where whoever installed it put them."""
        return bool(self.module) and self.root is None

    @property
    def entrant(self) -> Entrant:
        """Who plays: the name, and a hash over source and parameters.

        A bot that cannot be loaded is another entrant, so that its games are played once it can.
        """
        which = f"{self.module}:{self.class_name}" if self.module else self.class_name
        content = json.dumps([self.source_hash, which, self.params], sort_keys=True, default=repr)
        if self.broken:
            content += " cannot be loaded"
        return Entrant(self.name, hashlib.sha256(content.encode()).hexdigest())

    @property
    def where(self) -> str:
        """What people are told of where it is from: ``file bots/mine.py``, ``bundled``."""
        if self.origin == "bundled":
            return "bundled"
        if self.argv:
            return printable(f"command {shlex.join(self.argv)}")
        if self.module:
            return (
                f"{self.origin} {self.module}:{self.class_name}" if self.class_name else f"{self.origin} {self.module}"
            )
        return printable(f"{self.origin} {self.path}")


def main_file(path: Path) -> Path:
    """Return the file that is run for a bot's file or folder."""
    return path / MAIN_FILE if path.is_dir() else path


class LeadsOut(FileError):  # noqa: N818 - says what is wrong
    """A link in a bot's folder leads to what is not the bot's: its copy would be for the bot to read."""


def source_files(path: Path, *, installed: bool = False) -> list[tuple[str, Path]]:
    """Return the files that make a bot, each with its name inside the bot, sorted by that name.

    Args:
        path: a file, or a folder, of which only what are files count.
        installed: True to follow links wherever they lead, as package managers make such.

    Raises:
        LeadsOut: for a link in the folder that leads out of it.
    """
    if path.is_file():
        return [("", path)]
    found, root = [], os.path.realpath(path)
    for inner in path.rglob("*"):
        name = inner.relative_to(path)
        if any(part.startswith((".", "__pycache__")) for part in name.parts):
            continue
        if inner.is_symlink() and not installed and not Path(os.path.realpath(inner)).is_relative_to(root):
            raise LeadsOut(path, f"the link {name.as_posix()!r} leads out of the bot's folder")
        if inner.is_file():
            found.append((name.as_posix(), inner))
    return sorted(found)


def source_hash(path: Path, *, installed: bool = False) -> str:
    """Return the sha256 of a bot's file, or of all files of its folder with their names.

    Raises:
        LeadsOut: as `source_files` does.
    """
    files = source_files(path, installed=installed)
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    listing = [(name, hashlib.sha256(inner.read_bytes()).hexdigest()) for name, inner in files]
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()
