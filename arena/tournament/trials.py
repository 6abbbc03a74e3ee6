"""Rulesets and games in which a bot is tried: any tables in any order, with dice as they come or made nasty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np

from arena.agent import check
from arena.agent.bot import Bot
from arena.agent.check import Call, Clock, Key, OutOfTime, Witness, patience
from arena.agent.chronicle import Chronicle
from arena.agent.loader import load
from arena.agent.remote import Remote
from arena.agent.sources import bundled_folder, locate
from arena.agent.tables import ArrayDriver, ScalarAdapter, ShownCards, TablesDriver
from arena.agent.turn import SeatView
from arena.dice import kernels
from arena.dice.lattice import FACES, lattice
from arena.dice.rng import RngKey
from arena.dice.stream import DiceStream
from arena.game.card_tables import CardTables
from arena.game.new import Rules, compile_rules
from arena.game.showdown_tables import ShowdownTables
from arena.game.tables import Numbers
from arena.records import End, Fault
from arena.rules.card import Card, CardRules
from arena.rules.file import load_ruleset
from arena.rules.model import OptionValue, Ruleset
from arena.rules.options import OPTIONS, OptionError
from arena.tournament.faults import Faults
from arena.tournament.tables_leg import play_tables

Form = Literal["arrays", "scalar"]
Dice = Literal["fair", "nasty"]
SEED = 20_260_301
TABLES = 12
"""Games that are played together."""
BUDGET = 30.0
"""Seconds of a bot's own time for each check, more or less: then the check is cut short."""
ROLLS_TRIED = 12
MOST_RANGE = 1_000
"""Options that may be greater than this are tried at their least only: such games would be endless."""
SHORT_SHOWDOWN: dict[str, OptionValue] = {"ends": "last_standing", "rounds": None, "stack": 3}


class Rulebook:
    """The rulesets under which bots are checked; several checks may share one.

    Args:
        files: ruleset files.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = tuple(files)

    @cached_property
    def plain(self) -> list[Rules]:
        """The rulesets as they are."""
        return [compile_rules(load_ruleset(file)) for file in self.files]

    @cached_property
    def changed(self) -> list[Rules]:
        """Each with each of its options at each other extreme, one at a time."""
        both = zip(self.files, self.plain, strict=True)
        return [compile_rules(ruleset) for file, rules in both for ruleset in _extremes(file, rules.ruleset)]


def _extremes(file: Path, ruleset: Ruleset) -> Iterator[Ruleset]:
    """Return a ruleset with each of its options at each other extreme, one at a time."""
    changes: list[dict[str, OptionValue]] = []
    for option in ruleset.options:
        kind = OPTIONS[option.name]
        values: tuple[OptionValue, ...] = kind.choices
        if not values:
            values = (kind.low, kind.high) if kind.high <= MOST_RANGE else (kind.low,)
        changes += [{option.name: value} for value in values if value != option.value]
    if ruleset.showdown and {*SHORT_SHOWDOWN} <= {option.name for option in ruleset.options}:
        changes.append(SHORT_SHOWDOWN)
    for change in changes:
        with suppress(OptionError):  # what the ruleset does not take
            yield load_ruleset(file, change)


@dataclass(frozen=True, slots=True)
class Trial:
    """Games of one seat, played together.

    Attributes:
        rules: what is played.
        seats: seats at the table; the others play at random.
        seat: the seat of the bot that is tried.
        games: by table, the number of the game, which decides dice and random numbers.
        dice: fair, or made so that fives of a kind come again and again.
    """

    rules: Rules
    seats: int
    seat: int
    games: tuple[int, ...]
    dice: Dice = "fair"

    def of(self, games: Sequence[int]) -> Trial:
        """Return the same with other games."""
        return Trial(self.rules, self.seats, self.seat, tuple(games), self.dice)

    def parts(self) -> list[Trial]:
        """Return the same in parts of one table, of three and of what is left, the tables backwards."""
        games = self.games[::-1]
        return [self.of(part) for part in (games[:1], games[1:4], games[4:]) if part]


def new_opponent() -> Bot:
    """Return the bot that plays the other seats."""
    return load(locate(bundled_folder() / "random.py"))


class _Keys:
    """The keys of games in any order, by table."""

    def __init__(self, key: RngKey, games: Sequence[int]) -> None:
        self._key, self._games = key, games

    def for_game(self, dice_set: int) -> int:
        """Return the key of a table's game; tables stand for dice sets here."""
        return self._key.for_game(self._games[dice_set])


