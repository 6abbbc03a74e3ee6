"""One leg in lockstep: games of one seating, played together, a seat's pending decisions asked in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.agent.inline import Failure
from arena.dice.lattice import KeepId
from arena.game.table import Game
from arena.records import Timing
from arena.rules.card import RowId
from arena.tournament.faults import Faults
from arena.tournament.recorder import Recorder


class Driver(Protocol):
    """Asks one agent in one seat; its answers are legal for their games, or failures."""

    timing: Timing

    def hold(self, games: Sequence[Game]) -> Sequence[KeepId | Failure]:
        """Ask which dice to keep."""

    def choose_row(self, games: Sequence[Game]) -> Sequence[RowId | Failure]:
        """Ask which row to fill."""


def play_leg(
    games: Sequence[Game], drivers: Sequence[Driver], faults: Faults, recorder: Recorder | None = None
) -> None:
    """Play games to their ends.

    Args:
        games: games that wait for their first decision; they are changed.
        drivers: by seat.
        faults: takes what goes wrong.
        recorder: takes every decision, if transcripts are kept.
    """
    waiting = [game for game in games if not game.over]
    while waiting:
        by_seat: dict[int, list[Game]] = {}
        for game in waiting:
            by_seat.setdefault(game.seat, []).append(game)
        for seat, tables in sorted(by_seat.items()):
            _play_turns(tables, seat, drivers[seat], faults, recorder)
        waiting = [game for game in waiting if not game.over]


def _play_turns(games: list[Game], seat: int, driver: Driver, faults: Faults, recorder: Recorder | None) -> None:
    """Play one turn of a seat in every game."""
    turns = [(game, game.round) for game in games]
    rolling = games
    while rolling:
        for game, keep in zip(rolling, driver.hold(rolling), strict=True):
            if isinstance(keep, Failure):
                _charge(game, keep, faults)
            else:
                if recorder is not None:
                    recorder.hold_one(game, keep)
                game.hold(keep)
        rolling = [
            game
            for game, round_ in turns
            if game.seat == seat and game.round == round_ and not game.asks_row and not game.over
        ]
    choosing = [game for game, round_ in turns if game.asks_row and game.seat == seat and game.round == round_]
    if choosing:
        for game, row in zip(choosing, driver.choose_row(choosing), strict=True):
            if isinstance(row, Failure):
                _charge(game, row, faults)
            else:
                if recorder is not None:
                    recorder.choose_one(game, row)
                game.choose(row)


def _charge(game: Game, failure: Failure, faults: Faults) -> None:
    """Put the seat that was asked out of its game, and keep the record."""
    faults.charge(game.seat, game.table, game.round, game.roll, game.roll_id, failure.end, lambda: failure)
    game.fault(failure.end)
