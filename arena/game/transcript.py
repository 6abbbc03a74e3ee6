"""A recorded game, played once more by the readable game: every decision is held against the rules.

A transcript is the decisions alone. The dice follow from the seed, and cards, points and totals from the rules. So
what is wrong with a transcript shows: as a decision that the rules do not allow, as one that nobody was asked for, or
as another end than the one that is stored. Not found is only a decision in whose place another stands that leads to
the same end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.dice.lattice import Faces, KeepId, RollId, lattice
from arena.errors import ArenaError
from arena.game.new import Rules, new_game
from arena.game.table import Game, Throws
from arena.records import NO_MOVE, End, UInt8
from arena.rules.card import CardRules, RowId


class BadTranscript(ArenaError):  # noqa: N818 - says what is wrong
    """A transcript is not that of the game that is stored."""


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """One turn of a recorded game.

    Attributes:
        round: the round, from 1.
        seat: whose turn it is.
        rolls: the dice after each roll, sorted.
        keeps: what was kept of each roll; none of the last, nor of one at which the seat went out.
        places: where the turn's decisions stand in a transcript, by roll, -1 for the row; of a seat that went out the
            last one is what it was asked then.
        row: the row that was filled, if any.
        end: a fault kind if the seat went out in this turn.
        before: what everybody saw when the turn began: cards by seat, or `arena.game.showdown_game.Felt`.
        after: what everybody saw when it was over; in showdown the next round may have begun.
    """

    round: int
    seat: int
    rolls: tuple[Faces, ...]
    keeps: tuple[Faces, ...]
    places: tuple[int, ...]
    row: RowId | None
    end: End
    before: Any
    after: Any


class _Replay:
    """One game on its way.

    Args:
        rules: what was played.
        throws: the dice, of table 0.
        moves: uint8[rounds, seats, rolls].
        ends: why each seat's game ended.
    """

    def __init__(self, rules: Rules, throws: Throws, moves: UInt8, ends: Sequence[End]) -> None:
        self._rules, self._throws, self._ends = rules, throws, ends
        self._lattice = lattice(rules.ruleset.dice)
        self._left = moves.copy()
        self._asked: list[int] = []
        self.game: Game = new_game(rules, len(ends), 0, throws)

    def bad(self, what: str, roll_id: RollId) -> BadTranscript:
        """Return the error of one decision."""
        game, dice = self.game, " ".join(map(str, self._lattice.rolls[roll_id]))
        return BadTranscript(f"round {game.round}, seat {game.seat}, roll {game.roll}: {dice}: {what}")

    def _take(self, roll: int) -> int:
        """Return what was decided, and mark it as read.

        Args:
            roll: which roll it was of, from 0; -1 for the row.
        """
        self._asked.append(roll)
        round_ = self.game.round - 1
        if round_ >= len(self._left):
            return NO_MOVE
        move = int(self._left[round_, self.game.seat, roll])
        self._left[round_, self.game.seat, roll] = NO_MOVE
        return move

    def _fault(self, impossible: End) -> End:
        """Return why the seat goes out here, where nothing is recorded."""
        end = self._ends[self.game.seat]
        if end is End.FINISHED:
            raise self.bad("no decision is recorded, of a seat that finished", self.game.roll_id)
        if end is impossible:
            raise self.bad(f"no decision is recorded, and an {end.label} cannot be here", self.game.roll_id)
        self.game.fault(end)
        return end

    def _keep(self, place: int) -> KeepId:
        keeps = self._lattice.sub_keeps[self.game.roll_id]
        if place >= len(keeps):
            raise self.bad(f"keep {place} is recorded, and there are {len(keeps)}, from 0", self.game.roll_id)
        return keeps[place]

    def _row(self) -> RowId | None:
        """Fill the row that was chosen; returns None if the seat went out instead."""
        game, rules, row = self.game, self._rules, self._take(-1)
        assert isinstance(rules, CardRules)
        if row == NO_MOVE:
            return None
        if row >= len(rules.names):
            raise self.bad(f"row {row} is recorded, and there are {len(rules.names)}, from 0", game.roll_id)
        if not rules.legal(game.public[game.seat], game.roll_id) >> row & 1:
            raise self.bad(f"{rules.names[row]} is recorded, which is not open to these dice", game.roll_id)
        game.choose(row)
        return row

    def turn(self) -> ReplayedTurn:
        """Play a turn.

        Raises:
            BadTranscript: if the rules do not allow what is recorded.
        """
        game, rolls_of = self.game, self._lattice.rolls
        seat, round_, before, most = game.seat, game.round, game.public, self._rules.ruleset.rolls
        numbers = self._throws(round_)[0][seat]
        self._asked = []
        rolls, keeps, end = [rolls_of[game.roll_id]], list[Faces](), End.FINISHED
        row: RowId | None = None
        while len(rolls) < most:
            place = self._take(len(rolls) - 1)
            if place == NO_MOVE:
                end = self._fault(End.ILLEGAL_ROW)
                break
            keep = self._keep(place)
            after = self._lattice.rerolled[keep]
            game.hold(keep)
            keeps.append(self._lattice.keeps[keep])
            if keeps[-1] == rolls[-1]:
                break
            rolls.append(rolls_of[after[numbers[len(rolls)] % len(after)]])
        if end is End.FINISHED and isinstance(self._rules, CardRules):
            row = self._row()
            if row is None:
                end = self._fault(End.ILLEGAL_HOLD)
        asked = tuple(self._asked)
        return ReplayedTurn(round_, seat, tuple(rolls), tuple(keeps), asked, row, end, before, game.public)

    def finish(self, totals: Sequence[int]) -> None:
        """Hold the end against what is stored.

        Raises:
            BadTranscript: if it is another.
        """
        for round_, seat, place in np.argwhere(self._left != NO_MOVE)[:1].tolist():
            row = place == self._left.shape[2] - 1
            what = "a row" if row else f"a keep of roll {place + 1}"
            raise BadTranscript(f"round {round_ + 1}, seat {seat}: {what} is recorded that was not asked for")
        for seat, (end, stored) in enumerate(zip(self.game.ends, self._ends, strict=True)):
            if end is not stored:
                raise BadTranscript(f"seat {seat} finished, and is stored as out by {stored.label}")
        if self.game.totals() != list(totals):
            found, kept = (", ".join(map(str, points)) for points in (self.game.totals(), totals))
            raise BadTranscript(f"the game ends {found}, and is stored as {kept}")


def replay(
    rules: Rules, throws: Throws, moves: UInt8, ends: Sequence[End], totals: Sequence[int]
) -> Iterator[ReplayedTurn]:
    """Play a recorded game again, turn by turn, and hold its end against what is stored.

    Args:
        rules: what was played.
        throws: the dice; those of table 0.
        moves: uint8[rounds, seats, rolls], the game's part of `arena.records.BlockResult.moves`.
        ends: why each seat's game ended, as it is stored.
        totals: points by seat, as they are stored.

    Raises:
        BadTranscript: at what the rules do not allow, or after the last turn, if the game ends otherwise.
    """
    going = _Replay(rules, throws, moves, ends)
    while not going.game.over:
        yield going.turn()
    going.finish(totals)
