"""The JSON Schema of tournament files: kept beside the tournaments, and true of each of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from leagues import ROOT, Console

from arena.tournament.file import NOT_YET, load_tournament, tournament_schema

TOURNAMENTS = ROOT / "tournaments"
KEPT = TOURNAMENTS / "schema.json"
KINDS = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def fits(schema: dict[str, Any], value: Any, defs: dict[str, Any]) -> bool:
    """Return True if a value is as a schema says; only what our own schema uses is understood."""
    if "$ref" in schema:
        return fits(defs[schema["$ref"].rpartition("/")[2]], value, defs)
    kind = KINDS.get(schema.get("type", ""), object)
    among = [schema["const"]] if "const" in schema else schema.get("enum", [value])
    return (
        isinstance(value, kind)
        and not (kind is int and isinstance(value, bool))
        and any(type(value) is type(one) and value == one for one in among)
        and ("anyOf" not in schema or any(fits(one, value, defs) for one in schema["anyOf"]))
        and ("oneOf" not in schema or sum(fits(one, value, defs) for one in schema["oneOf"]) == 1)
        and INSIDE.get(type(value), lambda *_: True)(schema, value, defs)
    )


def text_fits(schema: dict[str, Any], text: str, _: Any) -> bool:
    length = schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text))
    return length and re.search(schema.get("pattern", ""), text) is not None


def number_fits(schema: dict[str, Any], number: int, _: Any) -> bool:
    return bool(schema.get("minimum", number) <= number <= schema.get("maximum", number))


def list_fits(schema: dict[str, Any], items: list[Any], defs: Any) -> bool:
    return len(items) >= schema.get("minItems", 0) and all(fits(schema.get("items", {}), one, defs) for one in items)


def mapping_fits(schema: dict[str, Any], mapping: dict[str, Any], defs: Any) -> bool:
    known, open_ended = schema.get("properties", {}), schema.get("additionalProperties", True)
    return set(schema.get("required", ())) <= set(mapping) and all(
        fits(known[key], value, defs) if key in known else open_ended for key, value in mapping.items()
    )


INSIDE: dict[type, Any] = {str: text_fits, int: number_fits, list: list_fits, dict: mapping_fits}


def is_valid(content: Any) -> bool:
    schema = tournament_schema()
    return fits(schema, content, schema["$defs"])


GOOD: dict[str, Any] = {"name": "a", "seed": 1, "rulesets": ["yatzy"], "agents": ["greedy", "random"], "games": 2}


def test_it_is_printed_without_a_file(arena: Console, tmp_path: Path) -> None:
    printed = arena("run", "--schema", cwd=tmp_path)
    assert (printed.code, printed.err) == (0, "")
    assert json.loads(printed.out) == tournament_schema()
    assert list(tmp_path.iterdir()) == []
    assert arena("run", cwd=tmp_path).mistake == "Missing argument 'FILE'."


def test_the_kept_schema_is_the_programs() -> None:
    """If it is not: ``arena run --schema > tournaments/schema.json``."""
    assert json.loads(KEPT.read_text(encoding="utf-8")) == tournament_schema()


@pytest.mark.parametrize("file", sorted(TOURNAMENTS.glob("*.yaml")), ids=lambda file: file.name)
def test_the_repositorys_tournaments_are_valid(file: Path) -> None:
    assert is_valid(yaml.safe_load(file.read_text(encoding="utf-8")))
    assert load_tournament(file).name == file.stem


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"seed": "draw", "strict": False, "seats": 1},
        {"rulesets": [{"id": "fifteen", "options": {"upper_bonus_at": 63}}, {"file": "x.yaml"}]},
        {"rulesets": [{"id": "showdown", "options": {"rounds": "none", "straight_above_three": False}}]},
        {"agents": [{"name": "a", "path": "b.py", "params": {"x": [1]}}, {"glob": "*.py"}, {"class": "a.b:C"}]},
        {"schedule": {"gauntlet": ["greedy"]}},
        {"faults": {"disqualify_after": 1}},
    ],
)
def test_what_is_allowed(keys: dict[str, Any]) -> None:
    assert is_valid({**GOOD, **keys})


@pytest.mark.parametrize(
    "keys",
    [
        {"seed": "drawn"},
        {"seed": -1},
        {"seed": True},
        {"name": "a/b"},
        {"games": 0},
        {"seats": 7},
        {"strict": "no"},
        {"rulesets": []},
        {"rulesets": [{"id": "a", "file": "b"}]},
        {"rulesets": [{"options": {}}]},
        {"rulesets": [{"id": "fifteen", "options": {"rolls": 4}}]},
        {"rulesets": [{"id": "fifteen", "options": {"rols": 2}}]},
        {"rulesets": [{"id": "showdown", "options": {"rounds": 0}}]},
        {"agents": [{"params": {}}]},
        {"agents": [{"name": "x" * 201}]},
        {"agents": [{"clas": "a:B"}]},
        {"schedule": "swiss"},
        {"faults": {}},
        {"faults": {"disqualify_after": 0}},
        {"faults": {"disqualify_after": 1, "more": 1}},
        {"schedule": {"gauntlet": []}},
        *({key: {}} for key in NOT_YET),
    ],
    ids=str,
)
def test_what_is_not(keys: dict[str, Any]) -> None:
    assert not is_valid({**GOOD, **keys})


def test_every_key_is_described() -> None:
    schema = tournament_schema()
    parts = [schema, *schema["$defs"].values()]
    parts += [inner for part in parts for inner in part.get("anyOf", ())]
    described = [(key, value) for part in parts for key, value in part.get("properties", {}).items()]
    assert len(described) > 15
    for key, value in described:
        assert value.get("description"), key
        assert "``" not in value["description"]


# The contest that the repository shows


def test_the_classroom(tmp_path: Path, arena: Console) -> None:
    places = ("--out", tmp_path / "out", "--run-dir", tmp_path / "run")
    run = arena("run", TOURNAMENTS / "classroom.yaml", "--backend", "serial", "--games", "4", *places)
    assert run.code == 0, run.err
    for folder in ("yahtzee", "yahtzee+joker=free"):
        lines = json.loads((tmp_path / "out" / folder / "standings.json").read_text())["standings"]
        faults_by_name = {line["name"]: line["faults_by_kind"] for line in lines}
        dan = faults_by_name.pop("dan")
        assert dan == {"start": 16}
        assert faults_by_name == {"ada": {}, "ben": {}, "carol": {}, "greedy": {}}
    assert "dan: loses every game, as it cannot be loaded: " in run.err
    assert "No module named 'loaded_dice'" in run.out.replace("\n", " ")
    assert run.lines[-2].startswith("seed ")
    assert not list((TOURNAMENTS / "submissions").rglob("__pycache__"))
