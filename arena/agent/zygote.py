"""A clean process that bots' processes are forked from: it never saw the engine, and has everything loaded.

It is started by a worker, speaks with it over one socket, and ends when that closes. What it is told comes from the
arena alone; the first thing that a fork of it does is to close that socket. Processes are forked ahead, while nobody
waits for them.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from arena.agent.birth import Inheritance, Service, Start, give, live, take
from arena.agent.children import bury, children_here, fork_in_time, has_ended, kill
from arena.agent.chronicle import follower_of
from arena.agent.execute import Execute, execute
from arena.agent.frames import LENGTH, receive
from arena.agent.limits import Boxes, library
from arena.agent.loader import load
from arena.agent.serve import view_of
from arena.agent.sources import bundled_folder, locate
from arena.agent.tables import ArrayDriver
from arena.agent.values import values  # also as its kernels are found in their folder now: no box allows that
from arena.errors import NoProcessError, StarterGoneError, UserError
from arena.game.card_tables import CardTables
from arena.game.new import Rules, compile_rules
from arena.rules.model import Ruleset
from arena.sandbox.box import SandboxError, missing
from arena.sandbox.limits import adopt_orphans, tie_to_parent

LOADING_S = 0.005
"""Seconds that a bot takes to be loaded: a process that is forked ahead meanwhile would take its processor from it."""
ASKED = ("chaser", "waverer", "turn_optimal", "random")
"""Bots by which the zygote loads what bots' processes need."""
SOLVING = "optimal"
"""Another, for games that are solved."""
SAMPLE = "greedy"
"""The bot by which they rehearse: none of those, as it must not be loaded already."""


@dataclass(frozen=True, slots=True)
class Learn:
    """Compile rules, for every bot's process that follows."""

    ruleset: Ruleset


@dataclass(frozen=True, slots=True)
class Solve:
    """Have the exact values of a card game at hand, for every bot's process that follows.

    Attributes:
        ruleset: the game.
        variances: True to have variances too.
    """

    ruleset: Ruleset
    variances: bool


@dataclass(frozen=True, slots=True)
class Bury:
    """Kill a bot's process with its children, and tell how it ended."""

    process: int


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Kill a bot's process with its children; there is no answer, and nobody waits until its memory is given back."""

    process: int


@dataclass(frozen=True, slots=True)
class HasEnded:
    """Tell whether a bot's process has ended; it is still to be buried."""

    process: int


GONE = "what starts bots is gone, ended or stopped by a bot or by the machine"
MOST_GENERATIONS = 100
"""How often orphans are looked for that came while others were killed."""
BURIED_A_LOOK = 16
"""Bots' processes that are buried between two looks for orphans."""
TRIES_A_LOOK = 10
"""Tries to fork, where there is no room, between two looks for orphans."""
CROWDED = 1 << 10
"""In place of the exit code of a bot's process that was killed for its threads; no process has such a one."""

Request = Learn | Solve | Start | Execute | HasEnded | Bury | Dismiss


def hear(control: socket.socket) -> Any:
    """Return a zygote's answer to a request.

    Raises:
        StarterGoneError: if the zygote is gone.
        NoProcessError: if it can start no process.
    """
    try:
        body = receive(control)
    except ConnectionError:
        body = None
    if body is None:
        raise StarterGoneError(GONE)
    answer = pickle.loads(body)
    if isinstance(answer, NoProcessError):
        raise answer
    return answer


def tell(control: socket.socket, request: Request, descriptors: Sequence[int] = ()) -> None:
    """Send a request to a zygote.

    Raises:
        StarterGoneError: if the zygote is gone.
    """
    try:
        give(control, pickle.dumps(request), [*descriptors])
    except ConnectionError:
        raise StarterGoneError(GONE) from None


class _Spare(NamedTuple):
    """A process that waits to be some bot's."""

    process: int
    wanted: socket.socket


