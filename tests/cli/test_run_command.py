"""``arena run`` and ``arena leaderboard``: what is printed, where, and with which exit code."""

from __future__ import annotations

import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT, Console, bot, files_in, write_tournament

DIGEST = re.compile(r"digest [0-9a-f]{64}")
SERIAL = ("--backend", "serial")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a league was run with nothing said but its file."""
    return tmp_path_factory.mktemp("ran")


@pytest.fixture(scope="module")
def ran(folder: Path, arena: Console) -> Any:
    agents = ["greedy", "collector", bot("breaks.py", "broken")]
    file = write_tournament(folder, rulesets=["two-stage", "thirteen"], agents=agents, games=20)
    return arena("run", file.name, *SERIAL, cwd=folder)


def test_a_leaderboard_and_a_crosstable_per_ruleset_and_a_digest(ran: Any, folder: Path) -> None:
    assert ran.code == 0
    titles = [
        line.strip() for line in ran.lines if line.strip() in ("two-stage", "points of each against", "thirteen")
    ]
    assert titles == ["two-stage", "points of each against", "thirteen", "points of each against"]
    assert DIGEST.fullmatch(ran.lines[-1])
    for ruleset in ("two-stage", "thirteen"):
        published = json.loads((folder / "leaderboard" / ruleset / "standings.json").read_text())
        assert ran.lines[-1] == f"digest {published['run_digest']}"


def rows_of(out: str, title: str) -> list[list[str]]:
    """Return the cells of the table under a title."""
    lines = out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.strip() == title or line.startswith(f"{title}, "))
    rows = []
    for line in lines[start + 1 :]:
        if line.startswith("└"):
            return rows
        if line[0] in "│┃":
            rows.append([cell.strip() for cell in re.split("[│┃]", line)[1:-1]])
    raise AssertionError(f"no end of the table {title}")


def test_the_columns(ran: Any, folder: Path) -> None:
    header, *rows = rows_of(ran.out, "two-stage")
    assert header == [
        *("rank", "bot", "Elo", "95% interval", "games", "won/drawn/lost", "mean score", "settlement", "faults"),
        "a decision",
    ]
    published = json.loads((folder / "leaderboard" / "two-stage" / "standings.json").read_text())["standings"]
    for row, line in zip(rows, published, strict=True):
        assert row[:2] == [str(line["rank"]), line["name"]]
        assert row[2:4] == [f"{line['elo']:.1f}", f"{line['elo_low']:.1f} to {line['elo_high']:.1f}"]
        assert row[4:6] == [str(line["games"]), f"{line['wins']}/{line['draws']}/{line['losses']}"]
        assert row[8] == ("40 exception" if line["name"] == "broken" else "0")
        assert re.fullmatch(r"\d+\.\d us", row[9])
    assert "settlement" not in rows_of(ran.out, "thirteen")[0]


def test_the_crosstable_adds_up(ran: Any) -> None:
    tables = ran.out.split("points of each against")
    assert len(tables) == 3
    header, *rows = rows_of("x\n" + tables[1], "x")
    assert header[1:] == [row[0] for row in rows]
    for n, row in enumerate(rows):
        for m, other in enumerate(rows):
            if n == m:
                assert row[1 + m] == ""
            else:
                assert float(row[1 + m][:-1]) + float(other[1 + n][:-1]) == pytest.approx(100)


def test_a_bots_fault_is_told_with_its_first_place(ran: Any) -> None:
    told = "  broken: exception in 40 games, first at dice set 0, seat 0, round 1, roll 1: "
    assert [line.startswith(told) for line in ran.lines].count(True) == 2
    assert "ZeroDivisionError: division by zero" in ran.out


def test_what_goes_to_stderr(ran: Any) -> None:
    said = [line for line in ran.err.splitlines() if not line.endswith(" games/s")]  # which comes if it takes long
    assert said == [
        f"  broken: file {ROOT}/tests/bots/breaks.py, inline",
        "  collector: bundled, inline",
        "  greedy: bundled, inline",
        "small: 120 games of two-stage, thirteen",
        "written to leaderboard",
        "80 games were lost by a fault: see arena faults runs/small",
    ]


def test_nothing_for_a_terminal_in_a_pipe(ran: Any) -> None:
    assert "\x1b" not in ran.out + ran.err


def test_published_standings(ran: Any, folder: Path, arena: Console) -> None:
    both = arena("leaderboard", cwd=folder)
    assert (both.code, both.err) == (0, "")
    one = arena("leaderboard", "thirteen", cwd=folder)
    assert one.out in both.out
    assert "two-stage" not in one.out
    for ruleset in ("two-stage", "thirteen"):
        shown, printed = rows_of(both.out, ruleset), rows_of(ran.out, ruleset)
        assert shown == [row[:-1] for row in printed]  # no times


def test_a_leaderboard_in_a_pipe_is_plain_text(ran: Any, folder: Path, arena: Console) -> None:
    piped = arena.process("leaderboard", cwd=folder, COLUMNS="40", TERM="xterm-256color")
    assert (piped.code, piped.err) == (0, "")
    assert "\x1b" not in piped.out
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [sys.executable, "-m", "arena", "leaderboard"]
    wide = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert wide.stdout == arena("leaderboard", cwd=folder).out


def test_on_a_terminal_there_is_progress(tmp_path: Path) -> None:
    """The bar and provisional standings are drawn and gone; leaderboards and the digest stay."""
    write_tournament(tmp_path, games=2000)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-m", "arena", "run", "tournament.yaml", *SERIAL]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 1 << 16)
            except OSError:  # the other side is closed
                break
            if not shown:
                break
    os.close(ours)
    text = shown.decode()
    assert process.returncode == 0, text
    assert "\x1b[" in text
    assert "0/2000" in text
    assert "2000/2000" in text
    assert "games/s" in text
    assert DIGEST.search(text.splitlines()[-1])


def test_without_a_leaderboard(arena: Console, tmp_path: Path) -> None:
    nothing = "no leaderboard here; `arena run` publishes one"
    assert arena("leaderboard", cwd=tmp_path).mistake == f"leaderboard: {nothing}"
    assert arena("leaderboard", "thirteen", "--out", "there", cwd=tmp_path).mistake == f"there: {nothing}"
    assert list(tmp_path.iterdir()) == []


def test_a_leaderboard_that_is_not_there(ran: Any, folder: Path, arena: Console) -> None:
    told = arena("leaderboard", "thirten", cwd=folder).mistake
    assert told == ("leaderboard: no leaderboard of 'thirten', did you mean 'thirteen'?; one of thirteen, two-stage")


# Options


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--games", "0"], "--games: 0 is not in 1 to 10,000,000"),
        (["--games", "-2"], "--games: -2 is not in 1 to 10,000,000"),
        (["--games", "7"], "--games: 7 games do not divide into 2 seatings: 6 or 8 would"),
        (["--games", "1"], "--games: 1 games do not divide into 2 seatings: 2 would"),
        (["--games", "many"], "Invalid value for '--games': 'many' is not a valid integer."),
        (["--seed", "-1"], f"--seed: -1 is not in 0 to {(1 << 128) - 1}"),
        (["--seed", str(1 << 128)], f"--seed: {1 << 128} is not in 0 to {(1 << 128) - 1}"),
        (["--seed", "draw"], "Invalid value for '--seed': 'draw' is not a valid integer."),
        (["--only", "thirteen"], "--only: 'thirteen' is not in this tournament; one of two-stage"),
        (
            ["--only", "two-stag"],
            "--only: 'two-stag' is not in this tournament, did you mean 'two-stage'?; one of two-stage",
        ),
        (["--only", "two-stage", "--only", "x"], "--only: 'x' is not in this tournament; one of two-stage"),
        (["--backend", "dask"], "Invalid value for '--backend': 'dask' is not one of 'serial', 'processes', 'ray'."),
        (["--workers", "0"], "Invalid value for '--workers': 0 is not in the range 1<=x<=1024."),
        (["--workers", "-1"], "Invalid value for '--workers': -1 is not in the range 1<=x<=1024."),
        (["--workers", "x"], "Invalid value for '--workers': 'x' is not a valid integer range."),
        ([*SERIAL, "--workers", "2"], "--workers: the serial backend has no workers; --backend processes has"),
        (["--out", "tournament.yaml"], "tournament.yaml: --out is a folder, and this is a file"),
        (["--run-dir", "tournament.yaml"], "tournament.yaml: cannot be used: File exists"),
        (["more.yaml"], "Got unexpected extra argument (more.yaml)"),
        (["--games"], "Option '--games' requires an argument."),
    ],
)
def test_options_that_are_refused(options: list[str], told: str, arena: Console, tmp_path: Path) -> None:
    file = write_tournament(tmp_path)
    before = files_in(tmp_path)
    assert arena("run", file.name, *options, cwd=tmp_path).mistake == told
    assert files_in(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_what_there_is_not(arena: Console, tmp_path: Path) -> None:
    assert arena("run", cwd=tmp_path).mistake == "Missing argument 'FILE'."
    assert arena("play", "tournament.yaml", cwd=tmp_path).mistake.startswith("No such command 'play'.")
    assert arena("rnu", cwd=tmp_path).mistake == "No such command 'rnu'. Did you mean 'run'?"
    assert arena("rules", "shwo", cwd=tmp_path).mistake == "No such command 'shwo'. Did you mean 'show'?"
    wokers = arena("run", "x.yaml", "--wokers", "2", cwd=tmp_path).mistake
    assert wokers.startswith("No such option")
    assert "Did you mean" in wokers
    assert "--workers" in wokers
    assert arena("--frob", cwd=tmp_path).mistake.startswith("No such option '--frob'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full disk")
@pytest.mark.parametrize("command", ["run tournament.yaml --backend serial", "rules", "rules table yatzy", "--help"])
def test_output_to_a_full_disk(command: str, tmp_path: Path) -> None:
    write_tournament(tmp_path)
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "arena", *command.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "error: standard output cannot be written: No space left on device"
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("more", [[], ["--fresh"]])
def test_a_run_folder_that_is_none(more: list[str], arena: Console, tmp_path: Path) -> None:
    """Somebody's own folder is neither written into nor moved away."""
    file = write_tournament(tmp_path)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    before = files_in(tmp_path)
    run = arena("run", file.name, *SERIAL, "--run-dir", "thesis", *more, cwd=tmp_path)
    assert run.mistake == "thesis: is no run's folder: it is not empty, and has no results.sqlite"
    assert files_in(tmp_path) == before
    (tmp_path / "empty").mkdir()
    assert arena("run", file.name, *SERIAL, "--run-dir", "empty", cwd=tmp_path).code == 0