def _view(trial: Trial, seat: int) -> SeatView:
    """Return a seat whose tables are games in any order."""
    names = [f"player {number}" for number in range(trial.seats)]
    key = RngKey(SEED, trial.rules.ruleset.hash, names, 0, seat, names[seat])
    view = SeatView(trial.rules, seat, trial.seats, _Keys(key, trial.games), 0)
    games = np.array(trial.games, dtype=np.uint64)
    view.array_keys = kernels.game_keys(np.uint64(key.low), np.uint64(key.high), games)
    return view


def play(
    trial: Trial, bot: Bot | Remote, opponent: Bot, form: Form, clock: Clock | None = None
) -> tuple[dict[Key, Call], list[tuple[Fault, Call]]]:
    """Play the games of a trial.

    Args:
        trial: what to play.
        bot: who is tried.
        opponent: plays the other seats; in array form.
        form: how the bot is asked, if it is here.
        clock: ends the games in their midst when it is over.

    Returns:
        All calls of the bot, and its faults with the calls that show them.
    """
    rules, tables = trial.rules, len(trial.games)
    game: CardTables | ShowdownTables
    cards: ShownCards | None = None
    if isinstance(rules, CardRules):
        game = CardTables(rules, trial.seats, tables, lambda round_: _numbers(trial, round_))
        cards = ShownCards(rules, tables, trial.seats) if form == "scalar" else None
    else:
        game = ShowdownTables(rules, trial.seats, tables, lambda round_: _numbers(trial, round_))
    drivers: list[TablesDriver] = [
        ArrayDriver(opponent, _view(trial, seat)) for seat in range(trial.seats) if seat != trial.seat
    ]
    name, chronicle = bot.ref.name if isinstance(bot, Remote) else bot.name, Chronicle()
    names = [name if seat == trial.seat else "opponent" for seat in range(trial.seats)]
    faults = Faults(names, 0, 0, lattice(rules.ruleset.dice).rolls)
    with _driver(trial, bot, form, cards, chronicle) as driver:
        witness = Witness(driver, rules, trial.games, trial.seat, trial.seats, clock)
        drivers.insert(trial.seat, witness)
        with suppress(OutOfTime):
            play_tables(game, drivers, faults, [cards, chronicle] if cards else [chronicle])
    return witness.calls, [(fault, _call_of(fault, trial, witness)) for fault in faults.found]


def play_each(
    trials: Iterable[Trial], bot: Bot | Remote, opponent: Bot, form: Form, clock: Clock | None = None
) -> Iterator[tuple[dict[Key, Call], list[tuple[Fault, Call]]]]:
    """Play the games of trials one after the other, until the clock is over; arguments as of `play`.

    Yields:
        What `play` returns, for each trial; the decisions with nasty dice by keys that say so.
    """
    begun = False
    for trial in trials:
        if begun and clock and clock.over:
            return
        calls, faults = play(trial, bot, opponent, form, clock)
        begun = begun or bool(calls)
        nasty = "" if trial.dice == "fair" else ", nasty dice"
        yield {key._replace(ruleset=f"{key.ruleset}{nasty}"): call for key, call in calls.items()}, faults


@contextmanager
def _driver(
    trial: Trial, bot: Bot | Remote, form: Form, cards: ShownCards | None, chronicle: Chronicle
) -> Iterator[TablesDriver]:
    if not isinstance(bot, Remote):
        yield _here(trial, bot, form, cards)
        return
    with closing(bot.driver(_view(trial, trial.seat), len(trial.games), chronicle)) as driver:
        yield driver


