"""The folder of the platform's user cache that compiled kernels and solved tables are stored in."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path


def user_cache() -> Path:
    """Return the folder, which need not exist."""
    return user_cache_path("dicepoker-arena", appauthor=False)
