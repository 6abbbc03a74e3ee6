"""Bots lie in the folder that people work in, and may be called as any module: nothing of the arena's imports them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from leagues import ROOT, Console, write_tournament

BOT = """
from pathlib import Path

if __name__ == {name!r}:
    with Path({seen!r}).open("a") as file:
        file.write(__name__ + "\\n")
    raise SystemExit(f"{{__name__}} was imported")


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
"""
STARTING = {"__future__", "importlib", "io", "os", "pkgutil", "runpy", "typing"}
"""What Python looks for before the first line of ``python -m arena`` runs; with all that these import."""
NEEDED = ("click", "numba", "numpy", "platformdirs", "pluggy", "rich", "yaml", "ray")
SCRIPT = """
from arena.cli.main import main

if __name__ == "__main__":
    main()
"""


def shadows(folder: Path, names: set[str]) -> Path:
    """Write bots that are called as modules, and tell if they are imported as those; returns where they tell."""
    for name in names:
        (folder / f"{name}.py").write_text(BOT.format(name=name, seen=str(folder / "seen")), encoding="utf-8")
    return folder / "seen"


def loaded_by(names: set[str]) -> set[str]:
    """Return modules, and whatever they import."""
    code = f"import sys\nfor name in {sorted(names)!r}: __import__(name)\nprint(*sys.modules)"
    return {
        name.partition(".")[0] for name in subprocess.check_output([sys.executable, "-c", code], text=True).split()
    }


def league(folder: Path) -> list[str]:
    agents = ["greedy", {"path": "signal.py"}, {"path": "mmap.py"}]
    file = write_tournament(folder, agents=agents, games=2, isolation="auto")
    return ["run", file.name, "--workers", "2"]


def test_a_command(tmp_path: Path) -> None:
    """As the installed one does, the script lies elsewhere."""
    seen = shadows(tmp_path, {*sys.stdlib_module_names, *NEEDED})
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "command"
    script.write_text(SCRIPT, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(script), *league(tmp_path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not seen.exists(), seen.read_text()
    assert ran.returncode == 0, ran
    assert "digest" in ran.stdout


@pytest.mark.parametrize("backend", ["processes", "serial"])
def test_a_module_that_is_run(backend: str, arena: Console, tmp_path: Path) -> None:
    names = {*sys.stdlib_module_names, *NEEDED} - loaded_by(STARTING)
    assert {"signal", "mmap", "struct", "socket", "click"} <= names
    seen = shadows(tmp_path, names)
    options = league(tmp_path) if backend == "processes" else [*league(tmp_path)[:2], "--backend", backend]
    ran = arena.process(*options, cwd=tmp_path)
    assert not seen.exists(), seen.read_text()
    assert ran.code == 0, ran
