"""``arena faults``: what it prints, to the letter."""

from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from leagues import BOTS, ROOT, Console, bot, play_league, write_tournament

from arena.run_folder import FILE_NAME
from arena.store import UNCHECKED, Store

AGENTS: list[Any] = [
    "greedy",
    bot("raises.py", "hasty", at="hand", hand=[1, 2, 3, 4, 6]),
    bot("answers.py:Answers", "odd", hold="six_dice"),
]
TABLE = """\
┏━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━┓
┃ bot   ┃ fault        ┃ games ┃
┡━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━┩
│ hasty │ exception    │     4 │
│ odd   │ illegal_hold │   160 │
└───────┴──────────────┴───────┘
"""
HASTY = """
hasty: exception, 4 games
  two-stage/hasty/greedy/4, round 1, roll 1: 1 2 3 4 6
    ValueError: it would not hold
    | Traceback (most recent call last):
    |   File "BOTS/raises.py", line 20, in hold
    |     raise self.error("it would not hold")
    | ValueError: it would not hold
"""
MORE = "  3 more, 3 of them in detail by --most 4\n"
ODD = """
odd: illegal_hold, 160 games
  two-stage/greedy/odd/0, round 1, roll 1: 2 4 4 6 6
    InvalidHold: 'odd' kept (2, 4, 4, 6, 6, 2) of roll 1: 2 4 4 6 6 in round 1
    answered (2, 4, 4, 6, 6, 2)
"""
END = "\nany of these games: arena replay runs/small GAME\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league whose blocks are larger than what is kept of a bot's faults."""
    folder = tmp_path_factory.mktemp("faults")
    file = write_tournament(folder, agents=AGENTS, games=80, isolation="inline")
    play_league(file, folder, block_size=40)
    (folder / "runs").mkdir()
    (folder / "run").rename(folder / "runs" / "small")
    return folder


def faults(arena: Console, folder: Path, *arguments: object) -> str:
    told = arena("faults", *arguments, cwd=folder)
    assert (told.code, told.err) == (0, "")
    assert all(char.isprintable() or char == "\n" for char in told.out)
    return told.out.replace(str(BOTS), "BOTS")


def test_all(arena: Console, folder: Path) -> None:
    told = faults(arena, folder, "runs/small", "--most", 1)
    odd = ODD + "  159 more, 63 of them in detail by --most 64\n"
    assert told == TABLE + HASTY + MORE + odd + END


def test_three_by_default(arena: Console, folder: Path) -> None:
    told = faults(arena, folder, "small")
    assert told.startswith(TABLE + HASTY)
    assert "157 more, 61 of them in detail by --most 64\n" in told
    assert told.count("    answered ") == told.count("    ValueError: ") == 3
    assert told.endswith("arena replay small GAME\n")
    everything = faults(arena, folder, "small", "--most", 64)
    assert everything.count("    answered ") == 64
    assert "\n  96 more\n" in everything
    assert len(set(re.findall("^  two-stage/.*, round", everything, re.MULTILINE))) == 4 + 64


def test_counts_only(arena: Console, folder: Path) -> None:
    assert faults(arena, folder, "runs/small", "--most", 0) == TABLE


@pytest.mark.parametrize(
    "chosen", [("--bot", "hasty"), ("--kind", "exception"), ("--bot", "hasty", "--kind", "exception")]
)
def test_some(chosen: tuple[str, ...], arena: Console, folder: Path) -> None:
    told = faults(arena, folder, "runs/small", "--most", 1, *chosen)
    assert told[told.index("\n\n") + 1 :] == HASTY + MORE + END
    assert "odd" not in told
    assert faults(arena, folder, "runs/small", "--most", 0, "--bot", "odd", "--bot", "hasty") == TABLE


def test_none(arena: Console, folder: Path) -> None:
    assert faults(arena, folder, "small", "--bot", "greedy") == "no faults of these in 240 games\n"
    assert faults(arena, folder, "small", "--kind", "timeout") == "no faults of these in 240 games\n"


def test_every_game_that_is_named_can_be_replayed(arena: Console, folder: Path) -> None:
    for game in re.findall("^  (two-stage/.*), round", faults(arena, folder, "small"), re.MULTILINE):
        assert arena("replay", "small", game, cwd=folder).code == 0


