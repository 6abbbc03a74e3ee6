"""What the tests share: how hypothesis runs, the command, and leagues that are played once."""

from __future__ import annotations

import gc
import importlib.util
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from leagues import ROOT, Console, Played, play_league
from processes import shared_folder

settings.register_profile("arena", deadline=None, derandomize=True, database=None)
settings.load_profile("arena")


def pytest_collection_finish() -> None:
    """Have nobody look through all that was loaded for garbage, again and again: it stays to the end."""
    gc.freeze()


CLUSTERS = ROOT / "tests" / "cluster"
PLAYING = pytest.StashKey[tuple[subprocess.Popen[bytes], Path]]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Have clusters played on from the beginning, beside the processes that test, if that is asked about."""
    config = node.config
    if PLAYING in config.stash or importlib.util.find_spec("ray") is None:
        return
    if any(f"{CLUSTERS.name}/test_ray.py::" in test for test in ids):
        shared = shared_folder(node.workerinput["testrunuid"])
        shared.mkdir()
        config.stash[PLAYING] = _begun([str(CLUSTERS / "playing.py"), str(shared)]), shared


def _begun(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *arguments], start_new_session=True)  # Ctrl-C comes to it once, from here


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was begun."""
    if PLAYING in config.stash:
        process, shared = config.stash[PLAYING]
        process.send_signal(signal.SIGINT)
        process.wait()
        shutil.rmtree(shared)


@pytest.fixture(scope="session", autouse=True)
def _terminal() -> Iterator[None]:
    """One terminal for all: of the width that output has when it is piped, and without wishes about colours."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("COLUMNS", "200")
        for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "GATE", "ORDERS"):
            environment.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def arena() -> Console:
    """The command ``arena``."""
    return Console()


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """``tournaments/quick.yaml`` as it stands, played by two workers."""
    folder = tmp_path_factory.mktemp("quick")
    return play_league(ROOT / "tournaments" / "quick.yaml", folder, backend="processes", workers=2)
