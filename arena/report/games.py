"""Single games as lines of text, CSV or JSON, for whoever wants to count them himself."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any, TextIO

from arena.records import BlockResult, End
from arena.report.formats import GameFormat

ONE_EACH = ("agents", "totals", "ends")
"""What a game has for every seat; in CSV a column each, such as ``total0``."""


class GameWriter:
    """Writes a line a game.

    Args:
        file: takes the text.
        form: CSV, with a line of column names first, or JSON, an object a line.
        seats: at the table.
    """

    def __init__(self, file: TextIO, form: GameFormat, seats: int) -> None:
        self._file, self._form = file, form
        self._csv = csv.writer(file, lineterminator="\n")
        if form == "csv":
            self._csv.writerow(columns(seats))

    def write(self, ruleset: str, result: BlockResult) -> None:
        """Write the games of a block, by dice set, then seating.

        Args:
            ruleset: the ruleset's name.
            result: of the block.
        """
        if self._form == "csv":
            self._csv.writerows(
                [ruleset, dice_set, seating, *agents, *totals, *ends, " ".join(map(str, winners))]
                for dice_set, seating, agents, totals, ends, winners in _games(result)
            )
            return
        for dice_set, seating, agents, totals, ends, winners in _games(result):
            game = {"ruleset": ruleset, "dice_set": dice_set, "seating": seating}
            game |= {"agents": agents, "totals": totals, "ends": ends, "winners": winners}
            self._file.write(json.dumps(game, ensure_ascii=False) + "\n")


def columns(seats: int) -> list[str]:
    """Return the names of the columns in CSV."""
    by_seat = [f"{name.removesuffix('s')}{seat}" for name in ONE_EACH for seat in range(seats)]
    return ["ruleset", "dice_set", "seating", *by_seat, "winners"]


def _games(result: BlockResult) -> Iterator[tuple[int, int, list[str], list[int], list[str], list[int]]]:
    """Return of every game its dice set and seating, then by seat agents, totals and ends, and the seats that won."""
    block = result.block
    labels = [end.label for end in End]
    agents = [[entrant.name for entrant in block.seated(seating)] for seating in range(block.seats)]
    winners = [[seat for seat in range(block.seats) if bits >> seat & 1] for bits in range(1 << block.seats)]
    mirrors: Any = zip(result.totals.tolist(), result.ends.tolist(), result.winners.tolist(), strict=True)
    for dice_set, mirror in enumerate(mirrors, start=block.first):
        for seating, (totals, ends, won) in enumerate(zip(*mirror, strict=True)):
            yield dice_set, seating, agents[seating], totals, [labels[end] for end in ends], winners[won]
