"""The box: what a program that nobody trusts may do, and the one step that puts this process into it for good.

Limits, Landlock and seccomp together; each alone leaks. The filter of system calls comes last, because it refuses what
the others are made with. Nothing here takes privileges or packages.

What the box does not do, and its caller must: close inherited descriptors (a descriptor is a right, whatever the box
says), clean the environment, cap what is read from the pipe that is the box's output, hold a deadline by the wall
clock, and enter before numpy or anything else has started a thread.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from arena.sandbox import landlock, limits, seccomp
from arena.sandbox.calls import machine
from arena.sandbox.limits import MB, MemoryKind
from arena.sandbox.numbers import ARCHITECTURES

LIBRARIES = tuple(map(Path, ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")))
"""Where the loader finds the system's libraries, such as those that numpy is made of: to be readable."""


class SandboxError(Exception):
    """The process could not be boxed. It may be boxed in part, and must not go on to run what nobody trusts."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """What a boxed process may use.

    Args:
        readable: files, and folders with all that is in them. What does not exist is passed over.
        executable: the same, to be executed as well: a program, its loader, the libraries it is made of.
        memory_mb: megabytes (2**20 bytes). Python with numpy and a compiler takes about 384 of address space.
        memory: whether all address space counts, or only what is private and writable (for programs such as node that
            reserve much more than they use).
        cpu_seconds: processor time of all threads, in seconds since the process began. None for no limit, where
            somebody else watches the process's clock: under a limit the kernel sets that clock at ticks only, every
            4 ms or so.
        open_files: descriptors are numbered below this.
        may_exec: whether another program may take this one's place; it stays in the box. Never a second process.

    Raises:
        ValueError: a limit is not positive, or programs are to be executed and may not be.
    """

    readable: tuple[Path, ...] = ()
    executable: tuple[Path, ...] = ()
    memory_mb: int = 1024
    memory: MemoryKind = "address_space"
    cpu_seconds: int | None = 60
    open_files: int = 64
    may_exec: bool = False

    def __post_init__(self) -> None:
        for name in ("memory_mb", "cpu_seconds", "open_files"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise ValueError(f"{name} {value}: must be positive")
        if self.executable and not self.may_exec:
            raise ValueError(f"executable {self.executable[0]}: needs may_exec")


def missing() -> tuple[str, ...]:
    """Return what this machine lacks for the box, in words; nothing if it lacks nothing. Changes no process."""
    if sys.platform != "linux":
        return (f"Linux (this is {platform.system() or sys.platform})",)
    if machine() is None:
        bits = 64 if sys.maxsize > 1 << 32 else 32
        return (f"64-bit {' or '.join(ARCHITECTURES)} (this is a {bits}-bit Python on {platform.machine()})",)
    lacking = []
    for what, probe in (
        ("Landlock", landlock.version),
        ("seccomp", seccomp.probe),
        ("/proc", limits.threads_here),
    ):
        try:
            probe()
        except OSError as error:
            lacking.append(f"{what} ({error.strerror})")
    return tuple(lacking)


@dataclass(frozen=True, slots=True)
class Frame:
    """What many boxes have in common, made once by a process that is forked into each of them.

    Attributes:
        ruleset: the descriptor of what any of them may read; a box is bound by this and by its own.
        filters: of system calls, to be completed.
    """

    ruleset: int
    filters: bytes


def frame(readable: tuple[Path, ...]) -> Frame:
    """Make a frame for boxes whose programs execute no other.

    Args:
        readable: as in `Box`, for all of them together.

    Raises:
        SandboxError: the machine lacks something.
    """
    lacking, here = missing(), machine()
    if lacking or here is None:
        raise SandboxError(f"this machine has no {', no '.join(lacking)}")
    try:
        return Frame(landlock.prepare(readable), seccomp.template(here, memory="address_space"))
    except OSError as error:
        raise SandboxError(str(error)) from error


def rehearse(readable: tuple[Path, ...], within: Frame) -> None:
    """Do once what `enter` does and what binds nothing: the first time takes longer in a process that was forked.

    Args:
        readable: as in `Box`.
        within: as in `enter`; it is kept.

    Raises:
        OSError: it cannot be done.
    """
    limits.threads_here()
    limits.memory_taken("address_space")
    seccomp.of_process(within.filters, os.getpid())
    os.close(landlock.prepare(readable))


def enter(box: Box, *, parent: int | None = None, within: Frame | None = None) -> None:
    """Put this process into a box, for good. It takes about a millisecond.

    Args:
        box: what it may use from now on.
        parent: the process id of the parent, as the parent knows it: the box dies with the thread that made this
            process. None to take today's parent, if the caller is sure that it lives.
        within: what the parent has made for it; its descriptor is closed. The box may then read no more than that
            allows, nor execute anything.

    Raises:
        SandboxError: this process has several threads, of which Landlock and seccomp bind only one; the machine
            lacks something; the parent is gone; the limit of memory is exceeded already.
    """
    lacking = missing() if within is None else ()
    here = machine()
    if lacking or here is None:
        raise SandboxError(f"this machine has no {', no '.join(lacking)}")
    threads = limits.threads_here()
    if threads != 1:
        raise SandboxError(f"{threads} threads: a process must enter the box before it has a second one")
    taken = limits.memory_taken(box.memory)
    if taken >= box.memory_mb * MB:
        raise SandboxError(f"memory_mb {box.memory_mb}: {taken // MB + 1} MB are taken already")
    try:
        if within is None:
            allowed = seccomp.conditions(os.getpid(), may_exec=box.may_exec, memory=box.memory)
            packed = seccomp.pack(seccomp.program(here, allowed))
        else:
            packed = seccomp.of_process(within.filters, os.getpid())
        if not limits.tie_to_parent(parent):
            raise SandboxError("the parent is gone")
        limits.refuse_privileges()
        limits.set_limits(
            memory_mb=box.memory_mb, memory=box.memory, cpu_seconds=box.cpu_seconds, open_files=box.open_files
        )
        if within is not None:
            landlock.restrict_by(within.ruleset)
            os.close(within.ruleset)
        landlock.restrict(box.readable, box.executable)  # opens the paths: before the privileges to do so are gone
        limits.drop_privileges()
        limits.close_to_others()
        seccomp.install(packed)
    except (OSError, ValueError) as error:
        raise SandboxError(str(error)) from error
