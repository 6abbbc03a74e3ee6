"""Plugins: packages that are installed beside the arena and offer bots and rulesets by an entry point."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from pluggy import PluginManager

from arena.agent.hooks import PROJECT, HookError, offered, plugin_manager, register, rulesets_of
from arena.agent.loader import part_of
from arena.agent.modules import bot_error, run_installed
from arena.agent.ref import AgentRef, source_hash
from arena.agent.sources import source_of
from arena.errors import FileError, UserError, one_line
from arena.rules.file import load_ruleset
from arena.rules.shipped import file_of_ruleset, load_own, ruleset_ids

RULESET_ENDINGS = (".yaml", ".yml")
"""What ends so is a ruleset file, and no ruleset's id."""


def installed() -> Iterable[EntryPoint]:
    """Return the entry points of all installed packages that are meant for the arena, by name."""
    return sorted(entry_points(group=PROJECT), key=lambda one: (one.name, one.value))


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin that works.

    Attributes:
        label: its name, and the package that brought it.
        bots: references by name.
        rulesets: files by the id of the ruleset.
    """

    label: str
    bots: Mapping[str, AgentRef]
    rulesets: Mapping[str, Path]


class Plugins:
    """The plugins of this Python, looked for when somebody first asks, as that takes a while.

    Args:
        look: finds the entry points.
    """

    def __init__(self, look: Callable[[], Iterable[EntryPoint]] = installed) -> None:
        self._look = look

    @cached_property
    def _found(self) -> tuple[tuple[Plugin, ...], Mapping[str, str]]:
        working: list[Plugin] = []
        broken: dict[str, str] = {}
        for entry_point in self._look():
            label = label_of(entry_point)
            try:
                with Path(os.devnull).open("w") as silence, redirect_stdout(silence):
                    plugin = _load(entry_point, label)
                _refuse_taken_ids(plugin, working)
                working.append(plugin)
            except UserError as error:
                broken[label] = str(error)
        return tuple(working), broken

    @property
    def working(self) -> tuple[Plugin, ...]:
        """The plugins that could be loaded, by name."""
        return self._found[0]

    @property
    def broken(self) -> Mapping[str, str]:
        """Why each of the others could not be, by label."""
        return self._found[1]

    @property
    def complaint(self) -> str:
        """What is added to the error that something was not found; empty if no plugin is broken."""
        return "".join(f"; the plugin {label} is broken: {reason}" for label, reason in self.broken.items())

    @property
    def asked(self) -> bool:
        """True if the plugins have been looked for."""
        return "_found" in vars(self)

    @property
    def bot_names(self) -> list[str]:
        """The names of all bots of all plugins, sorted."""
        return sorted({name for plugin in self.working for name in plugin.bots})

    def bot(self, name: str) -> AgentRef | None:
        """Return a reference to the bot of a name, None if there is none.

        Raises:
            UserError: if two plugins have one of that name.
        """
        having = [plugin for plugin in self.working if name in plugin.bots]
        if len(having) > 1:
            first, second = having[0], having[1]
            by_class = f"{first.bots[name].module.partition(':')[0]}:{name}"
            both = f"{first.label} and {second.label}"
            raise UserError(f"two plugins have a bot {name!r}, {both}; name it by class, such as {by_class}")
        return having[0].bots[name] if having else None

    @property
    def rulesets(self) -> Mapping[str, Path]:
        """The files of all rulesets of all plugins, by id."""
        return {key: path for plugin in self.working for key, path in plugin.rulesets.items()}


def ruleset_file(ruleset_id: str, plugins: Plugins) -> Path:
    """Return the file of a ruleset that ships with the arena or comes with a plugin.

    Raises:
        UserError: if there is none of that id, naming the nearest.
    """
    if ruleset_id in ruleset_ids():
        return file_of_ruleset(ruleset_id)  # so that no plugin is looked for
    return file_of_ruleset(ruleset_id, plugins.rulesets, plugins.complaint)


def ruleset_path(word: str, plugins: Plugins) -> Path:
    """Return the file that a word on the command line means: its own path if it ends as one, else a ruleset's id.

    Raises:
        UserError: as `ruleset_file`; for a file as `load_own`.
    """
    if not word.endswith(RULESET_ENDINGS):
        return ruleset_file(word, plugins)
    path = Path(word)
    load_own(path)
    return path


def label_of(entry_point: EntryPoint) -> str:
    """Return what people are told of a plugin: its name, and the package that brought it."""
    package = entry_point.dist
    return f"{entry_point.name} of {package.name} {package.version}" if package else entry_point.name


def _load(entry_point: EntryPoint, label: str) -> Plugin:
    """Load one plugin; each of its hooks is called by itself.

    Raises:
        UserError: for whatever is wrong with it.
    """
    path = source_of(entry_point.module)
    if path is None:
        raise UserError(f"no module {entry_point.module!r}, or none with its source in a file")
    thing = part_of(run_installed(entry_point.module, path), entry_point.attr or "", path)
    manager = plugin_manager()
    try:
        register(manager, thing, label)
    except HookError as error:
        raise error.in_file(path) from None
    except BaseException as error:
        raise bot_error(path, error, "cannot be made") from None
    names = list(offered(manager, label, path))
    rulesets = _rulesets(manager, label, path)
    if not names and not rulesets:
        raise UserError(f"{path}: offers neither bots nor rulesets: it has no arena_agents and no arena_rulesets")
    value, digest = (
        entry_point.module + (f":{entry_point.attr}" if entry_point.attr else ""),
        source_hash(path, installed=True),
    )
    bots = {name: AgentRef(name, "plugin", path, name, {}, digest, module=value) for name in names}
    return Plugin(label, bots, rulesets)


def _rulesets(manager: PluginManager, label: str, path: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    try:
        for file in rulesets_of(manager, label):
            if not isinstance(file, str | os.PathLike):
                raise FileError(path, f"arena_rulesets offers {one_line(reprlib.repr(file))}, which is no path")
            ruleset = load_ruleset(Path(file))
            if ruleset.id in found:
                raise UserError(f"{file}: the plugin has another ruleset {ruleset.id}")
            found[ruleset.id] = Path(file)
        return found
    except UserError:
        raise
    except HookError as error:
        raise error.in_file(path) from None
    except BaseException as error:
        raise bot_error(path, error, "arena_rulesets failed") from None


def _refuse_taken_ids(plugin: Plugin, others: Iterable[Plugin]) -> None:
    for ruleset_id in plugin.rulesets:
        if ruleset_id in ruleset_ids():
            raise UserError(f"{plugin.rulesets[ruleset_id]}: {ruleset_id} is a ruleset that ships with the arena")
        for other in others:
            if ruleset_id in other.rulesets:
                raise UserError(f"{plugin.rulesets[ruleset_id]}: {ruleset_id} is a ruleset of {other.label} too")
