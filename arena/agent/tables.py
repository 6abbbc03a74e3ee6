"""Drivers of the array game: for bots in array form, and an adapter that loops over bots in scalar form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from arena.agent.bot import Bot
from arena.agent.inline import Failure, InlineDriver, start_error, to_failure, told_position
from arena.agent.turn import SeatView
from arena.agent.turns import Turns
from arena.dice.lattice import RollId, lattice
from arena.errors import InvalidHold, InvalidRow
from arena.game.card_tables import CardTables
from arena.game.showdown_game import Felt
from arena.game.showdown_tables import ShowdownTables
from arena.game.tables import Flags, Keeps, Rows, Tables
from arena.records import End, Timing
from arena.rules.card import Card, CardRules

TablesOf = CardTables | ShowdownTables
MOST: Mapping[type, int] = {np.int8: np.iinfo(np.int8).max, np.int16: np.iinfo(np.int16).max}


class TablesDriver(Protocol):
    """Asks one agent in one seat of an array game. Answers below 0 are minus an end code."""

    @property
    def timing(self) -> Timing:
        """Decisions asked for, and wall seconds spent on them."""

    def hold(self, game: TablesOf, tables: Tables) -> Keeps:
        """Return int16[m], the keeps at some tables; the game checks them."""

    def choose_row(self, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags]) -> Rows:
        """Return int8[m], the rows at some tables; the game checks them."""

    def failure(self, index: int, code: End) -> Failure:
        """Return what was wrong with one of the answers just given."""


@runtime_checkable
class AheadDriver(Protocol):
    """A driver that may be told what it is to ask next, and asks it while its caller does other things."""

    def begin_hold(self, game: TablesOf, tables: Tables) -> None:
        """Send what ``hold`` asks; that is called next, with the same."""

    def begin_row(self, game: TablesOf, tables: Tables) -> None:
        """Send what ``choose_row`` asks; that is called next, with the same."""


class Asked(NamedTuple):
    """The last step of a bot in array form. All but the answer is the game's own, which no bot can change."""

    what: str
    answer: Any
    game: TablesOf
    tables: Tables
    legal: tuple[Flags, Flags] | None

    def error(self, name: str, index: int) -> InvalidHold | InvalidRow:
        """Return what was wrong with the answer for one of the tables.

        Args:
            name: the bot's.
            index: which.
        """
        game, table, answer = self.game, int(self.tables[index]), int(self.answer[index])
        of = lattice(game.rules.ruleset.dice)
        where = told_position(int(game.roll_numbers[table]), of.rolls[game.roll_ids[table]], game.round)
        rows_by_id = game.rules.names if isinstance(game, CardTables) else ()
        names: Sequence[object] = of.keeps if self.legal is None else rows_by_id
        known = 0 <= answer < len(names)
        told = f"{answer}, which is {names[answer]!r}" if known else str(answer)
        said = f"{name!r} answered {self.what} with {told}{',' * known} for {where}"
        if self.legal is None:
            return InvalidHold(said, told)
        rows = ", ".join(rows_by_id[number] for number in np.flatnonzero(self.legal[0][index]))
        return InvalidRow(f"{said}; open: {rows}", told)


class ArrayDriver:
    """Asks a bot in array form; one instance a leg and seat.

    Args:
        bot: the agent.
        view: the seat.

    Attributes:
        timing: decisions asked for, and wall seconds spent on them.
    """

    def __init__(self, bot: Bot, view: SeatView) -> None:
        self._name, self._view = bot.name, view
        self.timing = Timing()
        self._last: Asked | None = None
        self._failed: Failure | None = None
        try:
            bot.prepare(view.ruleset)
            self._player: Any = bot.start()
            self._start_failure: Failure | None = None
        except BaseException as error:  # whatever a bot raises is its fault, never a crash
            failed = start_error(error)
            failed.__cause__ = error
            self._start_failure = to_failure(failed, End.START)

    def hold(self, game: TablesOf, tables: Tables) -> Keeps:
        """Return int16[m], the keeps at some tables."""
        keeps: Keeps = self._ask("hold_many", game, tables, None)
        return keeps

    def choose_row(self, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags]) -> Rows:
        """Return int8[m], the rows at some tables."""
        rows: Rows = self._ask("choose_row_many", game, tables, legal)
        return rows

    def _ask(self, what: str, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags] | None) -> Any:
        illegal, dtype = (End.ILLEGAL_HOLD, np.int16) if legal is None else (End.ILLEGAL_ROW, np.int8)
        started, asked = perf_counter(), len(tables)
        self._failed = self._start_failure
        answer: Any = None
        if self._failed is None:
            try:
                answer = np.asarray(getattr(self._player, what)(Turns(self._view, game, tables, legal)))
            except BaseException as error:
                self._failed = to_failure(error, illegal)
            else:
                if answer.shape != (asked,) or answer.dtype.kind not in "iu":
                    got = f"{answer.dtype}[{', '.join(map(str, answer.shape))}]"
                    message = f"{self._name!r} answered {what} with {got} for {asked} turns"
                    self._failed = Failure(illegal, message, answer=got)
        self._last = Asked(what, answer, game, tables, legal)
        if self._failed is not None:
            answer = np.full(asked, -int(self._failed.end))
        else:
            most = MOST[dtype]
            if answer.min() < 0 or answer.max() > most:
                answer = np.where((answer < 0) | (answer > most), -int(illegal), answer)
        self.timing += Timing(asked, perf_counter() - started)
        return answer.astype(dtype, copy=False)

    def failure(self, index: int, code: End) -> Failure:
        """Return what was wrong with one of the answers just given."""
        if self._failed is not None:
            return self._failed
        assert self._last is not None
        return to_failure(self._last.error(self._name, index), code)


