"""Talking with an external bot's process: JSON lines there and back, with deadlines by the process's own clock.

What comes in is parsed as JSON with a cap on its length; anything else is a `LostError`.
"""

from __future__ import annotations

import json
import select
from typing import Any, NoReturn

from arena.agent.bot_process import BotProcess, Pipes
from arena.agent.talk import BY_CPU, DeadError, LostError, Patience
from arena.errors import one_line
from arena.records import End

MOST_HELLO = 1 << 16
"""Bytes of a bot's hello."""
LONGEST_INT = 18
"""Digits of a whole number that is taken as one."""
LAST_MOMENT = 1.0
"""Seconds in which a process ends that closed what it writes to; else it goes on without."""
TOLD = 100
"""Letters of a line that are told with its fault."""


class Lines:
    """Lines to and from a bot's process.

    Args:
        process: the process.
    """

    def __init__(self, process: BotProcess) -> None:
        assert isinstance(process.channel, Pipes)
        self._process, self._pipes = process, process.channel
        self._unsent, self._held = bytearray(), bytearray()

    def say(self, message: Any) -> int:
        """Send a line, as much of it as finds room; the rest goes while an answer is waited for.

        Returns:
            Its bytes.
        """
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        self._unsent += line
        self._write()
        return len(line)

    def hear(self, patience: Patience, most: int, so_far: str = "") -> Any:
        """Return what the next line says, of those that came; it may have come before it was asked for.

        Args:
            patience: how long it may take.
            most: the longest line that is taken, in bytes.
            so_far: what came of the answer before, in words.

        Raises:
            LostError: if none comes, or it is no JSON.
        """
        process, pipes = self._process, self._pipes
        over: LostError | None = None
        told = False
        while (line := self._line(most)) is None:
            if over and not told:  # of a long line the rest may be there
                raise LostError(over.end, self._late(str(over), so_far))
            over = patience.over()
            writing = [pipes.writing] if self._unsent else []
            ready, writable, _ = select.select(
                [pipes.reading, *process.signs()], writing, [], 0 if over else patience.look_s
            )
            if process.output in ready:
                process.drain()
            if writable:
                self._write()
            told = pipes.reading in ready
            if process.ended in ready and not told:  # it may have answered since, or a child of it hold the pipe open
                told = bool(select.select([pipes.reading], [], [], 0)[0])
                if not told:
                    raise DeadError
            if told and not self._read():
                self._closed()
        return parsed(line)

    def _late(self, told: str, so_far: str) -> str:
        """Return what is told of an answer that is too late, with what of it came."""
        came = [so_far] if so_far else []
        if held := len(self._held):
            came.append(f"{held} byte{'' if held == 1 else 's'} came without an end of line")
        elif not came and BY_CPU not in told:  # it waits, and not for want of processor time
            came.append("nothing came: is every line flushed?")
        return ": ".join([told, ", then ".join(came)]) if came else told

    def _line(self, most: int) -> bytes | None:
        """Return the next line without its end, None if there is no whole one."""
        end = self._held.find(b"\n")
        if end > most or (end < 0 and len(self._held) > most):
            raise LostError(End.PROTOCOL, f"answered with a line of more than {most} bytes")
        if end < 0:
            return None
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def _read(self) -> bool:
        """Read what is there; returns False at the end."""
        try:
            piece = self._pipes.recv(1 << 16)
        except BlockingIOError:
            return True
        self._held += piece
        return bool(piece)

    def _write(self) -> None:
        """Write what finds room; a process that does not take it is found out when it is to answer."""
        try:
            written = self._pipes.send(self._unsent)
        except BlockingIOError:
            return
        except OSError:  # it has closed what it reads
            written = len(self._unsent)
        del self._unsent[:written]

    def _closed(self) -> NoReturn:
        ended = self._process.ended
        if ended is None or select.select([ended], [], [], LAST_MOMENT)[0]:
            raise DeadError
        raise LostError(End.PROTOCOL, "closed its standard output")


def parsed(line: bytes) -> Any:
    """Return what a line says.

    Raises:
        LostError: if it is no JSON.
    """
    try:
        return json.loads(line.decode(), parse_int=_int, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        shown = one_line(line[:TOLD].decode(errors="replace"))
        why = "nested too deeply" if isinstance(error, RecursionError) else one_line(error)[:TOLD]
        raise LostError(End.PROTOCOL, f"answered with no JSON ({why}): {shown}") from None


def _int(digits: str) -> int | str:
    """Return a whole number, or what is written where it is longer than any that is asked for."""
    return int(digits) if len(digits) <= LONGEST_INT else digits


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not in JSON")
