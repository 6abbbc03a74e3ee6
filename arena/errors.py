"""The error tree: one class for a user's mistake, everything else is a bug and shows its traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ArenaError(Exception):
    """The root of every error the arena raises on purpose."""


class UserError(ArenaError):
    """A user's mistake: printed as one line, exit code 2.

    The message names the file, the line, the key and the nearest valid name where there are such.
    """


class FileError(UserError):
    """A mistake in a file that a user wrote.

    Args:
        path: the file, as the user named it.
        message: what is wrong, in one line.
        line: the line in the file, counted from 1, if there is one to point at.
        key: the key the mistake is about, such as ``agents[1].path``.
    """

    def __init__(self, path: object, message: str, *, line: int | None = None, key: str | None = None) -> None:
        self.path, self.line, self.key = str(path), line, key
        where = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{where}: {message}" if key is None else f"{where}: {key}: {message}")


class InvalidHold(ArenaError):  # noqa: N818 - the name stands in front of the message, and reads as what happened
    """A bot kept dice that it does not have."""


class InvalidRow(ArenaError):  # noqa: N818 - as above
    """A bot chose a row that is not open to it."""


class BrokenBot(ArenaError):  # noqa: N818 - as above
    """A bot that cannot be loaded was to play."""


def nearest(word: object, allowed: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the allowed name nearest to a word, or an empty string.

    Args:
        word: what the user wrote.
        allowed: the names that would have been right.
    """
    found = difflib.get_close_matches(str(word), list(allowed), n=1, cutoff=0.6)
    return f", did you mean {found[0]!r}?" if found else ""


def one_of(allowed: Iterable[object]) -> str:
    """Return the allowed values as a phrase for an error message, such as ``one of 2, 3``."""
    return "one of " + ", ".join(str(value) for value in allowed)


def one_line(said: object) -> str:
    """Return what a bot says, or raises, as one line that does nothing to a terminal; empty if it cannot be told.

    Args:
        said: a text, or an exception, whose ``__str__`` is the bot's own.
    """
    try:
        text = str(said)
    except BaseException:
        return ""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in " ".join(text.split()))
