"""A user's mistake is one line that says where and what; nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from leagues import BOTS, ROOT, Console
from mistakes import GOOD, changed, refused

from arena.rules.shipped import ruleset_ids
from arena.tournament.agents import AgentText
from arena.tournament.file import NOT_YET, TournamentText

TOP_KEYS = f"allowed: {', '.join(sorted(TournamentText.model_fields))}"
AGENT_KEYS = f"allowed: {', '.join(sorted(field.alias or name for name, field in AgentText.model_fields.items()))}"
KNOWN = f"known by name: {', '.join(sorted(path.stem for path in (ROOT / 'agents').glob('*.py')))}"
RULESETS = f"there are {', '.join(ruleset_ids())}"
ANOTHER = "give one of them another name"
SEEDS = f"should be draw, or a whole number from 0 to {(1 << 128) - 1}"
NO_FOLDER = "cannot name a folder: letters, digits and _ . + - only, at most 100"
SCHEDULES = "round_robin, or {gauntlet: [NAME, ...]}"
BREAKS = str(BOTS / "breaks.py")


def test_the_good_file_is_good(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(GOOD)
    assert arena("run", "t.yaml", "--backend", "serial", cwd=tmp_path).code == 0
    assert yaml.safe_load(changed()) == yaml.safe_load(GOOD)


# Keys and values


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (
            {"rulesets": ["two_stage"]},
            f"3: rulesets[0]: unknown ruleset 'two_stage', did you mean 'two-stage'?; {RULESETS}",
        ),
        ({"rulesets": ["chess"]}, f"3: rulesets[0]: unknown ruleset 'chess'; {RULESETS}"),
        (
            {"rulesets": ["yatzy", {"id": "yatzi"}]},
            f"3: rulesets[1]: unknown ruleset 'yatzi', did you mean 'yatzy'?; {RULESETS}",
        ),
        ({"rulesets": ["yatzy", "yatzy"]}, "3: rulesets[1]: yatzy stands twice"),
        ({"rulesets": ["yatze"]}, f"3: rulesets[0]: unknown ruleset 'yatze', did you mean 'yatzy'?; {RULESETS}"),
        ({"rulesets": ["Yatzy"]}, f"3: rulesets[0]: unknown ruleset 'Yatzy', did you mean 'yatzy'?; {RULESETS}"),
        ({"rulesets": ["../yatzy"]}, f"3: rulesets[0]: unknown ruleset '../yatzy', did you mean 'yatzy'?; {RULESETS}"),
        ({"rulesets": []}, "3: rulesets: is empty"),
        ({"gmaes": 2}, f"6: gmaes: unknown key, did you mean 'games'?; {TOP_KEYS}"),
        ({"xyz": 2}, f"6: xyz: unknown key; {TOP_KEYS}"),
        (
            {"rulesets": [{"id": "yatzy", "opts": 1}]},
            "3: rulesets[0].opts: unknown key, did you mean 'options'?; allowed: file, id, options",
        ),
        (
            {"agents": ["greedy", {"nam": "x", "path": "y"}]},
            f"4: agents[1].nam: unknown key, did you mean 'name'?; {AGENT_KEYS}",
        ),
        ({"name": None}, "1: name: is required"),
        ({"seed": None}, "1: seed: is required"),
        ({"games": None}, "1: games: is required"),
        ({"agents": None}, "1: agents: is required"),
        ({"rulesets": None}, "1: rulesets: is required"),
        ({"agents": ["greedy"]}, "4: agents: 1 agent cannot play: 2 seats want as many"),
        ({"agents": []}, "4: agents: is empty"),
        ({"agents": ["greedy", "greedy"]}, f"4: agents[1]: the name 'greedy' stands twice; {ANOTHER}"),
        (
            {"agents": ["greedy", {"name": "greedy", "path": BREAKS}]},
            f"4: agents[1]: the name 'greedy' stands twice: {ROOT}/agents/greedy.py and {BREAKS}; {ANOTHER}",
        ),
        ({"agents": ["greedy", "greedi"]}, f"4: agents[1]: no agent 'greedi', did you mean 'greedy'?; {KNOWN}"),
        ({"agents": ["greedy", {}]}, "4: agents[1]: an agent needs a name, or one of path, glob, class, command"),
        (
            {"agents": ["greedy", {"name": " x", "path": BREAKS}]},
            "4: agents[1]: ' x' is no name: a space stands at its beginning",
        ),
        (
            {"agents": ["greedy", {"name": "a\tb", "path": BREAKS}]},
            "4: agents[1]: 'a\\tb' is no name: it has the character U+0009, which cannot be printed",
        ),
        ({"games": 0}, "5: games: should be greater than or equal to 1, not 0"),
        ({"games": -2}, "5: games: should be greater than or equal to 1, not -2"),
        ({"games": 1}, "5: games: 1 games do not divide into 2 seatings: 2 would"),
        ({"games": 201}, "5: games: 201 games do not divide into 2 seatings: 200 or 202 would"),
        ({"games": 10_000_001}, "5: games: should be less than or equal to 10000000, not 10000001"),
        ({"games": 8, "seats": 3}, "5: games: 8 games do not divide into 3 seatings: 6 or 9 would"),
        ({"seats": 0}, "6: seats: should be greater than or equal to 1, not 0"),
        ({"seats": -2}, "6: seats: should be greater than or equal to 1, not -2"),
        ({"seats": 7}, "6: seats: should be less than or equal to 6, not 7"),
        ({"seats": 4}, "4: agents: 2 agents cannot play: 4 seats want as many"),
        (
            {"rulesets": ["thirteen", "showdown"], "seats": 1},
            "3: rulesets[1]: showdown is for 2 to 6 seats, not 1",
        ),
        ({"seed": -1}, f"2: seed: {SEEDS}, not -1"),
        ({"seed": 1 << 128}, f"2: seed: {SEEDS}, not {1 << 128}"),
        ({"seed": "drow"}, f"2: seed: {SEEDS}, not 'drow', did you mean 'draw'?"),
        (
            {"schedule": "round_robbin"},
            f"6: schedule: 'round_robbin' is not allowed, did you mean 'round_robin'?: {SCHEDULES}",
        ),
        ({"name": ""}, f"1: name: '' {NO_FOLDER}"),
        ({"name": ".."}, f"1: name: '..' {NO_FOLDER}"),
        ({"name": "a/b"}, f"1: name: 'a/b' {NO_FOLDER}"),
        ({"name": "x" * 101}, f"1: name: '{'x' * 101}' {NO_FOLDER}"),
        ({"schedule": "swiss"}, f"6: schedule: 'swiss' is not allowed: {SCHEDULES}"),
        (
            {"schedule": {"gauntlet": ["gredy"]}},
            "6: schedule.gauntlet[0]: no agent 'gredy' here, did you mean 'greedy'?; one of greedy, random",
        ),
        ({"schedule": {"gauntlet": []}}, "6: schedule.gauntlet: is empty"),
        ({"schedule": {"gauntlet": 5}}, "6: schedule.gauntlet: should be a valid list, not 5"),
    ],
)
def test_keys_and_values(keys: dict[str, Any], told: str, arena: Console, tmp_path: Path) -> None:
    assert refused(arena, tmp_path, changed(**keys)) == told


def test_a_ruleset_file_that_is_not_there(arena: Console, tmp_path: Path) -> None:
    """The tournament file itself, whose name may be near, is none."""
    content = changed(rulesets=[{"file": "s.yaml"}])
    assert refused(arena, tmp_path, content) == "3: rulesets[0].file: s.yaml: no such ruleset file"
    (tmp_path / "tt.yaml").write_text("id: mine")
    content = changed(rulesets=[{"file": "tx.yaml"}])
    told = "3: rulesets[0].file: tx.yaml: no such ruleset file, did you mean 'tt.yaml'?"
    assert refused(arena, tmp_path, content) == told


def test_a_key_that_stands_twice(arena: Console, tmp_path: Path) -> None:
    told = refused(arena, tmp_path, GOOD + "games: 8\n")
    assert told == "6: games: the key stands twice, first in line 5"
    told = refused(arena, tmp_path, GOOD.replace("greedy", "{name: greedy, name: x}"))
    assert told == "4: agents[0].name: the key stands twice, first in line 4"


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"name": 5}, "1: name: should be a valid string, not 5"),
        ({"name": ["a"]}, "1: name: should be a valid string, not ['a']"),
        ({"seed": "7"}, f"2: seed: {SEEDS}, not '7'"),
        ({"seed": 7.5}, f"2: seed: {SEEDS}, not 7.5"),
        ({"seed": True}, f"2: seed: {SEEDS}, not True"),
        ({"rulesets": "yatzy"}, "3: rulesets: should be a valid list, not 'yatzy'"),
        ({"rulesets": {"id": "yatzy"}}, "3: rulesets: should be a valid list, not {'id': 'yatzy'}"),
        ({"rulesets": [5]}, "3: rulesets[0]: should be a mapping of keys to values"),
        ({"rulesets": [{"id": 5}]}, "3: rulesets[0].id: should be a valid string, not 5"),
        ({"agents": "greedy"}, "4: agents: should be a valid list, not 'greedy'"),
        ({"agents": {"greedy": 1}}, "4: agents: should be a valid list, not {'greedy': 1}"),
        ({"agents": ["greedy", 5]}, "4: agents[1]: should be a mapping of keys to values"),
        ({"agents": ["greedy", ["random"]]}, "4: agents[1]: should be a mapping of keys to values"),
        ({"agents": ["greedy", {"name": 5}]}, "4: agents[1].name: should be a valid string, not 5"),
        ({"agents": ["greedy", {"path": 5}]}, "4: agents[1].path: should be a valid string, not 5"),
        (
            {"agents": ["greedy", {"path": "x", "params": [1]}]},
            "4: agents[1].params: should be a mapping of keys to values",
        ),
        ({"games": "8"}, "5: games: should be a valid integer, not '8'"),
        ({"games": 8.0}, "5: games: should be a valid integer, not 8.0"),
        ({"seats": "2"}, "6: seats: should be a valid integer, not '2'"),
        ({"schedule": ["round_robin"]}, f"6: schedule: ['round_robin'] is not allowed: {SCHEDULES}"),
        ({"schedule": 5}, f"6: schedule: 5 is not allowed: {SCHEDULES}"),
    ],
)
def test_wrong_types(keys: dict[str, Any], place: str, arena: Console, tmp_path: Path) -> None:
    told = refused(arena, tmp_path, changed(**keys))
    assert told.startswith(place)
    assert "Text" not in told  # the names of our own classes tell nobody anything


@pytest.mark.parametrize("key", ["name", "seed", "rulesets", "agents", "games", "seats", "schedule"])
def test_nothing_where_something_is_wanted(key: str, arena: Console, tmp_path: Path) -> None:
    lines = [f"{key}:" if line.startswith(f"{key}:") else line for line in GOOD.splitlines()]
    content = "\n".join(lines if f"{key}:" in lines else [*lines, f"{key}:"])
    number = content.splitlines().index(f"{key}:") + 1
    told = refused(arena, tmp_path, content)
    assert told.startswith(f"{number}: {key}: ")
    assert "not nothing" in told or "nothing is not allowed" in told


def test_several_mistakes_are_all_told(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(changed(games="x", seed="y", nmae=1))
    run = arena("run", "t.yaml", cwd=tmp_path)
    assert run.code == 2
    assert run.err.splitlines() == [
        f"error: t.yaml:2: seed: {SEEDS}, not 'y'",
        "error: t.yaml:5: games: should be a valid integer, not 'x'",
        f"error: t.yaml:6: nmae: unknown key, did you mean 'name'?; {TOP_KEYS}",
    ]


def test_a_value_that_cannot_be_read_hides_no_other_mistake(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("name: 5\nseed: 0x10\nrulesets: [010]\nagents: [greedy, random]\ngames: x\n")
    run = arena("run", "t.yaml", cwd=tmp_path)
    digits = "is no plain whole number: digits only, no leading 0, no signs within"
    assert run.err.splitlines() == [
        "error: t.yaml:1: name: should be a valid string, not 5",
        f"error: t.yaml:2: seed: '0x10' {digits}",
        f"error: t.yaml:3: rulesets[0]: '010' {digits}",
        "error: t.yaml:5: games: should be a valid integer, not 'x'",
    ]
    assert refused(arena, tmp_path, GOOD.replace("seed: 7", "seed: 0x10")) == f"2: seed: '0x10' {digits}"
    within = GOOD.replace("[greedy", "[{name: greedy, params: {risk: 0x10}}")
    assert refused(arena, tmp_path, within) == f"4: agents[0].params.risk: '0x10' {digits}"


@pytest.mark.parametrize("key", NOT_YET)
@pytest.mark.parametrize("value", [True, "auto", {"a": 1}, ["x"], None])
def test_keys_that_are_not_supported_yet(key: str, value: Any, arena: Console, tmp_path: Path) -> None:
    content = GOOD + f"{key}: {yaml.safe_dump(value, default_flow_style=True)}"
    assert refused(arena, tmp_path, content) == f"6: {key}: not supported yet"


# Bots


HOLD = "def hold(turn):\n    return turn.dice\n"
CHOOSE_ROW = "def choose_row(turn):\n    return turn.open_rows[0]\n"
FUNCTIONS = HOLD + CHOOSE_ROW


@pytest.mark.parametrize(
    ("source", "agent", "told"),
    [
        ("def hold(turn:\n    pass\n", {}, "mine.py:1: cannot be loaded: SyntaxError: '(' was never closed"),
        ("\nimport nosuch\n", {}, "mine.py:2: cannot be loaded: ModuleNotFoundError: No module named 'nosuch'"),
        ("\n\nraise ValueError('no')\n", {}, "mine.py:3: cannot be loaded: ValueError: no"),
        ("raise SystemExit\n", {}, "mine.py:1: cannot be loaded: SystemExit"),
        (CHOOSE_ROW, {}, "mine.py: no bot here: it has no function hold, nor a class with them"),
        (
            HOLD,
            {},
            "mine.py: no bot here: it has no function choose_row, nor a class with them",
        ),
        (FUNCTIONS, {"params": {"risk": 1}}, "mine.py: params are for classes; this bot is a module of functions"),
        (
            (BOTS / "raises.py").read_text(),
            {"params": {"att": "hold"}},
            "mine.py: Raises has no parameter 'att', did you mean 'at'?; it takes ['at', 'error', 'hand']",
        ),
        (
            (BOTS / "two_bots.py").read_text(),
            {},
            "mine.py: has several bots; name one of mine.py:Bold, mine.py:Meek",
        ),
    ],
)
def test_bots_that_do_not_load(source: str, agent: dict[str, Any], told: str, arena: Console, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(source)
    found = refused(arena, tmp_path, changed(agents=["greedy", {"path": "mine.py", **agent}]))
    assert found.startswith("4: agents[1]")
    assert found.endswith(f": {tmp_path.resolve()}/{told}")


def test_paths_that_are_not_there(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    (tmp_path / "clever").mkdir()
    (tmp_path / "clever" / "helper.py").write_text(FUNCTIONS)
    where = f"4: agents[1].path: {tmp_path.resolve()}"
    for path, told in {
        "main.py": "main.py: no such file or folder, did you mean 'mine.py'?",
        "bots/mine.py": "bots/mine.py: no such file or folder",
        "clever": "clever: the folder has no agent.py",
        "a" * 300: "a" * 300 + ": cannot be read: File name too long",
        "mine.py:Mine": "mine.py: no bot class 'Mine'",
    }.items():
        assert refused(arena, tmp_path, changed(agents=["greedy", {"path": path}])) == f"{where}/{told}"


def test_a_name_that_is_a_path(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    told = refused(arena, tmp_path, changed(agents=["greedy", "../mine"]))
    assert told == "4: agents[1]: '../mine' is a path and not a name: write it as path"


def test_a_name_longer_than_file_names_are(arena: Console, tmp_path: Path) -> None:
    told = refused(arena, tmp_path, changed(agents=["greedy", "名" * 100]))
    assert told.startswith("4: agents[1]: no agent '名名")
