"""``arena run --list``: every run with its progress, size and state, and a line about what is none."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from leagues import Console, files_in, play_league, write_tournament

from arena.cli.run_list import human_size
from arena.run_folder import FILE_NAME
from arena.store import SCHEMA, Store

HEADER = ["run", "rulesets", "bots", "games", "size", "last written", "state"]


def rows_of(out: str) -> dict[str, list[str]]:
    """Return the cells of the table by the name of the run."""
    lines = [line for line in out.splitlines() if line[:1] in "│┃"]
    header, *rows = [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in lines]
    assert header == HEADER
    found = {name: cells for name, *cells in rows}
    assert len(found) == len(rows)
    return found


def play(
    runs: Path, name: str, *, stop_after: int | None = None, block_size: int | None = None, **keys: object
) -> Path:
    """Play a league into ``runs/name``, and return its folder."""
    play_league(write_tournament(runs.parent / "files", **keys), runs, stop_after=stop_after, block_size=block_size)
    return (runs / "run").rename(runs / name)


def times_of(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def execute(run: Path, statement: str) -> None:
    with closing(sqlite3.connect(run / FILE_NAME, isolation_level=None)) as database:
        database.execute(statement)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


def test_finished_unfinished_and_set_aside(arena: Console, runs: Path) -> None:
    play(runs, "whole", games=8)
    play(runs, "whole.10", games=8, agents=["random", "greedy", "ladder", "collector"])
    play(runs, "whole.2", games=8, rulesets=["two-stage", "thirteen", "yatzy", "yahtzee", "school"])
    part = play(runs, "part", games=40, block_size=4, stop_after=2, agents=["random", "greedy", "ladder"], seed="draw")
    (runs / "out").rename(runs.parent / "out")
    os.utime(part / FILE_NAME, (0, moment := datetime(2026, 2, 3, 4, 5).timestamp()))
    before, times = files_in(runs), times_of(runs)
    listed = arena("run", "--list", cwd=runs.parent)
    assert (listed.code, listed.err) == (0, "")
    assert "\x1b" not in listed.out
    rows = rows_of(listed.out)
    assert list(rows) == ["part", "whole", "whole.2", "whole.10"]
    assert [rows[name][0] for name in rows] == ["two-stage"] * 2 + [
        "two-stage, thirteen, yatzy and 2 more",
        "two-stage",
    ]
    assert rows["part"][1] == "greedy, ladder, random"
    assert rows["whole.10"][1] == "collector, greedy, ladder and 1 more"
    assert [cells[2] for cells in rows.values()] == ["16 of 120", "8 of 8", "40 of 40", "48 of 48"]
    assert [cells[5] for cells in rows.values()] == ["unfinished", "finished", "finished", "finished"]
    assert rows["part"][4] == "2026-02-03 04:05"
    assert moment == part.joinpath(FILE_NAME).stat().st_mtime
    for name, cells in rows.items():
        assert cells[3] == human_size(sum(map(len, files_in(runs / name).values())))
    assert files_in(runs) == before
    assert times_of(runs) == times


def test_what_cannot_be_read_is_told_and_ends_nothing(arena: Console, runs: Path) -> None:
    for name in ("good", "old", "new", "torn", "manifest", "sum", "unplanned", "no-seed"):
        play(runs, name, games=8, seed="draw" if name == "no-seed" else 7)
    (runs / "out").rename(runs.parent / "out")
    execute(runs / "old", "PRAGMA user_version = 1")
    execute(runs / "new", f"PRAGMA user_version = {SCHEMA + 1}")
    with Store(runs / "manifest") as store:
        store.describe("{}")
    execute(runs / "sum", "UPDATE manifest SET checksum = 0")
    execute(runs / "unplanned", "DELETE FROM manifest")
    (runs / "torn" / FILE_NAME).write_bytes(b"\xa5" * 10_000)
    (runs / "no-seed" / "seed").unlink()
    (runs / "thesis").mkdir()
    (runs / "thesis" / "chapter.txt").write_text("mine")
    (runs / "notes\t.txt").write_text("mine")
    (runs / ".hidden").mkdir()
    before = files_in(runs)
    listed = arena("run", "--list", cwd=runs.parent)
    assert listed.code == 0
    rows = rows_of(listed.out)
    assert {name: cells[5] for name, cells in rows.items()} == {
        **dict.fromkeys(("manifest", "new", "no-seed", "old", "sum", "torn", "unplanned"), "unreadable"),
        "good": "finished",
    }
    assert listed.err.splitlines() == [
        f"runs/manifest/{FILE_NAME}: is damaged: it does not say what the run is made of",
        f"runs/new: the store is of version {SCHEMA + 1}; this arena reads version {SCHEMA}; "
        "a newer arena reads it, --fresh sets it aside",
        "runs/no-seed/seed: cannot be used: No such file or directory",
        f"runs/old: the store is of version 1; this arena reads version {SCHEMA}; arena run brings it up to date",
        f"runs/sum/{FILE_NAME}: is damaged: wrong checksum of what the run is made of; --fresh sets it aside",
        f"runs/torn/{FILE_NAME}: is damaged: file is not a database; --fresh sets it aside",
        f"runs/unplanned/{FILE_NAME}: does not say what it is made of; `arena run FILE` brings it up to date",
        "runs/notes\\t.txt: is no run's folder",
        "runs/thesis: is no run's folder",
    ]
    assert files_in(runs) == before


def test_a_run_that_is_being_played(arena: Console, runs: Path) -> None:
    """The list shows what is stored so far, and disturbs neither the run nor the next one's start."""
    folder = play(runs, "small", games=40, block_size=4, stop_after=2)
    with Store(folder):
        rows = rows_of(arena("run", "--list", cwd=runs.parent).out)
        assert (rows["small"][2], rows["small"][5]) == ("16 of 40", "in use now")
    rows = rows_of(arena("run", "--list", cwd=runs.parent).out)
    assert rows["small"][5] == "unfinished"


def test_other_folders(arena: Console, runs: Path) -> None:
    folder = play(runs, "small", games=8)
    elsewhere = runs.parent / "elsewhere"
    elsewhere.mkdir()
    listed = arena("run", "--list", "--run-dir", runs, cwd=elsewhere)
    assert (listed.code, list(rows_of(listed.out)), listed.err) == (0, ["small"], f"{runs}/out: is no run's folder\n")
    listed = arena("run", "--list", "--run-dir", folder, cwd=elsewhere)
    assert (listed.code, list(rows_of(listed.out)), listed.err) == (0, ["small"], "")
    for cwd in (elsewhere, runs.parent):
        told = arena("run", "--list", "--run-dir", "nowhere", cwd=cwd).mistake
        assert told == "nowhere: no such folder"
    nothing = arena("run", "--list", cwd=elsewhere)
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "runs: no runs here; `arena run FILE` makes one\n")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        (["t.yaml"], "FILE"),
        (["--games", "2"], "--games"),
        (["--out", "leaderboard"], "--out"),
        (["--fresh"], "--fresh"),
        (["--run-dir", "x", "--only", "yatzy"], "--only"),
    ],
)
def test_what_does_not_go_with_it(beside: list[str], told: str, arena: Console, tmp_path: Path) -> None:
    mistake = arena("run", "--list", *beside, cwd=tmp_path).mistake
    assert mistake == f"--list: plays nothing, so {told} does not go with it; --run-dir does"


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (2_596_864, "2.6 MB"), (5 * 10**15, "5000.0 TB")],
)
def test_sizes(size: int, shown: str) -> None:
    assert human_size(size) == shown
