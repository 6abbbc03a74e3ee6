"""The one numba decorator, with a cache folder of our own.

Compiled kernels are kept under the platform's user cache directory, in a folder named by a hash of the kernels'
sources and of numba's version: an edit can never find a stale result, and neither the source folder nor the home
directory need be writable (without any place to write, kernels are compiled anew in every process).
``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python, which the tests hold against the compiled ones.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba import njit
from platformdirs import user_cache_path

P = ParamSpec("P")
R = TypeVar("R")


def _cache_folder() -> Path | None:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*kernels.py")):
        digest.update(path.read_bytes())
    folder = user_cache_path("dicepoker-arena", appauthor=False) / "kernels" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_FOLDER = _cache_folder()
if _FOLDER is not None:
    numba.config.CACHE_DIR = str(_FOLDER)  # type: ignore[attr-defined]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on arrays. It releases the interpreter's lock and starts no threads.

    Kernels live in files whose names end in ``kernels.py``, whose sources decide the cache folder.
    """
    made: Any = njit(cache=_FOLDER is not None, nogil=True)(function)
    return cast(Callable[P, R], made)
