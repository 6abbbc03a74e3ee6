"""How a tournament file names its rulesets: shipped ones, a plugin's, or a file of one's own, each with options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, GetJsonSchemaHandler, WithJsonSchema, field_validator, model_validator
from pydantic_core import CoreSchema

from arena.agent.plugins import Plugins, ruleset_file
from arena.documents import Document, KeyPath, given
from arena.errors import UserError, nearest, one_of
from arena.rules.file import load_ruleset
from arena.rules.model import OptionValue, Ruleset, show
from arena.rules.options import OPTIONS, OptionError, OptionKind
from arena.rules.shipped import load_own


def _option_schema(kind: OptionKind) -> dict[str, Any]:
    if kind.choices:
        values: dict[str, Any] = {"enum": list(kind.choices)}
    else:
        values = {"type": "integer", "minimum": kind.low, "maximum": kind.high}
    if kind.none:
        values = {"anyOf": [values, {"enum": [show(None)]}]}
    return {"description": kind.meaning, **values}


OPTIONS_SCHEMA = {
    "type": "object",
    "properties": {name: _option_schema(kind) for name, kind in OPTIONS.items()},
    "additionalProperties": False,
}


class RulesetText(BaseModel, extra="forbid", strict=True, frozen=True, title="Ruleset"):
    """A ruleset: its id, alone or as {id: fifteen, options: {upper_bonus_at: 63}}, or a file of one's own."""

    id: str | None = Field(None, description="A ruleset that ships with the arena or comes with a plugin.")
    file: str | None = Field(None, description="A ruleset file of one's own, relative to this file.")
    options: Annotated[dict[str, Any], WithJsonSchema(OPTIONS_SCHEMA)] = Field(
        default_factory=dict, description="What is changed in the rules. Each change makes another ruleset of them."
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, data: Any) -> Any:
        return {"id": data} if isinstance(data, str) else data

    @field_validator("id", "file", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        return given(value)

    @model_validator(mode="after")
    def _one(self) -> RulesetText:
        if (self.id is None) == (self.file is None):
            raise ValueError("a ruleset has an id or a file" + ("" if self.id is None else ", not both"))
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema: an id alone, or the mapping."""
        mapping = handler.resolve_ref_schema(handler(core))
        mapping["oneOf"] = [{"required": ["id"]}, {"required": ["file"]}]
        return {"anyOf": [{"type": "string", "title": "Ruleset id"}, mapping]}


@dataclass(frozen=True, slots=True)
class Named:
    """A ruleset that a tournament file names.

    Attributes:
        keys: where.
        path: its file.
        own: True for a file of one's own.
        options: what the tournament file changes.
        ruleset: with these changes.
    """

    keys: KeyPath
    path: Path
    own: bool
    options: Mapping[str, OptionValue]
    ruleset: Ruleset


def find_rulesets(
    document: Document,
    entries: Sequence[RulesetText],
    plugins: Plugins,
    *,
    seats: int,
    only: Sequence[str] = (),
    options: Mapping[str, OptionValue] | None = None,
) -> tuple[Ruleset, ...]:
    """Return the rulesets that a tournament file names.

    Args:
        document: the file.
        entries: its rulesets.
        plugins: what is installed.
        seats: agents at a table.
        only: names of rulesets, with their options, to take none but these.
        options: further changes, for every ruleset of these that takes the option.

    Raises:
        FileError: for a mistake in the file.
        UserError: for a mistake in ``only`` or ``options``.
    """
    named = [_named(document, entry, plugins, ("rulesets", index)) for index, entry in enumerate(entries)]
    rulesets = [one.ruleset for one in named]
    for number, one in enumerate(named):
        if not one.ruleset.min_seats <= seats <= one.ruleset.max_seats:
            allowed = f"{one.ruleset.min_seats} to {one.ruleset.max_seats}"
            raise document.error(f"{one.ruleset.id} is for {allowed} seats, not {seats}", one.keys)
        if twin := _twin(rulesets[:number], one.ruleset):
            raise document.error(twin, one.keys)
    known = [ruleset.name for ruleset in rulesets]
    for name in only:
        if name not in known:
            raise UserError(f"--only: {name!r} is not in this tournament{nearest(name, known)}; {one_of(known)}")
    chosen = [one for one in named if not only or one.ruleset.name in only]
    return _changed(chosen, options) if options else tuple(one.ruleset for one in chosen)


def _named(document: Document, entry: RulesetText, plugins: Plugins, keys: KeyPath) -> Named:
    own = entry.file is not None
    try:
        if entry.file is not None:
            path = document.path.parent / entry.file
        else:
            assert entry.id is not None
            path = ruleset_file(entry.id, plugins)
        load = load_own if own else load_ruleset
        ruleset = load(path, entry.options, namer=document.path)
    except OptionError as error:
        raise document.error(str(error), (*keys, "options", error.option)) from None
    except UserError as error:  # of a file of one's own there may be several, a line each
        place = (*keys, "file") if own else keys
        lines = [str(document.error(line, place)) for line in str(error).splitlines()]
        raise UserError("\n".join(lines)) from None
    return Named(keys, path, own, entry.options, ruleset)


def _twin(others: Sequence[Ruleset], ruleset: Ruleset) -> str:
    """Return what is wrong if a ruleset of its name, or of its very rules, is there already."""
    for other in others:
        if other.name == ruleset.name:
            return f"{ruleset.name} stands twice"
        if other.hash == ruleset.hash:
            return f"{ruleset.name} is the same game as {other.name}: one of them is enough"
    return ""


def _changed(named: Sequence[Named], options: Mapping[str, OptionValue]) -> tuple[Ruleset, ...]:
    """Return rulesets with the changes of the command line made in all that take them."""
    rulesets: list[Ruleset] = []
    for name in options:
        takers = sorted({option.name for one in named for option in one.ruleset.options})
        if name not in takers:
            raise UserError(f"--option: no ruleset here takes {name!r}{nearest(name, takers)}; {one_of(takers)}")
    for one in named:
        takes = {option.name for option in one.ruleset.options}
        changes = {name: value for name, value in options.items() if name in takes}
        try:
            ruleset = load_ruleset(one.path, {**one.options, **changes})
        except OptionError as error:
            raise UserError(f"--option: {error}") from None
        if twin := _twin(rulesets, ruleset):
            raise UserError(f"--option: {twin}")
        rulesets.append(ruleset)
    return tuple(rulesets)
