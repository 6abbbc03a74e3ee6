"""What a fork of the zygote does to become an external bot: descriptors, limits, and then another program."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from arena.agent.commands import Launch
from arena.agent.limits import OPEN_FILES, Limits, die_with_parent
from arena.sandbox.box import Box, enter
from arena.sandbox.limits import MB, be_killed_first, memory_taken

CANNOT, NOT_FOUND = 126, 127
"""Exit codes of a program that could not be executed, as shells have them."""


@dataclass(frozen=True, slots=True)
class Execute:
    """Start an external bot's process; the descriptors come beside this: what it reads, what it writes, its errors.

    Attributes:
        launch: how.
        limits: what it may take.
        boxed: True for the sandbox.
        environment: all of it, PATH apart.
    """

    launch: Launch
    limits: Limits
    boxed: bool
    environment: dict[str, str]


def execute(request: Execute, descriptors: list[int], parent: int) -> NoReturn:
    """Be an external bot, in a process that was forked for it.

    Args:
        request: what to be.
        descriptors: in place of standard input, output and errors; everything else is closed.
        parent: the number of this process's parent.
    """
    import fcntl  # noqa: PLC0415 - not on Windows, where nothing is forked

    code = CANNOT
    try:
        be_killed_first()
        os.setsid()
        for ignored in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # else the program would ignore them, too
            signal.signal(ignored, signal.SIG_DFL)
        for target, number in enumerate([fcntl.fcntl(number, fcntl.F_DUPFD, 3) for number in descriptors]):
            os.dup2(number, target)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        launch = request.launch
        os.chdir(launch.folder)
        _confine(request, parent)
        os.execve(launch.argv[0], launch.argv, {**request.environment, "PATH": launch.search, "HOME": launch.folder})
    except FileNotFoundError:
        code = NOT_FOUND
        _complain(request, "it, or what interprets it, is not there")
    except BaseException as error:  # whatever it is, it must not reach the zygote's own loop
        _complain(request, error.strerror if isinstance(error, OSError) else error)
    finally:
        os._exit(code)


def _complain(request: Execute, why: object) -> None:
    os.write(2, f"{request.launch.argv[0]} cannot be executed: {why}\n".encode(errors="replace"))


def _confine(request: Execute, parent: int) -> None:
    """Limit memory by what is private and writable: programs such as node reserve much more than they use."""
    import resource  # noqa: PLC0415 - not on Windows, where nothing is forked

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sys.platform.startswith("linux"):
        return
    memory_mb = memory_taken("data") // MB + request.limits.memory_mb  # what Python has taken goes only afterwards
    if request.boxed:
        launch = request.launch
        box = Box(
            readable=tuple(map(Path, launch.readable)),
            executable=tuple(map(Path, launch.executable)),
            memory_mb=memory_mb,
            memory="data",
            cpu_seconds=None,
            open_files=OPEN_FILES,
            may_exec=True,
        )
        enter(box, parent=parent)
        return
    die_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb * MB, memory_mb * MB))
