"""Transcripts: what was decided in the games of a leg, written down as numbers while it is played."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.agent.tables import TablesOf
from arena.dice.arrays import dice_arrays
from arena.dice.lattice import KeepId
from arena.game.card_tables import CardTables
from arena.game.new import Rules
from arena.game.table import Game
from arena.game.tables import Rows, Tables
from arena.records import NO_MOVE, UInt8


class Recorder:
    """Takes the decisions of a leg, of the array game or of the scalar game; an answer that is a fault is none.

    Args:
        rules: what is played.
        seats: seats at each table.
        tables: how many tables.

    Attributes:
        shape: seats, rolls a turn, tables.
        rounds: uint8[shape], the decisions of every round that was begun: see `arena.records.BlockResult`.
    """

    def __init__(self, rules: Rules, seats: int, tables: int) -> None:
        self._places = dice_arrays(rules.ruleset.dice).places
        self.shape = seats, rules.ruleset.rolls, tables
        self.rounds: list[UInt8] = []

    def _round(self, number: int) -> UInt8:
        while len(self.rounds) < number:
            self.rounds.append(np.full(self.shape, NO_MOVE, dtype=np.uint8))
        return self.rounds[number - 1]

    def keeps(self, game: TablesOf, roll: int) -> UInt8:
        """Return uint8[tables], where a roll's keeps of the seat whose turn it is are to be noted.

        Args:
            game: the games.
            roll: which roll of the turn it is, from 1.
        """
        keeps: UInt8 = self._round(game.round)[game.seat, roll - 1]
        return keeps

    def choose(self, game: CardTables, tables: Tables, rows: Rows) -> None:
        """Note that the seat whose turn it is filled rows at some tables."""
        noted = self._round(game.round)[game.seat, -1]
        if len(tables) == len(noted):
            noted[:] = rows
        else:
            noted[tables] = rows

    def hold_one(self, game: Game, keep: KeepId) -> None:
        """Note what is kept at one table; called before the dice change."""
        self._round(game.round)[game.seat, game.roll - 1, game.table] = self._places[game.roll_id, keep]

    def choose_one(self, game: Game, row: int) -> None:
        """Note the row that is filled at one table; called before the turn ends."""
        self._round(game.round)[game.seat, -1, game.table] = row


def joined(legs: Sequence[Recorder]) -> UInt8:
    """Return the transcripts of a block, as `arena.records.BlockResult` has them; legs of fewer rounds are filled up.

    Args:
        legs: by seating, at least one.
    """
    rounds, shape = max(len(leg.rounds) for leg in legs), legs[0].shape
    moves = np.full((len(legs), rounds, *shape), NO_MOVE, dtype=np.uint8)
    for seating, leg in enumerate(legs):
        for number, played in enumerate(leg.rounds):
            moves[seating, number] = played
    return moves
