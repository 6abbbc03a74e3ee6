"""What processes that a run starts in Python have in common.

Ctrl-C is not theirs, they end with the run's own, and the folder that people work in is not where they import from.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from arena.errors import NoProcessError

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable that keeps a new Python from looking for modules in its working folder."""


def begin(process: BaseProcess) -> None:
    """Start a process that hears no Ctrl-C until it wants to, and looks for modules nowhere that this one does not.

    One that is told its program in a line would find its first modules in the working folder, and there a bot's file
    may be called as one of Python's own.
    """
    with environment({} if os.environ.get(SAFE_PATH) else {SAFE_PATH: "1"}), _interrupts_held():
        process.start()


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
