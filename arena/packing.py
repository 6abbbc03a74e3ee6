"""Transcripts as bytes: the decisions of a turn as one number, and nothing for a turn that was not played.

General compression takes another third off, and as long as a tenth of the games of bots in array form.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from arena.records import UInt8

HEAD = struct.Struct("<I")
"""How long the part is that tells which turns were played."""


def packed_moves(moves: UInt8) -> bytes:
    """Return transcripts as bytes.

    Args:
        moves: uint8[seatings, rounds, seats, rolls, mirrors]: see `arena.records.BlockResult`; at most 7 rolls.
    """
    digits = moves + np.uint8(1)  # what was not decided becomes 0
    rolls = digits.shape[3]
    bases = [int(highest) + 1 for highest in digits.max(axis=(0, 1, 2, 4), initial=0)]
    width = _width(bases)
    turns = digits[..., 0, :].astype(_word(width))
    for roll in range(1, rolls):
        turns *= turns.dtype.type(bases[roll])
        turns += digits[..., roll, :]
    played = turns != 0
    written = turns.ravel() if played.all() else turns[played]
    which = zlib.compress(np.packbits(played).tobytes(), 1)
    head: bytes = HEAD.pack(len(which)) + bytes(base - 1 for base in bases)
    packed: bytes = written.view(np.uint8).reshape(-1, turns.itemsize)[:, :width].tobytes()
    return head + which + packed


def unpacked_moves(blob: bytes, shape: tuple[int, int, int, int, int]) -> UInt8:
    """Return the transcripts that `packed_moves` wrote.

    Args:
        blob: from `packed_moves`; whoever keeps it sees to it that it is.
        shape: seatings, rounds, seats, rolls, mirrors.
    """
    seatings, rounds, seats, rolls, mirrors = shape
    begin = HEAD.size + rolls
    end = begin + HEAD.unpack_from(blob)[0]
    bases = [highest + 1 for highest in blob[HEAD.size : begin]]
    width = _width(bases)
    count = seatings * rounds * seats * mirrors
    bits = np.frombuffer(zlib.decompress(blob[begin:end]), dtype=np.uint8)
    played = np.unpackbits(bits, count=count).view(np.bool_)
    written = np.zeros((np.count_nonzero(played), _word(width).itemsize), dtype=np.uint8)
    written[:, :width] = np.frombuffer(blob, dtype=np.uint8, offset=end).reshape(-1, width)
    turns = np.zeros(count, dtype=_word(width))
    turns[played] = written.view(_word(width)).ravel()
    moves = np.empty(shape, dtype=np.uint8)
    for roll in range(rolls - 1, -1, -1):
        turns, digits = np.divmod(turns, turns.dtype.type(bases[roll]))
        moves[..., roll, :] = digits.reshape(seatings, rounds, seats, mirrors).astype(np.uint8) - np.uint8(1)
    return moves


def _width(bases: Sequence[int]) -> int:
    """Return how many bytes the largest number takes that has a digit of each of these bases."""
    return -(-(math.prod(bases) - 1).bit_length() // 8) or 1


def _word(width: int) -> np.dtype[np.unsignedinteger]:
    """Return the type of numbers to reckon in: of as many bytes, and of two at least, as one digit may need them."""
    return np.dtype(f"<u{next(size for size in (2, 4, 8) if size >= width)}")
