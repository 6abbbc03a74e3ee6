"""One leg in lockstep: games of one seating, played together, a seat's pending decisions asked in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.agent.inline import Failure
from arena.dice.lattice import KeepId
from arena.game.table import Game
from arena.records import Fault, Timing
from arena.rules.card import RowId


class Driver(Protocol):
    """Asks one agent in one seat; its answers are legal for their games, or failures."""

    timing: Timing

    def hold(self, games: Sequence[Game]) -> Sequence[KeepId | Failure]:
        """Ask which dice to keep."""

    def choose_row(self, games: Sequence[Game]) -> Sequence[RowId | Failure]:
        """Ask which row to fill."""


class Faults:
    """Collects what goes wrong in a leg, with details of the first few a seat.

    Args:
        agents: names by seat.
        seating: the seating of the leg.
        first_dice_set: the dice set of table 0.
    """

    DETAILED = 16

    def __init__(self, agents: Sequence[str], seating: int, first_dice_set: int) -> None:
        self._agents, self._seating, self._first = agents, seating, first_dice_set
        self._seen = [0] * len(agents)
        self.found: list[Fault] = []

    def charge(self, game: Game, failure: Failure) -> None:
        """Put the seat that was asked out of its game, and keep the record."""
        seat = game.seat
        self._seen[seat] += 1
        if self._seen[seat] <= self.DETAILED:
            self.found.append(
                Fault(
                    agent=self._agents[seat],
                    kind=failure.end,
                    dice_set=self._first + game.table,
                    seating=self._seating,
                    seat=seat,
                    round=game.round,
                    roll=game.roll,
                    message=failure.message,
                    traceback=failure.traceback,
                )
            )
        game.fault(failure.end)


def play_leg(games: Sequence[Game], drivers: Sequence[Driver], faults: Faults) -> None:
    """Play games to their ends.

    Args:
        games: games that wait for their first decision; they are changed.
        drivers: by seat.
        faults: takes what goes wrong.
    """
    waiting = [game for game in games if not game.over]
    while waiting:
        by_seat: dict[int, list[Game]] = {}
        for game in waiting:
            by_seat.setdefault(game.seat, []).append(game)
        for seat, tables in sorted(by_seat.items()):
            _play_turns(tables, seat, drivers[seat], faults)
        waiting = [game for game in waiting if not game.over]


def _play_turns(games: list[Game], seat: int, driver: Driver, faults: Faults) -> None:
    """Play one turn of a seat in every game."""
    turns = [(game, game.round) for game in games]
    rolling = games
    while rolling:
        for game, keep in zip(rolling, driver.hold(rolling), strict=True):
            if isinstance(keep, Failure):
                faults.charge(game, keep)
            else:
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
                faults.charge(game, row)
            else:
                game.choose(row)
