"""How tournament files name external bots: mistakes, names, identity, and what becomes of a broken one."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from external_bots import PYTHON
from leagues import Console, play_league, write_tournament

from arena.agent.bundle import copy_source, in_home, unchanged
from arena.agent.commands import launch, locate_command, missing_files
from arena.agent.programs import chain, on_path, surroundings
from arena.errors import UserError
from arena.records import End

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "hello"}', flush=True)
    else:
        hold, turns = message["type"] == "hold", message["turns"]
        answers = [turn["dice"] if hold else turn["open_rows"][0] for turn in turns]
        print(json.dumps({"answers": answers}), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a bot, a file that cannot be executed, and one that can and is no program."""
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "plain").write_text("x")
    (tmp_path / "silent.py").write_text("")
    (tmp_path / "chatty.py").write_text("print('Hello!')")
    (tmp_path / "raises.py").write_text("raise ValueError('no such luck')")
    (tmp_path / "traces.py").write_text("raise SystemExit('KeyError: 1\\n    at bot\\n\\nTongue 5.0')\n")
    (tmp_path / "ends.py").write_text("import os, sys\nprint('no data\\n', file=sys.stderr)\nos._exit(3)\n")
    odd = tmp_path / "odd"
    odd.write_bytes(b"\x7fELF nonsense")
    odd.chmod(0o755)
    return tmp_path


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"command": ["no-such-program", "bot.py"]},
        "agents[1].command: no program 'no-such-program': neither a file beside",
    ),
    ({"command": ["./bto.py"]}, "agents[1].command: no program './bto.py', did you mean 'bot.py'?"),
    ({"command": ["./plain"]}, "agents[1].command: './plain' is not executable: chmod +x, or name the program"),
    ({"command": ["plain"]}, "agents[1].command: 'plain' is not executable"),
    ({"command": []}, "agents[1].command: "),
    ({"command": "node bot.js"}, "agents[1].command: is a list of words: write [node, bot.js]"),
    ({"command": "node -e 'a, b' 5 no"}, 'is a list of words: write [node, -e, "a, b", "5", "no"]'),
    ({"command": "node 'bot.js"}, "is a list of words: write [node, "),
    ({"command": " "}, "agents[1].command: is a list of words: write one, such as [node, bot.js]"),
    ({"command": [1]}, "agents[1].command[0]: "),
    ({"command": [""]}, "agents[1].command: the first word names a program, and this one is empty"),
    ({"command": ["a\0b"]}, r"agents[1].command[0]: 'a\x00b' has a zero byte, which no word"),
    ({"command": [*PYTHON, "."]}, "agents[1].command: '.' is the folder of this file"),
    ({"command": [*PYTHON, ".."]}, "agents[1].command: '..' is the folder of this file"),
    ({"command": [*PYTHON, "bot.py"], "path": "bot.py"}, "agents[1]: has path and command; one of them is enough"),
    ({"command": [*PYTHON, "bot.py"], "isolation": "inline"}, "agents[1]: a command has a process of its own"),
    ({"command": [*PYTHON, "bot.py"], "params": {"risk": float("nan")}}, "risk is nan, which is no number in JSON"),
    ({"command": [*PYTHON, "bot.py"], "name": "greedy"}, "the name 'greedy' stands twice"),
    ({"command": [*PYTHON, "silent.py"]}, "silent.py: cannot be started: its process ended, with exit code 0"),
    ({"command": [*PYTHON, "chatty.py"]}, "chatty.py: cannot be started: answered with no JSON"),
    ({"command": [*PYTHON, "raises.py"]}, "with exit code 1: ValueError: no such luck"),
    (
        {"command": [*PYTHON, "traces.py"]},
        "traces.py: cannot be started: its process ended, with exit code 1: KeyError: 1",
    ),
    ({"command": [*PYTHON, "bto.py"]}, "; no file 'bto.py' in {folder}, did you mean 'bot.py'?"),
    (
        {"path": "ends.py", "isolation": "process"},
        "ends.py: cannot be loaded: its process ended, with exit code 3: no data",
    ),
    ({"command": ["./odd"]}, "/odd cannot be executed: Exec format error"),
]


