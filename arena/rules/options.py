"""The options that rulesets may take: one name, one meaning, one set of values in all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from arena.errors import UserError, nearest
from arena.rules.model import Ends, FaceStyle, JokerMode, OptionValue, TieBreak, show


class OptionError(UserError):
    """An option that a ruleset does not take, or a value that it may not have there.

    Args:
        option: the option's name.
        message: what is wrong, in one line.
    """

    def __init__(self, option: str, message: str) -> None:
        self.option = option
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class OptionKind:
    """What may be said for an option.

    Attributes:
        choices: the values, if they can be listed.
        low: else the least whole number.
        high: and the greatest.
        none: True if ``none`` may be said too.
        meaning: one line for people.
    """

    meaning: str
    choices: tuple[OptionValue, ...] = ()
    low: int = 0
    high: int = 0
    none: bool = False

    @property
    def allowed(self) -> str:
        """What may be said, in words."""
        if self.choices:
            return ", ".join(str(choice).lower() for choice in self.choices)
        return f"{self.low} to {self.high:,}" + (" or none" if self.none else "")

    def read(self, value: Any) -> Any:
        """Return a value as it is meant: the word ``none`` is None where that may be said."""
        return None if self.none and value == show(None) else value

    def admits(self, value: object) -> bool:
        """Return True if the value, as `read` gives it, may be said."""
        if self.choices:
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        if value is None:
            return self.none
        return type(value) is int and self.low <= value <= self.high


OPTIONS: dict[str, OptionKind] = {
    "rolls": OptionKind("throws a turn", choices=(2, 3)),
    "upper_bonus_at": OptionKind("least sum of the upper section that earns its bonus", low=0, high=1000),
    "joker": OptionKind("where a further five of a kind may be written", choices=tuple(str(m) for m in JokerMode)),
    "five_bonus": OptionKind("points for a further five of a kind", low=0, high=1000),
    "five_is_full_house": OptionKind("five of one face are a full house too", choices=(False, True)),
    "four_is_two_pairs": OptionKind("four of one face are two pairs too", choices=(False, True)),
    "first_roll_doubles": OptionKind("a hand kept after the first roll pays twice", choices=(False, True)),
    "sections_in_order": OptionKind("a section opens when the one before is full", choices=(False, True)),
    "tie_break": OptionKind("how hands of one kind compare", choices=tuple(str(t) for t in TieBreak)),
    "straight_above_three": OptionKind("a straight beats three of a kind", choices=(False, True)),
    "stack": OptionKind("chips a seat starts with", low=1, high=1_000_000),
    "ante": OptionKind("chips a seat pays each round; 0: rounds won count", low=0, high=1_000_000),
    "rounds": OptionKind("rounds a game lasts at most", low=1, high=1_000_000, none=True),
    "ends": OptionKind("when a game ends early", choices=tuple(str(e) for e in Ends)),
    "faces": OptionKind("how dice are shown", choices=tuple(str(f) for f in FaceStyle)),
}

SHOWDOWN_OPTIONS = ("tie_break", "straight_above_three", "stack", "ante", "rounds", "ends", "faces")
"""The options that games of hands take, all of them; card games take none."""

NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
WORDS: dict[str, OptionValue] = {"true": True, "false": False}


def parse_option(text: str) -> tuple[str, OptionValue]:
    """Read ``K=V`` as the command line gives it: a number, ``true``, ``false`` or a word.

    Raises:
        UserError: if there is no ``=``, or no option of that name.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise UserError(f"an option is written NAME=VALUE, not {text!r}")
    if name not in OPTIONS:
        raise UserError(f"unknown option {name!r}{nearest(name, OPTIONS)}; there are {', '.join(OPTIONS)}")
    if value in WORDS:
        return name, WORDS[value]
    return name, OPTIONS[name].read(int(value) if NUMBER.fullmatch(value) else value)


def parse_options(texts: Iterable[str]) -> dict[str, OptionValue]:
    """Read every ``K=V`` of a command line.

    Raises:
        UserError: as `parse_option`, and for an option that is given twice.
    """
    changes: dict[str, OptionValue] = {}
    for text in texts:
        name, value = parse_option(text)
        if name in changes:
            raise UserError(f"the option {name} is given twice")
        changes[name] = value
    return changes
