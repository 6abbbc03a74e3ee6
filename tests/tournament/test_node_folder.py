"""A node's folder is the user's own, and holds nothing of workers that are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from leagues import ROOT

from arena.errors import UserError
from arena.tournament.node_folder import node_folder, worker_folder

WORKER = """
import sys
from pathlib import Path
from arena.tournament.node_folder import worker_folder
print(worker_folder(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


def test_it_is_for_nobody_else(tmp_path: Path) -> None:
    folder = node_folder(tmp_path)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert node_folder(tmp_path) == folder


def test_one_that_others_can_open_is_refused(tmp_path: Path) -> None:
    node_folder(tmp_path).chmod(0o755)
    with pytest.raises(UserError, match="is open to others, or not of this user: remove it"):
        node_folder(tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    folder = node_folder(tmp_path)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="remove it"):
        node_folder(tmp_path)


def test_what_dead_workers_left_is_removed(tmp_path: Path) -> None:
    ours = worker_folder(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as worker:
        assert worker.stdout is not None
        theirs = Path(worker.stdout.readline().strip())
        (theirs / "bot.py").touch()
        assert worker_folder(tmp_path) != ours
        assert theirs.exists()
        worker.kill()
    worker_folder(tmp_path)
    assert not theirs.exists()
    assert ours.exists()
