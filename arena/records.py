"""Frozen rows that pass between the stages: load, plan, play, rate, publish."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32: TypeAlias = npt.NDArray[np.int32]
UInt8: TypeAlias = npt.NDArray[np.uint8]


class End(IntEnum):
    """Why a seat's game ended: it finished, or it is out by a fault of this kind."""

    FINISHED = 0
    ILLEGAL_HOLD = 1
    ILLEGAL_ROW = 2
    EXCEPTION = 3
    TIMEOUT = 4
    CRASH = 5
    MEMORY = 6
    PROTOCOL = 7
    START = 8

    @property
    def label(self) -> str:
        """The word used in files and tables, such as ``illegal_hold``."""
        return self.name.lower()


FAULT_KINDS: tuple[End, ...] = tuple(end for end in End if end is not End.FINISHED)


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays: an agent's name and what makes it the same agent as before.

    Attributes:
        name: unique within a tournament.
        identity: sha256 over the bot's source and parameters, hexadecimal. A changed bot is a new entrant.
    """

    name: str
    identity: str


SEED_BITS = 128
"""Size of a tournament's seed."""

PLAY_VERSION = 1
"""Goes up when the same block would be played to another result; older results are then not known any more."""


def series_id(seed: int, ruleset_hash: str, entrants: Sequence[Entrant]) -> str:
    """Return a hash, hexadecimal, of all that decides the games of a pairing but the dice set.

    Blocks are known by it: a changed seed, ruleset, bot or parameter makes another series, and nothing else does.
    """
    who = [(entrant.name, entrant.identity) for entrant in entrants]
    content = json.dumps([PLAY_VERSION, str(seed), ruleset_hash, who])
    return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Block:
    """The unit of work: a run of mirrors of one pairing.

    Attributes:
        series: hash of all that decides the pairing's games but the dice set; see `series_id`.
        ruleset_hash: the ruleset's content hash.
        entrants: the pairing, sorted by name. In seating ``s`` seat ``k`` is taken by
            ``entrants[(k + s) % seats]``.
        first: the first dice set.
        stop: one past the last dice set.
    """

    series: str
    ruleset_hash: str
    entrants: tuple[Entrant, ...]
    first: int
    stop: int

    @property
    def seats(self) -> int:
        """Seats at the table, one an entrant."""
        return len(self.entrants)

    @property
    def mirrors(self) -> int:
        """Dice sets in the block; each is played in every seating."""
        return self.stop - self.first

    @property
    def games(self) -> int:
        """Games in the block: mirrors times seatings."""
        return self.mirrors * self.seats

    def seated(self, seating: int) -> tuple[Entrant, ...]:
        """Return the entrants by seat in one seating, a rotation of the pairing."""
        return self.entrants[seating:] + self.entrants[:seating]

    def __str__(self) -> str:
        names = " - ".join(entrant.name for entrant in self.entrants)
        return f"{names}, dice sets {self.first} to {self.stop - 1}"


@dataclass(frozen=True, slots=True)
class Fault:
    """What a bot did wrong in one game: a result, never a crash of the arena.

    Attributes:
        agent: the bot that is charged.
        kind: one of the fault kinds of `End`.
        dice_set: the dice set of the game.
        seating: the seating of the game.
        seat: the bot's seat, from 0.
        round: the round, from 1; 0 if the game had not begun.
        roll: the roll, from 1; 0 if the game had not begun.
        message: one line: what was done, of which dice.
        traceback: the bot's own lines, or an empty string.
        dice: the faces that were showing, sorted; none in what earlier versions stored.
        answer: what was answered, in short, if it was illegal.
        printed: the last of what the bot had printed, if it has a process of its own.
    """

    agent: str
    kind: End
    dice_set: int
    seating: int
    seat: int
    round: int
    roll: int
    message: str
    traceback: str = ""
    dice: tuple[int, ...] = ()
    answer: str = ""
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a bot took in one block; for the terminal only, never published.

    Attributes:
        decisions: how many answers were asked for.
        seconds: wall time spent inside the bot's calls; of a bot in a process of its own that process's processor
            time, where it can be told.
    """

    decisions: int = 0
    seconds: float = 0.0

    def __add__(self, other: Timing) -> Timing:
        return Timing(self.decisions + other.decisions, self.seconds + other.seconds)


NO_MOVE = 255
"""Where nothing was decided in a transcript."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockResult:
    """What came of a block.

    Attributes:
        block: what was played.
        totals: int32[mirrors, seatings, seats], final points (chips in showdown) by seat.
        ends: uint8[mirrors, seatings, seats], `End` codes by seat.
        winners: uint8[mirrors, seatings], a bit a seat: the best total among the seats that finished.
            0: nobody's game, every seat being out.
        faults: details of faults, in the order they happened; capped, so count with `ends`.
        timing: by agent name.
        levels: how far apart every bot was kept, by agent name: ``inline``, ``process`` or ``sandbox``.
        moves: uint8[seatings, rounds, seats, rolls, mirrors], what was decided, if transcripts are kept: the keep of
            every roll but the last by its place among those that the roll allows, in the order of their ids; last the
            row. `NO_MOVE` where nothing was decided.
    """

    block: Block
    totals: Int32
    ends: UInt8
    winners: UInt8
    faults: tuple[Fault, ...] = ()
    timing: Mapping[str, Timing] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    moves: UInt8 | None = None