class Zygote:
    """Forks bots' processes, and buries them.

    Args:
        control: to the worker.
        service: what bots' processes do.
        ahead: how many of them are forked before they are wanted, once there are rules.
        readable: what they may read, besides their own and the library.
    """

    def __init__(self, control: socket.socket, service: Service, ahead: int, readable: Sequence[Path]) -> None:
        self._control, self._service, self._ahead, self._readable = control, service, ahead, readable
        self._rules: dict[str, Rules] = {}
        self._spares: list[_Spare] = []
        self._children: set[int] = set()
        self._dying: set[int] = set()
        self._crowded: set[int] = set()
        self._boxes: Boxes | None = None
        self._sample = locate(bundled_folder() / f"{SAMPLE}.py")
        self._pid = os.getpid()
        self._buried = 0

    def run(self) -> None:
        """Serve requests until the worker is gone."""
        while (taken := take(self._control)) is not None:
            self._answer(pickle.loads(taken[0]), taken[1])
            while len(self._spares) < self._ahead and self._rules and self._has_leisure():
                try:
                    self._spares.append(self._fork(os.fork))
                except (OSError, NoProcessError):  # whatever it is, one that is wanted tells it
                    break
        self._end()

    def end(self) -> NoReturn:
        """End at once, with all bots: one at ``process`` may have untied itself from this process."""
        try:
            if os.getpid() == self._pid:  # not one that was forked this moment
                self._end()
        finally:
            os._exit(1)

    def _end(self) -> None:
        signal.signal(signal.SIGCONT, signal.SIG_IGN)
        for process in {*self._children, *self._dying, *(spare.process for spare in self._spares)}:
            with suppress(ChildProcessError):  # it was buried when the end came
                bury(process)
        self._bury_orphans(set())

    def _has_leisure(self) -> bool:
        """Return whether nothing was asked for a moment, in which those who just began have been loaded."""
        return not select.select([self._control], [], [], LOADING_S)[0]

    def _bury_orphans(self, known: set[int]) -> None:
        """Kill what bots' processes left behind, in sessions of its own too: its parent gone, it is this process's.

        Args:
            known: children that are none of these.
        """
        for _ in range(MOST_GENERATIONS):
            orphans = children_here() - known
            for process in orphans:
                bury(process)
            if not orphans:
                return

    def _look_for_orphans(self) -> None:
        """Bury orphans now and then: to look through all processes takes longer than to start one."""
        self._buried += 1
        if self._buried % BURIED_A_LOOK == 0:
            self._bury_orphans(self._known())

    def _known(self) -> set[int]:
        """Return this process's children that are no orphans."""
        return {*self._children, *self._dying, *(spare.process for spare in self._spares)}

    def _answer(self, request: Request, descriptors: list[int]) -> None:
        match request:
            case Start() | Execute():
                try:
                    self._say(self._begin(request, descriptors))
                except NoProcessError as error:
                    self._say(error)
                finally:
                    for number in descriptors:
                        os.close(number)
            case HasEnded():
                self._say(has_ended(request.process))
            case Bury():
                self._children.discard(request.process)
                self._say(self._bury(request.process))
                self._look_for_orphans()
            case Dismiss():
                self._children.discard(request.process)
                self._crowded.discard(request.process)
                kill(request.process)
                self._dying.add(request.process)
                self._wait_for_dying()
                self._look_for_orphans()
            case Learn():
                self._drop_spares()
                library()
                compiled = compile_rules(request.ruleset)
                self._rules[request.ruleset.hash] = compiled
                warm_up(compiled, ASKED if compiled.ruleset.card else (*ASKED, SOLVING))
                self._say(None)
            case Solve():
                self._drop_spares()
                rules = self._rules.get(request.ruleset.hash)
                with suppress(UserError):  # a game that is too large is the bot's to meet
                    values(rules.ruleset if rules else request.ruleset).prepare(variances=request.variances)
                    if rules:
                        warm_up(rules, (SOLVING,))
                self._say(None)

    def _say(self, answer: Any) -> None:
        body = pickle.dumps(answer)
        with suppress(ConnectionError):  # nobody is there any more, which the next read finds out
            self._control.sendall(LENGTH.pack(len(body)) + body)

    def _bury(self, process: int) -> int:
        code = bury(process)
        if process in self._crowded and code == -signal.SIGKILL:
            code = CROWDED
        self._crowded.discard(process)
        return code

    def _wait_for_dying(self) -> None:
        """Take note of those that have ended meanwhile."""
        self._dying = {process for process in self._dying if not os.waitpid(process, os.WNOHANG)[0]}

    def _begin(self, request: Start | Execute, descriptors: list[int]) -> int:
        if isinstance(request, Start):
            return self._start(request, descriptors)
        return self._execute(request, descriptors)

    def _start(self, start: Start, descriptors: list[int]) -> int:
        """Make a process a bot's, and return its number."""
        while True:
            spare = self._spares.pop(0) if self._spares else self._fork(self._fork_in_time)
            try:
                give(spare.wanted, pickle.dumps(start), descriptors)
            except ConnectionError:  # something has killed it
                bury(spare.process)
                continue
            finally:
                spare.wanted.close()
            self._children.add(spare.process)
            return spare.process

    def _execute(self, request: Execute, descriptors: list[int]) -> int:
        """Make a process that executes an external bot, and return its number."""
        gc.freeze()
        process = self._fork_in_time()
        if not process:
            execute(request, descriptors, self._pid)
        self._children.add(process)
        return process

    def _fork(self, fork: Callable[[], int]) -> _Spare:
        if self._boxes is None and not missing():
            try:
                self._boxes = Boxes.hiding(Path.cwd(), self._readable)
            except SandboxError as error:
                raise NoProcessError(f"no sandbox can be made here, though the kernel says it can: {error}") from None
        gc.freeze()
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = fork()
            except BaseException:
                ours.close()
                raise
            if not process:
                live(theirs, Inheritance(self._rules, self._boxes, self._sample, self._service, self._pid))
        return _Spare(process, ours)

    def _fork_in_time(self) -> int:
        """Fork for a bot that is waited for: if there is no room, what is not needed ends first."""
        try:
            return os.fork()
        except OSError:
            self._drop_spares()
            self._wait_for_dying()
        tries = count()

        def clear() -> None:
            self._wait_for_dying()
            if next(tries) % TRIES_A_LOOK == 0:
                self._bury_orphans(self._known())

        return fork_in_time(self._children, self._crowded, clear)

    def _drop_spares(self) -> None:
        for spare in self._spares:
            spare.wanted.close()
            bury(spare.process)
        self._spares.clear()


