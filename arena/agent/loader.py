"""Finding bots by name, file or folder, and loading them here or in a worker from a reference."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import reprlib
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from pluggy import PluginManager, PluginValidationError

from arena.agent.bot import Bot
from arena.agent.hooks import bots_of, is_bot, plugin_manager, register
from arena.errors import FileError, UserError, nearest, one_line
from arena.records import Entrant

Origin = Literal["bundled", "file", "folder"]
MAIN_FILE = "agent.py"


@dataclass(frozen=True, slots=True)
class AgentRef:
    """Where a bot is and what it must be: all that a worker needs to load it.

    Attributes:
        name: the agent's name in the tournament.
        origin: ``bundled``, also for a file equal to a bundled one; else ``file`` or ``folder``.
        path: the file or folder.
        class_name: the class, for a file with several; else an empty string.
        params: for the class.
        source_hash: sha256 of the file, or of all files of the folder.
        in_arrays: True if the bot answers many turns at once, as far as is known.
    """

    name: str
    origin: Origin
    path: Path
    class_name: str
    params: Mapping[str, Any]
    source_hash: str
    in_arrays: bool = False

    @property
    def entrant(self) -> Entrant:
        """Who plays: the name, and a hash over source and parameters."""
        content = json.dumps([self.source_hash, self.class_name, self.params], sort_keys=True, default=repr)
        return Entrant(self.name, hashlib.sha256(content.encode()).hexdigest())


def bundled_folder() -> Path:
    """Return the folder of the bots that ship with the arena: the checkout's own, else the installed copy."""
    package = Path(__file__).parents[1]
    installed = package / "_bundled_agents"
    return installed if installed.is_dir() else package.parent / "agents"


def bundled_names() -> list[str]:
    """Return the names of the bots that ship with the arena, sorted."""
    return sorted(bots_in(bundled_folder()))


def find_named(name: str, beside: Path) -> Path:
    """Return the file or folder that a bare name means.

    Args:
        name: what the tournament file says.
        beside: the tournament file's folder; ``agents/`` in it or in its parent comes before the bundled bots.

    Raises:
        UserError: if there is none, naming the nearest.
    """
    if "/" in name or "\\" in name:
        raise UserError(f"{name!r} is a path and not a name: write it as path")
    folders = [beside / "agents", beside.parent / "agents", bundled_folder()]
    for folder in folders:
        with suppress(OSError):  # such as a name longer than the file system takes
            if (path := folder / f"{name}.py").is_file():
                return path
            if (path := folder / name / MAIN_FILE).is_file():
                return path.parent
    known = sorted({known for folder in folders for known in bots_in(folder)})
    raise UserError(f"no agent {name!r}{nearest(name, known)}; known by name: {', '.join(known)}")


def bots_in(folder: Path) -> dict[str, Path]:
    """Return the files and folders of a folder that may be bots, by name."""
    files = {path.stem: path for path in folder.glob("*.py") if not path.name.startswith(("_", "."))}
    return {**{path.parent.name: path.parent for path in folder.glob(f"*/{MAIN_FILE}")}, **files}


def source_files(path: Path) -> list[tuple[str, Path]]:
    """Return the files that make a bot, each with its name inside the bot, sorted by that name."""
    if path.is_file():
        return [("", path)]
    found = [
        (inner.relative_to(path).as_posix(), inner)
        for inner in path.rglob("*")
        if inner.is_file() and not any(p.startswith((".", "__pycache__")) for p in inner.relative_to(path).parts)
    ]
    return sorted(found)


def source_hash(path: Path) -> str:
    """Return the sha256 of a bot's file, or of all files of its folder with their names."""
    files = source_files(path)
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    listing = [(name, hashlib.sha256(inner.read_bytes()).hexdigest()) for name, inner in files]
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()


def locate(path: Path, *, name: str | None = None, params: Mapping[str, Any] | None = None) -> AgentRef:
    """Return a reference to the bot in a file or folder, without loading it.

    Args:
        path: ``bot.py``, ``bot.py:Class``, or a folder with an ``agent.py``.
        name: the agent's name; else the class's, or the stem of the file or folder.
        params: for a class.

    Raises:
        FileError: if there is no such file, or no ``agent.py`` in the folder.
    """
    class_name = ""
    try:
        if not path.exists() and ":" in path.name:
            file_name, _, class_name = path.name.rpartition(":")
            path = path.with_name(file_name)
        if not path.exists():
            siblings = [other.name for other in path.parent.glob("*")]
            raise FileError(path, f"no such file or folder{nearest(path.name, siblings)}")
        if path.is_dir() and not (path / MAIN_FILE).is_file():
            raise FileError(path, f"the folder has no {MAIN_FILE}")
        digest = source_hash(path)
    except OSError as error:  # also for a name longer than the file system takes
        raise FileError(path, f"cannot be read: {error.strerror}") from None
    is_bundled = path.is_file() and digest in map(source_hash, bundled_folder().glob("*.py"))
    origin: Origin = "bundled" if is_bundled else "file" if path.is_file() else "folder"
    return AgentRef(
        name or class_name or (path.stem if path.is_file() else path.name),
        origin,
        path.resolve(),
        class_name,
        params or {},
        digest,
    )


