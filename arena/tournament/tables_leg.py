"""Legs of array games in lockstep: a seat's turn at every table at once, and the legs of a block side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from arena.agent.tables import AheadDriver, TablesDriver, TablesOf
from arena.game.card_tables import CardTables
from arena.game.tables import Codes, Rows, Tables
from arena.records import End
from arena.tournament.faults import Faults
from arena.tournament.recorder import Recorder


class Moment(NamedTuple):
    """When something is asked, in the order of a game.

    Attributes:
        turn: see `arena.game.card_tables.CardTables`.
        roll: the roll that is decided about, from 1. At two seats always 0, as there who has the turn in another leg
            is the opponent, and who of the two tells the other something harms nobody else: legs need not wait for
            each other at every roll.
    """

    turn: int
    roll: int


class Watcher(Protocol):
    """Follows what happens in the games of a leg."""

    def fill(self, game: CardTables, tables: Tables, rows: Rows) -> None:
        """Note that the seat whose turn it is filled rows at some tables; called before the dice change."""

    def close(self, game: CardTables, tables: Tables) -> None:
        """Note that the seat whose turn it is is out at some tables."""


def play_tables(
    game: TablesOf,
    drivers: Sequence[TablesDriver],
    faults: Faults,
    watchers: Sequence[Watcher],
    recorder: Recorder | None = None,
) -> None:
    """Play all games to their ends.

    Args:
        game: the tables before the first turn; changed.
        drivers: by seat.
        faults: takes what goes wrong.
        watchers: told of every row that is filled, and of every seat that is out.
        recorder: takes every decision, if transcripts are kept.
    """
    for _ in steps(game, drivers, faults, watchers, recorder):
        pass


def steps(
    game: TablesOf,
    drivers: Sequence[TablesDriver],
    faults: Faults,
    watchers: Sequence[Watcher],
    recorder: Recorder | None = None,
) -> Iterator[Moment | None]:
    """Play all games to their ends, as `play_tables`, with two pauses for every question to a bot apart.

    Yields:
        The moment, before the bot in a process of its own is sent the question; None when it was sent: the answer is
        waited for when the next step is asked for.
    """
    rolls, by_roll = game.rules.ruleset.rolls, len(drivers) > 2
    asked_ahead = [driver if isinstance(driver, AheadDriver) else None for driver in drivers]
    for tables in game.turns():
        driver, ahead = drivers[game.seat], asked_ahead[game.seat]
        rolling = tables
        for roll in range(1, rolls):
            if not len(rolling):
                break
            asked = rolling
            if ahead:
                yield Moment(game.turn, roll * by_roll)
                ahead.begin_hold(game, asked)
                yield None
            if recorder is not None:
                game.noted = recorder.keeps(game, roll)
            rolling, codes = game.hold(asked, driver.hold(game, asked))
            _charge(game, driver, asked, codes, faults, watchers)
        at_table = tables[game.ends[tables, game.seat] == End.FINISHED]
        if not len(at_table):
            continue
        if not isinstance(game, CardTables):
            game.finish_turns(at_table)
            continue
        if ahead:
            yield Moment(game.turn, rolls * by_roll)
            ahead.begin_row(game, at_table)
            yield None
        legal = game.legal(at_table)
        rows = driver.choose_row(game, at_table, legal)
        codes = game.choose(at_table, rows, *legal)
        fine = codes == End.FINISHED
        filling, filled = at_table[fine], rows[fine]
        for watcher in watchers:
            watcher.fill(game, filling, filled)
        if recorder is not None:
            recorder.choose(game, filling, filled)
        _charge(game, driver, at_table, codes, faults, watchers)


def side_by_side(legs: Sequence[Generator[Moment | None, None, None]]) -> None:
    """Play the legs of a block, in each of which the same dice fall at the same seats.

    A question is asked when every other leg is as far: while a bot decides, no other has seen what falls afterwards.
    Bots of several legs that are asked at the same moment think at the same time.

    Args:
        legs: as `steps` makes them.
    """
    with ExitStack() as ends:
        for leg in legs:
            ends.enter_context(closing(leg))
        reached = {leg: moment for leg in legs if (moment := next(leg, None))}
        asked: deque[Generator[Moment | None, None, None]] = deque()
        while reached:
            for leg in [leg for leg in reached if leg not in asked and reached[leg] == min(reached.values())]:
                next(leg)
                asked.append(leg)
            leg = asked.popleft()
            if moment := next(leg, None):
                reached[leg] = moment
            else:
                del reached[leg]


def _charge(
    game: TablesOf, driver: TablesDriver, tables: Tables, codes: Codes, faults: Faults, watchers: Sequence[Watcher]
) -> None:
    """Put the seat that was asked out where its answers were none."""
    bad = np.flatnonzero(codes)
    if not len(bad):
        return
    for index in bad.tolist():
        table = int(tables[index])
        end = End(int(codes[index]))
        roll, roll_id = int(game.roll_numbers[table]), int(game.roll_ids[table])
        faults.charge(game.seat, table, game.round, roll, roll_id, end, partial(driver.failure, index, end))
    game.fault(tables[bad], codes[bad])
    if isinstance(game, CardTables):
        for watcher in watchers:
            watcher.close(game, tables[bad])