def _here(trial: Trial, bot: Bot, form: Form, cards: ShownCards | None) -> TablesDriver:
    """Return what asks a bot in this process; the bot makes ready for it, and may take only so long."""
    view, tables = _view(trial, trial.seat), len(trial.games)
    with patience(check.START + check.EACH * tables * bot.per_game):
        return ArrayDriver(bot, view) if form == "arrays" else ScalarAdapter(bot, view, tables, cards)


def _call_of(fault: Fault, trial: Trial, witness: Witness) -> Call:
    key = Key(
        *(trial.rules.ruleset.name, trial.seats, fault.seat, trial.games[fault.dice_set]),
        *(fault.round, fault.kind is End.ILLEGAL_ROW, fault.roll),
    )
    calls = witness.calls
    return calls.get(key) or calls.get(key._replace(asks_row=True)) or calls[key._replace(asks_row=False)]


def _numbers(trial: Trial, round_: int) -> Numbers:
    """Return int64[tables, seats, rolls], what the dice of a round are read from."""
    ruleset, games = trial.rules.ruleset, np.array(trial.games)
    names = [f"player {number}" for number in range(trial.seats)]
    stream = DiceStream(SEED, ruleset.hash, names, rolls=ruleset.rolls, dice=ruleset.dice)
    numbers: Numbers = stream.throws(round_, 0, int(games.max()) + 1)[games]
    if trial.dice == "fair":
        return numbers
    ones = (FACES**ruleset.dice - 1) // (FACES - 1)  # the number whose digits are all 1, and so all dice twos
    kind, face = games % 4, games // 4 % FACES
    face = np.where(kind == 1, face + round_, face)  # of kind 1 another face in every round
    by_seat = (face[:, None] + np.arange(trial.seats)) % FACES  # never the same, or showdown would not end
    fives = np.broadcast_to((by_seat * ones)[:, :, None], numbers.shape)
    is_five = np.ones(numbers.shape, dtype=np.bool_)
    is_five[kind == 2, :, 0] = False  # of kind 2 first dice as they come, then all the same
    is_five[kind == 3] = round_ % 2 == 1  # of kind 3 every other round
    return np.where(is_five, fives, numbers)


# Positions, for bots that remember nothing


