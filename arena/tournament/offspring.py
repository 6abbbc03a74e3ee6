"""What processes that a run starts in Python have in common.

Ctrl-C is not theirs, they end with the run's own, and the folder that people work in is not where they import from.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from arena.agent.children import shortage_told
from arena.errors import NoProcessError
from arena.sandbox.limits import tie_to_parent

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable that keeps a new Python from looking for modules in its working folder."""


def begin(live: Callable[..., None], whom: str, *arguments: object) -> tuple[Connection, BaseProcess]:
    """Start a process that hears no Ctrl-C until it wants to, and looks for modules nowhere that this one does not.

    One that is told its program in a line would find its first modules in the working folder, and there a bot's file
    may be called as one of Python's own. On Linux it is killed with this process, if the main thread begins it.

    Args:
        live: its whole life, a function that can be pickled; it is given the other end of the pipe, and the arguments.
        whom: the process in words, should the machine give none.
        arguments: what can be pickled.

    Returns:
        A pipe to it, and the process.

    Raises:
        NoProcessError: if the machine gives no process.
    """
    context = multiprocessing.get_context("spawn")
    # A tie is to the thread that starts it, and another may end long before this process does.
    parent = os.getpid() if threading.current_thread() is threading.main_thread() else None
    with ExitStack() as kept:
        ours, theirs = context.Pipe()
        kept.enter_context(ours)
        process = context.Process(target=_live, args=(parent, live, theirs, arguments), daemon=True)
        safe = environment({} if os.environ.get(SAFE_PATH) else {SAFE_PATH: "1"})
        with shortage_told(whom), theirs, safe, _interrupts_held():
            process.start()
        kept.pop_all()
    return ours, process


def _live(parent: int | None, live: Callable[..., None], pipe: Connection, arguments: tuple[Any, ...]) -> None:
    """Be a process that was begun; on Linux one that is killed with its parent, also where a bot has stopped it."""
    if parent is not None and sys.platform.startswith("linux") and not tie_to_parent(parent):
        os._exit(1)
    live(pipe, *arguments)


@contextmanager
def environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Have variables in the environment for a while, which are not there yet."""
    os.environ.update(settings)
    try:
        yield
    finally:
        for name in settings:
            os.environ.pop(name, None)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Have Ctrl-C wait until the block ends; who is started in it does not hear it from its first moment on."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # it lets signals come again when it starts: not in the midst of the block
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it cannot wait, one of that moment is lost
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def hear_interrupts() -> None:
    """Have this process hear Ctrl-C again, whoever started it, as soon as it has said what it does then."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def end_with_parent(whose: str) -> None:
    """End this process as soon as the one that started it has ended.

    Args:
        whose: this process in words, such as ``in a worker``.

    Raises:
        NoProcessError: if there is room for this process and not for the thread that takes.
    """
    try:
        threading.Thread(target=_wait_for_parent, daemon=True).start()
    except RuntimeError as error:
        raise NoProcessError(f"no thread can be started {whose}: {error}") from None


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
