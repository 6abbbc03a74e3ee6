"""A worker's side of bots' processes: starts them from a zygote, unpacks their source, and buries them."""

from __future__ import annotations

import errno
import mmap
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.agent import commands, zygote
from arena.agent.birth import MARK_BYTES, OUT_OF_MEMORY, Start
from arena.agent.bot_process import BotProcess, Pipes
from arena.agent.bundle import copy_source, in_home, unchanged
from arena.agent.children import shortage_told
from arena.agent.ends import end_in_time
from arena.agent.execute import Execute
from arena.agent.limits import Limits
from arena.agent.ref import AgentRef, source_files
from arena.agent.standstill import Standstill
from arena.agent.zygote import CROWDED, Bury, Dismiss, HasEnded, Learn, Solve
from arena.errors import DISK_ERRORS, FileError, NoProcessError, StarterGoneError, UserError, ended_how, not_taken
from arena.held_folder import held_folder
from arena.rules.model import Ruleset

ENDING_S = 5.0
"""Seconds that the zygote has to end with all bots."""
LOOK_S = 1.0
"""Seconds from one look whether the zygote stands still to the next, while it does not answer."""
AHEAD = 4
"""Processes that are forked before they are wanted: those of two seatings of a block at a table of two."""
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM", "NUMEXPR")},
}
KEPT = ("HOME", "XDG_CACHE_HOME", "NUMBA_DISABLE_JIT", "LOCALAPPDATA", "SYSTEMROOT")
"""Of the arena's own environment: where compiled kernels are found."""
VALUES = re.compile(rb"\bfrom\s+arena\s+import\s+(\([^)]*|[^\n(]*)\bvalues\b|\barena\.values\b")
"""What stands in the source of a bot that asks for the values of positions."""
NO_MEMORY = "out of memory"
PROGRAM = (
    "import gc; gc.disable(); from arena.agent.zygote import main; from {module} import {function} as service; "
    "gc.enable(); main({descriptor}, service, *sys.argv[1:])"
)
"""What a zygote executes; what it loads is hardly ever garbage, and to look for that took a seventh of the time."""


