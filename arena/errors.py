"""The error tree: one class for a user's mistake, everything else is a bug and shows its traceback."""

from __future__ import annotations

import difflib
import errno
import signal
from collections.abc import Iterable

LEAST_LIKENESS = 0.6
"""A name that is less like what was written, by `difflib`, is not suggested."""
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""A disk that is full or fails; whatever else goes wrong with a file is a mistake in what was asked for."""


class ArenaError(Exception):
    """The root of every error the arena raises on purpose."""


class UserError(ArenaError):
    """A user's mistake: printed as one line, exit code 2.

    The message names the file, the line, the key and the nearest valid name where there are such.
    """


class DiskError(UserError):
    """The disk does not take what was to be kept: no mistake in what was asked for; exit code 1."""


class NoProcessError(UserError):
    """The machine gives no more processes, or none as needed: no mistake in what was asked for; exit code 1."""


class StarterGoneError(NoProcessError):
    """The process that starts bots is gone, ended by a bot or by the machine: another may be started."""


def not_taken(what: str, error: OSError) -> UserError:
    """Return how to tell what the system would not do: a `DiskError` if the disk is full or fails.

    Args:
        what: the file, and what cannot be done with it.
        error: the system's reason.
    """
    kind = DiskError if error.errno in DISK_ERRORS else UserError
    return kind(f"{what}: {error.strerror or error}")


class FileError(UserError):
    """A mistake in a file that a user wrote.

    Args:
        path: the file, as the user named it.
        message: what is wrong, in one line.
        line: the line in the file, counted from 1, if there is one to point at.
        key: the key the mistake is about, such as ``agents[1].path``.
        printed: the last of what a bot had printed that could not be started; not part of the line.
    """

    def __init__(
        self, path: object, message: str, *, line: int | None = None, key: str | None = None, printed: str = ""
    ) -> None:
        self.path, self.line, self.key, self.printed = str(path), line, key, printed
        shown = printable(self.path)  # a submission's name may have any characters
        where = shown if line is None else f"{shown}:{line}"
        super().__init__(f"{where}: {message}" if key is None else f"{where}: {key}: {message}")


class NoSuchBot(FileError):  # noqa: N818 - says what is wrong
    """A file is there, and not the bot that was named."""


class InvalidAnswer(ArenaError):  # noqa: N818 - as those that follow
    """A bot's answer is none.

    Args:
        message: what is wrong with it, in one line.
        answer: what was answered, in short.
    """

    def __init__(self, message: str, answer: str = "") -> None:
        self.answer = answer
        super().__init__(message)


class InvalidHold(InvalidAnswer):  # the name stands in front of the message, and reads as what happened
    """A bot kept dice that it does not have."""


class InvalidRow(InvalidAnswer):
    """A bot chose a row that is not open to it."""


class BrokenBot(ArenaError):  # noqa: N818 - as above
    """A bot that cannot be loaded was to play.

    Args:
        message: why it cannot, in one line.
        printed: the last of what it had printed then.
    """

    def __init__(self, message: str, printed: str = "") -> None:
        self.printed = printed
        super().__init__(message)


def nearest(word: object, allowed: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the allowed name nearest to a word, or an empty string.

    Args:
        word: what the user wrote.
        allowed: the names that would have been right.
    """
    if not isinstance(word, str):
        return ""
    written = word.casefold()
    likeness = {name: difflib.SequenceMatcher(None, name.casefold(), written).ratio() for name in allowed}
    near = [name for name, ratio in likeness.items() if ratio >= LEAST_LIKENESS]
    if not near:
        return ""
    found = min(near, key=lambda name: (_edits(written, name.casefold()), -likeness[name], name))
    return f", did you mean {found!r}?"


def _edits(one: str, other: str) -> int:
    """Return how many letters must be put in, taken out, changed or swapped with the next to make one of the other."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        line = [row]
        for column, wanted in enumerate(other, start=1):
            edits = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and (letter, one[row - 2]) == (other[column - 2], wanted):
                edits = min(edits, before[column - 2] + 1)
            line.append(edits)
        before, last = last, line
    return last[-1]


def one_of(allowed: Iterable[object]) -> str:
    """Return the allowed values as a phrase for an error message, such as ``one of 2, 3``."""
    return "one of " + ", ".join(str(value) for value in allowed)


def ended_how(code: int) -> str:
    """Return how a process ended, in words.

    Args:
        code: its exit code; below zero the number of a signal, which may be one without a name.
    """
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:  # such as the real-time signals
        return f"killed by signal {-code}"


def one_line(said: object) -> str:
    """Return what a bot says, or raises, as one line that does nothing to a terminal; empty if it cannot be told.

    Args:
        said: a text, or an exception, whose ``__str__`` is the bot's own.
    """
    try:
        text = str(said)
    except BaseException:
        return ""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return a text with every character that cannot be printed written out, as Python writes it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
