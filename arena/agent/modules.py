"""Bots' source run as modules that meet nobody else's, whatever their files are called.

Every bot gets a name of its own in ``sys.modules``. The files of a folder are modules inside that name, and an
``import`` that stands in them looks in the folder first, also one that is run later, inside a function. So two bots
may each have a ``helper.py``, and a bot's ``random.py`` is nobody's but the bot's.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib.abc
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from arena.agent.ref import MAIN_FILE, main_file
from arena.errors import FileError, NoSuchBot, one_line

PREFIX = "arena_bot_"
PRIVATE = re.compile(rf"{PREFIX}[0-9a-f]{{16}}(\.(?=\w))?")
MAX_TOLD = 500
PARTS = ("*.py", "*/__init__.py")
"""What makes a folder without an ``__init__.py`` a package: it has modules, or packages."""


def run_source(path: Path, source_hash: str) -> ModuleType:
    """Run a bot's file, or the ``agent.py`` of its folder, once.

    Args:
        path: the file or folder.
        source_hash: of it; changed source is another module.

    Raises:
        FileError: if it is no Python file, or whatever running it raises.
    """
    file, name = main_file(path), _private_name(path, source_hash)
    if name in sys.modules:
        return sys.modules[name]
    if file.suffix != ".py":
        raise NoSuchBot(path, "is no Python file: its name must end in .py")
    folder = [str(path)] if path.is_dir() else None
    spec = importlib.util.spec_from_file_location(
        name, file, loader=BotLoader(name, str(file)), submodule_search_locations=folder
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if folder:
        _look_first_in(path, module)
        sys.modules[f"{name}.{Path(MAIN_FILE).stem}"] = module  # it may be imported by those it imports
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        forget(name)
        raise bot_error(path, error, "cannot be loaded", file) from None
    return module


def run_beside(root: Path, module: str, source_hash: str, path: Path) -> ModuleType:
    """Import a module from a folder that is not on Python's path, once.

    Args:
        root: the folder.
        module: the module's name there, with dots.
        source_hash: of its source.
        path: the module's file or package, for errors.

    Raises:
        FileError: whatever importing it raises.
    """
    name = _private_name(root, source_hash)
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(root)]
        _look_first_in(root, package)
        sys.modules[name] = package
    try:
        return importlib.import_module(f"{name}.{module}")
    except BaseException as error:
        forget(name)
        raise bot_error(path, error, "cannot be loaded") from None


def run_installed(module: str, path: Path) -> ModuleType:
    """Import a module that is installed.

    Raises:
        FileError: whatever importing it raises.
    """
    try:
        return importlib.import_module(module)
    except BaseException as error:
        raise bot_error(path, error, "cannot be loaded") from None


class BotLoader(SourceFileLoader):
    """Runs a bot's file: what stands in it now, never what an earlier run compiled of it."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the compiled file."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the file as a module that imports as its bot's folder does."""
        root = sys.modules[module.__name__.partition(".")[0]]
        own = vars(root).get("__builtins__")
        if own is not None:
            vars(module)["__builtins__"] = own
        super().exec_module(module)


class BotFinder(importlib.abc.MetaPathFinder):
    """Finds the modules inside a bot's folder, for `BotLoader`. It remembers nothing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is; None unless it is a bot's."""
        if path is None or not fullname.startswith(PREFIX):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = BotLoader(spec.loader.name, spec.loader.path)
        return spec


def _look_first_in(folder: Path, package: ModuleType) -> None:
    """Make the imports of a package's modules look in its folder first."""
    if not any(isinstance(finder, BotFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, BotFinder())
    vars(package)["__builtins__"] = {**vars(builtins), "__import__": _importer(package.__name__, _modules_in(folder))}


def _importer(root: str, own: frozenset[str]) -> Callable[..., Any]:
    def import_(
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        top = name.partition(".")[0]
        if level or top not in own:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = builtins.__import__(f"{root}.{name}", globals, locals, fromlist or ())
        return module if fromlist else sys.modules[f"{root}.{top}"]

    return import_


def _modules_in(folder: Path) -> frozenset[str]:
    """Return the modules and packages in a folder; a folder without ``__init__.py`` only if no module is called so."""
    found = {module.name for module in pkgutil.iter_modules([str(folder)])}
    for inner in folder.iterdir():
        if inner.name.isidentifier() and inner.name not in found and any(map(any, map(inner.glob, PARTS))):
            spec = importlib.util.find_spec(inner.name)
            if spec is None or spec.origin is None:  # nothing, or another such folder
                found.add(inner.name)
    return frozenset(found)


def _private_name(path: Path, source_hash: str) -> str:
    return PREFIX + hashlib.sha256(f"{path}\0{source_hash}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


def in_public(text: str) -> str:
    """Return a text with the names that a bot's modules have for the bot, and not for the arena."""
    return PRIVATE.sub(lambda found: "" if found[1] else "bot", text)


def forget(name: str) -> None:
    """Take a bot's modules out of Python's list, so that another try begins anew."""
    for known in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
        del sys.modules[known]


def bot_error(path: Path, error: BaseException, what: str, file: Path | None = None) -> FileError:
    """Return a bot's exception as a mistake in its file, with the last of its own lines that was running.

    Args:
        path: the file, or the folder whose files count as its own.
        error: what it raised.
        what: what could not be done, in words.
        file: the file that was run, where it was none of its lines; else the path.
    """
    place, line = file or path, None
    if isinstance(error, SyntaxError) and error.filename and _is_in(error.filename, path):
        place, line = Path(error.filename), error.lineno
    else:
        trace = error.__traceback__
        while trace is not None:
            if _is_in(trace.tb_frame.f_code.co_filename, path):
                place, line = Path(trace.tb_frame.f_code.co_filename), trace.tb_lineno
            trace = trace.tb_next
    text = in_public(one_line(error.msg if isinstance(error, SyntaxError) else error))
    kind = type(error).__name__
    return FileError(place, f"{what}: {kind}: {text}"[:MAX_TOLD] if text else f"{what}: {kind}", line=line)


def _is_in(file: str, path: Path) -> bool:
    return file == str(path) or path in Path(file).parents