def test_names_of_games_are_words_for_a_shell(arena: Console, tmp_path: Path) -> None:
    bad = bot("answers.py:Answers", "Ada's bot", hold="six_dice")
    play_league(write_tournament(tmp_path, agents=["greedy", bad], games=2, isolation="inline"), tmp_path)
    told = re.findall("^  (.*), round", faults(arena, tmp_path, "run"), re.MULTILINE)
    assert told
    for game in told:
        [word] = shlex.split(game)
        assert "/Ada's bot/" in word
        assert arena("replay", "run", word, cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("smal",), "smal: no such run, did you mean 'small'?; one of small"),
        (("runs",), "runs: is no run's folder: it has no results.sqlite"),
        (
            ("small", "--bot", "hsty"),
            "--bot: 'hsty' is not in this run, did you mean 'hasty'?; one of greedy, hasty, odd",
        ),
        (
            ("small", "--kind", "time_out"),
            "--kind: 'time_out' is not a kind of fault, did you mean 'timeout'?; one of illegal_hold, illegal_row, "
            "exception, timeout, crash, memory, protocol, start",
        ),
    ],
)
def test_mistakes(arguments: tuple[str, ...], told: str, arena: Console, folder: Path) -> None:
    assert arena("faults", *arguments, cwd=folder).mistake == told


def test_no_run_named(arena: Console, folder: Path) -> None:
    assert arena("faults", cwd=folder).mistake == "Missing argument 'RUN'."


def test_while_it_is_played(arena: Console, tmp_path: Path) -> None:
    """An unfinished run, in use by somebody else."""
    file = write_tournament(tmp_path, agents=AGENTS, games=40, isolation="inline")
    play_league(file, tmp_path, block_size=8, stop_after=1)
    with Store(tmp_path / "run"):
        told = arena("faults", "run", "--most", 0, cwd=tmp_path)
    assert (told.code, told.err) == (0, "unfinished: 16 of 120 games are stored\n")


def test_what_an_earlier_version_stored(arena: Console, tmp_path: Path) -> None:
    """Without dice, answers and what was printed."""
    file = write_tournament(tmp_path, agents=AGENTS, games=4, isolation="inline")
    play_league(file, tmp_path)
    with closing(sqlite3.connect(tmp_path / "run" / FILE_NAME)) as store:
        for series, text in store.execute("SELECT series, faults FROM blocks").fetchall():
            old = [
                {key: value for key, value in fault.items() if key not in ("dice", "answer", "printed")}
                for fault in json.loads(text)
            ]
            store.execute(
                "UPDATE blocks SET faults = ?, checksum = ? WHERE series = ?", (json.dumps(old), UNCHECKED, series)
            )
        store.commit()
    told = faults(arena, tmp_path, "run", "--most", 1, "--bot", "odd")
    assert "\n  two-stage/greedy/odd/0, round 1, roll 1\n    InvalidHold: 'odd' kept " in told
    assert "answered" not in told


TALKS = r"""
talks: illegal_hold, 8 games
  two-stage/greedy/talks/0, round 1, roll 2: DICE
    InvalidHold: 'talks' kept '\x1b[31m[red]all' of roll 2: DICE in round 1
    answered '\x1b[31m[red]all'
    had printed
    | thinking about FACES\x1b[2J
    | [bold]loud[/bold]       end
    | \u202eback
    | to stderr
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="bots are kept apart where there is fork")
def test_what_a_bot_had_printed(arena: Console, tmp_path: Path) -> None:
    agents = ["greedy", {"path": str(BOTS / "apart" / "talks.py")}]
    file = write_tournament(tmp_path, agents=agents, isolation="process")
    run = arena.process("run", file, "--workers", 1, cwd=tmp_path)
    assert run.code == 0, run.err
    assert "8 games were lost by a fault: see arena faults runs/small" in run.err
    told = faults(arena, tmp_path, "small", "--most", 1)
    dice = re.findall(r"roll 2: ([1-6 ]+)$", told, re.MULTILINE)[0]
    shown = TALKS.replace("DICE", dice).replace("FACES", str(tuple(map(int, dice.split()))))
    assert shown in told
    assert str(ROOT) not in told
