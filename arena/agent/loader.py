"""Loading a bot from its reference, here or in a worker."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

from arena.agent.bot import ARRAY_FORM, SCALAR_FORM, Bot, has_form, prepare_mistake
from arena.agent.hooks import NO_BOT, HookError, is_bot, offered, offered_by, plain, plugin_manager, register
from arena.agent.modules import bot_error, run_beside, run_installed, run_source
from arena.agent.ref import AgentRef, source_hash
from arena.errors import BrokenBot, FileError, NoSuchBot, nearest


def load(ref: AgentRef, *, quiet: bool = True) -> Bot:
    """Load a bot.

    Args:
        ref: a reference to it.
        quiet: what it prints meanwhile is dropped, as it would run into tables.

    A bot that is known to be broken is not tried again: it comes as one that never starts.

    Raises:
        FileError: if the file cannot be run, has no bot or not the named one, changed since it was located, if its
            `prepare` cannot be called, or if the parameters do not fit; the message names the bot's file and line.
    """
    if ref.broken:
        return Bot(ref.name, NeverStarts(ref.broken, ref.printed), per_game=True)
    if not quiet:
        return _load(ref)
    with silence():
        return _load(ref)


def names_in(ref: AgentRef, *, quiet: bool = True) -> list[str]:
    """Return the names of the bots in a file, folder or module, in the order in which it offers them.

    Args:
        ref: a reference to it.
        quiet: as in `load`.

    Raises:
        FileError: as `load`.
    """
    if not quiet:
        return list(_offered(ref, _run(ref)))
    with silence():
        return list(_offered(ref, _run(ref)))


@contextmanager
def silence() -> Iterator[None]:
    """Drop what is printed meanwhile; in a sandbox, where nothing can be opened to write, let it be printed."""
    try:
        nowhere = Path(os.devnull).open("w")  # noqa: SIM115 - closed below
    except PermissionError:
        yield
        return
    with nowhere, redirect_stdout(nowhere):
        yield


class NeverStarts:
    """Stands for a bot that cannot be loaded, where the tournament goes on all the same: it starts in no game.

    Args:
        reason: why, in one line.
        printed: the last of what it had printed when it was tried.
    """

    def __init__(self, reason: str, printed: str) -> None:
        self._reason, self._printed = reason, printed

    def __call__(self, **params: Any) -> NoReturn:
        """Raise, as a class does that cannot be made."""
        del params
        raise BrokenBot(self._reason, self._printed)


def _load(ref: AgentRef) -> Bot:
    if source_hash(ref.path, installed=ref.installed) != ref.source_hash:
        raise FileError(ref.path, "changed while the tournament was running")
    module = _run(ref)
    source = _choose(ref, _offered(ref, module), module)
    if mistake := prepare_mistake(source):
        raise FileError(ref.path, mistake)
    if not inspect.isclass(source):
        if ref.params:
            raise FileError(ref.path, "params are for classes; this bot is a module of functions")
        return Bot(ref.name, source)
    _check_params(ref, source)
    return Bot(ref.name, source, per_game=True, params=ref.params)


def _run(ref: AgentRef) -> Any:
    """Run what the reference names: a file, a module, or what an entry point names in one."""
    if not ref.module:
        return run_source(ref.path, ref.source_hash)
    module, _, attributes = ref.module.partition(":")
    if ref.root is None:
        return part_of(run_installed(module, ref.path), attributes, ref.path)
    return part_of(run_beside(ref.root, module, ref.source_hash, ref.path), attributes, ref.path)


def part_of(module: Any, attributes: str, path: Path) -> Any:
    """Return what stands in a module under a name, which may have dots; the module itself without one.

    Raises:
        FileError: if there is no such thing.
    """
    thing = module
    for name in filter(None, attributes.split(".")):
        if not hasattr(thing, name):
            names = [known for known in vars(thing) if not known.startswith("_")] if hasattr(thing, "__dict__") else []
            raise FileError(path, f"has no {attributes!r}{nearest(name, names)}")
        thing = getattr(thing, name)
    return thing


def _offered(ref: AgentRef, module: Any) -> Mapping[str, Any]:
    """Return the bots that a module or plugin offers, by name."""
    if ref.origin == "class":
        thing = part_of(module, ref.class_name, ref.path)
        if not is_bot(thing):
            raise FileError(ref.path, f"{ref.class_name} is no bot: {NO_BOT}")
        return {ref.class_name: thing}
    if plain(module):
        return offered_by(module, ref.path)
    manager = plugin_manager()
    try:
        register(manager, module, ref.name)
    except HookError as error:
        raise error.in_file(ref.path) from None
    return offered(manager, ref.name, ref.path)


def _choose(ref: AgentRef, sources: Mapping[str, Any], module: Any) -> Any:
    if ref.class_name:
        if ref.class_name not in sources:
            names = [name for name, source in sources.items() if source is not module]
            raise NoSuchBot(ref.path, f"no bot class {ref.class_name!r}{nearest(ref.class_name, names)}")
        return sources[ref.class_name]
    if not sources:
        form = ARRAY_FORM if any(has_form(module, (name,)) for name in ARRAY_FORM) else SCALAR_FORM
        missing = [name for name in form if not has_form(module, (name,))]
        raise FileError(ref.path, f"no bot here: it has no function {' and no '.join(missing)}, nor a class with them")
    if len(sources) > 1:
        choices = ", ".join(f"{ref.path.name}:{name}" for name in sorted(sources))
        raise NoSuchBot(ref.path, f"has several bots; name one of {choices}")
    source = next(iter(sources.values()))
    for form in (SCALAR_FORM, ARRAY_FORM):
        has = [name for name in form if has_form(source, (name,))]
        if len(has) == 1:
            lacks = next(name for name in form if name not in has)
            raise FileError(ref.path, f"has {has[0]} and no {lacks}")
    return source


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
        raise bot_error(ref.path, error, f"{source.__name__} cannot be made") from None
