"""Files that are put in their places: all or none, whatever comes in between, and nothing is left beside them."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT, files_in

from arena.errors import UserError
from arena.report.placing import place_all, written_aside

OLD = {"a/one": "old", "a/gone": "old", "two": "old"}
NEW: dict[str, str | None] = {"a/one": "new", "a/gone": None, "b/three": "new", "two": "new"}
AFTER = {name: text.encode() for name, text in NEW.items() if text is not None}
STEPS = {"pathlib.Path.touch": 3, "os.fsync": 3, "os.link": 3, "pathlib.Path.replace": 3, "pathlib.Path.unlink": 7}
"""What placing does, and how often."""
PLACER = """
import os, signal, sys
from pathlib import Path
from arena.report.placing import place_all

out, at, deed = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
replace, done = Path.replace, []


def replaced(path, target):
    done.append(path)
    if len(done) == at:
        if deed == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        print("there", flush=True)
        sys.stdin.read()
    return replace(path, target)


Path.replace = replaced
place_all({out / "a" / "one": "between", out / "a" / "gone": None, out / "b" / "three": "between", out / "two": "x"})
"""


def fill(out: Path) -> None:
    for name, text in OLD.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)


def place(out: Path) -> None:
    place_all({out / name: text for name, text in NEW.items()})


def litter(out: Path) -> list[str]:
    return [path.name for path in out.rglob(".*")]


@contextmanager
def noted(*numbers: int) -> Iterator[list[int]]:
    """Note signals that come, and let nothing else come of them."""
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in numbers}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def at_step(patch: pytest.MonkeyPatch, what: str, step: int, then: Callable[[], None]) -> list[str]:
    """Have something done before one of the steps; returns the steps that were taken, which grow."""
    done: list[str] = []
    owner, _, name = what.rpartition(".")
    function = getattr(Path, name) if owner == "pathlib.Path" else getattr(os, name)

    def wrapped(*args: Any, **how: Any) -> Any:
        done.append(what)
        if len(done) == step:
            then()
        return function(*args, **how)

    patch.setattr(what, wrapped)
    return done


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("what", "step"), [(what, step) for what, most in STEPS.items() for step in (1, 2, most)])
def test_a_signal_waits_until_all_is_done(
    what: str, step: int, number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    seen: list[dict[str, bytes]] = []
    with noted(number) as came, monkeypatch.context() as patch:
        before = signal.getsignal(number)

        def raised() -> None:
            signal.raise_signal(number)
            signal.raise_signal(number)
            assert came == []
            seen.append(files_in(tmp_path))

        done = at_step(patch, what, step, raised)
        place(tmp_path)
        assert came == [number]
        assert signal.getsignal(number) is before
    assert len(seen) == 1
    assert len(done) == STEPS[what]
    assert files_in(tmp_path) == AFTER


def test_a_signal_waits_until_all_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path)
    before = files_in(tmp_path)

    def fail() -> None:
        signal.raise_signal(signal.SIGTERM)
        raise PermissionError(1, "Operation not permitted")

    with noted(signal.SIGTERM) as came, monkeypatch.context() as patch:
        at_step(patch, "pathlib.Path.replace", 3, fail)
        with pytest.raises(UserError, match="cannot be written"):
            place(tmp_path)
        assert came == [signal.SIGTERM]
    assert files_in(tmp_path) == before
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("step", [1, 2, 3])
def test_what_a_killed_process_left_goes_with_the_next(step: int, tmp_path: Path) -> None:
    fill(tmp_path)
    killed = subprocess.run(
        [sys.executable, "-c", PLACER, tmp_path, str(step), "die"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert litter(tmp_path)
    place(tmp_path)
    assert files_in(tmp_path) == AFTER


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    fill(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", PLACER, tmp_path, "1", "wait"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "there\n"
        aside = litter(tmp_path)
        assert len(aside) == 6
        place(tmp_path)
        assert sorted(litter(tmp_path)) == sorted(aside)
        other.communicate()
        assert other.returncode == 0
    assert files_in(tmp_path) == {"a/one": b"between", "b/three": b"between", "two": b"x"}


def test_names_that_the_arena_does_not_make_stay(tmp_path: Path) -> None:
    ours = ["a/.one.01234567.new", "a/.gone.89abcdef.old", ".two.00000000.old"]
    theirs = ["a/.one.new", "a/.one.0123456.new", "a/.other.01234567.new", "a/one.01234567.new", ".one.01234567.new"]
    theirs += ["a/.one.01234567.news", "a/.onex.01234567.new", "a/.one.0123456G.new"]
    fill(tmp_path)
    for name in (*ours, *theirs):
        (tmp_path / name).write_text("left")
    place(tmp_path)
    assert set(files_in(tmp_path)) == {*AFTER, *theirs}


def test_an_export_removes_what_was_left_of_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / ".games.csv.01234567.new").touch()
    (tmp_path / ".other.csv.01234567.new").touch()
    with written_aside(tmp_path / "games.csv") as file:
        file.write("new")
    assert set(files_in(tmp_path)) == {"games.csv", ".other.csv.01234567.new"}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666])
def test_who_could_read_a_file_can_read_the_next(mode: int, tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "games.csv").write_text("old")
    for name in ("two", "games.csv"):
        (tmp_path / name).chmod(mode)
    before = os.umask(0o022)
    try:
        place(tmp_path)
        with written_aside(tmp_path / "games.csv") as file:
            [aside] = tmp_path.glob(".games.csv.*")
            assert stat.S_IMODE(aside.stat().st_mode) == mode  # before anything is in it
            file.write("new")
    finally:
        os.umask(before)
    for name, now in {"two": mode, "games.csv": mode, "b/three": 0o644, "a/one": 0o644}.items():
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == now, name
