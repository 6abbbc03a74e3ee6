"""Finding bots: by name, file, folder, pattern or class; nothing of theirs is run here."""

from __future__ import annotations

import glob
import importlib.util
import os
import pkgutil
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from arena.agent.ref import MAIN_FILE, AgentRef, Origin, source_hash
from arena.errors import FileError, UserError, nearest

CLASS = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
HIDDEN = ("_", ".")
"""A file or folder whose name begins with one of these is no bot."""
AGENTS_FOLDER = "agents"
"""Where bots stand that are entered by a bare name."""


def bundled_folder() -> Path:
    """Return the folder of the bots that ship with the arena: the checkout's own, else the installed copy."""
    package = Path(__file__).parents[1]
    installed = package / "_bundled_agents"
    return installed if installed.is_dir() else package.parent / AGENTS_FOLDER


def bundled_names() -> list[str]:
    """Return the names of the bots that ship with the arena, sorted."""
    return sorted(bots_in(bundled_folder()))


def bots_in(folder: Path) -> dict[str, Path]:
    """Return the files and folders of a folder that may be bots, by name."""
    files = {path.stem: path for path in folder.glob("*.py") if not path.name.startswith(HIDDEN)}
    return {**{path.parent.name: path.parent for path in folder.glob(f"*/{MAIN_FILE}")}, **files}


def folders_of_names(beside: Path) -> list[Path]:
    """Return where a bare name is looked for, the first first.

    Args:
        beside: the tournament file's folder; ``agents/`` in it or in its parent comes before the bundled bots.
    """
    return [beside / AGENTS_FOLDER, beside.parent / AGENTS_FOLDER, bundled_folder()]


def find_named(name: str, beside: Path) -> Path | None:
    """Return the file or folder that a bare name means, None if there is none.

    Raises:
        UserError: if it is no name.
    """
    if "/" in name or "\\" in name:
        raise UserError(f"{name!r} is a path and not a name: write it as path")
    for folder in folders_of_names(beside):
        with suppress(OSError):  # such as a name longer than the file system takes
            if (path := folder / f"{name}.py").is_file():
                return path
            if (path := folder / name / MAIN_FILE).is_file():
                return path.parent
    return None


def locate(path: Path, *, name: str | None = None, params: Mapping[str, Any] | None = None) -> AgentRef:
    """Return a reference to the bot in a file or folder, without loading it.

    Args:
        path: ``bot.py``, ``bot.py:Class``, or a folder with an ``agent.py``.
        name: the agent's name; else the class's, or the stem of the file or folder.
        params: for a class.

    Raises:
        FileError: if there is no such file, no ``agent.py`` in the folder, or a link in it that leads out.
    """
    class_name = ""
    try:
        if not path.exists() and ":" in path.name:
            file_name, _, class_name = path.name.rpartition(":")
            path = path.with_name(file_name)
        if not path.exists():
            siblings = [other.name for other in path.parent.glob("*")]
            raise FileError(path, f"no such file or folder{nearest(path.name, siblings)}")
        if not path.is_file() and not path.is_dir():
            raise FileError(path, "neither a file nor a folder")
        if path.is_dir() and not (path / MAIN_FILE).is_file():
            raise FileError(path, f"the folder has no {MAIN_FILE}")
        digest = source_hash(path)
    except OSError as error:  # also for a name longer than the file system takes
        raise FileError(path, f"cannot be read: {error.strerror}") from None
    is_bundled = path.is_file() and digest in map(source_hash, bundled_folder().glob("*.py"))
    origin: Origin = "bundled" if is_bundled else "file" if path.is_file() else "folder"
    return AgentRef(name or class_name or stem(path), origin, path.resolve(), class_name, params or {}, digest)


def stem(path: Path) -> str:
    """Return the name that a bot has by its file or folder."""
    return path.name if path.is_dir() else path.stem


