"""A new file that is on the disk once it is written, to be renamed into its place then."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

OWNERS = 0o600
"""The mode of a file that is for its owner's eyes only."""


@contextmanager
def new_file(path: Path, *, mode: int | None = None) -> Iterator[TextIO]:
    """Open a new file that is on the disk once the block ends.

    Args:
        path: where nothing stands yet.
        mode: who may read it, and that before anything is in it; None for what the user's mask leaves.

    Raises:
        OSError: if it cannot be written.
    """
    path.touch(mode=0o666 if mode is None else OWNERS, exist_ok=False)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if mode not in (None, OWNERS) and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        yield file
        file.flush()
        os.fsync(file.fileno())
