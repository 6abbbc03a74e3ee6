"""What a bot was asked and what it answered, kept so that two tries of it can be compared.

This is the part of ``arena check`` that needs no games: `arena.tournament.check` plays them.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from math import inf
from types import FrameType
from typing import Any, NamedTuple

from arena.agent.inline import Failure
from arena.agent.limits import Limits
from arena.agent.remote import RemoteDriver
from arena.agent.tables import ArrayDriver, TablesDriver, TablesOf
from arena.dice.lattice import lattice
from arena.game.card_tables import CardTables
from arena.game.tables import Flags, Keeps, Rows, Tables
from arena.records import End, Timing
from arena.rules.card import CardRules
from arena.rules.hands import HandRules

PATIENCE = 10.0
EACH = 0.2
AGAIN = 1.0
"""Seconds before a call is interrupted, more for every turn it is about, and until the next one is."""
START = Limits().start_s + Limits().wall_s
"""Seconds by the wall that a bot may take to be loaded, or to make ready for a game: as in tournaments."""
NO_ANSWER = "no answer"


class Key(NamedTuple):
    """Which decision: sorted, the decisions of a game come in the order of play.

    Attributes:
        ruleset: its name, with options.
        seats: seats at the table.
        seat: whose decision.
        game: the number of the game: its own dice, whoever plays it.
        round: from 1.
        asks_row: True if a row is chosen.
        roll: from 1.
    """

    ruleset: str
    seats: int
    seat: int
    game: int
    round: int
    asks_row: bool
    roll: int


@dataclass(frozen=True, slots=True)
class Step:
    """What is common to the calls of one step.

    Attributes:
        rules: what is played.
        function: ``hold``, ``choose_row_many`` and so on.
        shown: the cards of the seat, or the hands and chips on the table, a line a call.
        seconds: how long the bot took, an equal part for every call.
    """

    rules: CardRules | HandRules
    function: str
    shown: tuple[Any, Any]
    seconds: float

    def held(self, index: int) -> str:
        """Return the own card, or the hands on the table, in words."""
        first, second = (part[index].tolist() for part in self.shown)
        if isinstance(self.rules, CardRules):
            rows = [f"{name} {paid}" for name, paid, full in zip(self.rules.names, first, second, strict=True) if full]
            return f"card {', '.join(rows) or 'empty'}"
        faces = lattice(self.rules.ruleset.dice).rolls
        hands = [" ".join(map(str, faces[hand])) if hand >= 0 else "none" for hand in first]
        return f"hands {', '.join(hands)}; chips {', '.join(map(str, second))}"

    def said(self, answer: int) -> str:
        """Return an answer in words."""
        if self.function.startswith("hold"):
            keeps = lattice(self.rules.ruleset.dice).keeps
            return f"({', '.join(map(str, keeps[answer]))})" if answer < len(keeps) else f"keep {answer}"
        assert isinstance(self.rules, CardRules)
        return repr(self.rules.names[answer]) if answer < len(self.rules.names) else f"row {answer}"


class Call(NamedTuple):
    """One decision, and the answer.

    Attributes:
        key: which.
        roll_id: the dice showing.
        answer: a keep's or a row's number; below 0 a fault.
        failure: the fault, if it is one of the driver's.
        step: what it shares with others.
        part: which of the step's calls.
    """

    key: Key
    roll_id: int
    answer: int
    failure: Failure | None
    step: Step
    part: int

    @property
    def said(self) -> str:
        """The answer in words."""
        return self.failure.message if self.failure else self.step.said(self.answer)

    @property
    def seconds(self) -> float:
        """How long the bot took."""
        return self.step.seconds

    def __str__(self) -> str:
        key, dice = self.key, " ".join(map(str, lattice(self.step.rules.ruleset.dice).rolls[self.roll_id]))
        where = f"{key.ruleset}, seat {key.seat} of {key.seats}, game {key.game}, round {key.round}, roll {key.roll}"
        return f"{self.step.function} in {where}: dice {dice}; {self.step.held(self.part)}"


Beat = Callable[[], None]
"""Told that a bot is asked once more."""


class OutOfTime(Exception):  # noqa: N818 - says what happened
    """A bot took all the time that it is tried for."""


class Clock:
    """What is left of the time for which a bot is tried: its own time, without what it may prepare in a first call.

    Args:
        seconds: to begin with; by default it is never over.
        beat: called before every step, for whoever wants to know that there are any.
    """

    def __init__(self, seconds: float = inf, beat: Beat | None = None) -> None:
        self.left, self._beat = seconds, beat

    def beat(self) -> None:
        """Tell that another step is taken."""
        if self._beat is not None:
            self._beat()

    @property
    def over(self) -> bool:
        """True if nothing is left."""
        return self.left <= 0


class Witness:
    """Stands between a game and a driver, and keeps every call.

    Args:
        driver: asks the bot.
        rules: what is played.
        games: by table, the numbers of the games.
        seat: the bot's seat.
        seats: seats at the table.
        clock: ends the game when it is over, though not before the second call; None never does.

    Attributes:
        calls: what was asked, by decision.
    """

    def __init__(
        self,
        driver: TablesDriver,
        rules: CardRules | HandRules,
        games: Sequence[int],
        seat: int,
        seats: int,
        clock: Clock | None = None,
    ) -> None:
        self._driver, self._games, self._rules = driver, games, rules
        self._many = "_many" if isinstance(driver, ArrayDriver) else ""
        self._place = (rules.ruleset.name, seats, seat)
        self._seconds = 0.0
        self._clock, self._steps = clock, 0
        self.calls: dict[Key, Call] = {}

    @property
    def timing(self) -> Timing:
        """Decisions asked for, and wall seconds spent on them."""
        return self._driver.timing

    def failure(self, index: int, code: End) -> Failure:
        """Return what was wrong with one of the answers just given."""
        return self._driver.failure(index, code)

    def hold(self, game: TablesOf, tables: Tables) -> Keeps:
        """Return int16[m], the keeps at some tables.

        Raises:
            OutOfTime: if the clock is over.
        """
        self._go_on()
        with self._patience(tables):
            answers = self._driver.hold(game, tables)
        self._keep(game, tables, answers.tolist(), asks_row=False)
        return answers

    def choose_row(self, game: TablesOf, tables: Tables, legal: tuple[Flags, Flags]) -> Rows:
        """Return int8[m], the rows at some tables.

        Raises:
            OutOfTime: if the clock is over.
        """
        self._go_on()
        with self._patience(tables):
            answers = self._driver.choose_row(game, tables, legal)
        self._keep(game, tables, answers.tolist(), asks_row=True)
        return answers

    def _patience(self, tables: Tables) -> AbstractContextManager[None]:
        apart = isinstance(self._driver, RemoteDriver)  # which has a limit of its own
        return nullcontext() if apart else patience(PATIENCE + EACH * len(tables))

    def _go_on(self) -> None:
        if self._clock is None:
            return
        self._clock.beat()
        if self._clock.over and self._steps >= 2:
            raise OutOfTime

    def _keep(self, game: TablesOf, tables: Tables, answers: list[int], *, asks_row: bool) -> None:
        seconds = self._driver.timing.seconds - self._seconds
        self._seconds += seconds
        if self._clock and self._steps:
            self._clock.left -= seconds
        self._steps += 1
        rolls, numbers = game.roll_ids[tables].tolist(), game.roll_numbers[tables].tolist()
        if isinstance(game, CardTables):
            shown = game.cards.points[tables, game.seat], game.cards.filled[tables, game.seat]
        else:
            shown = game.hands[tables], game.chips[tables]
        step = Step(self._rules, ("choose_row" if asks_row else "hold") + self._many, shown, seconds / len(answers))
        for index, (table, answer) in enumerate(zip(tables.tolist(), answers, strict=True)):
            key = Key(*self._place, self._games[table], game.round, asks_row, numbers[index])
            failure = self._driver.failure(index, End(-answer)) if answer < 0 else None
            self.calls[key] = Call(key, rolls[index], answer, failure, step, index)


def difference(first: Mapping[Key, Call], second: Mapping[Key, Call]) -> tuple[Call, Call | None] | None:
    """Return the first decision of a game that was answered otherwise in another try, and that try's call."""
    for key in sorted(first):
        other = second.get(key)
        if other is None or other.answer != first[key].answer:
            return first[key], other
    return None


def first_and_later(keys: Collection[Key]) -> tuple[set[Key], list[Key]]:
    """Return the first decision under each ruleset, for which a bot may prepare much, and the others; if none, all."""
    first = {min(key for key in keys if key.ruleset == ruleset) for ruleset in {key.ruleset for key in keys}}
    return first, [key for key in keys if key not in first] or list(keys)


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Interrupt what runs inside after some seconds, and again and again, where the system and the thread allow it.

    Raises:
        TimeoutError: in the midst of what runs.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeoutError(f"{NO_ANSWER} within {seconds:.0f} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
