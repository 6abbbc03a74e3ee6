"""A bot's process: loads one bot for one seat of one leg, and answers what it is asked over a socket.

It gets positions and never dice, keys of its own random numbers and never the seed. What it sends back is parsed as
numbers and JSON.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.agent.bot import Bot
from arena.agent.chronicle import Follower, follower_of, read_question
from arena.agent.frames import Reader, Stream, Writer, receive
from arena.agent.inline import Failure
from arena.agent.loader import load, names_in
from arena.agent.ref import AgentRef
from arena.agent.tables import ArrayDriver, ScalarAdapter, Seen, TablesDriver, TablesOf
from arena.agent.turn import SeatView
from arena.errors import FileError, NoSuchBot
from arena.game.new import Rules
from arena.game.tables import Tables
from arena.records import End

HOLD, ROW = 1, 2
"""What is asked."""
MOST_TOLD = 16
"""Failures of one answer that are told in detail, beside the first of every kind."""
MOST_DESCRIBED = 1000
"""Letters of a bot's description."""


class TableKeys:
    """The keys of a leg's games for random numbers, by table; the dice sets behind them are not told.

    Args:
        keys: uint64[tables].
    """

    def __init__(self, keys: npt.NDArray[np.uint64]) -> None:
        self._array = keys

    @cached_property
    def _keys(self) -> list[int]:
        """As Python's numbers, which a bot in array form hardly ever asks for."""
        numbers: list[int] = self._array.tolist()
        return numbers

    def for_game(self, dice_set: int) -> int:
        """Return the key of a table's game; tables stand for dice sets here."""
        return self._keys[dice_set]


class _Marked(list[Seen]):
    """Leaves a mark of how far somebody came in going through it."""

    mark: memoryview

    def __iter__(self) -> Iterator[Seen]:
        mark = self.mark
        for number, seen in enumerate(super().__iter__(), start=1):
            mark[0] = number
            yield seen


class _MarkedAdapter(ScalarAdapter):
    """Asks a bot in scalar form, and leaves a mark of the decision that it is at."""

    mark: memoryview

    def _seen(self, game: TablesOf, tables: Tables) -> list[Seen]:
        marked = _Marked(super()._seen(game, tables))
        marked.mark = self.mark
        return marked


def serve(channel: Stream, mark: mmap.mmap, rules_by_hash: Mapping[str, Rules]) -> None:
    """Answer until the channel closes.

    Args:
        channel: to the arena, blocking.
        mark: shared with it: a whole number of 32 bits, the decision that is being made, from 1.
        rules_by_hash: compiled rules.
    """
    first = receive(channel)
    if first is None:
        return
    frame = Reader(first)
    told = frame.text()
    ref = ref_of(told["agent"])
    try:
        if told.get("names"):
            channel.sendall(Writer().text({"names": names_in(ref, quiet=False)}).bytes())
            return
        bot = load(ref, quiet=False)
    except FileError as error:
        channel.sendall(Writer().text({"broken": str(error), "no_such": isinstance(error, NoSuchBot)}).bytes())
        return
    if "ruleset" not in told:
        channel.sendall(Writer().text(told_bot(bot)).bytes())
        return
    rules = rules_by_hash[told["ruleset"]]
    keys = frame.array(np.uint64, told["tables"])
    driver, follower = _driver(bot, rules, told, keys, memoryview(mark).cast("I"))
    channel.sendall(Writer().text(told_bot(bot)).bytes())
    while (body := receive(channel)) is not None:
        channel.sendall(_answered(Reader(body), driver, follower, memoryview(mark).cast("I")))


def hello(ref: AgentRef, ruleset: str, seat: int, seats: int, keys: npt.NDArray[np.uint64]) -> Writer:
    """Return the frame that tells a bot's process what is played.

    Args:
        ref: the unpacked bot.
        ruleset: its hash.
        seat: the bot's.
        seats: at the table.
        keys: uint64[tables], those of the games' random numbers.
    """
    told = {"ruleset": ruleset, "seat": seat, "seats": seats, "tables": len(keys), "agent": told_ref(ref)}
    return Writer().text(told).array(keys)


def told_bot(bot: Bot) -> dict[str, Any]:
    """Return what is told of a bot once it is loaded."""
    told = {name: getattr(bot, name) for name in ("in_arrays", "in_scalars", "per_game", "description")}
    return {**told, "description": told["description"][:MOST_DESCRIBED]}


def view_of(rules: Rules, seat: int, seats: int, keys: npt.NDArray[np.uint64]) -> SeatView:
    """Return the view of a seat whose random numbers have these keys, uint64[tables]."""
    view = SeatView(rules, seat, seats, TableKeys(keys), 0)
    view.array_keys = keys
    return view


def _driver(
    bot: Bot, rules: Rules, told: Mapping[str, Any], keys: npt.NDArray[np.uint64], mark: memoryview
) -> tuple[TablesDriver, Follower]:
    view = view_of(rules, told["seat"], told["seats"], keys)
    follower = follower_of(rules, told["seats"], told["tables"], scalar=not bot.in_arrays)
    if bot.in_arrays:
        return ArrayDriver(bot, view), follower
    adapter = _MarkedAdapter(bot, view, told["tables"], follower.cards)
    adapter.mark = mark
    return adapter, follower


def _answered(frame: Reader, driver: TablesDriver, follower: Follower, mark: memoryview) -> bytes:
    """Return the frame that answers one."""
    kind = frame.number()
    follower.follow(frame.blob())
    tables, game = read_question(frame, follower), follower.game
    mark[0] = int(isinstance(driver, ArrayDriver))  # of bots in scalar form every decision is marked
    answers: npt.NDArray[np.signedinteger[Any]]
    answers = driver.hold(game, tables) if kind == HOLD else driver.choose_row(game, tables, game.legal(tables))
    failures: dict[str, Any] = {}
    bad = np.flatnonzero(answers < 0)
    _, firsts = np.unique(answers[bad], return_index=True)
    for place in sorted({*range(min(len(bad), MOST_TOLD)), *firsts.tolist()}):
        index = int(bad[place])
        failures[str(index)] = _told(driver.failure(index, End(-int(answers[index]))))
    return Writer().array(answers).text(failures).bytes()


def _told(failure: Failure) -> Sequence[Any]:
    return [int(failure.end), failure.message, failure.traceback, failure.answer]


def ref_of(told: Mapping[str, Any]) -> AgentRef:
    """Return a reference from what a frame says of it."""
    root = told["root"]
    return AgentRef(**{**told, "path": Path(told["path"]), "root": None if root is None else Path(root)})


def told_ref(ref: AgentRef) -> dict[str, Any]:
    """Return a reference as a frame says it."""
    fields = ("name", "origin", "class_name", "source_hash", "in_arrays", "module", "broken")
    return {
        **{name: getattr(ref, name) for name in fields},
        "params": dict(ref.params),
        "path": str(ref.path),
        "root": None if ref.root is None else str(ref.root),
    }
