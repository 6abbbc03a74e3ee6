"""How a tournament file names its agents: a name, a file or folder, a pattern for many, or a class of a module."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from arena.agent.commands import locate_command
from arena.agent.limits import AUTO, Level, Limits, level_of
from arena.agent.names import MAX_NAME, look, proper_name, safe_name
from arena.agent.plugins import Plugins
from arena.agent.probe import Prober
from arena.agent.ref import AgentRef, LeadsOut
from arena.agent.sources import (
    bots_in,
    find_named,
    folders_of_names,
    locate,
    locate_class,
    matching,
    refuse_link,
    stem,
)
from arena.documents import Document, Malformed, as_list, given
from arena.errors import DiskError, FileError, NoProcessError, UserError, nearest, printable
from arena.rules.model import Ruleset

PLACES = ("path", "glob", "class", "command")
"""The keys that say where bots are; an agent without one is meant by its name."""
MAX_WORD = 4096
"""Letters of a word of a command."""


def _no_zero(word: Any) -> Any:
    if isinstance(word, str) and "\0" in word:
        raise ValueError(f"{word!r:.60} has a zero byte, which no word of a command may have")
    return word


CommandWord = Annotated[
    str, Field(max_length=MAX_WORD, pattern=r"^[^\x00]*$"), BeforeValidator(_no_zero)
]  # the pattern is for the schema


def _params(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters that an external bot can be told, too.

    Raises:
        ValueError: for a value that JSON has not.
    """
    values: list[tuple[str, Any]] = list(params.items())
    while values:
        key, value = values.pop()
        if isinstance(value, dict | list):
            values += [(key, item) for item in (value.values() if isinstance(value, dict) else value)]
        elif not isinstance(value, str | int | float | Malformed | None):
            raise ValueError(
                f"{key} is a {type(value).__name__}, and no text, number, true, false, list or mapping:"
                " write it in quotes"
            )
        elif isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{key} is {value}, which is no number in JSON: write it in quotes")
    return params


class AgentText(BaseModel, extra="forbid", strict=True, frozen=True, title="Agent"):
    """An agent: a name alone, or {name: mine, path: bots/mine.py, params: {risk: 0.2}}."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)] | None = Field(
        None, description="What the agent is called. Without path, glob, class and command: which bot is meant."
    )
    path: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="A file, file.py:Class, or a folder with an agent.py; relative to this file."
    )
    glob: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="A pattern for files and folders, such as submissions/*.py; each is entered."
    )
    class_: Annotated[str, Field(min_length=1)] | None = Field(
        None, alias="class", description="package.module:Class, beside this file or installed."
    )
    command: Annotated[list[CommandWord], Field(min_length=1)] | None = Field(
        None, description="An external bot: a program and its words, such as [node, bot.js]; relative to this file."
    )
    params: Annotated[dict[str, Any], AfterValidator(_params)] = Field(
        default_factory=dict, description="Parameters for the bot's class, by name; an external bot is told them."
    )
    isolation: Literal["auto", "inline", "process", "sandbox"] | None = Field(
        None, description="How far apart this bot is kept, if otherwise than the tournament says."
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, data: Any) -> Any:
        return {"name": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _somebody(self) -> AgentText:
        said = [key for key, value in zip(PLACES, self.places, strict=True) if value]
        if len(said) > 1:
            raise ValueError(f"has {' and '.join(said)}; one of them is enough")
        if not said and self.name is None:
            raise ValueError(f"an agent needs a name, or one of {', '.join(PLACES)}")
        if self.glob is not None and self.name is not None:
            raise ValueError("glob may mean many agents, which cannot have one name")
        if self.command is not None and self.isolation == "inline":
            raise ValueError("a command has a process of its own: isolation is auto, process or sandbox")
        return self

    @field_validator("name", "path", "glob", "class_", "command", "isolation", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        return given(value)

    @field_validator("command", mode="before")
    @classmethod
    def _is_list(cls, command: Any) -> Any:
        if isinstance(command, str):
            raise ValueError(f"is a list of words: write {_as_list(command)}")
        return command

    @field_validator("command")
    @classmethod
    def _names_program(cls, command: list[str] | None) -> list[str] | None:
        if command is not None and not command[0]:
            raise ValueError("the first word names a program, and this one is empty")
        return command

    @property
    def places(self) -> tuple[object, ...]:
        """Where the bots are, in the order of `PLACES`."""
        return self.path, self.glob, self.class_, self.command

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema: a name alone, or the mapping."""
        mapping = handler.resolve_ref_schema(handler(core))
        mapping["anyOf"] = [{"required": [key]} for key in ("name", *PLACES)]
        return {"anyOf": [{"type": "string", "title": "Name of a bot"}, mapping]}


