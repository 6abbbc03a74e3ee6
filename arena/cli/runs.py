"""Runs that were played: the folder that a user names, and the runs that stand in one."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from arena.errors import UserError, nearest, one_of, printable
from arena.run_folder import FILE_NAME

RUNS_FOLDER = "runs"
MOST_NAMED = 12
"""Runs that an error message lists."""


def run_folder(text: str) -> Path:
    """Return the folder of a run that is named on the command line.

    Args:
        text: a run's folder, else the name of one under `RUNS_FOLDER`.

    Raises:
        UserError: if there is no such run; it names the nearest.
    """
    for folder in (Path(text), Path(RUNS_FOLDER) / text):
        if is_run(folder):
            return folder
    folder = Path(text)
    if stat.S_ISDIR(_mode(folder)):
        raise UserError(f"{printable(text)}: is no run's folder: it has no {FILE_NAME}")
    beside = folder.parent if folder.name != text else Path(RUNS_FOLDER)
    names = [path.name for path in runs_in(beside)] if stat.S_ISDIR(_mode(beside)) else []
    listed = one_of(names) if 0 < len(names) <= MOST_NAMED else f"{len(names) or 'no'} runs are in {beside}"
    raise UserError(f"{printable(text)}: no such run{nearest(folder.name, names)}; {listed}")


def refuse_unknown(option: str, given: Sequence[str], known: Sequence[str], what: str = "in this run") -> None:
    """Refuse names that are not known.

    Args:
        option: by which they were given.
        given: the names.
        known: all that there are.
        what: what they are, in words that follow ``is not``.

    Raises:
        UserError: if one of those given is not known.
    """
    for name in given:
        if name not in known:
            raise UserError(f"{option}: {name!r} is not {what}{nearest(name, known)}; {one_of(known)}")


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a run."""
    return stat.S_ISREG(_mode(folder / FILE_NAME))


def _mode(path: Path) -> int:
    """Return what kind of file stands at a path, 0 if none does."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):  # also where it is no name that a file can have
        return 0


def runs_in(folder: Path) -> list[Path]:
    """Return the runs that stand in a folder, by name; what was set aside follows what it was set aside for.

    Raises:
        UserError: if the folder cannot be read.
    """
    try:
        found = [path for path in folder.iterdir() if is_run(path)]
    except OSError as error:
        raise UserError(f"{folder}: cannot be read: {error.strerror or error}") from None
    return sorted(found, key=_place)


def _place(path: Path) -> tuple[str, int, str]:
    name, dot, number = path.name.rpartition(".")
    return (name, int(number), "") if dot and number.isdecimal() else (path.name, 0, "")