def test_options_stand_in_for_the_files_values(arena: Console, tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rulesets=["two-stage", "showdown", "thirteen"])
    options = ("--seed", "0x10", "--games", "4")
    assert arena("run", file, *options, cwd=tmp_path).code == 2
    only = ("--only", "thirteen", "--only", "showdown")
    run = arena("run", file, "--seed", "16", "--games", "4", *only, *SERIAL, "--out", "out", cwd=tmp_path)
    assert run.code == 0, run.err
    assert "small: 8 games of showdown, thirteen" in run.err
    content = json.loads((tmp_path / "out" / "thirteen" / "standings.json").read_text())
    assert (content["seed"], [line["games"] for line in content["standings"]]) == (16, [4, 4])
    assert not (tmp_path / "out" / "two-stage").exists()


def test_seeds_of_128_bits(arena: Console, tmp_path: Path) -> None:
    seed = (1 << 128) - 1
    run = arena("run", write_tournament(tmp_path, seed=seed), *SERIAL, cwd=tmp_path)
    assert run.code == 0, run.err
    assert json.loads((tmp_path / "leaderboard" / "two-stage" / "standings.json").read_text())["seed"] == seed
    assert arena("run", write_tournament(tmp_path), "--seed", seed, *SERIAL, cwd=tmp_path).lines[-1] == run.lines[-1]


