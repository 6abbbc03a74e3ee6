"""Ruleset files: their vocabulary, and how a file becomes a `Ruleset`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from arena.dice.lattice import DICE, FACE_DIGITS, FACES, MAX_DICE, MIN_DICE
from arena.documents import Document, read_yaml, short, validated
from arena.errors import nearest
from arena.rules import model
from arena.rules.options import OPTIONS, SHOWDOWN_OPTIONS, OptionError
from arena.rules.sense import refuse_senseless

SEQUENCES = (model.Pattern.SMALL_STRAIGHT, model.Pattern.LARGE_STRAIGHT)
MOST_POINTS = 10_000
"""The arrays of the game hold a row's points in 16 bits, also doubled."""
WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
"""What rulesets, sections and rows may be called: the first name folders, and all are typed."""
DEVICES = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")
"""Names that no folder can have on Windows; a ruleset's id becomes a folder's name."""


def _no_device(name: str) -> str:
    if DEVICES.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a folder on Windows")
    return name


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    if not line.isprintable() or not line:
        raise ValueError(f"{line!r}: printable text was expected")
    return line


def _word(name: str) -> str:
    if not WORD.fullmatch(name):
        raise ValueError(f"{short(name)} is no name here: a to z first, then also 0 to 9, _ and -; at most 40 in all")
    return name


Name = Annotated[str, AfterValidator(_word)]
Line = Annotated[str, AfterValidator(_one_line)]
Points = Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RowText(_Part):
    """A row: ``{pattern: small_straight, sequence: 4, pays: fixed 30, doubles: true, plus: 50}``."""

    pattern: Literal[tuple(map(str, model.Pattern))] = "chance"  # type: ignore[valid-type]  # mypy wants it written out
    sequence: int | str | None = None
    pays: str
    doubles: bool = False
    plus: Points = 0

    @field_validator("sequence", mode="before")
    @classmethod
    def _sequence(cls, value: object) -> object:
        text = "" if value is None else str(value)
        if value is not None and not (text.isdecimal() and set(text) <= set(FACE_DIGITS)):
            raise ValueError(f"{value!r}: a sequence is a length, such as 4, or the exact dice, such as 12345")
        return value

    @field_validator("pays")
    @classmethod
    def _pays(cls, value: str) -> str:
        word, _, amount = value.partition(" ")
        pays = [str(pay) for pay in model.Pay]
        if word not in pays:
            raise ValueError(f"unknown pay {word!r}{nearest(word, pays)}; one of {', '.join(pays)}")
        of_a_face = word in (model.Pay.SUM_FACE, model.Pay.SCHOOL)
        takes_number = of_a_face or word == model.Pay.FIXED
        if takes_number != amount.isdecimal() or (of_a_face and not 1 <= int(amount) <= FACES):
            raise ValueError(f"{value!r}: written {word} N" if takes_number else f"{word} takes no number")
        if word == model.Pay.FIXED and (len(amount) > 6 or int(amount) > MOST_POINTS):
            raise ValueError(f"{value!r}: at most {MOST_POINTS:,} points")
        return value


class BonusText(_Part):
    """A section's bonus; ``at`` may be the name of an option."""

    points: Points
    at: int | Literal["upper_bonus_at"]
    due: Literal[tuple(map(str, model.Due))]  # type: ignore[valid-type]  # mypy wants it written out

    @field_validator("at", mode="before")
    @classmethod
    def _at(cls, value: object) -> object:
        if value != "upper_bonus_at" and (type(value) is not int or abs(value) > MOST_POINTS):
            hint = nearest(value, ["upper_bonus_at"])
            raise ValueError(f"{short(value)} is neither a number of points nor the option upper_bonus_at{hint}")
        return value


class SectionText(_Part):
    """A section: rows in order, turns if fewer than rows, a bonus."""

    rows: dict[Name, RowText] = Field(min_length=1)
    turns: int | None = Field(default=None, ge=1)
    bonus: BonusText | None = None


class FiveBonusText(_Part):
    """Points for a further five of a kind; how many is the option ``five_bonus``."""

    row: str
    holds: Points


class JokerText(_Part):
    """When a further five of a kind is a joker; where it goes is the option ``joker``."""

    row: str
    holds: Annotated[int, Field(ge=0, le=MOST_POINTS)] | None = None


