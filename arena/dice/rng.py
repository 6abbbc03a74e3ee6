"""``turn.rng``: random numbers for bots, from a counter stream of our own.

A word is a hash of (key, round, roll, draw), so it does not depend on what was drawn elsewhere, and a bot that plays
again draws the same numbers. The key has its own label and tells nothing of the dice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from arena.dice.stream import derive_key

T = TypeVar("T")

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
ROW_ROLL = 0
"""The roll that stands in the counter when a row is chosen: no hold has it, so the two never share a number."""


def mix64(word: int) -> int:
    """Return a 64-bit hash of a 64-bit word, one to one.

    Source:
        The output function of SplitMix64 (Steele, Lea and Flood 2014).
    """
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


class RngKey:
    """The key of one agent in one seat of one leg; `for_game` makes the key of a game of it.

    Args:
        seed: the tournament's secret seed.
        ruleset_hash: content hash of the ruleset.
        names: the pairing's agents; their order does not matter.
        seating: the seating, from 0.
        seat: the agent's seat, from 0.
        agent: the agent's name.
    """

    __slots__ = ("high", "low")

    def __init__(
        self, seed: int, ruleset_hash: str, names: Sequence[str], seating: int, seat: int, agent: str
    ) -> None:
        self.low, self.high = derive_key(b"arena turn.rng", seed, ruleset_hash, sorted(names), seating, seat, agent)

    def for_game(self, dice_set: int) -> int:
        """Return the 64-bit key of one game."""
        return mix64(self.low ^ mix64((dice_set + self.high) & MASK))


class Rng:
    """Random numbers for one decision: the same decision draws the same numbers."""

    __slots__ = ("_next",)

    def __init__(self, game_key: int, round_: int, roll: int) -> None:
        self._next = (game_key + GOLDEN * ((round_ << 40) | (roll << 32))) & MASK

    def _word(self) -> int:
        self._next = (self._next + GOLDEN) & MASK
        return mix64(self._next)

    def random(self) -> float:
        """Return a number in ``0 <= x < 1``, a multiple of 2**-53."""
        return (self._word() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """Return a whole number in ``0 <= x < n``.

        Args:
            n: from 1 to 2**31; each number's chance is ``1 / n`` to within 2**-32.

        Raises:
            ValueError: if ``n`` is out of range.

        Source:
            Multiplication and shift, without rejection: Lemire (2019), Fast random integer generation in an interval.
        """
        if not 1 <= n <= 1 << 31:
            raise ValueError(f"below(n) takes n from 1 to {1 << 31}, not {n!r}")
        return ((self._word() >> 32) * n) >> 32

    def choice(self, items: Sequence[T]) -> T:
        """Return one item of a sequence, each as likely as the others.

        Raises:
            ValueError: if there is nothing to choose from.
        """
        return items[self.below(len(items))]
