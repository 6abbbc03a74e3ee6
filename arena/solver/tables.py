"""Solved tables on disk: one file a ruleset and kind, mapped into memory, and never trusted without its checksum.

A file is a line of JSON, filled up with spaces to `HEAD` bytes, and the numbers as they lie in memory. It is written
aside and renamed, so that two processes which solve the same ruleset do each other no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from arena.cache import user_cache
from arena.dice.lattice import Floats
from arena.solver.space import Space

Kind: TypeAlias = Literal["values", "moments"]

FORMAT = 1
"""Raised when the numbers mean something else than before."""
HEAD = 512
LITTLE = np.dtype("<f8")
ASIDE = ".aside-"
"""How files begin that are being written."""
STALE = 24 * 3600.0
"""Seconds after which nobody writes to one any more."""


def folder() -> Path:
    """Return where solved tables are stored: a folder of the platform's user cache."""
    return user_cache() / "values"


def path_of(space: Space, kind: Kind) -> Path:
    """Return a table's file."""
    return folder() / f"{space.rules.ruleset.hash}.{kind}"


def load(space: Space, kind: Kind) -> Floats | None:
    """Return a table, mapped from its file; None if there is none, or it is damaged or not this game's.

    Returns:
        float64[states], read-only.
    """
    path = path_of(space, kind)
    try:
        if not path.is_file():  # also a pipe, which would be waited for
            return None
        with path.open("rb") as file:
            head = json.loads(file.read(HEAD))
        numbers = np.memmap(path, dtype=LITTLE, mode="r", offset=HEAD)
    except (OSError, ValueError):
        return None
    if not isinstance(head, dict) or len(numbers) != len(space):
        return None
    if head != _head(space, kind, numbers):
        return None
    return numbers


def store(space: Space, kind: Kind, numbers: Floats) -> bool:
    """Write a table to its file; returns False where nothing can be written."""
    path = path_of(space, kind)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=ASIDE)
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(_head(space, kind, numbers)).encode().ljust(HEAD))
            file.write(np.ascontiguousarray(numbers, dtype=LITTLE).data)
        Path(aside).replace(path)
    except OSError:
        return False
    finally:  # nothing is left behind by Ctrl-C either; renamed, it is not there any more
        with contextlib.suppress(OSError):
            Path(aside).unlink(missing_ok=True)
    return True


def _sweep(of: Path) -> None:
    """Remove what processes that were ended in the midst of writing left behind, once it is a day old."""
    for path in of.glob(f"{ASIDE}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE:
                path.unlink()


def _head(space: Space, kind: Kind, numbers: Floats) -> dict[str, object]:
    return {
        "format": FORMAT,
        "kind": kind,
        "ruleset": space.rules.ruleset.hash,
        "layout": space.layout,
        "states": len(space),
        "sha256": hashlib.sha256(np.ascontiguousarray(numbers, dtype=LITTLE).data).hexdigest(),
    }