class PublishedText(_Part):
    """Results of two-seat games that the source prints."""

    games: int = Field(ge=1)
    first_won: int = Field(ge=0)
    second_won: int = Field(ge=0)
    drawn: int = Field(ge=0)
    shares: list[str] = Field(min_length=3, max_length=3)


class RulesetFile(_Part):
    """A ruleset file."""

    id: Annotated[Name, AfterValidator(_no_device)]
    title: Line
    game: Literal["card", "showdown"]
    source: Line
    decisions: list[Line] = Field(default_factory=list)
    dice: int = Field(default=DICE, ge=MIN_DICE, le=MAX_DICE)
    min_seats: int = Field(default=1, ge=1, le=model.MAX_SEATS)
    max_seats: int = Field(default=model.MAX_SEATS, ge=1, le=model.MAX_SEATS)
    settlement: Literal[tuple(map(str, model.Settlement))] = "none"  # type: ignore[valid-type]  # mypy wants it written out
    options: dict[str, Any]
    sections: dict[Name, SectionText] | None = None
    sections_in_order: bool = False
    five_bonus: FiveBonusText | None = None
    joker: JokerText | None = None
    ranking: list[str] | None = None
    published_results: PublishedText | None = None


def load_ruleset(
    path: Path, changes: Mapping[str, model.OptionValue] | None = None, *, namer: Path | None = None
) -> model.Ruleset:
    """Read a ruleset file and change some of its options.

    Args:
        path: the file.
        changes: option values by name.
        namer: the tournament file that names it, if one does.

    Raises:
        FileError: for a mistake in the file.
        OptionError: for an option that the ruleset does not take, or a value that it may not have.
    """
    document = read_yaml(path, what="ruleset file", namer=namer)
    text = validated(document, RulesetFile)
    options = _options(document, text, changes or {})
    values: dict[str, Any] = {option.name: option.value for option in options}
    ruleset = model.Ruleset(
        id=text.id,
        title=text.title,
        source=text.source,
        decisions=tuple(text.decisions),
        options=options,
        dice=text.dice,
        rolls=values["rolls"],
        min_seats=text.min_seats,
        max_seats=text.max_seats,
        settlement=model.Settlement(text.settlement),
        card=_card(document, text, values) if text.game == "card" else None,
        showdown=_showdown(document, text, values) if text.game == "showdown" else None,
        published=_published(text.published_results),
    )
    refuse_senseless(document, ruleset)
    if ruleset.showdown and ruleset.showdown.ante == 0 and ruleset.showdown.rounds is None:
        fault = "with ante=0 rounds must be set, as nobody ever runs out of chips"
        for name in ("ante", "rounds"):
            if name in (changes or {}):
                raise OptionError(name, f"{text.id}: {fault}")
        raise document.error(fault, ("options", "rounds"))
    return ruleset


def _published(text: PublishedText | None) -> model.PublishedResults | None:
    if text is None:
        return None
    return model.PublishedResults(text.games, text.first_won, text.second_won, text.drawn, tuple(text.shares))


def _options(
    document: Document, text: RulesetFile, changes: Mapping[str, model.OptionValue]
) -> tuple[model.Option, ...]:
    for name in changes:
        if name not in text.options:
            takes = f"it takes {', '.join(text.options)}"
            raise OptionError(name, f"{text.id} takes no option {name!r}{nearest(name, text.options)}; {takes}")
    options = []
    for name, said in text.options.items():
        keys = ("options", name)
        if name not in OPTIONS:
            raise document.error(f"unknown option{nearest(name, OPTIONS)}; there are {', '.join(OPTIONS)}", keys)
        kind = OPTIONS[name]
        default, narrowed = said, None
        if isinstance(said, dict):
            if said.keys() != {"default", "allowed"} or not isinstance(said["allowed"], list):
                raise document.error("is written as a value, or as {default: VALUE, allowed: [VALUE, ...]}", keys)
            default, narrowed = said["default"], said["allowed"]
        default = kind.read(default)
        narrowed = None if narrowed is None else [kind.read(value) for value in narrowed]
        for value in [default, *(narrowed or [])]:
            if not kind.admits(value):
                hint = nearest(value, kind.allowed.split(", "))
                raise document.error(f"{value!r} is not allowed{hint}: {kind.allowed}", keys)
        if narrowed is not None and default not in narrowed:
            raise document.error(f"the default {default!r} is not among the allowed values", keys)
        value = kind.read(changes[name]) if name in changes else default
        allowed = kind.allowed if narrowed is None else ", ".join(map(model.show, narrowed))
        if not kind.admits(value) or (narrowed is not None and value not in narrowed):
            words, shown = allowed.split(", "), model.show(value)[:60]
            raise OptionError(name, f"{text.id}: {name}={shown} is not allowed{nearest(shown, words)}; {allowed}")
        options.append(model.Option(name, value, default, allowed))
    if "rolls" not in text.options:
        raise document.error("the option rolls is required", ("options",))
    return tuple(options)


