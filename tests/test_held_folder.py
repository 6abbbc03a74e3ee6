"""A folder lasts as long as its process; one that is left by a dead process goes with the next."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT

from arena.errors import DiskError
from arena.held_folder import held_folder

HOLDER = """
import sys
from pathlib import Path
from arena.held_folder import held_folder
with held_folder(Path(sys.argv[1]), "held-") as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(parent: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that holds a folder, and the folder, with a file inside."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        (folder / "bot.py").touch()
        yield process, folder


def test_it_goes_at_the_end(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, folder):
        process.communicate()
        assert not folder.exists()


def test_what_dead_processes_left_is_removed(tmp_path: Path) -> None:
    with held_folder(tmp_path, "held-") as ours:
        with holder(tmp_path) as (process, theirs):
            with held_folder(tmp_path, "held-"):
                assert theirs.exists()
            process.kill()
        assert theirs.exists()
        with held_folder(tmp_path, "held-"):
            assert not theirs.exists()
            assert ours.exists()
    assert list(tmp_path.iterdir()) == []


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, theirs):
        process.kill()
    before = len(list(Path("/proc/self/fd").iterdir()))
    with held_folder(tmp_path, "held-"):
        assert not theirs.exists()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_others_are_left_alone(tmp_path: Path) -> None:
    """One without a lock, one of another name, and one that a link leads to."""
    (tmp_path / "held-1").mkdir()
    for name in ("other", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lock").touch()
    (tmp_path / "held-2").symlink_to(tmp_path / "elsewhere")
    with held_folder(tmp_path, "held-"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "held-1", "held-2", "other"]
    assert (tmp_path / "elsewhere" / "lock").exists()


@pytest.mark.parametrize("where", ["mkdtemp", "mkstemp", "rename"])
def test_a_full_disk(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as such, and nothing stays."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    with monkeypatch.context() as patched:
        patched.setattr(Path if where == "rename" else tempfile, where, full)
        with pytest.raises(DiskError, match=r"No space left on device$"), held_folder(tmp_path, "held-"):
            pass
    assert list(tmp_path.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def full(*_: Any, **__: Any) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))
