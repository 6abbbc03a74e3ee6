"""Plays the scenarios of clusters, and writes what they found; by itself beside the other tests, as it takes long."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAMESPACE = ("unshare", "-n", "-p", "-f", "--mount-proc", "--kill-child")
"""A network and processes of its own: everything in it dies with the first process."""
SECONDS = 600
FOUND = "found.json"


def play() -> dict[str, Any]:
    """Return what the scenarios found, or what was printed instead."""
    folder = Path(tempfile.mkdtemp(prefix="arena-", dir="/tmp"))  # sockets' paths are short
    apart = _has_namespaces()
    command = [*(NAMESPACE if apart else ()), sys.executable, str(HERE / "scenarios.py"), str(folder)]
    paths = [str(HERE.parents[1]), *(str(HERE.parents[1] / "tests" / part) for part in ("", "cluster"))]
    try:
        done = subprocess.run(
            [*command, *(["apart"] if apart else [])],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAY_USAGE_STATS_ENABLED": "0"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        told = folder / FOUND
        if told.exists():
            return {"scenarios": json.loads(told.read_text(encoding="utf-8"))}
        return {"output": f"{done.returncode}\n{done.stdout}\n{done.stderr}"}
    except subprocess.TimeoutExpired as error:
        return {"output": str(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _has_namespaces() -> bool:
    try:
        return subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False, timeout=SECONDS).returncode == 0
    except OSError:
        return False


def main() -> None:
    """Play, and write what came of it into a folder, whole or not at all."""
    folder = Path(sys.argv[1])
    aside = folder / "aside"
    try:
        found = play()
    except BaseException:
        found = {"output": traceback.format_exc()}
    aside.write_text(json.dumps(found), encoding="utf-8")
    aside.rename(folder / FOUND)


if __name__ == "__main__":
    main()
