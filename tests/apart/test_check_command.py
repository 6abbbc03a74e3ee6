"""``arena check --command``: external bots that pass, and those that fail one of the checks."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from external_bots import PYTHON, example
from leagues import Console

from arena.agent.commands import locate_command
from arena.agent.limits import Level, Limits
from arena.rules.shipped import FOLDER
from arena.tournament.check_command import check_command
from arena.tournament.findings import State
from arena.tournament.trials import Rulebook

BOT = """
import json, os, sys

kept = 0

def answer(kind, turn):
    global kept
    kept += 1
    if kind == "choose_row":
        return turn["open_rows"][0]
    return {hold}

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "hello"}}', flush=True)
    else:
        answers = [answer(message["type"], turn) for turn in message["turns"]]
        print(json.dumps({{"answers": answers}}), flush=True)
"""
SHORT = ("check", "--ruleset", "two-stage", "--command")
CHECK = ("check", "--ruleset", "showdown", *SHORT[1:])


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_examples_pass(language: str, arena: Console, tmp_path: Path) -> None:
    words = shlex.join(example(language, tmp_path))
    checked = arena(*(CHECK if language == "python" else SHORT), words, cwd=tmp_path)
    assert checked.code == 0, checked
    assert len(checked.lines) == 6
    assert checked.lines[0].startswith(f"1 loads ... ok: command {words}, at the level ")
    assert checked.lines[2].endswith(" decisions twice, in two processes")


@pytest.mark.parametrize(
    ("hold", "failed", "told"),
    [
        ('[turn["dice"][0]] * 2 if turn["round"] > 1 else []', 2, "InvalidHold: 'bot' kept ["),
        ("1 / 0", 2, "ZeroDivisionError: division by zero"),
        ('[f for f in turn["dice"] if os.urandom(1)[0] % 2]', 3, "; the second time: ("),
        ('turn["dice"][: kept % 5]', 4, "; with the tables in another order and in parts, one of them alone: ("),
    ],
)
def test_failures(hold: str, failed: int, told: str, arena: Console, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT.format(hold=hold))
    checked = arena(*SHORT, shlex.join([*PYTHON, "bot.py"]), cwd=tmp_path)
    assert checked.code == 1, checked
    first = next(line for line in checked.lines if "FAILED" in line)
    assert first.startswith(f"{failed} ")
    assert told in checked.out
    assert "hold in " in checked.lines[checked.lines.index(first) + 1]


def test_one_that_does_not_start(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit('not today')")
    checked = arena(*SHORT, shlex.join([*PYTHON, "bot.py"]), cwd=tmp_path)
    assert checked.code == 1
    assert checked.lines[0] == "1 loads ... FAILED"
    assert checked.lines[1].endswith("cannot be started: its process ended, with exit code 1: not today")
    assert len(checked.lines) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("while True: pass", ["1 loads ... FAILED"]),
        ("import time; time.sleep(10**6)", ["1 loads ... FAILED"]),
        ('print(\'{"type": "hello"}\', flush=True)\nwhile True: pass', ["1 loads ... ok", "2 legal"]),
    ],
)
def test_one_that_hangs(text: str, told: list[str], tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(text)
    ref = replace(locate_command([*PYTHON, "bot.py"], tmp_path), level=str(Level.PROCESS))
    limits = Limits(start_s=0.5, wall_s=0.5)
    found = list(check_command(ref, Rulebook([FOLDER / "two-stage.yaml"]), limits))
    assert [str(finding).startswith(start) for finding, start in zip(found, told, strict=False)] == [True] * len(told)
    assert [finding.state for finding in found].count(State.FAILED) >= 1


def test_all_that_it_printed_is_shown(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def f():\n    raise ValueError('\x1b[2J')\n\n\nf()\n")
    checked = arena(*SHORT, shlex.join([*PYTHON, "bot.py"]), cwd=tmp_path)
    assert checked.lines[1].endswith(r"with exit code 1: ValueError: \x1b[2J")
    assert checked.lines[2] == "    Traceback (most recent call last):"
    assert f'      File "{tmp_path}/bot.py", line 5, in <module>' in checked.lines
    assert checked.lines[-1] == r"    ValueError: \x1b[2J"


def test_paths_are_the_bots_own(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT.format(hold="1 / 0"))
    checked = arena(*SHORT, shlex.join([*PYTHON, "bot.py"]), cwd=tmp_path)
    files = re.findall('File "(.*?)"', checked.out)
    assert set(files) == {str(tmp_path / "bot.py")}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--command", "no-such-program bot.py"], "--command: no program 'no-such-program': neither a file beside"),
        (["--command", "python3 'bot.py"], "--command: No closing quotation: python3 'bot.py"),
        (["--command", ""], "--command: the first word names a program, and there is none"),
        (["--command", "'' x"], "--command: the first word names a program, and there is none"),
        (["--command", "true", "bot.py"], "PATH and --command: one of them is enough"),
        ([], "Missing argument 'PATH'."),
    ],
)
def test_mistakes(words: list[str], told: str, arena: Console, tmp_path: Path) -> None:
    assert arena("check", *words, cwd=tmp_path).mistake.startswith(told)
