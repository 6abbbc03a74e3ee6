"""A clean process that bots' processes are forked from: it never saw the engine, and has everything loaded.

It is started by a worker, speaks with it over one socket, and ends when that closes. What it is told comes from the
arena alone; the first thing that a fork of it does is to close that socket.
"""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import arena.agent.values  # noqa: F401 - its kernels are found in their folder when it is imported: no box allows that
from arena.agent.chronicle import follower_of
from arena.agent.execute import Execute, become
from arena.agent.frames import LENGTH, Descriptor, exactly, receive
from arena.agent.limits import Limits, confine, die_with_parent, library
from arena.agent.loader import load
from arena.agent.serve import serve, view_of
from arena.agent.sources import bundled_folder, locate
from arena.agent.tables import ArrayDriver
from arena.game.card_tables import CardTables
from arena.game.new import Rules, compile_rules
from arena.jit import keep_nothing
from arena.rules.model import Ruleset

MARK_BYTES = mmap.PAGESIZE
OUT_OF_MEMORY = 86
"""The exit code of a bot's process that has no memory left to tell so otherwise."""
DESCRIPTORS = 3
"""Of a bot's process: its channel, where its output goes, and the mark it shares with the arena; or of an external bot
what it reads, what it writes, and where its errors go."""


@dataclass(frozen=True, slots=True)
class Learn:
    """Compile rules, for every bot's process that follows."""

    ruleset: Ruleset


@dataclass(frozen=True, slots=True)
class Start:
    """Start a bot's process; the descriptors come beside this.

    Attributes:
        folder: the bot's own, unpacked.
        limits: what it may take.
        boxed: True for the sandbox.
    """

    folder: str
    limits: Limits
    boxed: bool


@dataclass(frozen=True, slots=True)
class Bury:
    """Kill a bot's process with its children, and tell how it ended."""

    process: int


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Kill a bot's process with its children; there is no answer, and nobody waits until its memory is given back."""

    process: int


Request = Learn | Start | Execute | Bury | Dismiss


def ask(control: socket.socket, request: Request, descriptors: list[int]) -> Any:
    """Send a request to a zygote, and return its answer.

    Raises:
        EOFError: if the zygote is gone.
    """
    tell(control, request, descriptors)
    answer = receive(control)
    if answer is None:
        raise EOFError("the process that starts bots is gone")
    return pickle.loads(answer)


def tell(control: socket.socket, request: Request, descriptors: list[int]) -> None:
    """Send a request to a zygote."""
    body = pickle.dumps(request)
    socket.send_fds(control, [LENGTH.pack(len(body)) + body], descriptors)


def main(descriptor: int) -> None:
    """Serve requests until the worker is gone.

    Args:
        descriptor: of the socket to the worker.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the worker's matter
    control = socket.socket(fileno=descriptor)
    rules: dict[str, Rules] = {}
    children: set[int] = set()
    dying: set[int] = set()
    parent = os.getpid()
    while True:
        try:
            head, descriptors, _, _ = socket.recv_fds(control, LENGTH.size, DESCRIPTORS)
        except ConnectionError:
            head = b""
        if len(head) < LENGTH.size:
            break
        [size] = LENGTH.unpack(head)
        body = exactly(control, size)
        if body is None:
            break
        request: Request = pickle.loads(body)
        if isinstance(request, Start | Execute):
            gc.freeze()
            process = os.fork()
            if not process:
                _live(control, descriptors, request, rules, parent)
            children.add(process)
            for number in descriptors:
                os.close(number)
            _answer(control, process)
        elif isinstance(request, Bury):
            children.discard(request.process)
            _answer(control, _bury(request.process))
        elif isinstance(request, Dismiss):
            children.discard(request.process)
            _kill(request.process)
            dying = {process for process in dying | {request.process} if not os.waitpid(process, os.WNOHANG)[0]}
        else:
            library()
            compiled = compile_rules(request.ruleset)
            rules[request.ruleset.hash] = compiled
            warm_up(compiled)
            _answer(control, None)
    for process in children | dying:
        _bury(process)


def _answer(control: socket.socket, answer: Any) -> None:
    body = pickle.dumps(answer)
    control.sendall(LENGTH.pack(len(body)) + body)


def _bury(process: int) -> int:
    """Kill a process and its group; returns its exit code, below 0 minus the signal that ended it before."""
    _kill(process)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)


def _kill(process: int) -> None:
    for kill in (os.killpg, os.kill):  # it is waited for afterwards: until then its number is nobody else's
        try:
            kill(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _live(
    control: socket.socket, descriptors: list[int], start: Start | Execute, rules: dict[str, Rules], parent: int
) -> None:
    """Be a bot's process, and never return."""
    code = 1
    try:
        control.close()
        os.setsid()
        if isinstance(start, Execute):
            become(start, descriptors, parent)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        channel, output, shared = descriptors
        for target in (1, 2):
            os.dup2(output, target)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        mark = mmap.mmap(shared, MARK_BYTES)
        kept = os.dup2(channel, 3) if channel != 3 else 3
        os.closerange(4, 1 << 16)
        sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115 - for good
        sys.stderr = open(2, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115 - for good
        os.chdir(start.folder)
        if start.boxed:
            keep_nothing()
        confine(Path(start.folder), start.limits, boxed=start.boxed, parent=parent)
        serve(Descriptor(kept), mark, rules)
        code = 0
    except BaseException as error:  # whatever it is, it must not reach the zygote's own loop
        code = OUT_OF_MEMORY if isinstance(error, MemoryError) else 1
        import traceback  # noqa: PLC0415 - hardly ever

        traceback.print_exc()
    finally:
        os._exit(code)


def warm_up(rules: Rules) -> None:
    """Load the compiled kernels that bots' processes need, by asking shipped bots once.

    Args:
        rules: under which.
    """
    seats, tables = max(2, rules.ruleset.min_seats), np.zeros(1, dtype=np.int32)
    view = view_of(rules, 0, seats, np.ones(1, dtype=np.uint64))
    follower = follower_of(rules, seats, 1, scalar=True)
    game = follower.game
    game.round, game.roll_numbers[:] = 1, 1
    for name in ("chaser", "waverer", "turn_optimal", "random"):
        driver = ArrayDriver(load(locate(bundled_folder() / f"{name}.py")), view)
        driver.hold(game, tables)
        if isinstance(game, CardTables):
            rows = driver.choose_row(game, tables, game.legal(tables))
    if isinstance(game, CardTables):
        game.choose(tables, rows, *game.legal(tables))
        assert follower.cards is not None
        follower.cards.fill(game, tables, rows)
