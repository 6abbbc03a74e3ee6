"""How many threads solve at a time, where nobody says otherwise."""

from __future__ import annotations

import os

MOST_THREADS = 8
DEFAULT = f"one a processor, {MOST_THREADS} at most"
"""The default, in words."""


def default_threads() -> int:
    """Return one a processor, `MOST_THREADS` at most."""
    return min(os.cpu_count() or 1, MOST_THREADS)
