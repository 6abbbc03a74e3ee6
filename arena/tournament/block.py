"""A block, played: every seating of its mirrors, with the dice staying at the seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arena.agent.bot import Bot
from arena.agent.inline import InlineDriver
from arena.agent.turn import SeatView
from arena.dice.stream import DiceStream
from arena.game.new import Rules, new_game
from arena.game.table import winners
from arena.records import Block, BlockResult, Fault, Timing
from arena.tournament.leg import Faults, play_leg


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
        self._rounds: dict[int, Sequence[Sequence[Sequence[int]]]] = {}

    def __call__(self, round_: int) -> Sequence[Sequence[Sequence[int]]]:
        """Return the numbers of a round by table, seat and roll."""
        numbers = self._rounds.get(round_)
        if numbers is None:
            numbers = self._stream.throws(round_, self._block.first, self._block.stop).tolist()
            self._rounds[round_] = numbers
        return numbers


def play_block(block: Block, rules: Rules, seed: int, bots: Mapping[str, Bot]) -> BlockResult:
    """Play a block.

    Args:
        block: what to play.
        rules: the compiled rules of its ruleset.
        seed: the tournament's secret seed.
        bots: loaded bots by name.

    Returns:
        The result, which depends on nothing but the arguments (times apart).
    """
    seats, mirrors = block.seats, block.mirrors
    totals = np.zeros((mirrors, seats, seats), dtype=np.int32)
    ends = np.zeros((mirrors, seats, seats), dtype=np.uint8)
    best = np.zeros((mirrors, seats), dtype=np.uint8)
    faults: list[Fault] = []
    timing: dict[str, Timing] = {entrant.name: Timing() for entrant in block.entrants}
    dice = BlockDice(block, rules, seed)
    for seating in range(seats):
        names = [entrant.name for entrant in block.seated(seating)]
        drivers = [
            InlineDriver(bots[name], SeatView.of(rules, block, seed, seating, seat), mirrors)
            for seat, name in enumerate(names)
        ]
        games = [new_game(rules, seats, table, dice) for table in range(mirrors)]
        charged = Faults(names, seating, block.first)
        play_leg(games, drivers, charged)
        faults += charged.found
        for table, game in enumerate(games):
            points = game.totals()
            totals[table, seating] = points
            ends[table, seating] = game.ends
            best[table, seating] = winners(points, game.ends)
        for name, driver in zip(names, drivers, strict=True):
            timing[name] += driver.timing
    return BlockResult(block, totals, ends, best, tuple(faults), timing)
