"""All that the tests of clusters ask about, found by one process: only one cluster lives at a time."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from gated_league import write_league
from leagues import ROOT, Played, play_league

HERE = Path(__file__).parent
NAMESPACE = ("unshare", "-n", "-p", "-f", "--mount-proc", "--kill-child")
"""A network and processes of its own: everything in it dies with the first process."""
SECONDS = 600


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the scenarios found, by name; played once, by whichever of the tests' processes comes first."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cluster"
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = shared / "found.json"
        if not told.exists():
            told.write_text(json.dumps(_play()), encoding="utf-8")
        content: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    assert "scenarios" in content, content["output"]
    scenarios: dict[str, Any] = content["scenarios"]
    return scenarios


def _play() -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir="/tmp"))  # sockets' paths are short
    apart = _has_namespaces()
    command = [*(NAMESPACE if apart else ()), sys.executable, str(HERE / "scenarios.py"), str(folder)]
    paths = [str(ROOT), *(str(ROOT / "tests" / part) for part in ("", "cluster"))]
    try:
        done = subprocess.run(
            [*command, *(["apart"] if apart else [])],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAY_USAGE_STATS_ENABLED": "0"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        told = folder / "found.json"
        if told.exists():
            return {"scenarios": json.loads(told.read_text(encoding="utf-8"))}
        return {"output": f"{done.returncode}\n{done.stdout}\n{done.stderr}"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _has_namespaces() -> bool:
    try:
        return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False, timeout=SECONDS).returncode == 0
    except OSError:
        return False


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The gated league, played in one process."""
    folder = tmp_path_factory.mktemp("gated")
    return play_league(write_league(folder), folder)
