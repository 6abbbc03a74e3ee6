"""The rulesets that ship with the arena, one YAML file each, and how they are found by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from arena.errors import UserError, nearest
from arena.rules.file import load_ruleset
from arena.rules.model import OptionValue, Ruleset

FOLDER = Path(__file__).parent


def ruleset_ids() -> list[str]:
    """Return the ids of the shipped rulesets, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def shipped_ruleset(ruleset_id: str, changes: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """Return a shipped ruleset, with some of its options changed.

    Raises:
        UserError: for an unknown id, naming the nearest; for options as `load_ruleset`.
    """
    ids = ruleset_ids()
    if ruleset_id not in ids:
        raise UserError(f"unknown ruleset {ruleset_id!r}{nearest(ruleset_id, ids)}; there are {', '.join(ids)}")
    return load_ruleset(FOLDER / f"{ruleset_id}.yaml", changes)
