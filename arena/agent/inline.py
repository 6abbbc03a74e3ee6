"""The inline driver: asks a bot that lives in this process, checks what it answers, and turns failures into faults."""

from __future__ import annotations

import os
import re
import reprlib
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn, Protocol

from arena.agent.bot import Bot
from arena.agent.modules import in_public
from arena.agent.turn import SeatView, Turn, new_turn
from arena.dice.lattice import MAX_DICE, Faces, KeepId, RollId, lattice
from arena.errors import BrokenBot, InvalidAnswer, InvalidHold, InvalidRow, one_line
from arena.records import End, Timing
from arena.rules.card import CardRules, RowId
from arena.rules.model import Ruleset

MAX_TRACEBACK = 4000
MAX_FRAMES = 20
MAX_ANSWER = 200
"""The most of a bot's own words that is kept, in letters, and of the calls that led to an error."""
ARENA = str(Path(__file__).parents[1]) + os.sep
BUNDLED = f"{ARENA}_bundled_agents{os.sep}"
MOST_LETTERS = 120
"""Of one text, or of what one object says of itself."""
MOST_MEMBERS = 100
"""Of a set that is told, unless they are all numbers or all texts, which have an order of their own."""
ADDRESS = re.compile(" at 0x[0-9A-Fa-f]{8,}")


@dataclass(frozen=True, slots=True)
class Failure:
    """A bot's answer that is none.

    Attributes:
        end: the kind of fault.
        message: one line.
        traceback: the bot's own lines, or an empty string.
        answer: what was answered, in short, if it is illegal.
        printed: the last of what the bot had printed, if it has a process of its own.
    """

    end: End
    message: str
    traceback: str = ""
    answer: str = ""
    printed: str = ""


class StartError(Exception):
    """A bot's class could not be made, or its ``prepare`` raised."""


class Position(Protocol):
    """A game that waits for a decision, as far as a bot may see it; see `arena.game.table.Game`."""

    @property
    def table(self) -> int:
        """Which of the games that are played together."""

    @property
    def round(self) -> int:
        """From 1."""

    @property
    def roll(self) -> int:
        """From 1."""

    @property
    def roll_id(self) -> RollId:
        """The dice now showing."""

    @property
    def public(self) -> Any:
        """What everybody at the table sees, an immutable value."""


class InlineDriver:
    """Asks one agent in one seat of a leg.

    Args:
        bot: the agent.
        view: the seat.
        tables: how many games are played together.

    Attributes:
        timing: decisions asked for, and wall seconds spent on them.
    """

    def __init__(self, bot: Bot, view: SeatView, tables: int) -> None:
        self._name, self._view = bot.name, view
        self.timing = Timing()
        players = _players(bot, view.ruleset, tables)
        self._holds = [player.hold for player in players]
        self._chooses = [player.choose_row for player in players]
        self._lattice = lattice(view.ruleset.dice)

    def hold(self, games: Sequence[Position]) -> list[KeepId | Failure]:
        """Ask which dice to keep in every game, and return keeps that each game's roll has, or failures."""
        started = perf_counter()
        view, holds = self._view, self._holds
        keep_ids, keepable = self._lattice.keep_ids, self._lattice.keepable
        answers: list[KeepId | Failure] = []
        for game in games:
            roll_id = game.roll_id
            turn = new_turn(Turn, (view, game.table, game.round, game.roll, roll_id, False, game.public))
            try:
                answer = holds[game.table](turn)
                try:
                    keep = keep_ids.get(answer)  # the usual answer: a tuple, in any order
                except TypeError:
                    keep = None
                if keep is None:
                    keep = _keep(answer, keep_ids)
                if keep is None or keep not in keepable[roll_id]:
                    shown = _shown(answer)
                    raise InvalidHold(f"{self._name!r} kept {shown} of {_position(turn)}", shown)
            except BaseException as error:
                answers.append(to_failure(error, End.ILLEGAL_HOLD))
            else:
                answers.append(keep)
        self.timing += Timing(len(games), perf_counter() - started)
        return answers

    def choose_row(self, games: Sequence[Position]) -> list[RowId | Failure]:
        """Ask which row to fill in every game, and return rows that are legal there, or failures."""
        started = perf_counter()
        view, chooses, rules = self._view, self._chooses, self._view.rules
        assert isinstance(rules, CardRules)
        row_ids, seat = rules.row_ids, view.seat
        answers: list[RowId | Failure] = []
        for game in games:
            roll_id, public = game.roll_id, game.public
            turn = new_turn(Turn, (view, game.table, game.round, game.roll, roll_id, True, public))
            try:
                answer = chooses[game.table](turn)
                row = row_ids.get(answer) if isinstance(answer, str) else None
                if row is None or not rules.legal(public[seat], roll_id) >> row & 1:
                    rows, shown = ", ".join(turn.open_rows), _shown(answer)
                    raise InvalidRow(f"{self._name!r} chose {shown} for {_position(turn)}; open: {rows}", shown)
            except BaseException as error:
                answers.append(to_failure(error, End.ILLEGAL_ROW))
            else:
                answers.append(row)
        self.timing += Timing(len(games), perf_counter() - started)
        return answers