class Nursery:
    """Starts bots' processes for one worker; a context manager.

    Args:
        folder: where bots are unpacked; None for one of its own among the system's temporary ones, which goes with
            the next such nursery if this process is killed.
        service: what bots' processes do, as ``module:function``; see `arena.agent.birth.Service`.
        readable: what they may read in the sandbox, besides their own and the library.
        ahead: processes that are forked before they are wanted.
        hash_seed: decides the order of sets of strings in them.

    Raises:
        UserError: if there can be no folder.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        service: str = "arena.agent.serve:serve",
        readable: Sequence[Path] = (),
        ahead: int = AHEAD,
        hash_seed: int = 0,
    ) -> None:
        self._service, self._hash_seed = service, hash_seed
        self._arguments = [str(ahead), *map(str, readable)]
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._known: set[Any] = set()
        self._wants: dict[str, tuple[bool, bool]] = {}
        self._homes: dict[tuple[Path, Path | None, str], Path] = {}
        self._unpacked: set[Path] = set()
        self._numbers = count(1)
        self._ends = ExitStack()
        try:
            if folder is None:
                self._folder = self._ends.enter_context(held_folder(Path(tempfile.gettempdir()), "arena-try-"))
            else:
                self._folder = Path(tempfile.mkdtemp(prefix="arena-bots-", dir=folder))
                self._ends.callback(shutil.rmtree, self._folder, ignore_errors=True)
        except OSError as error:
            raise not_taken(f"{folder or tempfile.gettempdir()}: bots cannot be unpacked there", error) from None

    def __enter__(self) -> Nursery:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the zygote and every process that came from it, and remove the unpacked bots."""
        if self._control is not None:
            self._control.close()
        self._end_zygote()
        self._ends.close()

    def _end_zygote(self) -> None:
        """Have the zygote end, which buries bots then; its socket is closed."""
        if self._zygote is not None:
            end_in_time(self._zygote, ENDING_S)

    def _ready(self) -> socket.socket:
        """Return the socket to the zygote, which is started when it is first needed."""
        if self._control is None:
            ours, theirs = socket.socketpair()
            module, _, function = self._service.partition(":")
            program = PROGRAM.format(module=module, function=function, descriptor=theirs.fileno())
            with ExitStack() as kept, theirs:
                kept.enter_context(ours)
                with shortage_told():
                    self._zygote = subprocess.Popen(
                        [*python(program), *self._arguments],
                        pass_fds=[theirs.fileno()],
                        env={**ENVIRONMENT, **kept_environment(), "PYTHONHASHSEED": str(self._hash_seed)},
                        cwd=self._folder,
                        stdin=subprocess.DEVNULL,
                        start_new_session=True,  # Ctrl-C is the worker's matter, from this one's first moment
                    )
                kept.pop_all()
            self._control = ours
        return self._control

    def _ask(self, request: zygote.Request, descriptors: Sequence[int] = ()) -> Any:
        """Send a request to the zygote, and return its answer; one that was stopped is ended.

        Raises:
            StarterGoneError: if the zygote is gone.
            NoProcessError: if it can start no process.
        """
        control = self._ready()
        zygote.tell(control, request, descriptors)
        assert self._zygote is not None
        standstill = Standstill(self._zygote.pid)
        while not select.select([control], [], [], LOOK_S)[0]:
            if standstill.lasts():
                control.shutdown(socket.SHUT_RDWR)
                self._end_zygote()
        return zygote.hear(control)

    def learn(self, ruleset: Ruleset, ref: AgentRef) -> None:
        """Have rules compiled that a bot is to play by, and the game solved if it seems to ask for values; each once.

        A bot's process may store nothing, so that each would have to do so for itself.
        """
        self._have(Learn(ruleset))
        self.solve([ruleset], ref)

    def solve(self, rulesets: Iterable[Ruleset], ref: AgentRef) -> None:
        """Have card games solved, or read, for a bot that seems to ask for their values; each once."""
        if ref.source_hash not in self._wants:
            self._wants[ref.source_hash] = _wants_values(ref)
        wanted, variances = self._wants[ref.source_hash]
        for ruleset in rulesets if wanted else ():
            if ruleset.card is not None:
                self._have(Solve(ruleset, variances))

    def _have(self, request: Learn | Solve) -> None:
        key = request.ruleset.hash, isinstance(request, Solve) and (request.variances,)
        if key not in self._known:
            self._ask(request)
            self._known.add(key)

    def home(self, ref: AgentRef) -> Path:
        """Return the folder that a bot's source is unpacked in, for all of its processes that may not write there."""
        source = ref.path, ref.root, ref.source_hash
        return self._homes.setdefault(source, self._folder / str(len(self._homes)))

    def unpack(self, ref: AgentRef, *, alone: bool = False) -> AgentRef:
        """Copy a bot's source into a folder of its own, once for all its processes; returns a reference to the copy.

        Args:
            ref: the bot.
            alone: True for a folder that no other living process has: for a bot that may write beside its source.

        Raises:
            FileError: if it cannot be read, or is not what it was when it was located.
            DiskError: if the disk does not take it.
        """
        return in_home(ref, self._place(ref, alone=alone))

    def _place(self, ref: AgentRef, *, alone: bool) -> Path:
        """Return a folder with a bot's source as it was when it was located; see `unpack`."""
        if not alone:  # what a command names elsewhere is run where it is, so that it may change at any time
            return self._first(ref, look=bool(ref.argv))
        first = self._first(ref, look=True)
        own = self._folder / f"{first.name}-{next(self._numbers)}"
        self._copy(ref, in_home(ref, first), own)
        return own

    def _first(self, ref: AgentRef, *, look: bool) -> Path:
        """Return the folder with the first copy, of which others are made: it is not the user's to edit.

        Args:
            ref: the bot.
            look: True to make it anew if it is not what it was.
        """
        home = self.home(ref)
        if home not in self._unpacked or (look and not unchanged(in_home(ref, home))):
            self._copy(ref, ref, home)
            self._unpacked.add(home)
        return home

    def _copy(self, ref: AgentRef, source: AgentRef, home: Path) -> None:
        """Copy a bot's source, and look whether the copy is what it should be."""
        shutil.rmtree(home, ignore_errors=True)
        try:
            copy_source(source, home)
        except OSError as error:
            if error.errno in DISK_ERRORS:
                raise not_taken(f"{home}: cannot be written", error) from None
            raise FileError(ref.path, f"cannot be read any more: {error.strerror}") from None
        if not unchanged(in_home(ref, home)):
            raise FileError(ref.path, "changed while the tournament was running")

    def start(self, ref: AgentRef, limits: Limits, *, boxed: bool) -> BotProcess:
        """Start a bot's process.

        Args:
            ref: a reference to the unpacked bot.
            limits: what it may take.
            boxed: True for the sandbox.

        Raises:
            StarterGoneError: if the zygote is gone.
            NoProcessError: if it can start no process.
        """
        with ExitStack() as kept, ExitStack() as lent:
            ours, theirs = socket.socketpair()
            kept.enter_context(ours)
            lent.enter_context(theirs)
            reading, writing = _pipe(kept, lent)
            try:
                shared = _shared_memory(self._folder)
            except OSError as error:
                raise NoProcessError(f"no memory can be shared with a bot's process: {error.strerror}") from None
            lent.callback(os.close, shared)
            mark = kept.enter_context(mmap.mmap(shared, MARK_BYTES))
            request = Start(str(working_folder(ref)), limits, boxed)
            process = self._ask(request, [theirs.fileno(), writing, shared])
            ours.setblocking(False)
            os.set_blocking(reading, False)
            ended = None if boxed else self._end_of(process)  # in the sandbox nobody else can hold its channel
            kept.pop_all()
        return BotProcess(process, ours, reading, mark, limits, home=self._home_of(ref), ended=ended)

    def _home_of(self, unpacked: AgentRef) -> Path:
        """Return the folder that a bot's source was unpacked in."""
        return self._folder / working_folder(unpacked).relative_to(self._folder).parts[0]

    def has_ended(self, bot: BotProcess) -> bool:
        """Return whether a bot's process has ended; its children may hold its channel open."""
        return bool(self._ask(HasEnded(bot.process)))

    def execute(self, ref: AgentRef, limits: Limits, *, boxed: bool) -> BotProcess:
        """Start an external bot's process. Its mark is its own, for the arena to leave.

        Args:
            ref: the bot.
            limits: what it may take.
            boxed: True for the sandbox.

        Raises:
            FileError: if its program is gone, or its files are others than before.
            DiskError: if the disk does not take a copy of them.
            StarterGoneError: if the zygote is gone.
            NoProcessError: if it can start no process.
        """
        home = self._place(ref, alone=not boxed)
        try:
            launch = commands.launch(ref, home)
        except UserError as error:
            raise FileError(ref.path, f"cannot be started any more: {error}") from None
        request = Execute(launch, limits, boxed, ENVIRONMENT)
        with ExitStack() as kept, ExitStack() as lent:
            theirs_in, ours_out = _pipe(lent, kept)
            ours_in, theirs_out = _pipe(kept, lent)
            reading, writing = _pipe(kept, lent)
            mark = kept.enter_context(mmap.mmap(-1, MARK_BYTES))
            process = self._ask(request, [theirs_in, theirs_out, writing])
            os.set_blocking(reading, False)
            ended = self._end_of(process)
            kept.pop_all()
        return BotProcess(process, Pipes(ours_in, ours_out), reading, mark, limits, home=home, ended=ended)

    def _end_of(self, process: int) -> int | None:
        """Return a descriptor that can be read once a process has ended; None where there is none."""
        if not hasattr(os, "pidfd_open"):
            return None
        try:
            return os.pidfd_open(process)
        except OSError as error:
            if error.errno in (errno.ENOSYS, errno.EPERM):  # an old kernel, or a container
                return None
            zygote.tell(self._ready(), Dismiss(process))
            raise

    def bury(self, bot: BotProcess) -> str:
        """Kill a bot's process with its children, and return how it had ended, in words.

        Raises:
            StarterGoneError: if the zygote is gone.
        """
        code = self._ask(Bury(bot.process))
        bot.close()
        self._leave(bot)
        return ended_how(code) if code != CROWDED and isinstance(bot.channel, Pipes) else ending(code)

    def dismiss(self, bot: BotProcess) -> None:
        """Kill a bot's process with its children, and do not wait for its end."""
        with suppress(StarterGoneError):  # it ended with the zygote
            zygote.tell(self._ready(), Dismiss(bot.process))
        bot.close()
        self._leave(bot)

    def _leave(self, bot: BotProcess) -> None:
        """Remove the folder of a bot's process that had one alone: no other may find what it left there."""
        if bot.home not in self._unpacked:
            shutil.rmtree(bot.home, ignore_errors=True)


