"""The digest: sha256 over games in canonical order, the same however they were played."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import numpy as np

from arena.records import BlockResult


class RulesetDigest:
    """Takes the results of one ruleset in canonical order: by pairing, then by dice set.

    A game is written as its final totals by seat (int32, little-endian), the winners (a bit a seat) and the end
    reasons by seat; seatings follow one another within a dice set, so the size of blocks leaves no trace.

    Args:
        ruleset_hash: content hash of the ruleset.
    """

    def __init__(self, ruleset_hash: str) -> None:
        self._hash = hashlib.sha256(f"arena digest 1\n{ruleset_hash}\n".encode())
        self._last: tuple[tuple[str, ...], int] | None = None

    def add(self, result: BlockResult) -> None:
        """Add the next block.

        Raises:
            ValueError: if the block does not follow the one before.
        """
        names = tuple(entrant.name for entrant in result.block.entrants)
        if self._last is None or self._last[0] != names:
            if result.block.first != 0 or (self._last is not None and self._last[0] > names):
                raise ValueError(f"{result.block} is out of order")
            self._hash.update(("\n".join([str(len(names)), *names]) + "\n").encode())
        elif self._last[1] != result.block.first:
            raise ValueError(f"{result.block} is out of order")
        self._last = (names, result.block.stop)
        mirrors, seatings, seats = result.totals.shape
        games = np.empty((mirrors, seatings, 5 * seats + 1), dtype=np.uint8)
        games[..., : 4 * seats] = np.ascontiguousarray(result.totals.astype("<i4")).view(np.uint8)
        games[..., 4 * seats] = result.winners
        games[..., 4 * seats + 1 :] = result.ends
        self._hash.update(games.tobytes())

    def hexdigest(self) -> str:
        """Return the digest of what was added, hexadecimal."""
        return self._hash.hexdigest()


def run_digest(by_ruleset: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Return the digest of a whole run.

    Args:
        by_ruleset: digest by ruleset name; their order does not matter.
    """
    lines = (f"{name} {digest}\n" for name, digest in sorted(dict(by_ruleset).items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
