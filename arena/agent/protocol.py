"""What is said to external bots and what they may answer: JSON, one message a line; see docs/protocol.md.

The types are the messages: ``docs/protocol.schema.json`` is made of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import repeat
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic makes a schema of these alone before Python 3.12

from arena.agent.tables import TablesOf
from arena.agent.turn import SeatView
from arena.agent.turns import Turns
from arena.dice.lattice import lattice
from arena.game.card_tables import CardTables
from arena.game.tables import Tables
from arena.rules.card import CardRules
from arena.rules.model import Ruleset

PROTOCOL = 1
"""The version of what is written here; a later one is another number."""
MOST_TURNS = 64
"""Turns of one question at most: what a bot is asked about more is asked in several. The first may hold but one."""


class RulesetTold(TypedDict):
    """The rules of the games."""

    id: str
    """The ruleset's id, such as thirteen."""
    name: str
    """The id with changed options, such as fifteen+upper_bonus_at=63."""
    hash: str
    """sha256 over all that decides a game."""
    dice: int
    """Dice a throw."""
    rolls: int
    """Throws a turn at most."""
    rows: list[str]
    """The names of the rows in card order; none in showdown."""
    card: dict[str, Any] | None
    """In card games sections and rows, with all that decides their points."""
    showdown: dict[str, Any] | None
    """In showdown the ranking of hands, chips and rounds."""


class Hello(TypedDict):
    """The first line, to which the bot answers with its own hello."""

    type: Literal["hello"]
    protocol: int
    """The version of the protocol, 1."""
    ruleset: RulesetTold
    seat: int
    """Your seat, from 0; seat 0 begins."""
    seats: int
    """Seats at a table."""
    games: int
    """How many games are played together; they are numbered from 0."""
    seeds: list[str]
    """By game 64 bits for your random numbers, as 16 hexadecimal digits; they tell nothing of the dice."""
    params: dict[str, Any]
    """What the tournament file says under params."""


class OpponentTold(TypedDict):
    """Another seat at the table."""

    seat: int
    """From 0."""
    card: dict[str, int | None]
    """Points by row, null while open; empty in showdown. Of a seat that is out no row is open."""
    total: int
    """Points so far; chips in showdown."""
    out: bool
    """Whether the seat is out of the game by a fault."""


class TurnTold(TypedDict):
    """What a player at the table sees."""

    game: int
    """Which game, from 0; the same during all of it."""
    round: int
    """From 1."""
    roll: int
    """The roll now showing, from 1."""
    rolls_left: int
    """Rolls that may still follow in this turn; where a row is asked for none does."""
    dice: list[int]
    """The faces now showing, ascending."""
    card: dict[str, int | None]
    """Your points by row, null while open; empty in showdown."""
    open_rows: list[str]
    """The rows that this hand may legally fill now, in card order; none in showdown."""
    scores: dict[str, int]
    """What the dice would pay in each of these rows, without section bonuses."""
    total: int
    """Your points so far, with the bonuses earned; chips in showdown."""
    opponents: list[OpponentTold]
    """The other seats, in seat order."""
    hands: NotRequired[list[list[int] | None]]
    """In showdown only: the hands of this round by seat, null before they are rolled."""
    chips: NotRequired[list[int]]
    """In showdown only: chips by seat, the antes paid."""
    pot: NotRequired[int]
    """In showdown only: chips in the pot."""


class Question(TypedDict):
    """A question about some turns: which dice to keep, or which row to fill."""

    type: Literal["hold", "choose_row"]
    turns: list[TurnTold]
    """At least one, at most 64."""


class HelloAnswer(TypedDict):
    """The bot's first line."""

    type: Literal["hello"]
    protocol: NotRequired[int]
    """The version that the bot speaks, by default 1."""
    stateless: NotRequired[bool]
    """True if the bot remembers nothing from turn to turn, so that a fresh process of it may go on with its games."""


class Answers(TypedDict):
    """The answers to a question in one line, in the order of its turns."""

    answers: list[list[int]] | list[str]
    """To hold the faces to keep, in any order; to choose_row the name of a row."""


class Answer(TypedDict):
    """The answer to the next turn of a question, where they are answered one by one."""

    answer: list[int] | str
    """As in answers."""


