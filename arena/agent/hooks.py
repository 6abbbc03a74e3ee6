"""The door by which every bot and every ruleset comes in, ours and strangers': two pluggy hooks."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from arena.agent.bot import ARRAY_FORM, SCALAR_FORM, has_form
from arena.agent.modules import bot_error
from arena.errors import FileError, nearest, one_line

PROJECT = "arena"
MARK = f"{PROJECT}_impl"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


NO_BOT = f"it has neither both {' and '.join(SCALAR_FORM)} nor both {' and '.join(ARRAY_FORM)}"


class HookError(ValueError):
    """Something is wrong with a hook implementation.

    Args:
        message: what is wrong, in one line.
        routine: the function, which says where it stands.
    """

    def __init__(self, message: str, routine: Any) -> None:
        super().__init__(message)
        self._code = getattr(inspect.unwrap(routine), "__code__", None)

    def in_file(self, path: Path) -> FileError:
        """Return the same as a mistake in a bot's file, or in one of its folder's."""
        if self._code is not None and path in (file := Path(self._code.co_filename), *file.parents):
            return FileError(file, str(self), line=self._code.co_firstlineno)
        return FileError(path, str(self))


class NameTaken(ValueError):  # noqa: N818 - says what happened
    """Two bots of one plugin have one name."""


class Specs:
    """The hooks that a plugin may implement."""

    @hookspec
    def arena_agents(self) -> Iterable[Any]:  # type: ignore[empty-body]  # a specification
        """Return the bots of a plugin.

        Returns:
            Modules or objects with the functions ``hold`` and ``choose_row``, or ``hold_many`` and
            ``choose_row_many``, and classes with these methods.
        """

    @hookspec
    def arena_rulesets(self) -> Iterable[Any]:  # type: ignore[empty-body]  # a specification
        """Return the rulesets of a plugin.

        Returns:
            Paths of ruleset files.
        """


HOOKS = tuple(name for name in vars(Specs) if name.startswith(f"{PROJECT}_"))


def plugin_manager() -> pluggy.PluginManager:
    """Return a manager that knows the hooks and has no plugins yet."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    return manager