def matching(pattern: str, beside: Path) -> list[Path]:
    """Return the files and folders that a pattern means, sorted; an ``agent.py`` stands for its folder.

    Names that begin with ``_`` or ``.`` are passed over, and so are the files inside a folder that has an
    ``agent.py``: they belong to that bot.

    Args:
        pattern: such as ``submissions/*.py``, ``**`` standing for any folders.
        beside: what it is relative to.

    Raises:
        UserError: if nothing matches.
    """
    found: set[Path] = set()
    for name in glob.glob(pattern, root_dir=beside, recursive=True):  # noqa: PTH207 - Path's takes no .. and no root
        match = Path(name).parent if Path(name).name == MAIN_FILE else Path(name)
        above = [beside / folder for folder in match.parents if folder.name not in ("", "..")]
        if not match.name.startswith(HIDDEN) and not any((folder / MAIN_FILE).is_file() for folder in above):
            found.add(beside / match)
    if not found:
        raise UserError(f"nothing matches {pattern!r} in {beside}")
    return sorted(found)


def refuse_link(path: Path, pattern: str, beside: Path) -> None:
    """Refuse what a pattern matches if it is a link or lies beneath one: whoever submitted it may have made that.

    Links before the pattern's first wildcard are its author's.

    Args:
        path: one of those that `matching` returns.
        pattern: as given there.
        beside: as given there.

    Raises:
        FileError: if it is so.
    """
    parts = Path(pattern).parts
    wild = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts) - 1)
    given = beside.joinpath(*parts[:wild])
    if Path(os.path.realpath(path)) != Path(os.path.realpath(given), path.relative_to(given)):
        raise FileError(path, "is a link, or lies beneath one: a pattern takes none")


def locate_class(
    text: str, beside: Path, *, name: str | None = None, params: Mapping[str, Any] | None = None
) -> AgentRef:
    """Return a reference to a class in a module that lies beside the tournament file, or is installed.

    Args:
        text: ``package.module:Class``.
        beside: the tournament file's folder, which comes first.
        name: the agent's name; else the class's.
        params: for the class.

    Raises:
        UserError: if it is written otherwise, or there is no such module.
    """
    if not (match := CLASS.fullmatch(text)):
        raise UserError(f"{text!r} is not written package.module:Class")
    module, class_name = match.groups()
    top = module.partition(".")[0]
    root: Path | None = None
    if PathFinder.find_spec(top, [str(beside)]) is not None:
        root = beside
        if not _has(module, beside):
            raise UserError(f"{beside} has no module {module!r}")
    path = source_of(module, root)
    if path is None:
        known = [found.name for found in pkgutil.iter_modules([str(beside)])]
        raise UserError(f"no module {module!r}{nearest(module, known)}: neither beside the file nor installed")
    return AgentRef(
        name or class_name.rpartition(".")[2],
        "class",
        path,
        class_name,
        params or {},
        source_hash(path, installed=root is None),
        module=module,
        root=root,
    )


def _has(module: str, root: Path) -> bool:
    """Return True if a folder has a module of a dotted name."""
    path: Sequence[str] | None = [str(root)]
    for part in module.split("."):
        spec = PathFinder.find_spec(part, path) if path else None
        if spec is None:
            return False
        path = list(spec.submodule_search_locations or ())
    return True


def source_of(module: str, root: Path | None = None) -> Path | None:
    """Return the file or folder that decides what a module does: its outermost package, else the file itself.

    Args:
        module: its name, with dots.
        root: the folder that it lies in; None for an installed one.

    Returns:
        None if there is no such module, or its source is no file.
    """
    parts = module.split(".")
    path: Sequence[str] = [str(root)]
    for number, part in enumerate(parts):
        spec: ModuleSpec | None
        if root is None:
            try:
                spec = importlib.util.find_spec(".".join(parts[: number + 1]))
            except (ImportError, ValueError):  # a parent that is no package, or a module without a spec
                return None
        else:
            spec = PathFinder.find_spec(part, path)
        if spec is None:
            return None
        if spec.origin is not None and Path(spec.origin).is_file():
            file = Path(spec.origin).resolve()
            return file.parent if spec.submodule_search_locations is not None else file
        path = list(spec.submodule_search_locations or ())
    return None