SENT = (RulesetTold, Hello, OpponentTold, TurnTold, Question)
TAKEN = (HelloAnswer, Answers, Answer)
"""What a bot says may have more in it, which is passed over."""


def _for_schemas() -> None:
    """Say of every message what whoever makes a schema of it is to know."""
    for message in (*SENT, *TAKEN):
        extra = "forbid" if message in SENT else "allow"
        known = {"extra": extra, "use_attribute_docstrings": True}
        setattr(message, "__pydantic_config__", known)  # noqa: B010 - no field


_for_schemas()


def hello(
    ruleset: Ruleset, seat: int, seats: int, keys: Sequence[int], params: Mapping[str, Any] | None = None
) -> Hello:
    """Return the first message.

    Args:
        ruleset: what is played.
        seat: the bot's.
        seats: at each table.
        keys: of the games' random numbers, 64 bits each; as many as there are games.
        params: what the tournament file says under params.
    """
    card, showdown = ruleset.card, ruleset.showdown
    rules = RulesetTold(
        id=ruleset.id,
        name=ruleset.name,
        hash=ruleset.hash,
        dice=ruleset.dice,
        rolls=ruleset.rolls,
        rows=[row.name for row in card.rows] if card else [],
        card=asdict(card) if card else None,
        showdown=asdict(showdown) if showdown else None,
    )
    return Hello(
        type="hello",
        protocol=PROTOCOL,
        ruleset=rules,
        seat=seat,
        seats=seats,
        games=len(keys),
        seeds=[f"{key:016x}" for key in keys],
        params=dict(params or {}),
    )


def turns_told(view: SeatView, game: TablesOf, tables: Tables) -> list[TurnTold]:
    """Return what the bot is told of some tables.

    Args:
        view: the bot's seat.
        game: the tables.
        tables: int32[m], which.
    """
    turns = Turns(view, game, tables)
    seat, seats, count = view.seat, range(view.seats), len(tables)
    totals, out = turns.totals.tolist(), turns.out.tolist()
    names = view.rules.names if isinstance(view.rules, CardRules) else ()
    cards: list[list[dict[str, int | None]]] = [[{} for _ in seats]] * count
    open_rows: list[list[str]] = [[]] * count
    scores: list[dict[str, int]] = [{}] * count
    if isinstance(game, CardTables):
        shown = turns.filled | turns.out[:, :, None]  # a seat that is out has nothing open
        both = zip(turns.points.tolist(), shown.tolist(), strict=True)
        cards = [[_card(names, *of_seat) for of_seat in zip(*at_table, strict=True)] for at_table in both]
        fits, pays = turns.legal.tolist(), turns.row_points.tolist()
        scores = [_scores(names, *of_table) for of_table in zip(fits, pays, strict=True)]
        open_rows = [list(of_table) for of_table in scores]
    parts = zip(
        *(tables.tolist(), repeat(game.round), turns.roll.tolist(), turns.rolls_left.tolist(), turns.dice.tolist()),
        *(cards, open_rows, scores, totals, out),
        strict=False,
    )
    told = [
        TurnTold(
            game=table,
            round=round_,
            roll=roll,
            rolls_left=left,
            dice=dice,
            card=card[seat],
            open_rows=rows,
            scores=pays,
            total=total[seat],
            opponents=[
                OpponentTold(seat=other, card=card[other], total=total[other], out=gone[other])
                for other in seats
                if other != seat
            ],
        )
        for table, round_, roll, left, dice, card, rows, pays, total, gone in parts
    ]
    if not isinstance(game, CardTables):
        rolls = lattice(view.ruleset.dice).rolls
        felts = zip(turns.hands.tolist(), turns.chips.tolist(), turns.pot.tolist(), strict=True)
        for turn, (hands, chips, pot) in zip(told, felts, strict=True):
            turn["hands"] = [None if hand < 0 else list(rolls[hand]) for hand in hands]
            turn["chips"], turn["pot"] = chips, pot
    return told


def _card(names: Sequence[str], points: Sequence[int], filled: Sequence[bool]) -> dict[str, int | None]:
    both = zip(names, points, filled, strict=True)
    return {name: points_ if is_filled else None for name, points_, is_filled in both}


def _scores(names: Sequence[str], legal: Sequence[bool], points: Sequence[int]) -> dict[str, int]:
    return {name: pays for name, fits, pays in zip(names, legal, points, strict=True) if fits}
