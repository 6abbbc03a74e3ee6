"""A block, played: every seating of its mirrors, with the dice staying at the seats."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Literal

import numpy as np

from arena.agent.bot import Bot
from arena.agent.chronicle import Chronicle
from arena.agent.inline import InlineDriver
from arena.agent.limits import Level
from arena.agent.remote import Remote
from arena.agent.tables import ArrayDriver, ScalarAdapter, ShownCards, TablesDriver
from arena.agent.turn import SeatView
from arena.dice.lattice import lattice
from arena.dice.stream import DiceStream
from arena.errors import UserError
from arena.game.card_tables import CardTables
from arena.game.new import Rules, new_game
from arena.game.showdown_tables import ShowdownTables
from arena.game.table import winner_bits, winners
from arena.game.tables import Numbers
from arena.records import Block, BlockResult, Fault, Int32, Timing, UInt8
from arena.rules.card import CardRules
from arena.tournament.faults import Faults
from arena.tournament.leg import play_leg
from arena.tournament.recorder import Recorder, joined
from arena.tournament.tables_leg import Moment, Watcher, side_by_side, steps

Engine = Literal["arrays", "scalar"]
"""The array game plays; the scalar game, which defines the rules, is there to be compared with."""


class BlockDice:
    """The dice of a block's mirrors, drawn round by round and the same for every leg.

    Args:
        block: the block.
        rules: the rules it is played under.
        seed: the tournament's secret seed.
    """

    def __init__(self, block: Block, rules: Rules, seed: int) -> None:
        names = [entrant.name for entrant in block.entrants]
        ruleset = rules.ruleset
        self._stream = DiceStream(seed, block.ruleset_hash, names, rolls=ruleset.rolls, dice=ruleset.dice)
        self._block = block
        self._rounds: dict[int, Numbers] = {}
        self._lists: dict[int, Sequence[Sequence[Sequence[int]]]] = {}

    def arrays(self, round_: int) -> Numbers:
        """Return the numbers of a round, int64[tables, seats, rolls]."""
        numbers = self._rounds.get(round_)
        if numbers is None:
            numbers = self._stream.throws(round_, self._block.first, self._block.stop)
            self._rounds[round_] = numbers
        return numbers

    def lists(self, round_: int) -> Sequence[Sequence[Sequence[int]]]:
        """Return the same as lists."""
        numbers = self._lists.get(round_)
        if numbers is None:
            numbers = self.arrays(round_).tolist()
            self._lists[round_] = numbers
        return numbers


class _Leg:
    """One seating of a block.

    Attributes:
        totals: int32[tables, seats].
        ends: uint8[tables, seats].
        winners: uint8[tables].
        faults: details.
        timing: by seat.
        recorder: has every decision, if transcripts are kept.
    """

    totals: Int32
    ends: UInt8
    winners: UInt8

    def __init__(
        self, block: Block, rules: Rules, seed: int, seating: int, bots: Mapping[str, Bot | Remote], *, record: bool
    ) -> None:
        self.names = [entrant.name for entrant in block.seated(seating)]
        self._bots = [bots[name] for name in self.names]
        self._views = [SeatView.of(rules, block, seed, seating, seat) for seat in range(block.seats)]
        self._rules, self._seats, self._mirrors = rules, block.seats, block.mirrors
        self.faults = Faults(self.names, seating, block.first, lattice(rules.ruleset.dice).rolls)
        self.timing: list[Timing] = []
        self.recorder = Recorder(rules, block.seats, block.mirrors) if record else None

    def play_arrays(self, dice: BlockDice) -> Generator[Moment | None, None, None]:
        """Play the array game, with the pauses of `steps`; bots in scalar form are asked one by one.

        Bots' processes are started before the first pause.
        """
        seats, mirrors, rules = self._seats, self._mirrors, self._rules
        watchers: list[Watcher] = []
        cards: ShownCards | None = None
        game: CardTables | ShowdownTables
        if isinstance(rules, CardRules):
            game = CardTables(rules, seats, mirrors, dice.arrays)
            if not all(isinstance(bot, Remote) or bot.in_arrays for bot in self._bots):
                cards = ShownCards(rules, mirrors, seats)
                watchers.append(cards)
        else:
            game = ShowdownTables(rules, seats, mirrors, dice.arrays)
        chronicle = Chronicle()
        if any(isinstance(bot, Remote) for bot in self._bots):
            watchers.append(chronicle)
        with ExitStack() as ends:
            drivers: list[TablesDriver] = []
            for bot, view in zip(self._bots, self._views, strict=True):
                if isinstance(bot, Remote):
                    drivers.append(ends.enter_context(closing(bot.driver(view, mirrors, chronicle))))
                elif bot.in_arrays:
                    drivers.append(ArrayDriver(bot, view))
                else:
                    drivers.append(ScalarAdapter(bot, view, mirrors, cards))
            yield from steps(game, drivers, self.faults, watchers, self.recorder)
        self.totals, self.ends = game.final_totals(), game.ends
        self.winners = winner_bits(self.totals, self.ends)
        self.timing = [driver.timing for driver in drivers]

    def play_scalar(self, dice: BlockDice) -> None:
        """Play the scalar game; every bot is asked in its scalar form.

        Raises:
            UserError: if one has none.
        """
        drivers = []
        for name, bot, view in zip(self.names, self._bots, self._views, strict=True):
            if isinstance(bot, Remote) or not bot.in_scalars:
                raise UserError(f"{name!r} has no hold and choose_row, which the scalar engine asks")
            drivers.append(InlineDriver(bot, view, self._mirrors))
        games = [new_game(self._rules, self._seats, table, dice.lists) for table in range(self._mirrors)]
        play_leg(games, drivers, self.faults, self.recorder)
        self.totals = np.array([game.totals() for game in games], dtype=np.int32)
        self.ends = np.array([game.ends for game in games], dtype=np.uint8)
        self.winners = np.array([winners(game.totals(), game.ends) for game in games], dtype=np.uint8)
        self.timing = [driver.timing for driver in drivers]


def play_block(
    block: Block,
    rules: Rules,
    seed: int,
    bots: Mapping[str, Bot | Remote],
    *,
    engine: Engine = "arrays",
    record: bool = False,
) -> BlockResult:
    """Play a block.

    Args:
        block: what to play.
        rules: the compiled rules of its ruleset.
        seed: the tournament's secret seed.
        bots: loaded bots by name.
        engine: which of the two equal games plays it.
        record: True to keep transcripts.

    Returns:
        The result, which depends on nothing but the arguments (times apart).
    """
    dice = BlockDice(block, rules, seed)
    timing = {entrant.name: Timing() for entrant in block.entrants}
    faults: list[Fault] = []
    legs = [_Leg(block, rules, seed, seating, bots, record=record) for seating in range(block.seats)]
    if engine == "arrays":
        side_by_side([leg.play_arrays(dice) for leg in legs])
    else:
        for leg in legs:
            leg.play_scalar(dice)
    for leg in legs:
        faults += leg.faults.found
        for name, spent in zip(leg.names, leg.timing, strict=True):
            timing[name] += spent
    return BlockResult(
        block,
        np.stack([leg.totals for leg in legs], axis=1),
        np.stack([leg.ends for leg in legs], axis=1),
        np.stack([leg.winners for leg in legs], axis=1),
        tuple(faults),
        timing,
        {name: str(_level(bots[name])) for name in timing},
        joined([leg.recorder for leg in legs if leg.recorder]) if record else None,
    )


def _level(bot: Bot | Remote) -> Level:
    """Return how far apart a bot is kept."""
    return bot.level if isinstance(bot, Remote) else Level.INLINE