def _as_list(command: str) -> str:
    """Return a command in one text as the list of words that a shell makes of it, as it is written in the file."""
    try:
        words = shlex.split(command)
    except ValueError:  # a quote without its other one
        words = command.split()
    return as_list(words) if words else "one, such as [node, bot.js]"


def find_agents(
    document: Document,
    entries: Sequence[AgentText],
    plugins: Plugins,
    *,
    strict: bool,
    isolation: str,
    limits: Limits,
    ruleset: Ruleset,
    seats: int,
) -> tuple[AgentRef, ...]:
    """Return the agents that a tournament file names, sorted by name; every one was loaded once.

    Args:
        document: the file.
        entries: its agents.
        plugins: what is installed.
        strict: False lets a bot stay that cannot be loaded, marked as broken.
        isolation: how far apart bots are kept whose entry does not say.
        limits: what a bot may take that is kept apart.
        ruleset: one that is played; external bots are told it when they are tried.
        seats: at a table.

    Raises:
        FileError: for a mistake in the file, or in a bot.
    """
    with Prober(limits, ruleset, seats) as prober:
        return _found(document, entries, _Finding(plugins, strict, isolation, prober))


@dataclass(frozen=True, slots=True)
class _Finding:
    """What finding agents depends on, besides the file."""

    plugins: Plugins
    strict: bool
    isolation: str
    prober: Prober

    def levelled(self, ref: AgentRef, entry: AgentText) -> AgentRef:
        """Return a reference that says how far apart the bot is kept."""
        wanted = entry.isolation or self.isolation
        return replace(ref, level=str(level_of(ref, None if wanted == AUTO else Level(wanted))))


def _found(document: Document, entries: Sequence[AgentText], how: _Finding) -> tuple[AgentRef, ...]:
    _refuse_keys(document)
    strict = how.strict
    beside = document.path.resolve().parent
    found: dict[str, AgentRef] = {}
    # Patterns come last: no submission takes a name that the file gives to somebody.
    for index, entry in sorted(enumerate(entries), key=lambda item: item[1].glob is not None):
        place = _place(entry)
        keys = ("agents", index, place) if place else ("agents", index)
        try:
            for ref in _refs(entry, beside, how):
                submitted = entry.glob is not None
                _add(_admitted(ref, found) if submitted and not strict else ref, found, submitted=submitted)
        except _NameError as error:
            raise document.error(str(error), ("agents", index)) from None
        except (NoProcessError, DiskError):  # no matter of the file's
            raise
        except UserError as error:
            raise document.error(str(error), keys) from None
    return tuple(sorted(found.values(), key=lambda ref: ref.name))


def _refuse_keys(document: Document) -> None:
    """Refuse keys of parameters that are no text: a bot would be given others than those that were written."""
    for keys in document.no_text:
        if keys[0] == "agents" and "params" in keys[:-1]:
            raise document.error(f"a key of params is text: write '{keys[-1]}', in quotes", keys)


class _NameError(UserError):
    """A mistake in an agent's name, not in where it is."""


def _place(entry: AgentText) -> str:
    values = zip(PLACES, entry.places, strict=True)
    return next((key for key, value in values if value is not None), "")


def _refs(entry: AgentText, beside: Path, how: _Finding) -> Iterator[AgentRef]:
    """Return the agents of one entry."""
    if entry.glob is not None:
        for path in matching(entry.glob, beside):
            yield from _matched(path, entry, beside, how)
        return
    if entry.path is not None:
        try:
            ref = locate(beside / entry.path, name=entry.name, params=entry.params)
        except LeadsOut as error:
            if how.strict:
                raise
            yield _broken(beside / entry.path, entry.name or stem(beside / entry.path), entry, error)
            return
    elif entry.class_ is not None:
        ref = locate_class(entry.class_, beside, name=entry.name, params=entry.params)
    elif entry.command is not None:
        yield _commanded(entry, entry.command, beside, how)
        return
    else:
        assert entry.name is not None
        ref = replace(named(entry.name, beside, how.plugins), params=entry.params)
    yield _tried(how.levelled(ref, entry), how)


def _commanded(entry: AgentText, command: Sequence[str], beside: Path, how: _Finding) -> AgentRef:
    """Return an external bot; broken if its program is not there, and the others are to play all the same."""
    try:
        ref = locate_command(command, beside, name=entry.name, params=entry.params)
    except UserError as error:
        if how.strict:
            raise
        name, program = entry.name or Path(command[0]).stem, beside / command[0]
        gone = AgentRef(name, "command", program, "", entry.params, "", argv=tuple(command), root=beside)
        return replace(gone, broken=str(error))
    return _tried(how.levelled(ref, entry), how)


