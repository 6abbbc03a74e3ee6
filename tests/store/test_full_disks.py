"""A disk that is full or may not be written: one line, and what was there stays whole."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from leagues import ROOT, Console, Played, block_ranges, files_in, play_league, write_tournament

LEAGUE = {"agents": ["greedy", "random", "collector"], "games": 40_000, "rulesets": ["two-stage"]}
NAMESPACES = (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"])
ARENA = f"PYTHONPATH={ROOT} {sys.executable} -m arena"
SEVERAL = f"PYTHONPATH={ROOT}:{ROOT}/tests {sys.executable} {Path(__file__).with_name('several.py')}"
"""Starts a process that runs commands one after the other, each with a name for its files."""


@pytest.fixture(scope="module")
def namespace() -> list[str]:
    """What starts a command where file systems can be mounted that nobody else sees."""
    for command in NAMESPACES:
        if shutil.which(command[0]):
            tried = subprocess.run(
                [*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False, capture_output=True
            )
            if tried.returncode == 0:
                return command
    pytest.skip("needs a namespace in which file systems can be mounted")


def shell(namespace: list[str], script: str, folder: Path) -> list[str]:
    """Run a script in a folder, with ``disk`` in it for a mount; return what it printed."""
    (folder / "disk").mkdir()
    ran = subprocess.run(
        [*namespace, "sh", "-euc", script], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran
    return ran.stdout.splitlines()


def outcome_of(folder: Path, name: str) -> tuple[str, str]:
    """Return what was printed to files: to standard output, and the last line to standard error."""
    err = (folder / f"{name}.err").read_text()
    assert "Traceback" not in err
    return (folder / f"{name}.out").read_text(), err.splitlines()[-1]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("expected")
    return play_league(write_tournament(folder, **LEAGUE), folder)


@pytest.mark.parametrize("how", ["--backend serial", "--workers 1"])
def test_a_disk_that_fills_up_during_a_run(how: str, namespace: list[str], expected: Played, tmp_path: Path) -> None:
    write_tournament(tmp_path, **LEAGUE)
    run = f"{ARENA} run tournament.yaml --run-dir disk/run --out out {how}"
    script = f"""
        mount -t tmpfs -o size=180k tmpfs disk
        {run} > full.out 2> full.err || echo $?
        cp -a disk/run kept
        mount -o remount,size=100m disk
        {run} > more.out 2> more.err
        cp -a disk/run done
    """
    assert shell(namespace, script, tmp_path) == ["1"]
    out, told = outcome_of(tmp_path, "full")
    assert out == ""
    assert told.startswith("error: disk/run/results.sqlite: ")
    assert told.endswith(
        " cannot be stored: database or disk is full; what was stored before is kept,"
        " and the same command goes on from there"
    )
    kept, whole = block_ranges(tmp_path / "kept"), block_ranges(tmp_path / "done")
    assert 0 < sum(map(len, kept.values())) < sum(map(len, whole.values()))
    assert all(set(ranges) <= set(whole[series]) for series, ranges in kept.items())
    out, _ = outcome_of(tmp_path, "more")
    assert out.splitlines()[-1] == f"digest {expected.digest}"
    assert files_in(tmp_path / "out") == expected.files
    games = 2 * sum(stop - first for ranges in kept.values() for first, stop in ranges)
    assert f"{games:,} of them played before" in (tmp_path / "more.err").read_text()


@pytest.mark.parametrize("size", ["4k", "40k"])
def test_a_disk_on_which_not_even_a_store_fits(size: str, namespace: list[str], tmp_path: Path) -> None:
    write_tournament(tmp_path)
    script = f"""
        mount -t tmpfs -o size={size} tmpfs disk
        {SEVERAL} full "run tournament.yaml --run-dir disk/run" list "run --list --run-dir disk"
    """
    assert shell(namespace, script, tmp_path) == ["1"]
    assert outcome_of(tmp_path, "full") == (
        "",
        "error: disk/run/results.sqlite: cannot be used: database or disk is full",
    )
    assert (tmp_path / "full.err").read_text().count("\n") == 1
    assert "unreadable" in outcome_of(tmp_path, "list")[0]


def test_a_disk_that_fills_up_while_leaderboards_are_written(namespace: list[str], tmp_path: Path) -> None:
    """There is room for two more files of the four; what stood there stays, to the byte, and nothing beside it."""
    write_tournament(tmp_path)
    run = f"{ARENA} run tournament.yaml --backend serial --out disk"
    script = f"""
        mount -t tmpfs -o size=1m tmpfs disk
        {run} > first.out 2> first.err
        cp -a disk before
        {ARENA} export small --out disk/games.csv
        cp disk/games.csv games.csv
        dd if=/dev/zero of=disk/filler bs=4k count=10000 2> /dev/null || true
        truncate -s -8k disk/filler
        {run} --games 2000 > full.out 2> full.err || echo $?
        {ARENA} export small --out disk/games.csv 2> export.err || echo $?
        cmp disk/games.csv games.csv
        rm disk/filler disk/games.csv
        cp -a disk after
        {run} --games 2000 > more.out 2> more.err
        cp -a disk done
    """
    assert shell(namespace, script, tmp_path) == ["1", "1"]
    out, told = outcome_of(tmp_path, "full")
    assert out == ""
    assert told == "error: disk/two-stage/crosstable.csv: cannot be written: No space left on device"
    assert (tmp_path / "export.err").read_text() == (
        "error: disk/games.csv: cannot be written: No space left on device\n"
    )
    before, after, done = (files_in(tmp_path / name) for name in ("before", "after", "done"))
    assert before == after
    assert set(done) == set(before)
    assert done["two-stage/standings.json"] != before["two-stage/standings.json"]
    assert "2,000 of them played before" in (tmp_path / "more.err").read_text()


def test_a_finished_run_on_a_full_disk(namespace: list[str], tmp_path: Path) -> None:
    """To open it takes a file beside the store; the run is as good as before."""
    write_tournament(tmp_path)
    run = "run tournament.yaml --backend serial --run-dir disk/run"
    script = f"""
        mount -t tmpfs -o size=1m tmpfs disk
        {ARENA} {run} > first.out 2> first.err
        dd if=/dev/zero of=disk/filler bs=4k count=10000 2> /dev/null || true
        {SEVERAL} full "{run}" new "{run} --run-dir disk/new"
        rm disk/filler
        {ARENA} {run} > more.out 2> more.err
    """
    assert shell(namespace, script, tmp_path) == ["1", "1"]
    for name, folder in (("full", "run"), ("new", "new")):
        out, told = outcome_of(tmp_path, name)
        assert out == ""
        assert re.match(rf"error: disk/{folder}/(results|lock)\.sqlite: cannot be used: ", told)
        assert (tmp_path / f"{name}.err").read_text().count("\n") == 1
    assert outcome_of(tmp_path, "more")[0] == outcome_of(tmp_path, "first")[0]


def test_what_may_only_be_read(namespace: list[str], tmp_path: Path) -> None:
    """Each of a run's two folders is refused in a line; lists and exports work, also of a run that was killed."""
    write_tournament(tmp_path)
    run = "run tournament.yaml --backend serial"
    script = f"""
        {ARENA} {run} > first.out 2> first.err
        cp -a runs/small disk/small
        mount --bind disk disk && mount -o remount,bind,ro disk
        {SEVERAL} known "{run} --run-dir disk/small" \\
            more "{run} --run-dir disk/small --games 20" \\
            new "{run} --run-dir disk/new" \\
            fresh "{run} --run-dir disk/small --fresh" \\
            out "{run} --run-dir never --games 20 --out disk" \\
            list "run --list --run-dir disk" \\
            export "export disk/small" \\
            writable "export small"
    """
    assert shell(namespace, script, tmp_path) == ["2"] * 5
    told = {name: outcome_of(tmp_path, name) for name in ("known", "more", "new", "fresh", "out")}
    unwritable = "error: disk/small/results.sqlite: cannot be used: the folder cannot be written"
    assert told == {
        "known": ("", unwritable),
        "more": ("", unwritable),
        "new": ("", "error: disk/new: cannot be used: Read-only file system"),
        "fresh": ("", "error: disk/small: cannot be set aside: Read-only file system"),
        "out": ("", "error: disk: --out cannot be written: Read-only file system"),
    }
    assert all((tmp_path / f"{name}.err").read_text().count("\n") == 1 for name in told)
    assert not (tmp_path / "never").exists()
    assert "finished" in (tmp_path / "list.out").read_text()
    assert (tmp_path / "list.err").read_text() == (tmp_path / "export.err").read_text() == ""
    exported = (tmp_path / "export.out").read_text()
    assert exported == (tmp_path / "writable.out").read_text()
    assert exported.count("\n") == 9


def test_files_that_may_not_grow(arena: Console, expected: Played, tmp_path: Path) -> None:
    """A limit on the size of files, to be had on every machine, stands in for a full disk."""
    file = write_tournament(tmp_path, **LEAGUE)
    command = [
        sys.executable,
        "-m",
        "arena",
        "run",
        str(file),
        "--backend",
        "serial",
        "--run-dir",
        "run",
        "--out",
        "out",
    ]
    limited = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert limited.returncode == 1
    assert "Traceback" not in limited.stderr
    assert " cannot be stored: " in limited.stderr.splitlines()[-1]
    kept = block_ranges(tmp_path / "run")
    assert kept
    assert not (tmp_path / "out").exists()
    again = arena("run", file, "--backend", "serial", "--run-dir", "run", "--out", "out", cwd=tmp_path)
    assert again.lines[-1] == f"digest {expected.digest}"
    assert files_in(tmp_path / "out") == expected.files
    assert all(set(ranges) <= set(block_ranges(tmp_path / "run")[series]) for series, ranges in kept.items())
