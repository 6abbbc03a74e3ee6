"""What a run is made of: kept with its results, so that they can be read without the tournament file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from arena.records import Block, Entrant, series_id
from arena.rules.model import Ruleset


@dataclass(frozen=True)
class Manifest:
    """What a run was last asked to play.

    Attributes:
        tournament: the tournament's name.
        file: its file, as an absolute path.
        seed: the seed of all dice; None for one that was drawn, which has a file of its own.
        seats: agents at a table.
        mirrors: dice sets of every pairing under every ruleset.
        rulesets: what is played.
        entrants: who plays, sorted by name.
        pairings: who meets, by places among the entrants, sorted.
    """

    tournament: str
    file: str
    seed: int | None
    seats: int
    mirrors: int
    rulesets: tuple[Ruleset, ...]
    entrants: tuple[Entrant, ...]
    pairings: tuple[tuple[int, ...], ...]

    @property
    def games(self) -> int:
        """Games of the whole run."""
        return len(self.rulesets) * len(self.pairings) * self.mirrors * self.seats

    def series(self, seed: int) -> Iterator[tuple[Ruleset, Block]]:
        """Return every pairing under every ruleset, in canonical order, each as one block of all its dice sets.

        Args:
            seed: the seed, which the manifest of a drawn one does not know.
        """
        for ruleset in self.rulesets:
            for places in self.pairings:
                seated = tuple(self.entrants[place] for place in places)
                series = series_id(seed, ruleset.hash, seated)
                yield ruleset, Block(series, ruleset.hash, seated, 0, self.mirrors)

    def to_json(self) -> str:
        """Return it as JSON."""
        # A seed of 128 bits is more than many readers of JSON take for a number.
        return json.dumps({**asdict(self), "seed": None if self.seed is None else str(self.seed)}, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Manifest:
        """Return what `to_json` wrote.

        Raises:
            ValueError: if it did not.
        """
        from pydantic import TypeAdapter  # noqa: PLC0415 - a tenth of a second

        return TypeAdapter(Manifest).validate_json(text)
