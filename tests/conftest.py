"""What the tests share: how hypothesis runs, the command, and leagues that are played once."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings
from leagues import ROOT, Console, Played, play_league

settings.register_profile("arena", deadline=None, derandomize=True, database=None)
settings.load_profile("arena")


def pytest_collection_finish() -> None:
    """Have nobody look through all that was loaded for garbage, again and again: it stays to the end."""
    gc.freeze()


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