def _matched(path: Path, entry: AgentText, beside: Path, how: _Finding) -> Iterator[AgentRef]:
    """Return the agents of a file or folder that a pattern matches: all bots in it."""
    assert entry.glob is not None
    try:
        refuse_link(path, entry.glob, beside)
        ref = how.levelled(locate(path, params=entry.params), entry)
        names = how.prober.names(ref)
    except FileError as error:
        if how.strict:
            raise
        yield _broken(path, stem(path), entry, error)
        return
    if len(names) > 1:
        for name in names:
            yield _tried(replace(ref, name=name, class_name=name), how)
    else:
        yield _tried(ref, how)


def _broken(path: Path, name: str, entry: AgentText, error: FileError) -> AgentRef:
    """Return a reference to what cannot be a bot, and is to lose its games."""
    return AgentRef(name, "folder" if path.is_dir() else "file", path, "", entry.params, "", broken=str(error))


def named(name: str, beside: Path, plugins: Plugins) -> AgentRef:
    """Return a reference to the bot that a bare name means.

    Args:
        name: what was written.
        beside: the tournament file's folder.
        plugins: what is installed.

    Raises:
        UserError: if there is none, naming the nearest and the plugins that are broken.
    """
    path = find_named(name, beside)
    if path is not None:
        return locate(path, name=name)
    if (ref := plugins.bot(name)) is not None:
        return ref
    known = sorted({known for folder in folders_of_names(beside) for known in bots_in(folder)} | {*plugins.bot_names})
    raise UserError(f"no agent {name!r}{nearest(name, known)}; known by name: {', '.join(known)}{plugins.complaint}")


def _tried(ref: AgentRef, how: _Finding) -> AgentRef:
    """Load a bot, and note what is known of it then."""
    try:
        return how.prober.tried(ref)
    except FileError as error:
        if how.strict:
            raise
        return replace(ref, broken=str(error), printed=error.printed)


def _admitted(ref: AgentRef, found: Mapping[str, AgentRef]) -> AgentRef:
    """Return what a pattern matches under a name that may stand beside those found before; broken if its own is none.

    One bad name among many must not stop the others, and whoever wrote the pattern cannot change it.
    """
    try:
        proper_name(ref.name)
    except UserError as error:
        ref = replace(ref, broken=ref.broken or str(FileError(ref.path, f"{error}; {_remedy(ref)}")))
    for name in _names_of(ref):
        twin = found.get(look(name))
        if twin is None or (twin.path, twin.class_name) == (ref.path, ref.class_name):  # entered twice: a mistake
            return replace(ref, name=name)
    raise AssertionError("there is always another number")


def _names_of(ref: AgentRef) -> Iterator[str]:
    """Return names for a bot, the first first: its own, then such as tell by its file, then numbered ones."""
    yield safe_name(ref.name)
    part = f":{ref.class_name}" if ref.class_name else ""
    if part:
        yield safe_name(ref.path.name + part)
    by_file = safe_name(f"{ref.path.parent.name}/{ref.path.name}{part}")
    yield by_file
    for number in count(2):
        yield f"{by_file[: MAX_NAME - 10].strip()} ({number})"


def _remedy(ref: AgentRef) -> str:
    """Return what can be done about a name under a pattern, where none can be given."""
    if ref.class_name:
        return "give the bot another name in this file"
    return f"rename the {'folder' if ref.path.is_dir() else 'file'}"


def _add(ref: AgentRef, found: dict[str, AgentRef], *, submitted: bool) -> None:
    """Add an agent to those found before, by what people see of its name."""
    try:
        ref = replace(ref, name=proper_name(ref.name))
    except UserError as error:
        raise _NameError(str(FileError(ref.path, f"{error}; {_remedy(ref)}") if submitted else error)) from None
    twin = found.get(look(ref.name))
    if twin is not None:
        same = f"the name {ref.name!r} stands twice"
        what = same if twin.name == ref.name else f"{twin.name!r} and {ref.name!r} cannot be told apart"
        both = f": {printable(str(twin.path))} and {printable(str(ref.path))}" if twin.path != ref.path else ""
        remedy = "give one of them another name"
        if submitted and (twin.path, twin.class_name) != (ref.path, ref.class_name):
            remedy = "rename one of them, or write strict: false, which tells them apart by their files"
        raise _NameError(f"{what}{both}; {remedy}")
    found[look(ref.name)] = ref