def _card(document: Document, text: RulesetFile, options: Mapping[str, Any]) -> model.CardSheet:
    if not text.sections:
        raise document.error("a card game needs sections")
    sections = []
    for name, section in text.sections.items():
        rows = tuple(
            _row(document, row_name, row, options, ("sections", name, "rows", row_name))
            for row_name, row in section.rows.items()
        )
        if section.turns is not None and section.turns > len(rows):
            raise document.error(f"more turns than the {len(rows)} rows", ("sections", name, "turns"))
        bonus = None
        if section.bonus:
            at = section.bonus.at
            if isinstance(at, str) and at not in options:
                raise document.error(f"the option {at} is not among the options", ("sections", name, "bonus", "at"))
            at = options[at] if isinstance(at, str) else at
            bonus = model.SectionBonus(section.bonus.points, at, model.Due(section.bonus.due))
        sections.append(model.Section(name, rows, section.turns or len(rows), bonus))
    names = [row.name for section in sections for row in section.rows]
    for row_name in names:
        if names.count(row_name) > 1:
            raise document.error(f"the row {row_name} stands in two sections", ("sections",))
    for key, part in (("five_bonus", text.five_bonus), ("joker", text.joker)):
        if part and part.row not in names:
            raise document.error(f"no row {part.row!r}{nearest(part.row, names)}", (key, "row"))
        if part and key not in options:
            raise document.error(f"the option {key} is not among the options", (key,))
    five, joker = text.five_bonus, text.joker
    return model.CardSheet(
        sections=tuple(sections),
        in_order=options.get("sections_in_order", text.sections_in_order),
        five_is_full_house=options.get("five_is_full_house", False),
        four_is_two_pairs=options.get("four_is_two_pairs", False),
        five_bonus=model.FiveBonus(five.row, five.holds, options["five_bonus"]) if five else None,
        joker=model.Joker(joker.row, model.JokerMode(options["joker"]), joker.holds) if joker else None,
    )


def _row(document: Document, name: str, row: RowText, options: Mapping[str, Any], keys: tuple[str, ...]) -> model.Row:
    pattern = model.Pattern(row.pattern)
    if (pattern in SEQUENCES) != (row.sequence is not None):
        wrong = "needs a sequence" if pattern in SEQUENCES else "takes no sequence"
        raise document.error(f"{pattern} {wrong}", keys)
    sequence: int | tuple[int, ...] = 0
    if row.sequence is not None:
        digits = str(row.sequence)
        sequence = int(digits) if len(digits) == 1 else tuple(map(int, digits))
    word, _, amount = row.pays.partition(" ")
    return model.Row(
        name=name,
        pattern=pattern,
        pay=model.Pay(word),
        amount=int(amount or 0),
        sequence=sequence,
        doubles=row.doubles and options.get("first_roll_doubles", True),
        plus=row.plus,
    )


def _showdown(document: Document, text: RulesetFile, options: Mapping[str, Any]) -> model.ShowdownSheet:
    ranking = text.ranking or []
    hands = [str(hand) for hand in model.Hand]
    if sorted(ranking) != sorted(hands):
        raise document.error(f"a ranking orders all of {', '.join(hands)}", ("ranking",))
    for name in SHOWDOWN_OPTIONS:
        if name not in options:
            raise document.error(f"the option {name} is required", ("options",))
    order = [hand for hand in ranking if hand != model.Hand.STRAIGHT]
    three = order.index(model.Hand.THREE_OF_A_KIND)
    order.insert(three if options["straight_above_three"] else three + 1, model.Hand.STRAIGHT)
    return model.ShowdownSheet(
        ranking=tuple(map(model.Hand, order)),
        tie_break=model.TieBreak(options["tie_break"]),
        stack=options["stack"],
        ante=options["ante"],
        rounds=options["rounds"],
        ends=model.Ends(options["ends"]),
        faces=model.FaceStyle(options["faces"]),
    )
