"""A bot as it is loaded: what to call, and whether every game has an instance of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.agent.turn import Turn
from arena.errors import one_line
from arena.rules.model import Ruleset

SCALAR_FORM = ("hold", "choose_row")
ARRAY_FORM = ("hold_many", "choose_row_many")
"""The two questions, about one turn or about many at once; a bot answers in one form or in both."""


def has_form(thing: object, form: tuple[str, ...]) -> bool:
    """Return True if a module, class or object has the functions of a form."""
    return all(callable(getattr(thing, name, None)) for name in form)


class Agent(Protocol):
    """The contract: two questions, asked of a module's functions or of a class's instance."""

    hold: Callable[[Turn], Any]
    """Return the dice to keep, as faces in any order; all of them to stop."""

    choose_row: Callable[[Turn], Any]
    """Return the name of an open row."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A loaded bot.

    Attributes:
        name: the agent's name in the tournament.
        source: a module or object with the two functions, or a class.
        per_game: True for a class: a new instance for every game and seat.
        params: passed to the class by name.
    """

    name: str
    source: Any
    per_game: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)

    def start(self) -> Agent:
        """Return what is asked in one game: the functions, or a new instance."""
        player: Agent = self.source(**self.params) if self.per_game else self.source
        return player

    def prepare(self, ruleset: Ruleset) -> None:
        """Let the bot make ready for a ruleset, if it has a function for that: its time is no decision's.

        Of a class it is the class that is asked, before there is any instance: see `prepare_mistake`.
        """
        make_ready = getattr(self.source, "prepare", None)
        if callable(make_ready):
            make_ready(ruleset)

    @property
    def in_arrays(self) -> bool:
        """True if the bot answers many turns at once."""
        return has_form(self.source, ARRAY_FORM)

    @property
    def in_scalars(self) -> bool:
        """True if the bot answers one turn at a time."""
        return has_form(self.source, SCALAR_FORM)

    @property
    def description(self) -> str:
        """The first line of the bot's own docstring, or an empty string."""
        return first_line(self.source)


def prepare_mistake(source: object) -> str | None:
    """Return why a bot's `prepare` cannot be called with a ruleset, in one line; None if it can, or there is none."""
    found = inspect.getattr_static(source, "prepare", None)
    if inspect.isclass(source) and inspect.isfunction(found):
        return f"{source.__name__}.prepare is called before there is an instance: mark it with @staticmethod"
    if found is not None and not callable(getattr(source, "prepare", None)):
        return f"prepare is no function but of type {type(found).__name__}"
    return None


def first_line(source: object) -> str:
    """Return the first line of a docstring, or an empty string."""
    text = source.__doc__ if isinstance(source.__doc__, str) else ""
    return next((one_line(line) for line in text.splitlines() if line.strip()), "")