class Seen(NamedTuple):
    """One table as the scalar driver asks about it."""

    table: int
    round: int
    roll: int
    roll_id: RollId
    public: Any


class ShownCards:
    """The cards of an array game as bots in scalar form see them: values, kept beside the arrays.

    Args:
        rules: the card's rules.
        tables: how many tables.
        seats: seats at each.
    """

    def __init__(self, rules: CardRules, tables: int, seats: int) -> None:
        self._rules = rules
        self.by_table: list[tuple[Card, ...]] = [(rules.empty,) * seats] * tables

    def fill(self, game: CardTables, tables: Tables, rows: Rows) -> None:
        """Note that the seat whose turn it is filled rows at some tables; call it before the dice change."""
        fill, seat, by_table = self._rules.fill, game.seat, self.by_table
        ids, numbers = game.roll_ids[tables].tolist(), game.roll_numbers[tables].tolist()
        for table, row, roll_id, number in zip(tables.tolist(), rows.tolist(), ids, numbers, strict=True):
            cards = by_table[table]
            by_table[table] = (*cards[:seat], fill(cards[seat], row, roll_id, number == 1), *cards[seat + 1 :])

    def close(self, game: CardTables, tables: Tables) -> None:
        """Note that the seat whose turn it is is out at some tables."""
        for table in tables.tolist():
            cards = self.by_table[table]
            self.by_table[table] = (*cards[: game.seat], cards[game.seat].closed(), *cards[game.seat + 1 :])


class ScalarAdapter:
    """Asks a bot in scalar form, table by table.

    Args:
        bot: the agent.
        view: the seat.
        tables: how many games are played together.
        cards: the cards, in a card game.
    """

    def __init__(self, bot: Bot, view: SeatView, tables: int, cards: ShownCards | None) -> None:
        self._driver, self._cards = InlineDriver(bot, view, tables), cards
        self._answers: Sequence[int | Failure] = ()

    @property
    def timing(self) -> Timing:
        """Decisions asked for, and wall seconds spent on them."""
        return self._driver.timing

    def _seen(self, game: TablesOf, tables: Tables) -> list[Seen]:
        numbers = tables.tolist()
        if isinstance(game, CardTables):
            assert self._cards is not None
            public: list[Any] = [self._cards.by_table[table] for table in numbers]
        else:
            hands = [tuple(None if hand < 0 else hand for hand in row) for row in game.hands[tables].tolist()]
            chips, pots = map(tuple, game.chips[tables].tolist()), game.pot[tables].tolist()
            out = (game.ends[tables] != End.FINISHED) @ (1 << np.arange(game.ends.shape[1]))
            public = list(map(Felt, hands, chips, pots, out.tolist()))
        ids, rolls = game.roll_ids[tables].tolist(), game.roll_numbers[tables].tolist()
        return list(map(Seen, numbers, repeat(game.round), rolls, ids, public))

    def hold(self, game: TablesOf, tables: Tables) -> Keeps:
        """Return int16[m], the keeps at some tables."""
        self._answers = self._driver.hold(self._seen(game, tables))
        return np.array([-a.end if isinstance(a, Failure) else a for a in self._answers], dtype=np.int16)

    def choose_row(self, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags]) -> Rows:
        """Return int8[m], the rows at some tables."""
        del legal  # the driver looks them up by the card
        self._answers = self._driver.choose_row(self._seen(game, tables))
        return np.array([-a.end if isinstance(a, Failure) else a for a in self._answers], dtype=np.int8)

    def failure(self, index: int, code: End) -> Failure:
        """Return what was wrong with one of the answers just given."""
        answer = self._answers[index]
        assert isinstance(answer, Failure), f"the game refused {answer!r} with {code!r}, which the driver had let pass"
        return answer
