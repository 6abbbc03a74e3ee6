"""Leagues for tests: tournament files, the command run here or in a process, and what a league leaves behind."""

from __future__ import annotations

import io
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena import pipeline
from arena.cli.main import main
from arena.records import BlockResult, LostBlock
from arena.report.publish import League
from arena.run_folder import FILE_NAME
from arena.store import Store

ROOT = Path(__file__).parents[1]
BOTS = Path(__file__).parent / "bots"


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def mistake(self) -> str:
        """The one line of a user's mistake."""
        assert self.code == 2, self
        assert self.out == "", self
        assert self.err.startswith("error: "), self
        assert self.err.count("\n") == 1, self
        assert self.err.endswith("\n"), self
        return self.err.removeprefix("error: ").rstrip("\n")


class Console:
    """Runs the command in this process, in a folder.

    Attributes:
        seconds: that it may take in a process of its own.
    """

    seconds = 120.0

    def __call__(self, *args: object, cwd: Path = ROOT) -> Outcome:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            with pytest.raises(SystemExit) as end:
                main([str(arg) for arg in args])
            assert isinstance(end.value.code, int)
        texts = []
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return Outcome(end.value.code, *texts)

    def process(self, *args: object, cwd: Path = ROOT, **environment: str) -> Outcome:
        """Run the command in a process of its own."""
        with self.start(*args, cwd=cwd, **environment) as process:
            try:
                out, err = process.communicate(timeout=self.seconds)
            except BaseException:  # whoever leaves this block waits for the process
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return Outcome(process.returncode, out, err)

    def start(self, *args: object, cwd: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
        """Start the command in a process group of its own, and do not wait for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "arena", *map(str, args)],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )


@dataclass(frozen=True)
class Played:
    """A league that was played to its end.

    Attributes:
        plan: what it was made of, before anything of it was played.
        leagues: what was rated, by ruleset.
        digest: of the whole run.
        files: what was published, by path.
        run_dir: where the results are.
        results: stored games, by ruleset hash and names.
    """

    plan: pipeline.Plan
    leagues: dict[str, League]
    digest: str
    files: dict[str, bytes]
    run_dir: Path
    results: dict[tuple[str, ...], list[BlockResult]]


def files_in(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def block_ranges(run_dir: Path) -> dict[str, list[tuple[int, int]]]:
    """Return the stored ranges of dice sets by series, read while a run may be writing."""
    file = run_dir / FILE_NAME
    if not file.is_file():
        return {}
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        found: dict[str, list[tuple[int, int]]] = {}
        for series, first, stop in database.execute("SELECT series, first, stop FROM blocks ORDER BY series, first"):
            found.setdefault(series, []).append((first, stop))
        return found
    except sqlite3.OperationalError:  # the table is not made yet
        return {}
    finally:
        database.close()


def write_tournament(folder: Path, file: str = "tournament.yaml", **changes: Any) -> Path:
    """Write a tournament file: a small one whose bots are not kept apart, with some keys changed.

    Keys that are None are left out.
    """
    content = {
        "name": "small",
        "seed": 7,
        "rulesets": ["two-stage"],
        "agents": ["greedy", "random"],
        "games": 8,
        "isolation": "inline",
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file
    text = yaml.safe_dump({key: value for key, value in content.items() if value is not None}, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


def play_league(
    file: Path,
    folder: Path,
    *,
    backend: pipeline.Backend = "serial",
    workers: int = 1,
    block_size: int | None = None,
    stop_after: int | None = None,
    **load: Any,
) -> Played:
    """Play a tournament file by the pipeline's calls, with its run and its leaderboard in a folder."""
    tournament = pipeline.load(file, **load)
    run_dir, out = folder / "run", folder / "out"
    with Store(run_dir) as store:
        plan = pipeline.plan(tournament, store, block_size=block_size)
        for number, result in enumerate(pipeline.play(plan, store, backend=backend, workers=workers), start=1):
            assert not isinstance(result, LostBlock), result
            if number == stop_after:
                break
        leagues, results = [], {}
        if stop_after is None:
            leagues = pipeline.rate(plan, store)
            pipeline.publish(leagues, out)
        for series in plan.series:
            names = (entrant.name for entrant in series.entrants)
            whole = series.block(0, series.mirrors)
            results[series.ruleset_hash, *names] = list(store.results(whole))
    return Played(
        plan,
        {league.ruleset.name: league for league in leagues},
        leagues[0].run_digest if leagues else "",
        files_in(out),
        run_dir,
        results,
    )


def bot(file: str, name: str, **params: Any) -> dict[str, Any]:
    """Return how a bot of ``tests/bots`` is entered: its file, a name, parameters."""
    return {"name": name, "path": str(BOTS / file), **({"params": params} if params else {})}
