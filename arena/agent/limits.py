"""What a bot's process may take, and how it is confined."""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from arena.agent.ref import AgentRef
from arena.agent.sources import bundled_folder
from arena.jit import cache_folder
from arena.sandbox.box import LIBRARIES, Box, Frame, SandboxError, enter, frame, missing
from arena.sandbox.limits import MB, memory_taken, tie_to_parent
from arena.solver.tables import folder as solved_folder

PACKAGES = ("numpy", "numpy.libs", "numba", "llvmlite", "click", "pluggy", "platformdirs", "yaml", "_yaml")
"""What a bot in the sandbox may import, besides the standard library and the arena."""
ELSEWHERE = ("site-packages", "dist-packages", "__pycache__")
"""What lies among the standard library and is not of it."""
INTERPRETERS = ("python", "pypy")
"""How folders among the system's libraries begin that are Python's: a bot may have some of what is in them."""
OPEN_FILES = 256


AUTO = "auto"
"""What is said for the best that works here, and inline for bots that are trusted."""


class Level(StrEnum):
    """How far a bot is kept apart."""

    INLINE = "inline"
    PROCESS = "process"
    SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may take.

    Attributes:
        decision_ms: milliseconds for one decision, of the bot's own processor time where that can be told; a call in
            array form gets this and one millisecond for every turn in it.
        start_s: seconds to load and to make ready.
        memory_mb: megabytes beside what Python and the arena take themselves.
        output_kb: kilobytes of printed text that are kept.
        wall_s: seconds without any progress, by the wall clock.
    """

    decision_ms: int = 100
    start_s: float = 10
    memory_mb: int = 1024
    output_kb: int = 64
    wall_s: float = 12


def trusted(ref: AgentRef) -> bool:
    """Return True for bots that are bundled or come with an installed plugin; all others are foreign."""
    return ref.origin in ("bundled", "plugin")


def level_of(ref: AgentRef, wanted: Level | None) -> Level:
    """Return how far a bot is kept apart.

    Args:
        ref: the bot.
        wanted: what was asked for; None for the best that works here, and inline for bots that are trusted.
    """
    if wanted is not None:
        return wanted
    if trusted(ref):
        return Level.INLINE
    return Level.PROCESS if missing() else Level.SANDBOX


def die_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends; elsewhere than on Linux a thread looks for that now and then.

    Args:
        parent: its number as the parent knows it.
    """
    if sys.platform.startswith("linux"):
        if not tie_to_parent(parent):
            os._exit(1)
    elif sys.platform != "win32":
        threading.Thread(target=_end_without, args=(parent,), daemon=True).start()


def _end_without(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


@dataclass(frozen=True, slots=True)
class Boxes:
    """What all sandboxes of a zygote have in common, made once.

    Attributes:
        frame: allows the library, and the folders of all its bots.
        above: allow as much of the library, and no bot's folder.
    """

    frame: Frame
    above: tuple[Path, ...]

    @classmethod
    def hiding(cls, folder: Path, readable: Sequence[Path]) -> Boxes:
        """Make it for bots that are unpacked in a folder.

        Args:
            folder: that.
            readable: what they may read besides, not in that folder.

        Raises:
            SandboxError: if the machine lacks something.
        """
        hidden = folder.resolve()
        shared = (*library(), *readable)
        highest = dict.fromkeys(_highest(path.resolve(), hidden) for path in shared)
        return cls(frame((hidden, *shared)), tuple(highest))


def _highest(path: Path, hidden: Path) -> Path:
    """Return the highest folder above a path in which a hidden one is not."""
    return next((folder for folder in reversed(path.parents) if not hidden.is_relative_to(folder)), path)


def confine(folder: Path, limits: Limits, boxes: Boxes | None, *, boxed: bool, parent: int) -> None:
    """Confine this process, for good.

    Args:
        folder: what it may read, besides Python and its libraries.
        limits: what it may take.
        boxes: what the parent has made for the sandbox; None where there is none.
        boxed: True for the sandbox, False for limits of memory alone.
        parent: the number of its parent.

    Raises:
        SandboxError: if the sandbox cannot be made.
    """
    if sys.platform == "win32":  # it has no such limits
        return
    import resource  # noqa: PLC0415 - not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sys.platform.startswith("linux"):  # nothing tells what is taken already; untested there
        return
    memory_mb = memory_taken("address_space") // MB + limits.memory_mb
    if boxed:
        if boxes is None:
            raise SandboxError(f"this machine has no {', no '.join(missing())}")
        readable = (folder, *boxes.above)
        box = Box(readable=readable, memory_mb=memory_mb, cpu_seconds=None, open_files=OPEN_FILES)
        enter(box, parent=parent, within=boxes.frame)
        return
    die_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb * MB, memory_mb * MB))


@cache
def library() -> tuple[Path, ...]:
    """Return what every bot may read: the standard library, numpy, the arena, what it compiled and solved."""
    paths = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    found = {inner for path in paths for inner in path.iterdir() if inner.name not in ELSEWHERE}
    for name in PACKAGES:
        spec = find_spec(name) if "." not in name else None
        beside = Path(find_spec("numpy").origin).parents[1] / name  # type: ignore[union-attr,arg-type]
        if spec is not None and spec.origin is not None:
            found.add(Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin))
        elif beside.exists():
            found.add(beside)
    made = [folder for folder in (cache_folder(), solved_folder()) if folder is not None]
    return (*sorted(found), Path(__file__).parents[1], bundled_folder(), *made, *_system())


def _system() -> Iterator[Path]:
    """Return the system's libraries, without what is Python's among them."""
    for root in dict.fromkeys(path.resolve() for path in LIBRARIES):
        inner = list(root.iterdir()) if root.is_dir() else []
        if not any(path.name.startswith(INTERPRETERS) for path in inner):
            yield root
            continue
        for path in map(Path.resolve, inner):  # what a link leads to elsewhere is no library
            if path.is_relative_to(root) and not path.relative_to(root).parts[0].startswith(INTERPRETERS):
                yield path
