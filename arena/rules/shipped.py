"""The rulesets that ship with the arena, one YAML file each, and how they are found by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from arena.errors import FileError, UserError, nearest
from arena.rules.file import load_ruleset
from arena.rules.model import OptionValue, Ruleset

FOLDER = Path(__file__).parent / "catalogue"


def ruleset_ids() -> list[str]:
    """Return the ids of the shipped rulesets, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def file_of_ruleset(ruleset_id: str, more: Mapping[str, Path] | None = None, complaint: str = "") -> Path:
    """Return the file of a ruleset, one of the shipped or one of more.

    Args:
        ruleset_id: which.
        more: other files by id; a shipped ruleset comes first.
        complaint: what is added to the error.

    Raises:
        UserError: for an unknown id, naming the nearest.
    """
    files = {**(more or {}), **{name: FOLDER / f"{name}.yaml" for name in ruleset_ids()}}
    if ruleset_id not in files:
        known = [*ruleset_ids(), *sorted(more or {})]
        hint = nearest(ruleset_id, known)
        raise UserError(f"unknown ruleset {ruleset_id!r}{hint}; there are {', '.join(known)}{complaint}")
    return files[ruleset_id]


def load_own(path: Path, changes: Mapping[str, OptionValue] | None = None, *, namer: Path | None = None) -> Ruleset:
    """Read a ruleset file of one's own, as `load_ruleset`.

    Raises:
        FileError: also if its id is one of the arena's own.
    """
    ruleset = load_ruleset(path, changes, namer=namer)
    if ruleset.id in ruleset_ids():
        raise FileError(path, f"the id {ruleset.id!r} is one of the arena's own rulesets; give yours another")
    return ruleset


def shipped_ruleset(ruleset_id: str, changes: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """Return a shipped ruleset, with some of its options changed.

    Raises:
        UserError: for an unknown id, naming the nearest; for options as `load_ruleset`.
    """
    return load_ruleset(file_of_ruleset(ruleset_id), changes)
