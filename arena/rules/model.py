"""A game's rules as a frozen value. Points are defined in `arena.rules.patterns`, legal rows in `arena.rules.card`."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

OptionValue: TypeAlias = int | str | bool | None

MAX_SEATS = 6
"""Most seats at a table."""

SHARED_UNITS = math.lcm(*range(1, MAX_SEATS + 1))
"""Units of what winners who tie share, 60: every number of winners divides it."""


class Pattern(StrEnum):
    """What a row asks for."""

    PAIR = "pair"
    TWO_PAIRS = "two_pairs"
    THREE_OF_A_KIND = "three_of_a_kind"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FIVE_OF_A_KIND = "five_of_a_kind"
    FULL_HOUSE = "full_house"
    SMALL_STRAIGHT = "small_straight"
    LARGE_STRAIGHT = "large_straight"
    CHANCE = "chance"


class Pay(StrEnum):
    """How a row counts its points."""

    SUM_ALL = "sum_all"
    SUM_PATTERN = "sum_pattern"
    FIXED = "fixed"
    SUM_FACE = "sum_face"
    SCHOOL = "school"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the card.

    Attributes:
        name: unique on the card.
        pattern: what the dice must show.
        pay: how points are counted when they do.
        amount: the N of ``fixed N``, the face of ``sum_face`` and ``school``, else 0.
        sequence: for straights: a length, or the exact dice.
        doubles: True if the pay is doubled on the first roll.
        plus: points added after any doubling.
    """

    name: str
    pattern: Pattern = Pattern.CHANCE
    pay: Pay = Pay.SUM_ALL
    amount: int = 0
    sequence: int | tuple[int, ...] = 0
    doubles: bool = False
    plus: int = 0

    @property
    def face(self) -> int:
        """The face that the row collects, 0 if it collects none."""
        return self.amount if self.pay in (Pay.SUM_FACE, Pay.SCHOOL) else 0


class Due(StrEnum):
    """When a section's bonus is earned."""

    REACHED = "reached"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class SectionBonus:
    """Points for a section's rows together.

    Attributes:
        points: what is earned, once a game.
        at: the least sum of the section's rows that earns it.
        due: as soon as the sum is reached, or when the section's turns are played.
    """

    points: int
    at: int
    due: Due


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the card.

    Attributes:
        name: unique on the card.
        rows: in card order.
        turns: turns played in the section; its rows close after them.
        bonus: points for the rows together, if any.
    """

    name: str
    rows: tuple[Row, ...]
    turns: int
    bonus: SectionBonus | None = None


@dataclass(frozen=True, slots=True)
class FiveBonus:
    """Points for a further five of a kind: earned by a turn that ends with one while ``row`` holds ``holds``."""

    row: str
    holds: int
    points: int


class JokerMode(StrEnum):
    """Where five of a kind may, or must, be written when its own row is filled."""

    FORCED = "forced"
    FREE = "free"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Joker:
    """A further five of a kind that may stand for other patterns.

    Attributes:
        row: the row that must be filled.
        mode: `JokerMode`.
        holds: the points it must be filled with, None for any.
    """

    row: str
    mode: JokerMode
    holds: int | None


@dataclass(frozen=True, slots=True)
class CardSheet:
    """The rules of a card game.

    Attributes:
        sections: in card order.
        in_order: True if a section opens only when the one before it is played.
        five_is_full_house: True if five of one face are a full house too.
        four_is_two_pairs: True if four of one face are two pairs too.
        five_bonus: if any.
        joker: if any.
    """

    sections: tuple[Section, ...]
    in_order: bool
    five_is_full_house: bool = False
    four_is_two_pairs: bool = False
    five_bonus: FiveBonus | None = None
    joker: Joker | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row in card order."""
        return tuple(row for section in self.sections for row in section.rows)

    @property
    def turns(self) -> int:
        """Turns a card takes, and so rounds a game lasts."""
        return sum(section.turns for section in self.sections)


