"""What a run is made of and how far it is, as its own folder tells: no tournament file is needed."""

from __future__ import annotations

from collections.abc import Iterator

from arena.errors import UserError
from arena.manifest import Manifest
from arena.records import Block
from arena.rules.model import Ruleset
from arena.run_folder import FILE_NAME
from arena.store import Results


class KnownRun:
    """What a run is made of, as its own folder tells.

    Attributes:
        manifest: what it was last asked to play.
        seed: of all its dice.

    Args:
        results: of the run.

    Raises:
        UserError: if it was never planned, or is damaged.
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        file = results.folder / FILE_NAME
        described = results.manifest()
        if described is None:
            raise UserError(f"{file}: does not say what it is made of; `arena run FILE` brings it up to date")
        try:
            self.manifest = Manifest.from_json(described)
        except ValueError:
            raise UserError(f"{file}: is damaged: it does not say what the run is made of") from None
        self.seed = results.drawn_seed() if self.manifest.seed is None else self.manifest.seed

    def series(self) -> Iterator[tuple[Ruleset, Block]]:
        """Return every pairing under every ruleset, in canonical order, each as one block of all its dice sets."""
        return self.manifest.series(self.seed)

    def played(self) -> int:
        """Return how many of its games are stored.

        Raises:
            UserError: if the store is damaged.
        """
        games = 0
        for _, whole in self.series():
            ranges = self._results.known(whole.series)
            games += whole.seats * sum(max(0, min(stop, whole.stop) - first) for first, stop in ranges)
        return games
