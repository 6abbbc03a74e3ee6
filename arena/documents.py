"""YAML files that people write, read with the line of every key, and pydantic's errors told in those lines."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import yaml

from arena.errors import FileError, UserError, nearest

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound="BaseModel")

MAX_BYTES = 1 << 20
MAX_DEPTH = 16
WHOLE_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
"""YAML 1.1 would also read 010 as 8 and 1:30 as 90."""

KeyPath: TypeAlias = tuple[str | int, ...]
QUOTED = re.compile(r"'([^']*)'")
LENGTHS = ("too_short", "too_long", "string_too_short", "string_too_long")
"""Pydantic's names for what is wrong with a length."""
EMPTY: Mapping[KeyPath, str] = MappingProxyType({})


class Malformed:
    """Stands in a document for a value that cannot be read: of no kind that is wanted anywhere."""


class Document:
    """A YAML file's data, and where each part of it stands.

    Attributes:
        path: the file, as it was named.
        data: what the file says: mappings, lists, text, numbers, booleans and None.
        lines: the line, from 1, of every key and list item, by the keys that lead to it.
        malformed: what is wrong with values that cannot be read, by the keys that lead to them. Something that is of
            no kind stands in their place.
        no_text: the keys that YAML reads as something else than text, such as 1; in the data they are text.
    """

    def __init__(
        self,
        path: Path,
        data: Any,
        lines: Mapping[KeyPath, int],
        malformed: Mapping[KeyPath, str] = EMPTY,
        no_text: Collection[KeyPath] = (),
    ) -> None:
        self.path, self.data, self.lines, self.malformed, self.no_text = path, data, lines, malformed, no_text

    def error(self, message: str, keys: KeyPath = ()) -> FileError:
        """Return a mistake at a place in the file."""
        line = next((self.lines[keys[:n]] for n in range(len(keys), -1, -1) if keys[:n] in self.lines), None)
        return FileError(self.path, message, line=line, key=spell(keys) or None)


def spell(keys: KeyPath) -> str:
    """Return the keys that lead to a place as people write them: ``agents[1].path``."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def read_text(path: Path, *, what: str, namer: Path | None = None) -> str:
    """Read a text file that a user named.

    Args:
        path: the file.
        what: what the file should be, for the error: ``tournament file``.
        namer: the file that names it, if one does, which it was not meant to be.

    Raises:
        FileError: if it is missing, no file, unreadable, empty, too large, or no UTF-8 text.
    """
    try:
        if path.is_dir():
            raise FileError(path, f"is a folder, not a {what}")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)  # its size may be unknown, or endless
        if len(content) > MAX_BYTES:
            raise FileError(path, f"is too large for a {what}: at most {MAX_BYTES:,} bytes")
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        others = [other for other in path.parent.glob("*") if other.suffix == path.suffix]
        siblings = [other.name for other in others if namer is None or other.resolve() != namer.resolve()]
        raise FileError(path, f"no such {what}{nearest(path.name, siblings)}") from None
    except UnicodeDecodeError as error:
        raise FileError(path, f"is no text: byte {error.start} is not UTF-8") from None
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if "\0" in text:
        raise FileError(path, "is no text: it has zero bytes")
    if not text.strip():
        raise FileError(path, f"is empty: a {what} was expected")
    return text


def read_yaml(path: Path, *, what: str, namer: Path | None = None) -> Document:
    """Read a YAML file whose top level is a mapping.

    Anchors and aliases are refused: a short file could stand for an endless one.

    Args:
        path: the file.
        what: what the file should be, for the error: ``tournament file``.
        namer: the file that names it, if one does.

    Raises:
        FileError: as `read_text`; also for bad YAML, a key that stands twice, and a top level of another kind.
    """
    text = read_text(path, what=what, namer=namer)
    loader = yaml.SafeLoader("")
    try:
        _refuse_traps(path, text)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            line = node.start_mark.line + 1 if node else 1
            raise FileError(path, f"a {what} is a mapping of keys to values", line=line)
        reading = _Reading(path, loader, {(): node.start_mark.line + 1}, {}, [])
        return Document(path, reading.value(node, ()), reading.lines, reading.malformed, reading.no_text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = (error.problem or error.context or "bad YAML").replace("\n", " ")
        if "'\\t'" in problem:
            problem = "a tab stands where YAML wants spaces"
        raise FileError(path, problem, line=mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise FileError(path, f"the character U+{ord(text[error.position]):04X} is not allowed", line=line) from None
    except yaml.YAMLError as error:
        raise FileError(path, " ".join(str(error).split())) from None
    finally:
        loader.dispose()


def _refuse_traps(path: Path, text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise FileError(path, "anchors (&) and aliases (*) are not allowed: write the value out", line=line)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise FileError(path, f"is nested more than {MAX_DEPTH} deep", line=line)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is gathered while a file is read; see `Document`."""

    path: Path
    loader: yaml.SafeLoader
    lines: dict[KeyPath, int]
    malformed: dict[KeyPath, str]
    no_text: list[KeyPath]

    def value(self, node: yaml.Node, keys: KeyPath) -> Any:
        """Return what a part of the file says."""
        if isinstance(node, yaml.SequenceNode):
            items = []
            for index, child in enumerate(node.value):
                self.lines[(*keys, index)] = child.start_mark.line + 1
                items.append(self.value(child, (*keys, index)))
            return items
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, keys)
        if node.tag.endswith(":int") and not WHOLE_NUMBER.fullmatch(node.value):
            fault = f"{short(node.value)} is no plain whole number: digits only, no leading 0, no signs within"
            self.malformed[keys] = fault
            return Malformed()
        try:
            return self.loader.construct_object(node, deep=True)
        except (ValueError, LookupError, AttributeError) as error:
            # PyYAML raises what it meets: for a date with a 13th month, and for `!!bool maybe` or `!!timestamp now`
            kind = node.tag.rpartition(":")[2]
            told = str(error) if isinstance(error, ValueError) else f"is no {kind}"
            self.malformed[keys] = f"{short(node.value)}: {told}"
            return Malformed()

    def _mapping(self, node: yaml.MappingNode, keys: KeyPath) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key_node, child in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise FileError(self.path, "a key is a word", line=line, key=spell(keys) or None)
            key = key_node.value
            if key in mapping:
                first = self.lines[(*keys, key)]
                message = f"the key stands twice, first in line {first}"
                raise FileError(self.path, message, line=line, key=spell((*keys, key)))
            self.lines[(*keys, key)] = line
            if not key_node.tag.endswith(":str"):
                self.no_text.append((*keys, key))
            mapping[key] = self.value(child, (*keys, key))
        return mapping