class ModulePlugin:
    """What a plain bot module is to pluggy: a plugin that offers the module, or the bot classes in it."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    @hookimpl
    def arena_agents(self) -> Iterable[Any]:
        """Return the module if it has the functions of a form, else the classes in it that have them."""
        if is_bot(self._module):
            return [self._module]
        return [thing for thing in vars(self._module).values() if self._is_own_class(thing)]

    def _is_own_class(self, thing: object) -> bool:
        return inspect.isclass(thing) and thing.__module__ == self._module.__name__ and is_bot(thing)


class BotPlugin:
    """What a single bot is to pluggy: a plugin that offers it."""

    def __init__(self, bot: object) -> None:
        self._bot = bot

    @hookimpl
    def arena_agents(self) -> Iterable[Any]:
        """Return the bot."""
        return [self._bot]


def is_bot(thing: object) -> bool:
    """Return True if a module, class or object has what a bot needs."""
    return has_form(thing, SCALAR_FORM) or has_form(thing, ARRAY_FORM)


def register(manager: pluggy.PluginManager, thing: object, name: str) -> None:
    """Register a module, or what an entry point names, under a name.

    What implements hooks is registered as it is; a plain module, or a bot, as what offers it.

    Raises:
        HookError: if it implements a hook that does not exist, that takes nothing and was to be given something, or
            that is not marked.
    """
    plugin: object = thing
    if inspect.ismodule(thing):
        routines = _routines(thing)
        for hook in HOOKS:
            if hook in routines and not hasattr(routines[hook], MARK):
                raise HookError(f"{hook} is not marked with @arena.hookimpl", routines[hook])
        if not any(getattr(routine, MARK, None) for routine in routines.values()):
            plugin = ModulePlugin(thing)
    elif is_bot(thing):
        plugin = BotPlugin(thing)
    elif inspect.isclass(thing):
        plugin = thing()
    _refuse_strange_hooks(plugin)
    manager.register(plugin, name=name)
    manager.check_pending()


def _routines(thing: object) -> dict[str, Any]:
    """Return the functions of a module, or the methods of an object that its class has."""
    where = thing if inspect.ismodule(thing) else type(thing)
    names = vars(where) if inspect.ismodule(thing) else dir(where)
    return {key: getattr(thing, key) for key in names if inspect.isroutine(inspect.getattr_static(where, key, None))}


def _refuse_strange_hooks(plugin: object) -> None:
    for key, routine in _routines(plugin).items():
        if not getattr(routine, MARK, None):
            continue
        if key not in HOOKS:
            raise HookError(f"unknown hook {key!r}{nearest(key, HOOKS)}; there are {', '.join(HOOKS)}", routine)
        parameters = inspect.signature(routine).parameters.values()
        asked = [one.name for one in parameters if one.default is one.empty and not one.kind.name.startswith("VAR")]
        if asked:
            raise HookError(f"{key} is given nothing, and here it takes {', '.join(asked)}: write {key}()", routine)


def bots_of(manager: pluggy.PluginManager, name: str) -> list[Any]:
    """Return the bots that one plugin offers; each hook implementation is called by itself."""
    return _called(manager.hook.arena_agents, manager.get_plugin(name))


def offered(manager: pluggy.PluginManager, name: str, path: Path) -> Mapping[str, Any]:
    """Return the bots that one plugin offers, by the names under which they are entered.

    Args:
        manager: knows the plugin.
        name: the plugin's.
        path: the file or folder that mistakes are told of.

    Raises:
        FileError: if asking fails, if something offered is no bot, or if two bots have one name.
    """
    return _offered(lambda: bots_of(manager, name), path)


def plain(thing: object) -> bool:
    """Return True for a module that implements no hook: pluggy, which takes half a millisecond, is not needed then."""
    if not inspect.ismodule(thing) or any(hook in vars(thing) for hook in HOOKS):
        return False
    return not any(getattr(routine, MARK, None) for routine in _routines(thing).values())


def offered_by(module: ModuleType, path: Path) -> Mapping[str, Any]:
    """Return the bots that a plain module offers, as `offered` does once it is registered.

    Raises:
        FileError: as `offered`.
    """
    return _offered(ModulePlugin(module).arena_agents, path)


def _offered(bots_there: Callable[[], Iterable[Any]], path: Path) -> Mapping[str, Any]:
    try:
        bots = bots_there()
        for bot in bots:
            if not is_bot(bot):
                raise FileError(path, f"arena_agents offers {one_line(reprlib.repr(bot))}, which is no bot: {NO_BOT}")
        return by_name(bots)
    except FileError:
        raise
    except HookError as error:
        raise error.in_file(path) from None
    except NameTaken as error:
        raise FileError(path, f"arena_agents: {error}") from None
    except BaseException as error:
        raise bot_error(path, error, "arena_agents failed") from None


def rulesets_of(manager: pluggy.PluginManager, name: str) -> list[Any]:
    """Return the rulesets that one plugin offers."""
    return _called(manager.hook.arena_rulesets, manager.get_plugin(name))


def _called(hook: pluggy.HookCaller, plugin: object) -> list[Any]:
    found: list[Any] = []
    for implementation in hook.get_hookimpls():
        if implementation.plugin is plugin:
            given: object = implementation.function()
            if not isinstance(given, Iterable) or isinstance(given, str | bytes):
                what = "nothing" if given is None else one_line(reprlib.repr(given))
                raise HookError(f"{hook.name} returns {what}; a list was expected", implementation.function)
            found.extend(given)
    return found


def by_name(bots: Iterable[Any]) -> Mapping[str, Any]:
    """Return bots by the names under which they are entered: a class's, a module's, an object's own or its class's.

    Raises:
        NameTaken: if two have one name.
    """
    found: dict[str, Any] = {}
    for bot in bots:
        name = _name_of(bot)
        if name in found:
            raise NameTaken(f"two bots are called {name!r}; an object may have a name of its own, its attribute name")
        found[name] = bot
    return found


def _name_of(bot: Any) -> str:
    if inspect.ismodule(bot):
        return bot.__name__.rpartition(".")[2]
    if inspect.isclass(bot):
        return bot.__name__
    own = getattr(bot, "name", None)
    return own if isinstance(own, str) else type(bot).__name__
