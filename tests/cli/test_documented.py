"""Whatever is registered is documented: every bot, ruleset, option, command and key."""

from __future__ import annotations

import re

import pytest
from leagues import ROOT

from arena.agent.sources import bundled_names
from arena.cli.main import COMMANDS
from arena.cli.run import run
from arena.records import FAULT_KINDS
from arena.rules.options import OPTIONS
from arena.rules.shipped import ruleset_ids
from arena.tournament.file import AgentText, TournamentText

PAGES = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))])


def is_named(word: str) -> bool:
    """True if the word stands by itself in the pages."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", PAGES) is not None


@pytest.mark.parametrize("name", bundled_names())
def test_bots(name: str) -> None:
    assert is_named(f"`{name}`")


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_rulesets(ruleset: str) -> None:
    assert is_named(f"`{ruleset}`")


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_options(option: str) -> None:
    assert is_named(option)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_commands(command: str) -> None:
    assert is_named(f"arena {command}")


@pytest.mark.parametrize("option", sorted(option for parameter in run.params for option in parameter.opts))
def test_options_of_run(option: str) -> None:
    assert is_named(option.upper() if option == "file" else option)


KEYS = {**TournamentText.model_fields, **AgentText.model_fields}


@pytest.mark.parametrize("key", sorted(field.alias or name for name, field in KEYS.items()))
def test_keys_of_the_tournament_file(key: str) -> None:
    assert is_named(key)


@pytest.mark.parametrize("kind", [end.label for end in FAULT_KINDS])
def test_faults(kind: str) -> None:
    assert is_named(kind)
