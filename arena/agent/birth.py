"""From fork to bot: what a bot's process does before a line of the bot runs.

It is forked ahead, waits at a socket of its own until it is wanted, takes the descriptors that come with the request,
and confines itself.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, TextIO

import numpy as np

from arena.agent.frames import LENGTH, Descriptor, exactly
from arena.agent.limits import Boxes, Limits, confine, die_with_parent
from arena.agent.ref import AgentRef
from arena.agent.serve import hello, serve
from arena.game.new import Rules
from arena.jit import keep_nothing
from arena.sandbox import box
from arena.sandbox.limits import be_killed_first

MARK_BYTES = mmap.PAGESIZE
OUT_OF_MEMORY = 86
"""The exit code of a bot's process that has no memory left to tell so otherwise."""
Service = Callable[[Descriptor, mmap.mmap, Mapping[str, Rules]], None]
"""What is done in a bot's process once it is confined: see `arena.agent.serve.serve`."""
REHEARSED_GAMES = 4096
"""As many as the largest block of bots in array form has mirrors: what they take is there then."""
CHANNEL = 3
"""The descriptor of a bot's channel."""
DESCRIPTORS = 3
"""Of a bot's process: its channel, where its output goes, and the mark it shares with the arena; of an external bot
what it reads, what it writes, and where its errors go."""


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


def take(source: socket.socket) -> tuple[bytes, list[int]] | None:
    """Return what was sent with descriptors, and those; None at the end of the stream."""
    try:
        head, descriptors, _, _ = socket.recv_fds(source, LENGTH.size, DESCRIPTORS)
        body = exactly(source, LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else None
    except ConnectionError:
        return None
    return None if body is None else (body, descriptors)


def give(target: socket.socket, body: bytes, descriptors: list[int]) -> None:
    """Send bytes, and descriptors with them."""
    socket.send_fds(target, [LENGTH.pack(len(body)) + body], descriptors)


@dataclass(frozen=True, slots=True)
class Inheritance:
    """What a bot's process has from the one that forked it.

    Attributes:
        rules: compiled rules, by hash.
        boxes: what sandboxes have in common; None where there is none.
        sample: a bot that was not loaded before; see `rehearse`.
        service: what is done once the process is confined.
        parent: the process that forked it.
    """

    rules: Mapping[str, Rules]
    boxes: Boxes | None
    sample: AgentRef
    service: Service
    parent: int


def live(wanted: socket.socket, inherited: Inheritance) -> NoReturn:
    """Be a bot's process.

    Args:
        wanted: brings the request; its end is this process's.
        inherited: what this process has from its parent.
    """
    code = 1
    try:
        be_killed_first()
        _close_all_but(0, 1, 2, wanted.fileno(), *_ruleset(inherited.boxes))
        os.setsid()
        for number in (signal.SIGINT, signal.SIGCONT):
            signal.signal(number, signal.SIG_DFL)
        die_with_parent(inherited.parent)
        if inherited.rules:
            rehearse(next(iter(inherited.rules.values())), inherited.sample, inherited.boxes)
        taken = take(wanted)
        if taken is not None:
            wanted.close()
            _serve(pickle.loads(taken[0]), taken[1], inherited)
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    except BaseException:  # whatever it is, it must not reach the zygote's own loop
        import traceback  # noqa: PLC0415 - hardly ever

        traceback.print_exc()
    finally:
        os._exit(code)


def rehearse(rules: Rules, sample: AgentRef, boxes: Boxes | None) -> None:
    """Go once through what starting a bot takes: memory shared with the zygote is copied when it is first written to.

    Args:
        rules: that it may be for.
        sample: a bot that was not loaded before.
        boxes: what sandboxes have in common; None where there is none.
    """
    pickle.loads(pickle.dumps(Start("", Limits(), boxed=boxes is not None)))
    _printing(1).close()
    with suppress(OSError):  # whatever it is, being confined tells it
        if boxes is not None:
            box.rehearse(boxes.above, boxes.frame)
    seats = max(2, rules.ruleset.min_seats)
    ours, theirs = socket.socketpair()
    with ours, theirs, mmap.mmap(-1, MARK_BYTES) as mark:
        keys = np.ones(REHEARSED_GAMES, dtype=np.uint64)
        ours.sendall(hello(sample, rules.ruleset.hash, 0, seats, keys).bytes())
        ours.shutdown(socket.SHUT_WR)
        serve(Descriptor(theirs.fileno()), mark, {rules.ruleset.hash: rules})


def _serve(start: Start, descriptors: list[int], inherited: Inheritance) -> None:
    """Take what is given, be confined, and serve the bot."""
    (channel, output, shared), boxes = descriptors, inherited.boxes
    mark = mmap.mmap(shared, MARK_BYTES)
    for target in (1, 2):
        os.dup2(output, target)
    if boxes is not None and boxes.frame.ruleset == CHANNEL:
        boxes = replace(boxes, frame=replace(boxes.frame, ruleset=os.dup(CHANNEL)))
    os.dup2(channel, CHANNEL)
    os.set_inheritable(CHANNEL, False)
    _close_all_but(0, 1, 2, CHANNEL, *(_ruleset(boxes) if start.boxed else ()))
    sys.stdout, sys.stderr = _printing(1), _printing(2)
    os.chdir(start.folder)
    if start.boxed:
        keep_nothing()
    confine(Path(start.folder), start.limits, boxes, boxed=start.boxed, parent=inherited.parent)
    inherited.service(Descriptor(CHANNEL), mark, inherited.rules)


def _printing(descriptor: int) -> TextIO:
    """Return what prints to a descriptor, which stays open when this is closed."""
    return open(descriptor, "w", buffering=1, errors="replace", closefd=False)


def _ruleset(boxes: Boxes | None) -> tuple[int, ...]:
    return () if boxes is None else (boxes.frame.ruleset,)


def _close_all_but(*kept: int) -> None:
    """Close every descriptor of this process but these."""
    below = 0
    for number in sorted(kept):
        if below < number:  # os.closerange(0, 0) closes all
            os.closerange(below, number)
        below = number + 1
    os.closerange(below, os.sysconf("SC_OPEN_MAX"))