def test_bots_do_not_write_into_the_output(arena: Console, tmp_path: Path) -> None:
    """What they print goes nowhere, whoever plays; what comes from them is told without control characters."""
    loud = tmp_path / "loud.py"
    loud.write_text(
        "import sys\nprint('loaded')\n"
        "def hold(turn):\n    print('asked', flush=True)\n    sys.stdout.write('written')\n    return turn.dice\n"
        "def choose_row(turn):\n    raise ValueError('\\033[31mred \\ud800')\n"
    )
    file = write_tournament(tmp_path, agents=["greedy", {"path": "loud.py"}])
    outs = []
    for how in (SERIAL, ("--workers", "1")):
        run = arena.process("run", file, *how, "--fresh", cwd=tmp_path)
        assert run.code == 0, run.err
        assert "asked" not in run.out
        assert "written" not in run.out
        assert "loaded" not in run.out
        assert "\x1b" not in run.out
        assert r"ValueError: \x1b[31mred \ud800" in run.out
        outs.append(re.sub(r"\d+\.\d us", "", run.out).replace(" ", ""))
    assert outs[0] == outs[1]


# Help is quick


HEAVY = {"numpy", "pydantic", "rich", "yaml", "numba", "pluggy", "ray", "jinja2", "multiprocessing", "sqlite3"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom arena.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        f"sys.exit(sorted({HEAVY} & set(sys.modules)) or 0)\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, arena\nsys.exit(sorted({'numpy', 'pydantic', 'numba', 'yaml', 'click'} & set(sys.modules)) or 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


# What is stored


@pytest.mark.parametrize("left", [b"", b"S"])
@pytest.mark.parametrize("killed", [False, True])
def test_a_store_that_was_cut_to_nothing(left: bytes, killed: bool, arena: Console, tmp_path: Path) -> None:
    """It is told that all is played anew, once; and not of a run that is new.

    Beside the store of a run that was killed stands what had not gone into it yet.
    """
    told = "small/results.sqlite: holds nothing any more, so that all is played anew"
    write_tournament(tmp_path, games=4)
    first = arena("run", "tournament.yaml", *SERIAL, cwd=tmp_path)
    assert told not in first.err
    store = tmp_path / "runs" / "small" / "results.sqlite"
    if killed:
        with closing(sqlite3.connect(store, isolation_level=None)) as database:
            database.execute("UPDATE blocks SET faults = faults || ' '")
            beside = store.with_name(f"{store.name}-wal")
            content = beside.read_bytes()
        beside.write_bytes(content)
        assert content
    store.write_bytes(left)
    again = arena("run", "tournament.yaml", *SERIAL, cwd=tmp_path)
    assert told in again.err
    assert "played before" not in again.err
    assert again.lines[-1] == first.lines[-1]
    third = arena("run", "tournament.yaml", *SERIAL, cwd=tmp_path)
    assert told not in third.err
    assert "played before" in third.err