def positions(rules: CardRules, *, every: int = 1) -> Iterator[tuple[list[Card], list[int]]]:
    """Return cards and rolls that are easily got wrong: lists of equal length, all cards filled equally far.

    Empty cards; cards with one row open, or one section, or a face's row beside rows without a face; with the row that
    a joker looks at empty, holding nothing or holding its points. Rolls: all fives of a kind, all dice different, and
    some between.

    Args:
        rules: the card's rules.
        every: take only every so many of them.
    """
    rolls = lattice(rules.ruleset.dice).rolls
    tried = [roll for roll, dice in enumerate(rolls) if len(set(dice)) in (1, len(dice))]
    tried += range(0, len(rolls), len(rolls) // ROLLS_TRIED)
    by_filled: dict[int, set[Card]] = {}
    for card in _cards(rules):
        by_filled.setdefault(card.filled.bit_count(), set()).add(card)
    for cards in by_filled.values():
        pairs = [(card, roll) for card in sorted(cards, key=_order) for roll in tried][::every]
        yield [card for card, _ in pairs], [roll for _, roll in pairs]


def _order(card: Card) -> tuple[int, ...]:
    return tuple(-100_000 if points is None else points for points in card.points)


def _cards(rules: CardRules) -> Iterator[Card]:
    rows = range(len(rules.names))
    faceless = frozenset(row for row in rows if not rules.sheet.rows[row].face)
    kept_open = [frozenset(rows), frozenset(rows) - faceless, faceless]
    kept_open += [frozenset({row}) for row in rows]
    kept_open += [faceless | {row} for row in rows if row not in faceless]
    for spared in kept_open:
        for watched, other in product((None, 0, -1), (0, -1)):  # the least or the most that rows pay
            card = _filled(rules, spared, watched, other)
            if card.filled.bit_count() < rules.turns:
                yield card
    yield rules.empty


def _filled(rules: CardRules, spared: frozenset[int], watched: int | None, other: int) -> Card:
    """Return a card on which all is filled but some rows, as far as the sections' order allows.

    Args:
        rules: the card's rules.
        spared: rows to be left open.
        watched: which of its payments fills a row that a joker looks at; None treats it like any other.
        other: which of theirs fills the others.
    """
    special = frozenset(rules.watched_rows if watched is not None else ())
    card, payments = rules.empty, rules.gains.payments
    while True:
        mask = rules.open_mask(card.filled)
        fillable = [row for row in range(len(rules.names)) if mask >> row & 1 and row not in spared - special]
        if not fillable:
            return card
        row = fillable[0]
        which = watched if watched is not None and row in special else other
        card = rules.place(card, row, int(payments[row, which]))


def _lay(game: CardTables, held: Sequence[Card]) -> None:
    """Put cards into seat 0 of the tables."""
    rules, cards = game.rules, game.cards
    different = list(dict.fromkeys(held))
    places = {card: place for place, card in enumerate(different)}
    of_table = [places[card] for card in held]
    points = np.array([[points or 0 for points in card.points] for card in different])
    filled = np.array([[points is not None for points in card.points] for card in different])
    cards.points[:, 0], cards.filled[:, 0] = points[of_table], filled[of_table]
    cards.totals[:, 0] = [card.total for card in held]
    for section in range(len(rules.sheet.sections)):
        played = filled[:, np.array(rules.section_of) == section].sum(axis=1)
        cards.played[:, 0, section] = played[of_table]
        cards.sums[:, 0, section] = [card.sums[section] for card in held]
        cards.earned[:, 0, section] = [card.earned >> section & 1 for card in held]


def ask(
    rules: CardRules,
    cards: list[Card],
    roll_ids: list[int],
    roll: int,
    bot: Bot,
    form: Form,
    *,
    rows: bool,
    clock: Clock | None = None,
) -> tuple[dict[Key, Call], list[tuple[Fault, Call]]]:
    """Ask a bot about positions, each by itself.

    Args:
        rules: what is played.
        cards: the cards of seat 0; seat 1 has an empty one.
        roll_ids: the dice showing.
        roll: which roll it is, from 1.
        bot: who is asked.
        form: how.
        rows: True for a row, False for what to keep.
        clock: what is left of the bot's time, less by this.

    Returns:
        As `play`.
    """
    numbers = tuple(range(len(cards)))
    trial = Trial(rules, 2, 0, numbers)
    game, shown = CardTables(rules, 2, len(cards), lambda round_: _numbers(trial, round_)), None
    if form == "scalar":
        shown = ShownCards(rules, len(cards), 2)
        shown.by_table = [(card, rules.empty) for card in cards]
    _lay(game, cards)
    game.round, game.seat = cards[0].filled.bit_count() + 1, 0
    game.roll_ids[:], game.roll_numbers[:] = roll_ids, roll
    witness = Witness(_here(trial, bot, form, shown), rules, numbers, 0, 2, clock)
    tables = np.arange(len(cards), dtype=np.int32)
    faults = Faults([bot.name, "opponent"], 0, 0, lattice(rules.ruleset.dice).rolls)
    if rows:
        legal = game.legal(tables)
        codes = game.choose(tables, witness.choose_row(game, tables, legal), *legal)
    else:
        _, codes = game.hold(tables, witness.hold(game, tables))
    for index in np.flatnonzero(codes).tolist():
        end = End(int(codes[index]))
        details = partial(witness.failure, index, end)
        faults.charge(0, index, game.round, roll, roll_ids[index], end, details)
    return witness.calls, [(fault, _call_of(fault, trial, witness)) for fault in faults.found]
