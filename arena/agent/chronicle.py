"""What happened in the games of a leg, as bots in processes of their own are told it; and how they follow it.

A bot's process keeps games of its own, without dice, and brings them up to date from what it is told: rows that were
filled, and seats that are out. In showdown what lies on the tables is told anew with every question.
"""

from __future__ import annotations

import numpy as np

from arena.agent.frames import FrameError, Reader, Writer
from arena.agent.tables import ShownCards, TablesOf
from arena.game.card_tables import CardTables
from arena.game.new import Rules
from arena.game.showdown_tables import ShowdownTables
from arena.game.tables import Numbers, Rows, Tables
from arena.records import End
from arena.rules.card import CardRules

FILLED, OUT = 1, 2


class Chronicle:
    """The events of a leg, in order, written for frames."""

    def __init__(self) -> None:
        self._events: list[bytes] = []

    def fill(self, game: CardTables, tables: Tables, rows: Rows) -> None:
        """Note that the seat whose turn it is filled rows at some tables; call it before the dice change."""
        event = Writer().number(FILLED).number(game.seat).number(len(tables)).array(tables).array(rows)
        event.array(game.roll_ids[tables]).array(game.roll_numbers[tables])
        self._events.append(event.bytes())

    def close(self, game: CardTables, tables: Tables) -> None:
        """Note that the seat whose turn it is is out at some tables."""
        self._events.append(Writer().number(OUT).number(game.seat).number(len(tables)).array(tables).bytes())

    def since(self, count: int) -> tuple[int, bytes]:
        """Return how many events there are, and those after the first ``count``."""
        return len(self._events), b"".join(self._events[count:])


class Follower:
    """A bot's own copy of the games of a leg.

    Args:
        game: the tables before the first turn, without dice.
        cards: the cards as bots in scalar form see them, if one is asked.
    """

    def __init__(self, game: TablesOf, cards: ShownCards | None) -> None:
        self.game, self.cards = game, cards

    def follow(self, events: bytes) -> None:
        """Bring the games up to date.

        Raises:
            FrameError: if these are no events.
        """
        reader = Reader(events)
        while reader.left:
            part = Reader(reader.blob())
            kind, self.game.seat, count = part.number(), part.number(), part.number()
            tables = part.array(np.int32, count)
            if kind == OUT:
                self.game.fault(tables, np.full(count, int(End.CRASH), dtype=np.uint8))
                if self.cards is not None and isinstance(self.game, CardTables):
                    self.cards.close(self.game, tables)
            elif kind == FILLED and isinstance(self.game, CardTables):
                rows = part.array(np.int8, count)
                self.game.roll_ids[tables] = part.array(np.int16, count)
                self.game.roll_numbers[tables] = part.array(np.int8, count)
                self.game.choose(tables, rows, *self.game.legal(tables))
                if self.cards is not None:
                    self.cards.fill(self.game, tables, rows)
            else:
                raise FrameError(f"no event {kind}")


def write_question(frame: Writer, game: TablesOf, tables: Tables) -> None:
    """Write what shows at the tables that a question is about."""
    frame.number(game.round).number(game.seat).number(len(tables)).array(tables)
    frame.array(game.roll_ids[tables]).array(game.roll_numbers[tables])
    if not isinstance(game, CardTables):
        frame.array(game.hands[tables]).array(game.chips[tables]).array(game.pot[tables])


def read_question(frame: Reader, follower: Follower) -> Tables:
    """Show what a question is about on a bot's own copy; returns the tables."""
    game = follower.game
    game.round, game.seat, count = frame.number(), frame.number(), frame.number()
    tables: Tables = frame.array(np.int32, count)
    game.roll_ids[tables] = frame.array(np.int16, count)
    game.roll_numbers[tables] = frame.array(np.int8, count)
    if not isinstance(game, CardTables):
        seats = game.hands.shape[1]
        game.hands[tables] = frame.array(np.int16, count * seats).reshape(count, seats)
        game.chips[tables] = frame.array(np.int32, count * seats).reshape(count, seats)
        game.pot[tables] = frame.array(np.int32, count)
    return tables


def no_dice(round_: int) -> Numbers:
    """Stand for the dice of games that are followed and not played."""
    raise AssertionError(f"the dice of round {round_} are not here")


def follower_of(rules: Rules, seats: int, tables: int, *, scalar: bool) -> Follower:
    """Return games to be followed, before the first turn.

    Args:
        rules: what is played.
        seats: seats at each table.
        tables: how many tables.
        scalar: True if a bot in scalar form is asked, who is shown cards.
    """
    if isinstance(rules, CardRules):
        cards = ShownCards(rules, tables, seats) if scalar else None
        return Follower(CardTables(rules, seats, tables, no_dice), cards)
    return Follower(ShowdownTables(rules, seats, tables, no_dice), None)
