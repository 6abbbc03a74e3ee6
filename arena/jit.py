"""The one numba decorator, with a cache folder of our own.

Compiled kernels are stored under the platform's user cache directory, in a folder named by a hash of the kernels'
sources and of numba's version: an edit can never find a stale result, and neither the source folder nor the home
directory need be writable (without any place to write, kernels are compiled anew in every process).
``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python, which the tests hold against the compiled ones.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba import njit
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

from arena.cache import user_cache

P = ParamSpec("P")
R = TypeVar("R")

ALSO = ("records.py",)
"""Files from which kernels have their constants: numba takes those in when it compiles."""


ROOM = 64 << 20
"""Bytes that must be free for kernels to be stored: several times what all of them take."""


@cache
def cache_folder() -> Path | None:
    """Make the folder of the compiled kernels, and return it; None if there is no place to write."""
    here, digest = Path(__file__).parent, hashlib.sha256(numba.__version__.encode())
    for path in [*sorted(here.rglob("*kernels.py")), *(here / name for name in ALSO)]:
        digest.update(path.read_bytes())
    folder = user_cache() / "kernels" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError:
        return None
    if free < ROOM and not any(folder.iterdir()):  # numba raises where it cannot finish writing
        return None
    return folder if os.access(folder, os.W_OK) else None


def keep_nothing() -> None:
    """Have this process keep nothing that it compiles, as one that may write nowhere; what is kept is found."""
    dispatcher, cached = cast(Any, Dispatcher), cast(Any, FunctionCache)
    dispatcher.enable_caching = cached.save_overload = lambda *_: None


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on arrays. It releases the interpreter's lock and starts no threads.

    Kernels live in files whose names end in ``kernels.py``, whose sources decide the cache folder. Numba asks where
    to store a function when it is decorated, so its setting is another for just so long, and a bot's own functions are
    stored where their author expects them.
    """
    folder, config = cache_folder(), cast(Any, numba.config)
    before = config.CACHE_DIR
    try:
        if folder is not None:
            config.CACHE_DIR = str(folder)
        made: Any = njit(cache=folder is not None, nogil=True)(function)
    finally:
        config.CACHE_DIR = before
    return cast(Callable[P, R], made)
