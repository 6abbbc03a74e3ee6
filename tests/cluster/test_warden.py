"""A local cluster that does not start is a line, and leaves nothing; Ray is another one here, which misbehaves."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from queue import Empty, Queue

import pytest
from kills import wait_for
from processes import living

from arena.errors import UserError
from arena.tournament import ray_warden
from arena.tournament.ray_warden import START_S, Warden

HANGS = """
import pathlib, subprocess, sys, time
def init(_temp_dir, **options):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (pathlib.Path(_temp_dir).parent / "pid").write_text(str(child.pid))
    time.sleep(600)
"""
DIES = """
import os, pathlib, subprocess, sys, time, types
def init(_temp_dir, **options):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    (pathlib.Path(_temp_dir).parent / "pid").write_text(str(child.pid))
    (pathlib.Path(_temp_dir).parent / "starter").write_text(str(os.getpid()))
    return types.SimpleNamespace(address_info={"gcs_address": "here:1"})
"""
SAYS = "import os\ndef init(**options):\n    os.write(1, b'{said}\\n')\n    os._exit(0)\n"


@pytest.fixture
def ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "ray.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster").mkdir()
    return tmp_path / "cluster"


def refused(folder: Path) -> str:
    with pytest.raises(UserError) as told, Warden(folder, 1):
        pass
    return str(told.value).removeprefix("a local Ray cluster does not start: ")


@pytest.mark.parametrize("said", ["hello", "[1]"])
def test_one_that_says_something_else(said: str, ray: Path, folder: Path) -> None:
    ray.write_text(SAYS.replace("{said}", said))
    assert refused(folder) == f"it said '{said}\\n'"


def test_one_that_ends(ray: Path, folder: Path) -> None:
    ray.write_text("import os\ndef init(**options):\n    os._exit(3)\n")
    assert refused(folder) == "ended with exit code 3"


def test_one_that_raises(ray: Path, folder: Path) -> None:
    ray.write_text("def init(**options):\n    raise ValueError('no')\n")
    assert refused(folder) == "no"
    assert not folder.exists()


def test_one_that_hangs(ray: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is over here once it has left a process and hangs."""
    ray.write_text(HANGS)
    found: list[int] = []

    class Clock(Queue[str]):
        def get(self, block: bool = True, timeout: float | None = None) -> str:
            del block
            assert timeout == START_S
            found.append(wait_for(lambda: number_in(folder.parent / "pid"), "process"))
            assert living(found) == found
            raise Empty

    monkeypatch.setattr(ray_warden, "Queue", Clock)
    assert refused(folder) == f"not within {START_S:g} seconds"
    assert not folder.exists()
    assert len(found) == 1
    assert living(found) == []


def test_one_that_is_ended_by_ray(ray: Path, folder: Path) -> None:
    """As when its head dies: what the cluster leaves behind is ended all the same, and its files are gone."""
    ray.write_text(DIES)
    with Warden(folder, 1) as warden:
        assert warden.address == "here:1"
        left = number_in(folder.parent / "pid")
        assert left
        assert living([left])
        os.kill(number_in(folder.parent / "starter"), signal.SIGKILL)
        wait_for(lambda: not folder.exists(), "end of its files")  # nobody has closed it yet
        assert living([left]) == []


@pytest.mark.skipif(not ray_warden.ADOPTS, reason="no such call")
def test_one_that_is_stopped(ray: Path, folder: Path) -> None:
    """As a bot can: it goes on to see to its end."""
    ray.write_text(DIES)
    with Warden(folder, 1) as warden:
        left = number_in(folder.parent / "pid")
        assert living([left])
        os.kill(warden._process.pid, signal.SIGSTOP)
    assert living([left, number_in(folder.parent / "starter")]) == []
    assert not folder.exists()


def number_in(file: Path) -> int:
    """Return the number that a file has; 0 while it has none."""
    text = file.read_text() if file.exists() else ""
    return int(text or 0)
