"""A bot's process as the arena has it: its channel, what it prints, the mark of how far it is."""

from __future__ import annotations

import mmap
import os
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path

from arena.agent.limits import Limits

PIECE = 1 << 16
MOST_PIECES = 16
"""Of output, read at once and after the end: more than a pipe holds."""
TAIL = 4000
"""Bytes of a bot's output that are told with its fault."""


class Pipes:
    """The two pipes to an external bot, neither blocking; used as a socket is.

    Args:
        reading: what the bot writes.
        writing: what it reads.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)

    def recv(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""
        return os.read(self.reading, size)

    def send(self, content: bytes | bytearray | memoryview, /) -> int:
        """Write what finds room, and return how many bytes did."""
        return os.write(self.writing, content)

    def fileno(self) -> int:
        """Return the end to read from."""
        return self.reading

    def close(self) -> None:
        """Close both."""
        os.close(self.reading)
        os.close(self.writing)


@dataclass(slots=True)
class BotProcess:
    """A bot's process.

    Attributes:
        process: its number.
        channel: the arena's end of the socket, not blocking.
        output: what it prints, not blocking.
        mark: shared with it: the decision that it is at.
        limits: what it may take.
        home: the folder that the bot's source is unpacked in.
        printed: the last of what it printed.
        talks: False once its output is closed.
        ended: a descriptor that can be read once the process has ended; None if there is none.
        answered: what its clock of processor time showed when it last answered; None before, or without such a clock.
    """

    process: int
    channel: socket.socket | Pipes
    output: int
    mark: mmap.mmap
    limits: Limits
    home: Path
    printed: bytearray = field(default_factory=bytearray)
    talks: bool = True
    ended: int | None = None
    answered: float | None = None

    def at(self) -> int:
        """Return the decision that is being made, from 1; 0 before the first."""
        return int.from_bytes(self.mark[:4], sys.byteorder)

    def leave(self, at: int) -> None:
        """Set the mark."""
        self.mark[:4] = at.to_bytes(4, sys.byteorder)

    def signs(self) -> list[int]:
        """Return the descriptors to wait at beside its answers: of what it prints, and of its end."""
        printing = [self.output] if self.talks else []
        return printing if self.ended is None else [*printing, self.ended]

    def drain(self) -> bool:
        """Read a piece of what was printed, keeping the last of it; returns False if there is none now."""
        try:
            piece = os.read(self.output, PIECE)
        except (BlockingIOError, OSError):
            return False
        self.talks = bool(piece)
        self.printed += piece
        del self.printed[: -self.limits.output_kb * 1024]
        return bool(piece)

    def close(self) -> None:
        """Close this side's descriptors."""
        self.channel.close()
        os.close(self.output)
        self.mark.close()
        if self.ended is not None:
            os.close(self.ended)

    def tail(self) -> str:
        """Return the last of what was printed, once the process has ended."""
        for _ in range(MOST_PIECES):
            if not self.drain():
                break
        return self.printed[-TAIL:].decode("utf-8", "replace").strip()