def working_folder(ref: AgentRef) -> Path:
    """Return the folder that an unpacked bot's process begins in."""
    folder = ref.path if ref.path.is_dir() else ref.path.parent
    return folder if ref.root is None else ref.root


def kept_environment() -> dict[str, str]:
    """Return what is kept of the arena's own environment."""
    return {name: os.environ[name] for name in KEPT if name in os.environ}


def python(program: str) -> list[str]:
    """Return the command that runs a program of the arena's in Python.

    The arena that is running is taken, though another may be installed; for all else its folder comes last.
    """
    package = str(Path(__file__).parents[2])
    ours = f"import sys; sys.path.insert(0, {package!r}); import arena; sys.path.append(sys.path.pop(0))\n"
    return [sys.executable, "-P", "-s", "-c", ours + program]


def _wants_values(ref: AgentRef) -> tuple[bool, bool]:
    """Return whether a bot's source seems to ask for the values of positions, and for variances.

    A guess that is wrong costs time and nothing else.
    """
    files = [path for _, path in source_files(ref.path, installed=ref.installed) if path.suffix == ".py"]
    wanting = [text for text in map(Path.read_bytes, files) if VALUES.search(text)]
    return bool(wanting), any(b"variance" in text for text in wanting)


def ending(code: int) -> str:
    """Return how a process of the arena's own program ended, in words: its exit codes have a meaning."""
    if code == CROWDED:
        return "killed for its threads: beside them no process could be started"
    return NO_MEMORY if code == OUT_OF_MEMORY else ended_how(code)


def _pipe(first: ExitStack, second: ExitStack) -> tuple[int, int]:
    """Return a pipe's end to read from and the one to write to, to be closed with the first and with the second."""
    reading, writing = os.pipe()
    first.callback(os.close, reading)
    second.callback(os.close, writing)
    return reading, writing


def _shared_memory(folder: Path) -> int:
    """Return the descriptor of memory for the mark; where that can be had, of a size that nobody changes any more."""
    if not hasattr(os, "memfd_create"):
        handle, name = tempfile.mkstemp(dir=folder)
        Path(name).unlink()
        os.ftruncate(handle, MARK_BYTES)
        return handle
    import fcntl  # noqa: PLC0415 - not on Windows

    handle = os.memfd_create("mark", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(handle, MARK_BYTES)
    # Were it cut short by the bot's process, reading the mark would kill this one.
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return handle
