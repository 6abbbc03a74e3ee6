"""Bots' processes where nothing can be forked: each is started afresh, as on Windows; slower, and never a sandbox.

A process is told by its standard input what to do, gets its channel as a socket, and prints into a pipe that a thread
of the arena reads, as there only sockets can be waited for. It ends when its standard input does, so with the arena.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from arena.agent.birth import MARK_BYTES, OUT_OF_MEMORY
from arena.agent.bot_process import PIECE, BotProcess
from arena.agent.children import shortage_told
from arena.agent.limits import Limits, confine
from arena.agent.nursery import ENVIRONMENT, Nursery, ending, kept_environment, python, working_folder
from arena.agent.ref import AgentRef
from arena.errors import ArenaError, FileError
from arena.game.new import Rules, compile_rules
from arena.rules.model import Ruleset

FORKS = hasattr(os, "fork")
WINDOWS = sys.platform == "win32"
READY_S = 120.0
"""Seconds that a process may take to load the arena, before the bot's own time begins."""
READY = b"!"
PROGRAM = "import gc; gc.disable(); from arena.agent.spawned import main; gc.enable(); main()"
"""What a process executes; it has no garbage to look for while it loads."""


def new_nursery(folder: Path | None = None, **how: Any) -> Nursery:
    """Return a nursery of the kind that works here; the arguments are those of `Nursery`."""
    return (Nursery if FORKS else SpawningNursery)(folder, **how)


@dataclass(frozen=True, slots=True)
class _Task:
    """What a process is to do: its channel, as a descriptor or as Windows shares sockets, and the rest by value."""

    channel: int | bytes
    mark: str
    folder: str
    limits: Limits
    rulesets: dict[str, Ruleset]
    service: str


@dataclass(slots=True)
class SpawnedProcess(BotProcess):
    """A bot's process that the arena has started itself.

    Attributes:
        program: the process.
        reader: the thread that reads what it prints.
    """

    program: subprocess.Popen[bytes] = field(kw_only=True)
    reader: threading.Thread = field(kw_only=True)

    def drain(self) -> bool:
        """Leave it to the thread."""
        return False

    def close(self) -> None:
        """Close this side's descriptors; what a bot leaves behind may keep its output open, and the thread with it."""
        self.channel.close()
        self.mark.close()
        if self.program.stdin is not None:
            self.program.stdin.close()

    def tail(self) -> str:
        """Return the last of what was printed."""
        self.reader.join(timeout=0.2)
        return BotProcess.tail(self)


