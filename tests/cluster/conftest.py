"""All that the tests of clusters ask about, found by one process: only one cluster lives at a time."""

from __future__ import annotations

import importlib.util
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from gated_league import write_league
from leagues import Played, play_league
from playing import FOUND, SECONDS, play
from processes import shared_folder


@pytest.fixture(scope="session")
def found() -> dict[str, Any]:
    """What the scenarios found, by name; where several processes test, it is played since they began."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    content = _played_beside(shared_folder(os.environ["PYTEST_XDIST_TESTRUNUID"])) if _several() else play()
    assert "scenarios" in content, content["output"]
    scenarios: dict[str, Any] = content["scenarios"]
    return scenarios


def _several() -> bool:
    return "PYTEST_XDIST_TESTRUNUID" in os.environ


def _played_beside(folder: Path) -> dict[str, Any]:
    told, deadline = folder / FOUND, time.monotonic() + SECONDS
    while not told.exists():
        if time.monotonic() > deadline:
            return {"output": "nothing came"}
        time.sleep(0.1)
    content: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The gated league, played in one process."""
    folder = tmp_path_factory.mktemp("gated")
    return play_league(write_league(folder), folder)
