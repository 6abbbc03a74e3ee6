"""What is said where Ray is not installed, or was not asked for."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from leagues import ROOT, Console, write_tournament


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_tournament(tmp_path)


def test_it_says_how_to_get_it(file: Path, tmp_path: Path, arena: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "ray" else found(name, *rest))
    said = "--backend ray: Ray is not installed: `pip install '.[ray]'` in the arena's folder brings it"
    assert arena("run", file, "--backend", "ray", cwd=tmp_path).mistake == said
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("backend", ["serial", "processes"])
def test_an_address_for_another_backend(backend: str, file: Path, tmp_path: Path, arena: Console) -> None:
    ran = arena("run", file, "--backend", backend, "--address", "auto", cwd=tmp_path)
    assert ran.mistake == f"--address: the {backend} backend has no cluster; --backend ray has"


@pytest.mark.parametrize("backend", ["serial", "processes"])
def test_ray_is_imported_where_it_is_used_alone(backend: str, file: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from arena.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: sys.exit(end.code or 'ray' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, "run", str(file), "--backend", backend]
    ran = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("locl", "'locl' is none of auto, local, ray://HOST:PORT and HOST:PORT, did you mean 'local'?"),
        ("ray://here", "'ray://here' is none of auto, local, ray://HOST:PORT and HOST:PORT"),
    ],
)
def test_an_address_that_is_none(address: str, said: str, file: Path, tmp_path: Path, arena: Console) -> None:
    assert arena("run", file, "--backend", "ray", "--address", address, cwd=tmp_path).mistake == f"--address: {said}"