class SpawningNursery(Nursery):
    """Starts every bot's process afresh; see `Nursery`."""

    def __init__(self, folder: Path | None = None, **how: Any) -> None:
        super().__init__(folder, **how)
        self._rulesets: dict[str, Ruleset] = {}
        self._living: dict[int, subprocess.Popen[bytes]] = {}

    def close(self) -> None:
        """End every process, and remove the unpacked bots."""
        for program in self._living.values():
            _kill(program)
            program.wait()
            if program.stdin is not None:
                program.stdin.close()
        super().close()

    def learn(self, ruleset: Ruleset, ref: AgentRef) -> None:
        """Have rules at hand that a bot is to play by."""
        del ref
        self._rulesets[ruleset.hash] = ruleset

    def solve(self, rulesets: Iterable[Ruleset], ref: AgentRef) -> None:
        """Do nothing: these processes may store what they solve."""

    def execute(self, ref: AgentRef, limits: Limits, *, boxed: bool) -> BotProcess:
        """Raise, as external bots are forked."""
        del limits, boxed
        raise FileError(ref.path, "external bots are not to be had on this system")

    def start(self, ref: AgentRef, limits: Limits, *, boxed: bool) -> SpawnedProcess:
        """Start a bot's process, and wait until it has loaded all but the bot.

        Args:
            ref: a reference to the unpacked bot.
            limits: what it may take.
            boxed: never.

        Raises:
            NoProcessError: if the machine gives no process.
        """
        assert not boxed, "there is no sandbox without fork"
        handle, name = tempfile.mkstemp(prefix="mark-", dir=self._folder)
        os.ftruncate(handle, MARK_BYTES)
        mark = mmap.mmap(handle, MARK_BYTES)
        os.close(handle)
        folder = working_folder(ref)
        ours, theirs = socket.socketpair()
        with ExitStack() as opened:
            for one in (mark, ours, theirs):
                opened.callback(one.close)
            program = self._program(folder, theirs)
            opened.pop_all()
        self._living = {pid: one for pid, one in self._living.items() if one.poll() is None}
        self._living[program.pid] = program
        task = _Task(_shared(theirs, program.pid), name, str(folder), limits, self._rulesets, self._service)
        assert program.stdin is not None
        assert program.stdout is not None
        pickle.dump(task, program.stdin)
        program.stdin.flush()
        theirs.close()
        printed = bytearray()
        reader = threading.Thread(target=_keep, args=(program.stdout, printed, limits.output_kb * 1024), daemon=True)
        reader.start()
        ours.settimeout(READY_S)
        if ours.recv(1) != READY:
            raise ArenaError(f"a bot's process does not start:\n{printed.decode(errors='replace')}")
        ours.setblocking(False)
        home = self._home_of(ref)
        process = SpawnedProcess(program.pid, ours, -1, mark, limits, home, printed, program=program, reader=reader)
        process.talks = False
        return process

    def _program(self, folder: Path, channel: socket.socket) -> subprocess.Popen[bytes]:
        """Start a process.

        Raises:
            NoProcessError: if the machine has none left.
        """
        with shortage_told():
            return subprocess.Popen(
                python(PROGRAM),
                pass_fds=() if WINDOWS else (channel.fileno(),),
                env={**ENVIRONMENT, **kept_environment(), "PYTHONHASHSEED": str(self._hash_seed)},
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def has_ended(self, bot: BotProcess) -> bool:
        """Return whether a bot's process has ended."""
        assert isinstance(bot, SpawnedProcess)
        return bot.program.poll() is not None

    def bury(self, bot: BotProcess) -> str:
        """Kill a bot's process with its children, and return how it had ended, in words."""
        assert isinstance(bot, SpawnedProcess)
        _kill(bot.program)
        code = bot.program.wait()
        bot.close()
        self._leave(bot)
        return ending(code)

    def dismiss(self, bot: BotProcess) -> None:
        """Kill a bot's process with its children, and do not wait for its end."""
        assert isinstance(bot, SpawnedProcess)
        _kill(bot.program)
        bot.close()
        self._leave(bot)


def _shared(channel: socket.socket, process: int) -> int | bytes:
    """Return what a process makes its own socket of."""
    if sys.platform == "win32":
        return channel.share(process)
    return channel.fileno()


def _kill(program: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        if program.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(program.pid)], check=False, capture_output=True)
    elif program.poll() is None:  # until it is waited for its number is nobody else's
        os.killpg(program.pid, signal.SIGKILL)
    program.kill()


def _keep(output: IO[bytes], printed: bytearray, most: int) -> None:
    """Read what a process prints, and keep the last of it."""
    with output:
        while piece := os.read(output.fileno(), PIECE):
            printed += piece
            del printed[:-most]


# In the process


class _Rules(dict[str, Rules]):
    """Rules that are compiled when they are asked for."""

    def __init__(self, rulesets: dict[str, Ruleset]) -> None:
        super().__init__()
        self._rulesets = rulesets

    def __missing__(self, key: str) -> Rules:
        self[key] = compile_rules(self._rulesets[key])
        return self[key]


def main() -> None:
    """Be a bot's process."""
    code = 1
    try:
        told = os.fdopen(os.dup(0), "rb", buffering=0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        task: _Task = pickle.load(told)
        threading.Thread(target=_end_with, args=(told,), daemon=True).start()
        channel = _socket(task.channel)
        with Path(task.mark).open("r+b") as file:
            mark = mmap.mmap(file.fileno(), MARK_BYTES)
        module, _, function = task.service.partition(":")
        service = getattr(import_module(module), function)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]
        channel.sendall(READY)
        confine(Path(task.folder), task.limits, None, boxed=False, parent=os.getppid())
        service(channel, mark, _Rules(task.rulesets))
        code = 0
    except BaseException as error:
        code = OUT_OF_MEMORY if isinstance(error, MemoryError) else 1
        traceback.print_exc()
    finally:
        os._exit(code)


def _socket(shared: int | bytes) -> socket.socket:
    if isinstance(shared, int):
        return socket.socket(fileno=shared)
    made: socket.socket = socket.fromshare(shared)  # type: ignore[attr-defined]  # Windows'
    return made


def _end_with(told: IO[bytes]) -> None:
    """End this process when the arena does."""
    while told.read(1):
        pass
    os._exit(1)