def main(descriptor: int, service: Service, ahead: str, *readable: str) -> None:
    """Be a zygote.

    Args:
        descriptor: of the socket to the worker.
        service: what bots' processes do.
        ahead: how many of them are forked before they are wanted.
        readable: what they may read, besides their own and the library.
    """
    here, parent = Zygote(socket.socket(fileno=descriptor), service, int(ahead), [*map(Path, readable)]), os.getppid()

    def heard(*_: object) -> None:
        if os.getppid() != parent:
            here.end()

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the worker's matter
    if sys.platform.startswith("linux"):  # elsewhere that takes a thread, and this is to fork
        signal.signal(signal.SIGCONT, heard)  # it also comes to one that a bot has stopped
        if not tie_to_parent(parent, signal.SIGCONT):
            os._exit(1)
        adopt_orphans()
    here.run()


def warm_up(rules: Rules, names: Sequence[str]) -> None:
    """Load the compiled kernels that bots' processes need, by asking shipped bots once.

    Args:
        rules: under which.
        names: whom.
    """
    seats, tables = max(2, rules.ruleset.min_seats), np.zeros(1, dtype=np.int32)
    view = view_of(rules, 0, seats, np.ones(1, dtype=np.uint64))
    follower = follower_of(rules, seats, 1, scalar=True)
    game = follower.game
    game.round, game.roll_numbers[:] = 1, 1
    for name in names:
        driver = ArrayDriver(load(locate(bundled_folder() / f"{name}.py")), view)
        driver.hold(game, tables)
        if isinstance(game, CardTables):
            rows = driver.choose_row(game, tables, game.legal(tables))
    if isinstance(game, CardTables):
        game.choose(tables, rows, *game.legal(tables))
        assert follower.cards is not None
        follower.cards.fill(game, tables, rows)
