"""How ``arena run`` ends: where leaderboards go, and Ctrl-C when all is played."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from leagues import ROOT, Console, files_in, write_tournament

from arena.cli.progress import PlayProgress
from arena.store import Store

SERIAL = ("--backend", "serial")


def test_a_file_of_any_name_stays_where_leaderboards_go(arena: Console, tmp_path: Path) -> None:
    file = write_tournament(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    (out / ".arena").write_text("mine")
    (out / "mine.txt").symlink_to(tmp_path / "nowhere")
    assert arena("run", file, *SERIAL, "--out", "out", cwd=tmp_path).code == 0
    assert (out / ".arena").read_text() == "mine"
    (out / ".arena").unlink()
    (out / ".arena").symlink_to(tmp_path / "nowhere")
    assert arena("run", file, *SERIAL, "--out", "out", cwd=tmp_path).code == 0
    assert (out / ".arena").is_symlink()
    assert not (tmp_path / "nowhere").exists()


OTHERS = "remove it, or choose another --out"


@pytest.mark.parametrize(
    ("place", "content", "told"),
    [
        ("two-stage", "a file", "out/two-stage: cannot be written: it is in the place of a folder, and is none"),
        (
            "two-stage",
            Path("nowhere"),
            "out/two-stage: cannot be written: it is in the place of a folder, and is none",
        ),
        (
            "two-stage",
            Path("two-stage"),
            "out/two-stage: cannot be written: it is in the place of a folder, and is none",
        ),
        ("README.md", None, "out/README.md: cannot be written: this is a folder, in the place of a file"),
        (
            "two-stage/crosstable.csv",
            None,
            "out/two-stage/crosstable.csv: cannot be written: this is a folder, in the place of a file",
        ),
        ("mine/standings.json", "[]", f"out/mine/standings.json: is no standings file of schema 1; {OTHERS}"),
        (
            "mine/standings.json",
            '{"schema": 1, "standings": [{}]}',
            f"out/mine/standings.json: the standings are damaged; {OTHERS}",
        ),
    ],
)
def test_what_cannot_be_published_is_not_played(
    place: str, content: str | Path | None, told: str, arena: Console, tmp_path: Path
) -> None:
    file = write_tournament(tmp_path)
    path = tmp_path / "out" / place
    path.parent.mkdir(parents=True)
    if content is None:
        path.mkdir()
    elif isinstance(content, Path):
        path.symlink_to(content)
    else:
        path.write_text(content)
    before = files_in(tmp_path)
    assert arena("run", file, *SERIAL, "--out", "out", cwd=tmp_path).mistake == told
    assert files_in(tmp_path) == before
    assert not (tmp_path / "runs").exists()


def test_broken_standings_that_are_replaced_are_no_hindrance(arena: Console, tmp_path: Path) -> None:
    file = write_tournament(tmp_path)
    (tmp_path / "out" / "two-stage").mkdir(parents=True)
    (tmp_path / "out" / "two-stage" / "standings.json").write_text("{")
    assert arena("run", file, *SERIAL, "--out", "out", cwd=tmp_path).code == 0
    assert arena("leaderboard", "--out", "out", cwd=tmp_path).code == 0


@pytest.mark.parametrize("out", ["runs/small", "runs/small/out", "link"])
def test_leaderboards_are_not_set_aside_with_a_run(out: str, arena: Console, tmp_path: Path) -> None:
    file = write_tournament(tmp_path)
    (tmp_path / "link").symlink_to("runs/small")
    assert arena("run", file, *SERIAL, "--out", out if out != "link" else "out", cwd=tmp_path).code == 0
    before = files_in(tmp_path)
    told = arena("run", file, *SERIAL, "--out", out, "--fresh", cwd=tmp_path).mistake
    assert told == f"{out}: --fresh sets runs/small aside, and what is in it; choose another --out"
    assert files_in(tmp_path) == before
    assert not (tmp_path / "runs" / "small.1").exists()


# A run's folder that is not there any more


@pytest.mark.parametrize("what", ["removed", "renamed", "replaced"])
def test_results_that_are_not_in_their_place_when_all_is_played(
    what: str, arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tournament(tmp_path, games=4)
    run = ("run", "tournament.yaml", *SERIAL)
    folder, elsewhere = tmp_path / "runs" / "small", tmp_path / "elsewhere"

    def move(*_: object) -> None:
        """Stands in for what counts a block that was played; there is one."""
        if what == "removed":
            shutil.rmtree(folder)
            return
        folder.rename(elsewhere)
        if what == "replaced":
            Store(folder).close()

    with monkeypatch.context() as patch:
        patch.setattr(PlayProgress, "add", move)
        moved = arena(*run, cwd=tmp_path)
    assert (moved.code, moved.out) == (2, "")
    assert moved.err.splitlines()[-1] == (
        "error: runs/small/results.sqlite: was removed, renamed or replaced while the run went on, or its folder was; "
        "nothing is published"
    )
    assert not (tmp_path / "leaderboard").exists()
    if what == "renamed":
        elsewhere.rename(folder)
        assert "4 games of two-stage, 4 of them played before" in arena(*run, cwd=tmp_path).err


# Ctrl-C when all is played


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_leaderboards_are_published_whole_or_not_at_all(
    number: signal.Signals,
    arena: Console,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """However often it is asked to stop meanwhile."""
    write_tournament(tmp_path, games=4)
    assert arena("run", "tournament.yaml", *SERIAL, "--seed", "1", cwd=tmp_path).code == 0
    replace = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        signal.raise_signal(number)
        return replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupted)
        run = arena("run", "tournament.yaml", *SERIAL, "--seed", "2", "--fresh", cwd=tmp_path)
    assert run.code == 0, run
    assert (
        capfd.readouterr().err.strip() == "all games are played, and the run is about to end; once more stops at once"
    )
    assert run.err.endswith("written to leaderboard\n")
    published = files_in(tmp_path / "leaderboard")
    again = arena("run", "tournament.yaml", *SERIAL, "--seed", "2", cwd=tmp_path)
    assert again.lines[-1] == run.lines[-1]
    assert files_in(tmp_path / "leaderboard") == published


def test_a_second_ctrl_c_while_it_is_rated(arena: Console, tmp_path: Path) -> None:
    write_tournament(tmp_path, games=4)
    script = """if True:
        import signal, sys
        from arena import pipeline
        from arena.cli.main import main

        def rate(*_):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

        pipeline.rate = rate
        main(sys.argv[1:])
    """
    command = [sys.executable, "-c", script, "run", "tournament.yaml", *SERIAL]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.splitlines()[-1] == (
        "stopped: all games are kept in runs/small; the same command goes on from there"
    )
    assert not (tmp_path / "leaderboard").exists()


def test_ctrl_c_while_leaderboards_are_shown(arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    write_tournament(tmp_path, games=4)
    monkeypatch.setattr("arena.cli.run._show", interrupted)
    run = arena("run", "tournament.yaml", *SERIAL, cwd=tmp_path)
    assert (run.code, run.out) == (1, "")
    assert run.err.splitlines()[-1] == "stopped: all games are kept in runs/small, and the leaderboards in leaderboard"


def test_ctrl_c_in_other_commands(arena: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.rules.shipped.ruleset_ids", interrupted)
    stopped = arena("rules")
    assert (stopped.code, stopped.out, stopped.err.strip()) == (1, "", "stopped")
