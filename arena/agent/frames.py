"""Frames over a socket: a length and so many bytes, read with one deadline for the whole of it.

Nothing that comes in is ever unpickled. A frame is cut into parts by `Reader`, and whoever reads names what is
expected; anything else is a `FrameError`.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

LENGTH = struct.Struct("<I")
MOST_BYTES = 1 << 26
"""No frame is longer."""


class FrameError(Exception):
    """What came in is no frame, or has not the parts that were expected."""


class Writer:
    """A frame in the making."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def number(self, value: int) -> Writer:
        """Add a whole number of 32 bits."""
        self._parts.append(LENGTH.pack(value))
        return self

    def array(self, values: npt.NDArray[Any]) -> Writer:
        """Add an array; whoever reads knows its type and length."""
        self._parts.append(np.ascontiguousarray(values).tobytes())
        return self

    def blob(self, content: bytes) -> Writer:
        """Add bytes with their length."""
        self._parts += (LENGTH.pack(len(content)), content)
        return self

    def text(self, value: Any) -> Writer:
        """Add anything that JSON can say."""
        return self.blob(json.dumps(value).encode())

    def bytes(self) -> bytes:
        """Return the frame, its length before it."""
        body = b"".join(self._parts)
        return LENGTH.pack(len(body)) + body


class Reader:
    """The parts of a frame, in order.

    Args:
        body: the frame without its length.
    """

    def __init__(self, body: bytes) -> None:
        self._body, self._at = memoryview(body), 0

    def _take(self, size: int) -> memoryview:
        part = self._body[self._at : self._at + size]
        if len(part) != size:
            raise FrameError(f"a frame of {len(self._body)} bytes is too short")
        self._at += size
        return part

    def number(self) -> int:
        """Return a whole number of 32 bits."""
        [value] = LENGTH.unpack(self._take(LENGTH.size))
        return int(value)

    def array(self, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        """Return ``count`` numbers of a type, a copy."""
        kind = np.dtype(dtype)
        return np.frombuffer(self._take(kind.itemsize * count), kind).copy()

    def blob(self) -> bytes:
        """Return bytes that were sent with their length."""
        return bytes(self._take(self.number()))

    def text(self) -> Any:
        """Return what was said in JSON."""
        try:
            return json.loads(self.blob())
        except (ValueError, RecursionError) as error:
            raise FrameError(f"no JSON: {error}") from None

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return len(self._body) - self._at

    def end(self) -> None:
        """Raise unless all was read."""
        if self.left:
            raise FrameError(f"{self.left} bytes too many")


class Source(Protocol):
    """What is read without blocking."""

    def recv(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""


class FrameBuffer:
    """Collects what a socket brings until a frame is whole.

    Args:
        most: the longest frame that is taken.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._held = bytearray()

    def read(self, source: Source) -> bool:
        """Read what is there; returns False at the end of the stream.

        Raises:
            FrameError: if the frame is too long.
        """
        try:
            piece = source.recv(1 << 18)
        except (BlockingIOError, InterruptedError):
            return True
        except ConnectionError:
            return False
        self._held += piece
        if len(self._held) >= LENGTH.size and LENGTH.unpack_from(self._held)[0] > self._most:
            raise FrameError(f"a frame of {LENGTH.unpack_from(self._held)[0]} bytes is longer than {self._most}")
        return bool(piece)

    def frame(self) -> bytes | None:
        """Return a whole frame without its length, None while it is not.

        Raises:
            FrameError: if something follows it, as every frame answers one.
        """
        if len(self._held) < LENGTH.size:
            return None
        [size] = LENGTH.unpack_from(self._held)
        if len(self._held) < LENGTH.size + size:
            return None
        if len(self._held) > LENGTH.size + size:
            raise FrameError(f"{len(self._held) - LENGTH.size - size} bytes after the frame")
        body = bytes(self._held[LENGTH.size :])
        self._held.clear()
        return body


class Stream(Protocol):
    """What frames are read from and written to, blocking."""

    def recv(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""

    def sendall(self, content: bytes, /) -> None:
        """Write all of it."""


class Descriptor:
    """A stream over a descriptor, read and written as files are; a sandbox may know no sockets.

    Args:
        number: the descriptor.
    """

    def __init__(self, number: int) -> None:
        self._number = number

    def recv(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""
        return os.read(self._number, size)

    def sendall(self, content: bytes, /) -> None:
        """Write all of it."""
        left = memoryview(content)
        while left:
            left = left[os.write(self._number, left) :]


def receive(source: Stream) -> bytes | None:
    """Return the next frame of a blocking socket without its length, None at the end of the stream."""
    head = exactly(source, LENGTH.size)
    return None if head is None else exactly(source, LENGTH.unpack(head)[0])


def exactly(source: Stream, size: int) -> bytes | None:
    """Return so many bytes of a blocking stream, None if it ends before."""
    parts = bytearray()
    while len(parts) < size:
        piece = source.recv(size - len(parts))
        if not piece:
            return None
        parts += piece
    return bytes(parts)
