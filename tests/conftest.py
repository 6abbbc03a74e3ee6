"""What the tests share: how hypothesis runs, the command, and leagues that are played once."""

from __future__ import annotations

import pytest
from hypothesis import settings
from leagues import ROOT, Console, Played, play_league

settings.register_profile("arena", deadline=None, derandomize=True, database=None)
settings.load_profile("arena")


@pytest.fixture(scope="session")
def arena() -> Console:
    """The command ``arena``."""
    return Console()


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """``tournaments/quick.yaml`` as it stands, played by two workers."""
    folder = tmp_path_factory.mktemp("quick")
    return play_league(ROOT / "tournaments" / "quick.yaml", folder, backend="processes", workers=2)
