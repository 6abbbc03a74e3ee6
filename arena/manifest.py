"""What a run is made of: kept with its results, so that they can be read without the tournament file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from arena.agent.names import composed
from arena.errors import UserError, nearest, one_of, printable
from arena.records import Block, Entrant, series_id
from arena.rules.model import Ruleset

WRITTEN = {"%": "%25", "/": "%2F"}
"""How the two signs that hold a game's name together are written where they stand in the name of an agent."""
MEANT = {written: sign for sign, written in WRITTEN.items()}


def game_name(ruleset: str, seated: Sequence[str], dice_set: int) -> str:
    """Return the name of one game, as `Manifest.find_game` reads it: ``thirteen/ann/bob/17``.

    Args:
        ruleset: the ruleset's name, with its options.
        seated: the agents' names by seat, which tell the seating too.
        dice_set: the dice set.
    """
    names = [re.sub("[%/]", lambda sign: WRITTEN[sign[0]], name) for name in (ruleset, *seated)]
    return "/".join([*names, str(dice_set)])


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

    def find_game(self, name: str, seed: int) -> tuple[Ruleset, Block, int]:
        """Return what a game's name means: the ruleset, the block of its dice set alone, and the seating.

        Whether the game is stored is not asked here.

        Args:
            name: from `game_name`.
            seed: the seed, which the manifest of a drawn one does not know.

        Raises:
            UserError: if the run has no such game.
        """

        def mistake(what: str) -> UserError:
            return UserError(f"{printable(name)}: {what}")

        parts = [re.sub("%25|%2F", lambda sign: MEANT[sign[0]], part) for part in composed(name).split("/")]
        if len(parts) != self.seats + 2:
            raise mistake(f"a game of this run is named RULESET/{'AGENT/' * self.seats}DICESET, agents by seat")
        ruleset, *seated, number = parts
        rulesets, names = {one.name: one for one in self.rulesets}, [entrant.name for entrant in self.entrants]
        if ruleset not in rulesets:
            raise mistake(f"no ruleset {ruleset!r} in this run{nearest(ruleset, rulesets)}; {one_of(rulesets)}")
        for agent in seated:
            if agent not in names:
                raise mistake(f"no agent {agent!r} in this run{nearest(agent, names)}; {one_of(names)}")
        if not number.isdecimal() or not number.isascii() or len(number) > 18:
            raise mistake(f"a dice set is a whole number from 0 to {self.mirrors - 1}, not {number!r}")
        table = tuple(sorted(names.index(agent) for agent in seated))
        if table not in self.pairings:
            raise mistake("these agents never sit at one table in this run")
        entrants = tuple(self.entrants[place] for place in table)
        series = series_id(seed, rulesets[ruleset].hash, entrants)
        block = Block(series, rulesets[ruleset].hash, entrants, int(number), int(number) + 1)
        seatings = [[entrant.name for entrant in block.seated(seating)] for seating in range(self.seats)]
        if seated not in seatings:
            games = (game_name(ruleset, order, int(number)) for order in seatings)
            raise mistake(f"these agents are not seated in this order; {one_of(games)}")
        return rulesets[ruleset], block, seatings.index(seated)

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
