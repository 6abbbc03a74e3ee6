"""Processes, as the kernel tells of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def living(pids: Sequence[int]) -> list[int]:
    """Return those that have not ended; nobody may be there to wait for them."""
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            found.append(pid)
    return found


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started, zombies too; none of one that has just ended."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def children_in(folder: Path) -> list[int]:
    """Return the children of this process that work in a folder; a zombie, which has none, is not among them."""
    found = []
    for child in children_of(os.getpid()):
        with suppress(OSError):
            if Path(f"/proc/{child}/cwd").readlink() == folder:
                found.append(child)
    return found


def descendants(pid: int) -> set[int]:
    children = set(children_of(pid))
    return children.union(*map(descendants, children))


def shared_folder(run: str) -> Path:
    """Return the folder that the processes share which test together."""
    return Path(tempfile.gettempdir()) / f"arena-tests-{run}"