class Hand(StrEnum):
    """Kinds of hand in showdown."""

    FIVE_OF_A_KIND = "five_of_a_kind"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    STRAIGHT = "straight"
    THREE_OF_A_KIND = "three_of_a_kind"
    TWO_PAIRS = "two_pairs"
    PAIR = "pair"
    NOTHING = "nothing"


class TieBreak(StrEnum):
    """How two hands of one kind compare."""

    FACE = "face"
    KICKERS = "kickers"
    HIGH_DIE = "high_die"


class Ends(StrEnum):
    """When a showdown game ends before its rounds are played."""

    FIRST_OUT = "first_out"
    LAST_STANDING = "last_standing"


class FaceStyle(StrEnum):
    """How dice are shown: as numbers, or as the cards 9 to A."""

    NUMBERS = "numbers"
    CARDS = "cards"


@dataclass(frozen=True, slots=True)
class ShowdownSheet:
    """The rules of showdown.

    Attributes:
        ranking: kinds of hand, highest first.
        tie_break: `TieBreak`.
        stack: chips a seat starts with.
        ante: chips a seat pays each round; 0: rounds won are counted instead, in sixtieths.
        rounds: rounds a game lasts at most, None without a limit.
        ends: `Ends`.
        faces: `FaceStyle`.
    """

    ranking: tuple[Hand, ...]
    tie_break: TieBreak
    stack: int
    ante: int
    rounds: int | None
    ends: Ends
    faces: FaceStyle


class Settlement(StrEnum):
    """What a game is worth in money."""

    NONE = "none"
    BANK = "bank"
    MEAN = "mean"
    CHIPS = "chips"


@dataclass(frozen=True, slots=True)
class Option:
    """Something that a tournament may change in a ruleset; each change makes another ruleset of it.

    Attributes:
        name: unique over all rulesets, one meaning.
        value: what holds here.
        default: what holds if nobody says otherwise.
        allowed: what may be said, in words.
    """

    name: str
    value: OptionValue
    default: OptionValue
    allowed: str


@dataclass(frozen=True, slots=True)
class PublishedResults:
    """Two-seat games that the source of a ruleset counted, to compare with.

    Attributes:
        games: how many.
        first_won: games won by the first seat.
        second_won: games won by the second seat.
        drawn: games drawn.
        shares: the three as the source prints them; it may have cut digits off, not rounded.
    """

    games: int
    first_won: int
    second_won: int
    drawn: int
    shares: tuple[str, ...]


@dataclass(frozen=True)
class Ruleset:
    """A game's rules, with every option resolved.

    Attributes:
        id: the ruleset's name, the same in files, folders and commands.
        title: what people call it.
        source: the rule sheet it was taken from.
        decisions: what the sheet leaves open, and how it is decided here.
        options: every option the ruleset takes.
        dice: dice a throw.
        rolls: throws a turn, at most.
        min_seats: fewest seats at a table.
        max_seats: most seats.
        settlement: `Settlement`.
        card: the card, in card games.
        showdown: hands and chips, in showdown.
        published: results that the source prints, if any.
    """

    id: str
    title: str
    source: str
    decisions: tuple[str, ...]
    options: tuple[Option, ...]
    dice: int
    rolls: int
    min_seats: int
    max_seats: int
    settlement: Settlement
    card: CardSheet | None = None
    showdown: ShowdownSheet | None = None
    published: PublishedResults | None = None

    @property
    def name(self) -> str:
        """The id with changed options, as folders are named: ``fifteen+upper_bonus_at=63``."""
        changed = (option for option in self.options if option.value != option.default)
        return "+".join([self.id, *sorted(f"{option.name}={show(option.value)}" for option in changed)])

    @cached_property
    def hash(self) -> str:
        """sha256 over everything that decides a game, hexadecimal.

        The names of rows and sections and how dice are shown are in it, as bots see them; the ruleset's own id,
        title, source, decisions, seats and published results are not.
        """
        content = {
            "dice": self.dice,
            "rolls": self.rolls,
            "settlement": self.settlement,
            "card": asdict(self.card) if self.card else None,
            "showdown": asdict(self.showdown) if self.showdown else None,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def show(value: OptionValue) -> str:
    """Return an option's value as it is written in files and on the command line."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
