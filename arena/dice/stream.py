"""The dice of a pairing, fixed by the seed before anybody plays.

Philox, keyed by a hash of the secret seed, the ruleset's hash and the pairing's sorted names. Every round has its own
range of the counter and in it every dice set its own words, one a (seat, roll). So dice depend on nothing but those:
not on the order of play, the size of a block, the number of workers, nor on what was kept before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import DICE, FACES

WORDS_PER_COUNT = 4
"""64-bit words that Philox makes of one value of its counter."""


def derive_key(label: bytes, *parts: object) -> tuple[int, int]:
    """Return a 128-bit key as two 64-bit words: a hash of the parts, apart for each label.

    Args:
        label: what the key is for, at most 16 bytes. Keys of different labels tell nothing of each other.
        parts: numbers, strings or lists of them.

    Source:
        BLAKE2b with personalisation, RFC 7693.
    """
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":")).encode()
    digest = hashlib.blake2b(text, digest_size=16, person=label).digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


class DiceStream:
    """All dice of one pairing under one ruleset.

    Args:
        seed: the tournament's secret seed.
        ruleset_hash: content hash of the ruleset.
        names: the pairing's agents; their order does not matter.
        rolls: throws a turn.
        dice: dice a throw.

    Source:
        Philox4x64-10, of Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy as 1, 2, 3; here
        numpy's.
    """

    def __init__(self, seed: int, ruleset_hash: str, names: Sequence[str], *, rolls: int, dice: int = DICE) -> None:
        self._key = np.array(derive_key(b"arena dice", seed, ruleset_hash, sorted(names)), dtype=np.uint64)
        self._seats, self._rolls = len(names), rolls
        self._numbers = FACES**dice
        self._counts = -(-self._seats * rolls // WORDS_PER_COUNT)

    def throws(self, round_: int, first: int, stop: int) -> npt.NDArray[np.int64]:
        """Return the numbers from which the dice of a round are read.

        Args:
            round_: the round, from 1.
            first: the first dice set.
            stop: one past the last dice set.

        Returns:
            int64[dice sets, seats, rolls], each in ``0 <= n < 6**dice``: base-6 digits, the least significant first,
            one a die. A 64-bit word taken modulo ``6**5`` is fair to within 5e-16.
        """
        counter = np.array([first * self._counts, round_, 0, 0], dtype=np.uint64)
        philox = np.random.Philox(counter=counter, key=self._key)
        words = philox.random_raw((stop - first) * self._counts * WORDS_PER_COUNT)
        by_set = words.reshape(stop - first, self._counts * WORDS_PER_COUNT)[:, : self._seats * self._rolls]
        # The remainder by way of the quotient: numpy divides by a constant without a division.
        numbers = by_set - by_set // np.uint64(self._numbers) * np.uint64(self._numbers)
        return numbers.astype(np.int64).reshape(stop - first, self._seats, self._rolls)
