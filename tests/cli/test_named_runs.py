"""A run is named by its folder, or by its name under ``runs``."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.runs import run_folder, runs_in
from arena.errors import UserError
from arena.run_folder import FILE_NAME


def make_run(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / FILE_NAME).touch()
    return folder


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_folder_or_a_name() -> None:
    make_run(Path("runs/first"))
    make_run(Path("else/where"))
    assert run_folder("first") == run_folder("runs/first") == Path("runs/first")
    assert run_folder("else/where") == Path("else/where")
    assert run_folder(str(Path("else/where").absolute())) == Path("else/where").absolute()
    Path("first").mkdir()  # somebody's folder of that name
    assert run_folder("first") == Path("runs/first")
    make_run(Path("first/first"))
    assert run_folder("first/first") == Path("first/first")


def test_a_folder_that_is_given_goes_before_a_name() -> None:
    make_run(Path("runs/first"))
    assert run_folder(str(make_run(Path("first")))) == Path("first")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("frist", "frist: no such run, did you mean 'first'?; one of first, first.2, first.10, other"),
        ("xyz", "xyz: no such run; one of first, first.2, first.10, other"),
        ("runs/othr", "runs/othr: no such run, did you mean 'other'?; one of first, first.2, first.10, other"),
        ("elsewhere/first", "elsewhere/first: no such run; no runs are in elsewhere"),
        ("runs", "runs: is no run's folder: it has no results.sqlite"),
        ("", ": is no run's folder: it has no results.sqlite"),
        ("a\tb", "a\\tb: no such run; one of first, first.2, first.10, other"),
        ("a\0b", "a\\x00b: no such run; one of first, first.2, first.10, other"),
        ("x" * 300, f"{'x' * 300}: no such run; one of first, first.2, first.10, other"),
    ],
)
def test_what_there_is_not(text: str, told: str) -> None:
    for name in ("first", "first.10", "first.2", "other"):
        make_run(Path("runs") / name)
    Path("runs/no-run").mkdir()
    Path("runs/file").touch()
    with pytest.raises(UserError) as error:
        run_folder(text)
    assert str(error.value) == told


def test_no_runs_at_all_and_very_many() -> None:
    with pytest.raises(UserError, match=r"^x: no such run; no runs are in runs$"):
        run_folder("x")
    for number in range(20):
        make_run(Path(f"runs/league{number}"))
    with pytest.raises(UserError, match=r"^leage7: no such run, did you mean 'league7'\?; 20 runs are in runs$"):
        run_folder("leage7")
    assert len(runs_in(Path("runs"))) == 20
