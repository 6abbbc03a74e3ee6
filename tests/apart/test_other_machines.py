"""A Linux on a machine whose system calls nobody here knows the numbers of: no sandbox, all else works."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from leagues import ROOT, bot, play_league, write_tournament

SETARCH = shutil.which("setarch")


@pytest.mark.skipif(SETARCH is None, reason="there is no setarch")
def test_a_league_there(tmp_path: Path) -> None:
    """Python says of itself there what the kernel says to a program of 32 bits."""
    agents = ["greedy", {**bot("apart/several.py:Scalar", "scalar"), "isolation": "auto"}]
    file = write_tournament(tmp_path, agents=agents, games=20)
    environment = {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}  # what is compiled for another machine is none's
    command = [SETARCH, "linux32", sys.executable, "-m", "arena", "run", file, "--workers", "1"]
    run = subprocess.run(command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert f"  scalar: file {ROOT}/tests/bots/apart/several.py, process" in run.stderr.splitlines()
    assert run.stdout.splitlines()[-1] == f"digest {play_league(file, tmp_path / 'here').digest}"