def given(value: Any) -> Any:
    """Return a value of a key that may be left out; for models of pydantic's.

    Raises:
        ValueError: if the key is there, and nothing after it.
    """
    if value is None:
        raise ValueError("nothing stands after it: give a value, or leave the key out")
    return value


def validated(document: Document, model: type[Model]) -> Model:
    """Return what a file says as a model of pydantic's.

    Args:
        document: the file.
        model: what it should be.

    Raises:
        UserError: for all that is wrong, a line each.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - 95 ms, and some files are read without

    try:
        found = model.model_validate(document.data)
    except ValidationError as error:
        raise told(document, error, model) from None
    if document.malformed:
        raise _all_of(_malformed(document))
    return found


def _malformed(document: Document) -> list[FileError]:
    return [document.error(message, keys) for keys, message in document.malformed.items()]


def _all_of(errors: Iterable[FileError]) -> UserError:
    """Return mistakes as one, in the order of their lines."""
    found = sorted(errors, key=lambda error: error.line or 0)
    return UserError("\n".join(dict.fromkeys(map(str, found))))


def told(document: Document, error: ValidationError, model: type[BaseModel]) -> UserError:
    """Return pydantic's errors as one line each, in the words of the file.

    Args:
        document: the file that was validated.
        error: what pydantic found.
        model: the model it was validated against, for the names that are allowed.
    """
    found = _malformed(document)
    for detail in error.errors():
        inner = (key for key in detail["loc"] if not str(key).startswith("function-") and key != "[key]")
        keys: KeyPath = tuple(inner)
        if not any(keys[: len(place)] == place for place in document.malformed):
            found.append(document.error(_message(detail, keys, model), keys))
    return _all_of(found)


def _message(detail: Any, keys: KeyPath, model: type[BaseModel]) -> str:
    kind, given = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        allowed = _fields(model, keys[:-1])
        return f"unknown key{nearest(keys[-1], allowed)}; allowed: {', '.join(sorted(allowed))}"
    if kind == "missing":
        return "is required"
    if kind == "literal_error":
        expected = detail["ctx"]["expected"]
        return f"{short(given)} is not allowed{nearest(given, QUOTED.findall(expected))}: {expected}"
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind in LENGTHS:
        return _length(kind, detail["ctx"], given)
    text = detail["msg"].removeprefix("Input ").replace("valid dictionary", "mapping of keys to values")
    text = text.partition(" or instance of ")[0].replace(" after validation, not 0", "")  # pydantic's own affairs
    return f"{text}, not {short(given)}"


def _length(kind: str, limits: Mapping[str, Any], given: Any) -> str:
    """Return what is wrong with how long a list, a mapping or a text is."""
    what, most = ("characters" if kind.startswith("string") else "entries"), limits.get("max_length")
    if most is not None:
        return f"has {len(given)} {what}, at most {most} are allowed"
    least = limits["min_length"]
    return f"has {len(given)} {what}, at least {least} are needed" if given else "is empty"


def short(value: object) -> str:
    """Return a value as it is told in an error."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def as_list(words: Iterable[str]) -> str:
    """Return words as a list of YAML in one line, in quotes those that would mean something else without."""
    return f"[{', '.join(map(_as_item, words))}]"


def _as_item(word: str) -> str:
    try:
        plain = yaml.safe_load(f"[{word}]") == [word]
    except (yaml.YAMLError, ValueError):
        plain = False
    return word if plain else json.dumps(word)


def _fields(model: type[BaseModel], keys: KeyPath) -> list[str]:
    from pydantic import BaseModel  # noqa: PLC0415 - 95 ms, only for an error

    for key in keys:
        if isinstance(key, int) or key not in model.model_fields:
            continue
        kinds: list[Any] = [model.model_fields[key].annotation]
        while kinds:
            kind = kinds.pop()
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                model = kind
                break
            kinds.extend(getattr(kind, "__args__", ()))
    return [field.alias or name for name, field in model.model_fields.items()]
