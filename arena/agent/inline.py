"""The inline driver: asks a bot that lives in this process, checks what it answers, and turns failures into faults."""

from __future__ import annotations

import reprlib
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NoReturn

from arena.agent.bot import Bot
from arena.agent.turn import SeatView, Turn
from arena.dice.lattice import KeepId, lattice
from arena.errors import InvalidHold, InvalidRow
from arena.game.table import Game
from arena.records import End, Timing
from arena.rules.card import CardRules, RowId

MAX_TRACEBACK = 4000
MAX_DICE = 6
_new_turn: Callable[[type[Turn], tuple[Any, ...]], Turn] = tuple.__new__


@dataclass(frozen=True, slots=True)
class Failure:
    """A bot's answer that is none.

    Attributes:
        end: the kind of fault.
        message: one line.
        traceback: the bot's own lines, or an empty string.
    """

    end: End
    message: str
    traceback: str = ""


class _StartError(Exception):
    """A bot's class could not be made."""


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
        players = [_Player.of(bot) for _ in range(tables)] if bot.per_game else [_Player.of(bot)] * tables
        self._holds = [player.hold for player in players]
        self._chooses = [player.choose_row for player in players]
        self._lattice = lattice(view.ruleset.dice)

    def hold(self, games: Sequence[Game]) -> list[KeepId | Failure]:
        """Ask which dice to keep in every game, and return keeps that each game's roll has, or failures."""
        started = perf_counter()
        view, holds = self._view, self._holds
        keep_ids, keepable = self._lattice.keep_ids, self._lattice.keepable
        answers: list[KeepId | Failure] = []
        for game in games:
            roll_id = game.roll_id
            turn = _new_turn(Turn, (view, game.table, game.round, game.roll, roll_id, False, game.public))
            try:
                answer = holds[game.table](turn)
                try:
                    keep = keep_ids.get(answer)  # the usual answer: a tuple, in any order
                except TypeError:
                    keep = None
                if keep is None:
                    keep = _keep(answer, keep_ids)
                if keep is None or keep not in keepable[roll_id]:
                    raise InvalidHold(f"{self._name!r} kept {_shown(answer)} of {_position(turn)}")
            except BaseException as error:
                answers.append(_failure(error, End.ILLEGAL_HOLD))
            else:
                answers.append(keep)
        self.timing += Timing(len(games), perf_counter() - started)
        return answers

    def choose_row(self, games: Sequence[Game]) -> list[RowId | Failure]:
        """Ask which row to fill in every game, and return rows that are legal there, or failures."""
        started = perf_counter()
        view, chooses, rules = self._view, self._chooses, self._view.rules
        assert isinstance(rules, CardRules)
        row_ids, seat = rules.row_ids, view.seat
        answers: list[RowId | Failure] = []
        for game in games:
            roll_id, public = game.roll_id, game.public
            turn = _new_turn(Turn, (view, game.table, game.round, game.roll, roll_id, True, public))
            try:
                answer = chooses[game.table](turn)
                row = row_ids.get(answer) if isinstance(answer, str) else None
                if row is None or not rules.legal(public[seat], roll_id) >> row & 1:
                    rows = ", ".join(turn.open_rows)
                    raise InvalidRow(f"{self._name!r} chose {_shown(answer)} for {_position(turn)}; open: {rows}")
            except BaseException as error:
                answers.append(_failure(error, End.ILLEGAL_ROW))
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
            cause = error

            def fail(turn: Turn) -> NoReturn:  # noqa: ARG001 - called as a bot is
                raise _StartError(f"could not start: {_told(cause)}") from cause

            return cls(fail, fail)


def _keep(answer: Any, keep_ids: Mapping[tuple[int, ...], KeepId]) -> KeepId | None:
    """Return the keep of an answer that is no plain tuple, such as a list; text and endless things are no dice."""
    if isinstance(answer, str | bytes) or not isinstance(answer, Sized) or len(answer) > MAX_DICE:
        return None
    if not isinstance(answer, Iterable):
        return None
    faces = tuple(answer)
    try:
        return keep_ids.get(faces)
    except TypeError:
        return None


def _shown(answer: object) -> str:
    return " ".join(reprlib.repr(answer).split())


def _position(turn: Turn) -> str:
    return f"roll {turn.roll} {' '.join(map(str, turn.dice))} in round {turn.round}"


def _told(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = ""
    return f"{type(error).__name__}: {text}"[:500] if text else type(error).__name__


def _failure(error: BaseException, illegal: End) -> Failure:
    if isinstance(error, InvalidHold | InvalidRow):
        return Failure(illegal, _told(error))
    end = End.EXCEPTION
    if isinstance(error, MemoryError):
        end = End.MEMORY
    elif isinstance(error, _StartError):
        end = End.START
    shown = error.__cause__ if isinstance(error, _StartError) and error.__cause__ else error
    try:
        after_driver = shown.__traceback__.tb_next if shown.__traceback__ else None
        lines = traceback.format_exception(type(shown), shown, after_driver, limit=-20)
        text = "".join(lines)[-MAX_TRACEBACK:]
    except BaseException:
        text = ""
    return Failure(end, _told(error), text)
