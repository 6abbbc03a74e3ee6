"""What comes of the checks of a bot, told alike for bots of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.agent.check import Call, Key, difference
from arena.agent.inline import Failure
from arena.records import Fault

TITLES = (
    "loads",
    "legal in every ruleset, on nasty hands",
    "repeats under one seed",
    "no state between games",
    "array form equals scalar form",
    "time per decision",
)
NOT_ASKED = "nothing, as it was not asked"


class State(StrEnum):
    """How a check ended."""

    OK = "ok"
    FAILED = "FAILED"
    SKIPPED = "not tried"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check.

    Attributes:
        number: from 1.
        state: how it ended.
        said: a few words beside it.
        details: of a failure, the call that shows it, what was wrong with it, and the bot's own lines.
    """

    number: int
    state: State
    said: str = ""
    details: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What is checked."""
        return TITLES[self.number - 1]

    def __str__(self) -> str:
        return f"{self.number} {self.title} ... {self.state}" + (f": {self.said}" if self.said else "")


class FoundError(Exception):
    """A check found something."""

    def __init__(self, said: str, *details: str) -> None:
        self.said, self.details = said, details
        super().__init__(said)


def otherwise(call: Call, when: str, said: str, *lines: str) -> FoundError:
    """Return what is raised of a decision that another try answered otherwise.

    Args:
        call: the decision in the first try.
        when: what the other try was.
        said: the answer there, in words.
        lines: the bot's own.
    """
    return FoundError("", str(call), f"answered {call.said}; {when}: {said}", *lines)


def expect_equal(first: Mapping[Key, Call], second: Mapping[Key, Call], when: str) -> None:
    """Compare two tries of the same decisions.

    Args:
        first: one.
        second: the other.
        when: what the other was, in words.

    Raises:
        FoundError: at the first decision of a game that was answered otherwise.
    """
    if found := difference(first, second):
        call, other = found
        failures = [one.failure for one in found if one and one.failure]
        lines = [line for failure in failures for line in _told_of(failure)]
        raise otherwise(call, when, other.said if other else NOT_ASKED, *lines)


def expect_no_fault(faults: Sequence[tuple[Fault, Call]]) -> None:
    """Look through the faults of a try.

    Raises:
        FoundError: at the first of them.
    """
    for fault, call in faults:
        raise FoundError(fault.kind.label, str(call), fault.message, *_told_of(fault))


def _told_of(fault: Fault | Failure) -> list[str]:
    """Return the lines that a bot left behind with a fault."""
    return [*fault.traceback.splitlines(), *fault.printed.splitlines()]
