"""The checks of a bot in a process of their own, so that a bot which ends its process fails the check it did so in."""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from arena.agent.ref import AgentRef
from arena.errors import UserError
from arena.tournament.check import TITLES, Finding, State, check
from arena.tournament.trials import Rulebook

ENDED = "it ended its process"
LAST_WORDS = 5.0
"""Seconds that the process gets to end by itself once all is told; a bot's thread may keep it."""


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A user's mistake, told by the other process."""

    message: str


@dataclass(frozen=True, slots=True)
class _Bug:
    """An error of the arena's own."""

    trace: str


@dataclass(frozen=True, slots=True)
class _Done:
    """The last word."""


def check_apart(ref: AgentRef, files: Sequence[Path]) -> Iterator[Finding]:
    """Check a bot in another process.

    Args:
        ref: the bot.
        files: ruleset files.

    Yields:
        The finding of each check, as soon as it is known.

    Raises:
        UserError: if there is no such bot, or a ruleset file is wrong.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_check, args=(theirs, ref, files))
    process.start()
    theirs.close()
    number = 0
    try:
        while True:
            wait([ours, process.sentinel])  # what a bot has started may hold the pipe open
            try:
                told = ours.recv() if ours.poll() else None
            except EOFError:
                told = None
            match told:
                case Finding():
                    number = told.number
                    yield told
                case _Mistake():
                    raise UserError(told.message)
                case _Bug():
                    raise RuntimeError(f"in the process of the checks:\n{told.trace}")
                case _Done():
                    process.join(LAST_WORDS)
                    return
                case _:
                    break
        process.join(LAST_WORDS)
        yield Finding(number + 1, State.FAILED, f"{ENDED}{_how(process.exitcode)}")
        for later in range(number + 2, len(TITLES) + 1):
            yield Finding(later, State.SKIPPED, ENDED)
    finally:
        process.kill()
        process.join()
        ours.close()


def _how(code: int | None) -> str:
    if code is None:  # it goes on, and has closed the pipe
        return " for us"
    return f", by signal {-code}" if code < 0 else f", with exit code {code}"


def _check(pipe: Connection, ref: AgentRef, files: Sequence[Path]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for finding in check(ref, Rulebook(files)):
            pipe.send(finding)
        pipe.send(_Done())
    except UserError as error:
        pipe.send(_Mistake(str(error)))
    except Exception:
        pipe.send(_Bug(traceback.format_exc()))
