"""One leg of an array game in lockstep: a seat's turn at every table at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from arena.agent.tables import ShownCards, TablesDriver, TablesOf
from arena.game.card_tables import CardTables
from arena.game.tables import Codes, Tables
from arena.records import End
from arena.tournament.faults import Faults


def play_tables(game: TablesOf, drivers: Sequence[TablesDriver], faults: Faults, cards: ShownCards | None) -> None:
    """Play all games to their ends.

    Args:
        game: the tables before the first turn; changed.
        drivers: by seat.
        faults: takes what goes wrong.
        cards: the cards as scalar bots see them, if any plays; kept up to date.
    """
    rolls = game.rules.ruleset.rolls
    for tables in game.turns():
        driver = drivers[game.seat]
        rolling = tables
        for _ in range(1, rolls):
            if not len(rolling):
                break
            asked = rolling
            rolling, codes = game.hold(asked, driver.hold(game, asked))
            _charge(game, driver, asked, codes, faults, cards)
        at_table = tables[game.ends[tables, game.seat] == End.FINISHED]
        if not len(at_table):
            continue
        if not isinstance(game, CardTables):
            game.finish_turns(at_table)
            continue
        legal = game.legal(at_table)
        rows = driver.choose_row(game, at_table, legal)
        codes = game.choose(at_table, rows, *legal)
        if cards is not None:
            fine = codes == End.FINISHED
            cards.fill(game, at_table[fine], rows[fine])
        _charge(game, driver, at_table, codes, faults, cards)


def _charge(
    game: TablesOf, driver: TablesDriver, tables: Tables, codes: Codes, faults: Faults, cards: ShownCards | None
) -> None:
    """Put the seat that was asked out where its answers were none."""
    bad = np.flatnonzero(codes)
    if not len(bad):
        return
    for index in bad.tolist():
        table = int(tables[index])
        end = End(int(codes[index]))
        details = partial(driver.failure, index, end)
        faults.charge(game.seat, table, game.round, int(game.roll_numbers[table]), details)
    game.fault(tables[bad], codes[bad])
    if cards is not None and isinstance(game, CardTables):
        cards.close(game, tables[bad])