@dataclass(frozen=True, slots=True)
class LostBlock:
    """A block that could not be played: its worker died, twice.

    Attributes:
        block: the block, set aside.
        reason: what happened, in one line.
    """

    block: Block
    reason: str


MIRRORS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {"ll": (0, 0, 2), "ld": (0, 1, 1), "wl": (1, 0, 1), "dd": (0, 2, 0), "wd": (1, 1, 0), "ww": (2, 0, 0)}
)
"""The six results of a mirror of two seats, in the order of all counts: wins, draws and losses of the first agent."""

MIRRORED: Mapping[str, str] = MappingProxyType(
    {kind: other for kind, won in MIRRORS.items() for other, lost in MIRRORS.items() if won == lost[::-1]}
)
"""The same results as the second agent sees them."""

Z95 = 1.959963984540054
"""The normal distribution holds 95% within this many standard errors."""


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """Results of an ordered pair, ``first`` sitting before ``second``.

    Attributes:
        first: the agent in the earlier seat.
        second: the agent in the later seat.
        seats: seats at the table.
        games: games with a result: those in which both were out are nobody's and left out.
        wins_first: games that ``first`` won.
        draws: games that ended equal.
        losses_first: games that ``second`` won.
        score_first: points of ``first``, summed over games in which nobody was out.
        score_second: the same for ``second``.
        score_sq_first: squares of those points, summed.
        score_sq_second: the same for ``second``.
        ll: mirrors that ``first`` lost in both seatings. The six counts are over the whole pair's mirrors,
            so they stand in both of its rows, seen from each row's ``first``.
        ld: mirrors with a loss and a draw.
        wl: mirrors with a win and a loss.
        dd: mirrors drawn twice.
        wd: mirrors with a win and a draw.
        ww: mirrors won twice.
    """

    first: str
    second: str
    seats: int
    games: int
    wins_first: int
    draws: int
    losses_first: int
    score_first: int
    score_second: int
    score_sq_first: int
    score_sq_second: int
    ll: int
    ld: int
    wl: int
    dd: int
    wd: int
    ww: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What one agent did over all its games.

    Attributes:
        games: games with a result.
        wins: games in which it alone was best.
        draws: games in which it shared the best total.
        scored: games that enter the mean score: those in which nobody was out.
        score: points over the scored games, summed.
        score_sq: squares of those points, summed.
        settlement: money over the games, summed, in units of ``1 / settlement_unit`` of the ruleset.
        faults: games lost by a fault, by kind.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    scored: int = 0
    score: int = 0
    score_sq: int = 0
    settlement: int = 0
    faults: Mapping[End, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class TableClusters:
    """The mirrors of one pairing of three or more, as far as their results depend on each other.

    A mirror's results are counts of three outcomes (won, drawn, lost, from the side of the earlier name) for every
    pair of the pairing, pairs in the order of their sorted names. What a clustered covariance needs of all mirrors is
    the sum of the products of any two counts.

    Attributes:
        agents: the pairing, sorted by name.
        mirrors: how many mirrors have a result.
        products: int64[3 pairs, 3 pairs], sums over the mirrors; a column is a pair's outcome.
    """

    agents: tuple[str, ...]
    mirrors: int
    products: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Results of every agent against every other, and each agent's tally.

    Attributes:
        agents: names, sorted.
        rows: one an ordered pair that met, sorted by ``(first, second)``; at larger tables every pair of seats.
        tallies: by agent name.
        clusters: by pairing, sorted, for tables of three or more seats; empty at two, whose rows say it all.
    """

    agents: tuple[str, ...]
    rows: tuple[CrosstableRow, ...]
    tallies: Mapping[str, Tally]
    clusters: tuple[TableClusters, ...] = ()

    def __iter__(self) -> Iterator[CrosstableRow]:
        return iter(self.rows)


@dataclass(frozen=True, slots=True)
class Rating:
    """One agent's rating.

    Attributes:
        elo: points, 400 to a tenfold of the odds.
        low: lower end of the 95% interval.
        high: upper end of the 95% interval.
    """

    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """A fit: ratings by name, the draw parameter, and what should be said of them.

    Attributes:
        by_name: a rating for every agent.
        draw: Davidson's draw parameter (a pure number, 0 without draws).
        notes: whole sentences, in a fixed order: virtual opponent, groups that never met, equal play.
    """

    by_name: Mapping[str, Rating]
    draw: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """One agent's line on a leaderboard.

    Attributes:
        rank: from 1; equal ratings share a rank. Solo, where there is no Elo, mean scores are ranked.
        name: the agent.
        elo: with ``elo_low`` and ``elo_high``, the ends of the 95% interval; None in solo games.
        elo_low: lower end of the interval.
        elo_high: upper end of the interval.
        games: games with a result.
        wins: games won alone.
        draws: games whose best total was shared.
        losses: games lost.
        mean_score: points a game, over games in which nobody was out; None without any.
        mean_low: lower end of its 95% interval, None below two games.
        mean_high: upper end of the interval.
        settlement: money a game, None where the ruleset has none.
        faults: games lost by a fault, among those that count.
        faults_by_kind: the same by kind, only kinds that happened.
        disqualified: why its later games do not count, in words that follow ``disqualified``; else empty.
    """

    rank: int
    name: str
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    games: int
    wins: int
    draws: int
    losses: int
    mean_score: float | None
    mean_low: float | None
    mean_high: float | None
    settlement: float | None
    faults: int
    faults_by_kind: Mapping[str, int] = field(default_factory=dict)
    disqualified: str = ""
