"""Results and transcripts as bytes.

Of a transcript the decisions of a turn are one number, and a turn that was not played is nothing. General compression
takes another third off, and as long as a tenth of the games of bots in array form.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from arena.records import BlockResult, Int32, UInt8

QUICK = 1
"""zlib's level: the better ones cost more than a game of bots in array form."""
HEAD = struct.Struct("<I")
"""How long the part is that tells which turns were played."""


def packed_games(result: BlockResult) -> bytes:
    """Return a block's games as bytes: the width of totals, whether any seat is out, totals, and ends if so."""
    totals, ends = result.totals, result.ends
    narrow = totals.min() >= -(1 << 15) and totals.max() < 1 << 15
    any_out = bool(ends.any())
    games = totals.astype("<i2" if narrow else "<i4").tobytes() + (ends.tobytes() if any_out else b"")
    return bytes([2 if narrow else 4, any_out]) + zlib.compress(games, QUICK)


def unpacked_games(blob: bytes, shape: tuple[int, int, int]) -> tuple[Int32, UInt8]:
    """Return the totals and ends that `packed_games` wrote.

    Args:
        blob: from `packed_games`; any other may raise ValueError, TypeError, LookupError or zlib.error.
        shape: mirrors, seatings, seats.
    """
    width, any_out = blob[0], blob[1]
    data, number = zlib.decompress(blob[2:]), int(np.prod(shape))
    totals = np.frombuffer(data, dtype=f"<i{width}", count=number).reshape(shape).astype(np.int32)
    if not any_out:
        return totals, np.zeros(shape, dtype=np.uint8)
    return totals, np.frombuffer(data, dtype=np.uint8, offset=width * number).reshape(shape)


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
