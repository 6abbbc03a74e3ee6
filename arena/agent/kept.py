"""What a bot's modules keep between its answers, and loading a bot as if for the first time."""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.modules import PREFIX, forget
from arena.agent.ref import AgentRef

MOST_KEPT = 20_000
DEEPEST = 6


def fresh(ref: AgentRef) -> Bot:
    """Load a bot as if for the first time: its module is run again (but not one that is installed).

    Raises:
        FileError: as `arena.agent.loader.load`.
    """
    for name in {module.__name__.partition(".")[0] for module in _modules_of(ref.path)}:
        forget(name)
    return load(ref)


def _modules_of(path: Path) -> list[ModuleType]:
    """Return the modules that were made of a bot's file or folder."""
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) if name.startswith(PREFIX) else None
        if file is not None and (Path(file) == path or path in Path(file).parents):
            found.append(module)
    return found


def kept_by(ref: AgentRef) -> dict[str, object]:
    """Return what the modules of a bot keep: plain values, by where they stand.

    Numbers, text, lists, sets, arrays and the state of random numbers, in module variables, in class attributes and
    in what these hold. What is added to a mapping stands under its own key.
    """
    found: dict[str, object] = {}
    modules = _modules_of(ref.path)
    names = {module.__name__ for module in modules}
    for module in modules:
        inner = module.__name__.partition(".")[2]
        for name, value in list(vars(module).items()):
            if not name.startswith("__"):
                _collect(value, f"{inner}.{name}" if inner else name, names, found, 0, set())
    return found


def _collect(value: Any, path: str, modules: set[str], found: dict[str, object], depth: int, seen: set[int]) -> None:
    if len(found) >= MOST_KEPT or depth > DEEPEST or id(value) in seen:
        return
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        found[path] = value
        return
    seen = {*seen, id(value)}
    inner: Mapping[Any, Any] = {}
    match value:
        case random.Random():
            found[path] = hash(value.getstate())
        case np.random.Generator():
            found[path] = repr(value.bit_generator.state)
        case np.ndarray():
            found[path] = (value.shape, hash(value.tobytes()))
        case bytearray():
            found[path] = bytes(value)
        case list() | tuple() | deque():
            found[f"len({path})"] = len(value)
            inner = {f"[{number}]": item for number, item in enumerate(value)}
        case set() | frozenset():
            found[f"len({path})"] = len(value)
        case dict():
            inner = {f"[{_short(key)}]": item for key, item in list(value.items())}
        case type() if value.__module__ in modules:
            inner = {f".{key}": item for key, item in vars(value).items() if not key.startswith("__")}
        case _ if type(value).__module__ in modules and hasattr(value, "__dict__"):
            inner = {f".{key}": item for key, item in vars(value).items()}
    for name, item in inner.items():
        _collect(item, path + name, modules, found, depth + 1, seen)


def _short(key: object) -> str:
    try:
        return repr(key)
    except Exception:  # the bot's own
        return type(key).__name__


def changed(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """Return what of the things that were kept before is another now, in one line; an empty string if nothing is."""
    for path, value in before.items():
        if path in after and after[path] != value:
            plain = isinstance(value, int | float | str)
            return f"{path} was {value!r:.60} and is {after[path]!r:.60}" if plain else f"{path} is another"
    return ""