@pytest.mark.parametrize(("agent", "told"), MISTAKES, ids=lambda part: str(part)[:60])
def test_mistakes(agent: dict[str, Any], told: str, arena: Console, folder: Path) -> None:
    file = write_tournament(folder, agents=["greedy", agent], isolation=None)
    mistake = arena("run", file, cwd=folder).mistake
    assert told.replace("{folder}", str(folder)) in mistake
    assert "tournament.yaml:" in mistake
    assert not (folder / "runs").exists()


def test_a_tournament_that_is_inline(arena: Console, folder: Path) -> None:
    file = write_tournament(folder, agents=["greedy", {"command": [*PYTHON, "bot.py"]}], isolation="inline")
    told = arena("run", file, cwd=folder).mistake
    assert told.endswith(
        "agents[1].command: a command has a process of its own, not inline: write isolation: auto beside it"
    )
    agents = ["greedy", {"command": [*PYTHON, "bot.py"], "isolation": "auto"}]
    played = play_league(write_tournament(folder, agents=agents, isolation="inline"), folder)
    assert [line["faults"] for line in standings(played.files)] == [0, 0]


def standings(files: dict[str, bytes]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = json.loads(files["two-stage/standings.json"])["standings"]
    return sorted(lines, key=lambda line: str(line["name"]))


def test_broken_ones_lose_their_games(folder: Path) -> None:
    broken = [["no-such-program"], [*PYTHON, "silent.py"], [*PYTHON, "raises.py"], ["./odd"]]
    agents = ["greedy", "random", *({"command": words, "name": f"broken{n}"} for n, words in enumerate(broken))]
    schedule = {"gauntlet": ["greedy", "random"]}
    file = write_tournament(folder, agents=agents, schedule=schedule, strict=False, isolation=None)
    whole = play_league(file, folder / "whole")
    assert [line["faults"] for line in standings(whole.files)] == [16] * len(broken) + [0, 0]
    kinds = {fault.kind for results in whole.results.values() for result in results for fault in result.faults}
    assert kinds == {End.START}
    without = play_league(write_tournament(folder, agents=agents[:2]), folder / "without")
    [[pair]] = without.results.values()
    [same] = [results[0] for names, results in whole.results.items() if set(names[1:]) == {"greedy", "random"}]
    assert (same.totals == pair.totals).all()


def test_what_broken_ones_had_printed(folder: Path) -> None:
    """All of it is kept with the faults, and tells of the bot's own file."""
    (folder / "shows.py").write_text(
        "import os, sys\nprint(__file__, os.path.realpath(__file__), sep='\\n', file=sys.stderr)\nos._exit(3)\n"
    )
    broken = [{"command": [*PYTHON, "shows.py"], "name": "command"}, {"path": "shows.py", "name": "python"}]
    schedule = {"gauntlet": ["greedy"]}
    agents = ["greedy", *broken]
    file = write_tournament(folder, agents=agents, schedule=schedule, strict=False, isolation="process")
    played = play_league(file, folder)
    faults = [fault for results in played.results.values() for result in results for fault in result.faults]
    own = str(folder / "shows.py")
    assert {fault.agent for fault in faults} == {"command", "python"}
    assert {fault.printed.splitlines()[-1] for fault in faults} == {own}
    assert all(fault.message.endswith(f", with exit code 3: {own}") for fault in faults)


def test_names(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "run.sh").write_text("")
    shutil.copy("/bin/true", folder / "runner.bin")
    for words, name in (
        ([*PYTHON, "bot.py"], "bot"),
        (["./runner.bin"], "runner"),
        (["runner.bin", "bot.py"], "runner"),
        ([*PYTHON, "mine"], "mine"),
        ([*PYTHON, "mine/run.sh"], "run"),
        ([*PYTHON, "-c", "pass"], Path(sys.executable).stem),
    ):
        assert locate_command(words, folder).name == name
    assert locate_command([*PYTHON, "bot.py"], folder, name="other").name == "other"


def test_identity(folder: Path) -> None:
    """Words, files, folders and parameters; not where it all lies."""
    (folder / "mine").mkdir()
    (folder / "mine" / "odds.json").write_text("1")
    words = [*PYTHON, "bot.py", "mine", "fast"]

    def entrant(*words: str, **params: Any) -> str:
        return locate_command(words, folder, params=params).entrant.identity

    known = [entrant(*words), entrant(*words[:-1]), entrant(*words[:-1], "slow"), entrant(*words, risk=1)]
    assert len(set(known)) == 4
    other = folder / "other"
    shutil.copytree(folder, other, ignore=lambda *_: ["other"])
    assert locate_command(words, other).entrant.identity == known[0]
    for file in ("bot.py", "mine/odds.json"):
        (folder / file).write_text("2")
        known.append(entrant(*words))
    (folder / "fast").write_text("a word that names a file is meant as that")
    known.append(entrant(*words))
    assert len(set(known)) == 7


def test_what_is_unpacked(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is named, and nothing that lies beside it."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "data.json").write_text("{}")
    (folder / "in").mkdir()
    inner = folder / "in" / "mine"
    (inner / "deep").mkdir(parents=True)
    (inner / "deep" / "x").write_text("x")
    (inner / ".hidden").write_text("x")
    tool = folder / "in" / "tool"
    shutil.copy("/bin/true", tool)
    words = ["./tool", "../bot.py", "mine", str(elsewhere / "data.json"), "--fast"]
    ref = locate_command(words, folder / "in")
    home = tmp_path_factory.mktemp("homes") / "home"
    copy_source(ref, home)
    assert unchanged(in_home(ref, home))
    found = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    assert found == ["mine/deep/x", "outside/1/bot.py", "outside/3/data.json", "tool"]
    started = launch(ref, home)
    assert started.argv == (str(home / "tool"), "outside/1/bot.py", "mine", "outside/3/data.json", "--fast")
    assert os.access(home / "tool", os.X_OK)
    assert str(folder) not in "".join(started.readable + started.executable)


def test_scripts_that_name_what_interprets_them(folder: Path) -> None:
    """At both levels."""
    script = folder / "script"
    script.write_text(f"#!{sys.executable} -IS\n{BOT}")
    script.chmod(0o755)
    levels = ("process", "auto")
    agents = ["greedy", *({"command": ["./script"], "name": level, "isolation": level} for level in levels)]
    played = play_league(write_tournament(folder, agents=agents, schedule={"gauntlet": ["greedy"]}), folder)
    assert [line["faults"] for line in standings(played.files)] == [0, 0, 0]


def test_what_starts_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix, shims = tmp_path / "prefix", tmp_path / "shims"
    for folder in (prefix / "bin", shims):
        folder.mkdir(parents=True)
        (folder / "tongue").write_text("#!/bin/sh\n")
        (folder / "tongue").chmod(0o755)
    (tmp_path / "only").mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(shims), str(prefix / "bin"), "not/absolute"]))
    assert on_path("tongue") == prefix / "bin" / "tongue"
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env -S tongue -v\nsay")
    link = tmp_path / "link"
    link.symlink_to("script")
    found = chain(link)
    assert {link, script, Path("/usr/bin/env"), prefix / "bin" / "tongue"} <= set(found)
    assert prefix / "lib" in surroundings(found)
    assert prefix / "share" not in surroundings(found)
    assert Path("/lib") in surroundings([])
    assert not {Path("/"), Path("/etc"), Path("/usr"), tmp_path} & set(surroundings(found))
    monkeypatch.setenv("PATH", str(shims))
    assert on_path("tongue") == shims / "tongue"
    with pytest.raises(UserError, match="no program 'other': neither a file beside nor on PATH"):
        locate_command(["other"], tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["bto.py"], "; no file 'bto.py' in FOLDER, did you mean 'bot.py'?"),
        (["sub/main.js"], "; no file 'sub/main.js' in FOLDER"),
        (["a.js", "b.js"], "; no file 'a.js' in FOLDER; no file 'b.js' in FOLDER"),
        (["bot.py"], ""),
        (["-c", "import x.y", "--config=a.b", "-x.py", "fast", "0.5", "http://a.b", ".hidden"], ""),
    ],
)
def test_words_that_name_no_file(words: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    ref = locate_command([sys.executable, *words], tmp_path)
    assert missing_files(ref) == told.replace("FOLDER", str(tmp_path))