def load(ref: AgentRef) -> Bot:
    """Load a bot.

    Raises:
        FileError: if the file cannot be run, has no bot or not the named one, changed since it was located, or
            if the parameters do not fit; the message names the bot's file and line.
    """
    if source_hash(ref.path) != ref.source_hash:
        raise FileError(ref.path, "changed while the tournament was running")
    manager = plugin_manager()
    module = _import(ref)
    try:
        register(manager, module, ref.name)
    except PluginValidationError as error:
        raise FileError(ref.path, one_line(error)) from None
    try:
        sources = bots_of(manager, ref.name)
    except BaseException as error:
        raise _told(_main_file(ref.path), error, "arena_agents failed") from None
    if strange := [source for source in sources if not is_bot(source)]:
        what = one_line(reprlib.repr(strange[0]))
        raise FileError(ref.path, f"arena_agents offers {what}, which has not both hold and choose_row")
    source = _choose(ref, sources, module, manager)
    if not inspect.isclass(source):
        if ref.params:
            raise FileError(ref.path, "params are for classes; this bot is a module of functions")
        return Bot(ref.name, source)
    bot = Bot(ref.name, source, per_game=True, params=ref.params)
    _check_params(ref, source)
    return bot


def _choose(ref: AgentRef, sources: list[Any], module: ModuleType, manager: PluginManager) -> Any:
    del manager
    named = {getattr(source, "__name__", type(source).__name__): source for source in sources}
    if ref.class_name:
        if ref.class_name not in named:
            classes = [name for name in named if name != module.__name__]
            raise FileError(ref.path, f"no bot class {ref.class_name!r}{nearest(ref.class_name, classes)}")
        return named[ref.class_name]
    if not sources:
        missing = [name for name in ("hold", "choose_row") if not callable(getattr(module, name, None))]
        raise FileError(ref.path, f"no bot here: it has no function {' and no '.join(missing)}, nor a class with them")
    if len(sources) > 1:
        choices = ", ".join(f"{ref.path.name}:{name}" for name in sorted(named))
        raise FileError(ref.path, f"has several bots; name one of {choices}")
    return sources[0]


def _check_params(ref: AgentRef, source: type) -> None:
    try:
        signature = inspect.signature(source)
    except ValueError:  # a class whose parameters Python cannot tell, such as a dict's: trying shows whether they fit
        signature = inspect.Signature([inspect.Parameter("params", inspect.Parameter.VAR_KEYWORD)])
    takes = [name for name, parameter in signature.parameters.items() if parameter.kind.name != "VAR_KEYWORD"]
    open_ended = len(takes) < len(signature.parameters)
    for name in ref.params:
        if name not in takes and not open_ended:
            raise FileError(
                ref.path,
                f"{source.__name__} has no parameter {name!r}{nearest(name, takes)}; it takes {takes or 'none'}",
            )
    try:
        signature.bind(**ref.params)
    except TypeError as error:
        raise FileError(ref.path, f"{source.__name__}: {error}") from None
    try:
        source(**ref.params)
    except BaseException as error:
        raise _told(ref.path, error, f"{source.__name__} cannot be made") from None


def _import(ref: AgentRef) -> ModuleType:
    """Run the bot's file as a module of its own name, so that two bots of one file name do not meet."""
    folder, file = ref.path if ref.path.is_dir() else None, _main_file(ref.path)
    key = hashlib.sha256(f"{ref.path}\0{ref.source_hash}".encode()).hexdigest()[:16]
    name = f"arena_bot_{key}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[str(folder)] if folder else None
    )
    if spec is None or spec.loader is None:
        raise FileError(ref.path, "is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        raise _told(file, error, "cannot be loaded") from None
    return module


def _main_file(path: Path) -> Path:
    return path / MAIN_FILE if path.is_dir() else path


def _told(path: Path, error: BaseException, what: str) -> FileError:
    """Return a bot's exception as a mistake in its file, with the last of its own lines that was running."""
    line = None
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line = error.lineno
    else:
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == str(path):
                line = trace.tb_lineno
            trace = trace.tb_next
    text = one_line(error.msg if isinstance(error, SyntaxError) else error)
    kind = type(error).__name__
    return FileError(path, f"{what}: {kind}: {text}"[:500] if text else f"{what}: {kind}", line=line)