@dataclass(frozen=True, slots=True)
class _Player:
    """The two functions that are asked; of a class, those of one instance."""

    hold: Callable[[Turn], Any]
    choose_row: Callable[[Turn], Any]

    @classmethod
    def of(cls, bot: Bot) -> _Player:
        try:
            player = bot.start()
            return cls(player.hold, player.choose_row)
        except BaseException as error:
            return cls.failed(error)

    @classmethod
    def failed(cls, cause: BaseException) -> _Player:
        def fail(turn: Turn) -> NoReturn:  # noqa: ARG001 - called as a bot is
            raise start_error(cause) from cause

        return cls(fail, fail)


def _players(bot: Bot, ruleset: Ruleset, tables: int) -> list[_Player]:
    try:
        bot.prepare(ruleset)
    except BaseException as error:
        return [_Player.failed(error)] * tables
    return [_Player.of(bot) for _ in range(tables)] if bot.per_game else [_Player.of(bot)] * tables


def start_error(cause: BaseException) -> StartError:
    """Return the error that stands for a class that could not be made, or for a ``prepare`` that raised."""
    return StartError(f"could not start: {cause if isinstance(cause, BrokenBot) else _told(cause)}")


def _keep(answer: Any, keep_ids: Mapping[tuple[int, ...], KeepId]) -> KeepId | None:
    """Return the keep of an answer that is no plain tuple, such as a list; text and endless things are no dice."""
    if isinstance(answer, str | bytes):
        return None
    try:
        if len(answer) > MAX_DICE:
            return None
        return keep_ids.get(tuple(islice(answer, MAX_DICE + 1)))
    except TypeError:  # no size, no items, or items that cannot be looked up
        return None


def _everywhere(text: str) -> str:
    """Return a text without addresses and the private names of bots' modules, which are others in every process."""
    return in_public(ADDRESS.sub("", text))


class _Repr(reprlib.Repr):
    """Tells nothing that is another in every process, as far as it is seen to, and most paths whole."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MOST_LETTERS

    def repr_str(self, x: str, level: int) -> str:
        """Return a text, cut in the middle."""
        return super().repr_str(_everywhere(x), level)

    def repr_instance(self, x: Any, level: int) -> str:
        """Return what an object says of itself, cut in the middle."""
        del level
        text = _everywhere(repr(x))
        half = (self.maxother - len(self.fillvalue)) // 2
        return text if len(text) <= self.maxother else text[:half] + self.fillvalue + text[-half:]

    def repr_set(self, x: set[Any] | frozenset[Any], level: int) -> str:
        """Return a set, its members in their order, or else of what they say of themselves; most they come in any."""
        if not x:
            return "set()"
        key = None if set(map(type, x)) in ({int}, {str}) else lambda member: self.repr1(member, level - 1)
        if level <= 0 or (key and len(x) > MOST_MEMBERS):
            return f"{{{self.fillvalue}}}"
        return f"{{{self.repr_list(sorted(x, key=key), level)[1:-1]}}}"

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        """Return a set that cannot be changed, in the same order."""
        return f"frozenset({self.repr_set(x, level)})" if x else "frozenset()"


def _shown(answer: object) -> str:
    try:
        return " ".join(_Repr().repr(answer).split())
    except BaseException:  # the bot's own __repr__, or a number of more digits than Python writes
        return f"something of type {type(answer).__name__}"


def _position(turn: Turn) -> str:
    return told_position(turn.roll, turn.dice, turn.round)


def told_position(roll: int, dice: Faces, round_: int) -> str:
    """Return where a game stands, in the words of every error: ``roll 3: 3 3 4 5 6 in round 2``."""
    return f"roll {roll}: {' '.join(map(str, dice))} in round {round_}"


def _told(error: BaseException) -> str:
    kind, text = type(error).__name__, one_line(error)
    return _everywhere(f"{kind}: {text}" if text else kind)[:500]


def to_failure(error: BaseException, illegal: End) -> Failure:
    """Return what a bot raised as a failure.

    Args:
        error: whatever came out of its call.
        illegal: the kind that an illegal answer has.
    """
    if isinstance(error, InvalidHold | InvalidRow):
        return Failure(illegal, _told(error), answer=_answer(error))
    end = End.EXCEPTION
    if isinstance(error, MemoryError):
        end = End.MEMORY
    elif isinstance(error, StartError):
        end = End.START
    shown = error.__cause__ if isinstance(error, StartError) and error.__cause__ else error
    if isinstance(shown, BrokenBot):
        return Failure(end, _told(error), printed=shown.printed)  # it never ran: no lines of its own
    try:
        text = _own_lines(shown)
    except BaseException:  # a bot's own exception class may fail here too
        text = ""
    return Failure(end, _told(error), text)


def _answer(error: InvalidAnswer) -> str:
    """Return what was answered; bots may raise such errors too, of classes of their own."""
    answer = error.__dict__.get("answer", "") if type(error) in (InvalidHold, InvalidRow) else ""
    return _everywhere(one_line(answer))[:MAX_ANSWER]


def _own_lines(error: BaseException) -> str:
    """Return the traceback of what a bot raised, without the arena's own lines."""
    told = traceback.TracebackException(type(error), error, error.__traceback__, limit=-MAX_FRAMES)
    chain: list[traceback.TracebackException | None] = [told]
    for part in chain:  # grows
        if part is not None:
            part.stack[:] = [frame for frame in part.stack if not _is_ours(frame.filename)]
            chain += [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]
    return _everywhere("".join(told.format()))[-MAX_TRACEBACK:]


def _is_ours(file: str) -> bool:
    """Return whether a file is the arena's own and no bot that comes with it."""
    return file.startswith(ARENA) and not file.startswith(BUNDLED)
