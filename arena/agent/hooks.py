"""The door by which every bot comes in, ours and strangers': one pluggy hook."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any, cast

import pluggy

PROJECT = "arena"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Specs:
    """The hooks that a plugin may implement."""

    @hookspec
    def arena_agents(self) -> Iterable[Any]:  # type: ignore[empty-body]
        """Return the bots of a plugin.

        Returns:
            Modules or objects with the functions ``hold`` and ``choose_row``, and classes with these methods.
        """


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
        """Return the module if it has the two functions, else the classes in it that have them."""
        if is_bot(self._module):
            return [self._module]
        return [thing for thing in vars(self._module).values() if self._is_own_class(thing)]

    def _is_own_class(self, thing: object) -> bool:
        return inspect.isclass(thing) and thing.__module__ == self._module.__name__ and is_bot(thing)


def is_bot(thing: object) -> bool:
    """Return True if a module, class or object has what a bot needs."""
    return callable(getattr(thing, "hold", None)) and callable(getattr(thing, "choose_row", None))


def register(manager: pluggy.PluginManager, module: ModuleType, name: str) -> None:
    """Register a module under a name: as it is if it implements the hook itself, else as a plain bot module.

    Raises:
        pluggy.PluginValidationError: if the module implements a hook that does not exist.
    """
    routines = [thing for thing in vars(module).values() if inspect.isroutine(thing)]
    implements = any(getattr(routine, f"{PROJECT}_impl", None) for routine in routines)
    manager.register(module if implements else ModulePlugin(module), name=name)
    manager.check_pending()


def bots_of(manager: pluggy.PluginManager, name: str) -> list[Any]:
    """Return the bots that one plugin offers; each hook implementation is called by itself."""
    plugin = manager.get_plugin(name)
    return [
        bot
        for implementation in manager.hook.arena_agents.get_hookimpls()
        if implementation.plugin is plugin
        for bot in cast(Iterable[Any], implementation.function())
    ]
