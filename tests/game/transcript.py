"""Games written down so that people can follow them: each roll, what was kept, the row, points and totals."""

from __future__ import annotations

from collections.abc import Sequence

from random_play import rolled

from arena.agent.bot import Bot
from arena.agent.inline import InlineDriver
from arena.agent.turn import SeatView
from arena.dice.lattice import KEEPS, ROLLS
from arena.dice.stream import DiceStream
from arena.game.new import Rules, new_game
from arena.game.showdown_game import Felt
from arena.game.table import Game, winners
from arena.records import Block, Entrant
from arena.rules.card import Card, CardRules
from arena.rules.hands import HandRules, hand_kind, show_dice


def block_of(rules: Rules, names: Sequence[str], first: int, stop: int) -> Block:
    """Return a block of the agents' mirrors."""
    entrants = tuple(Entrant(name, "") for name in sorted(names))
    return Block("", rules.ruleset.hash, entrants, first, stop)


class Recorder:
    """Plays one game of a pairing, decision by decision, and writes it down.

    Args:
        rules: the rules.
        bots: in alphabetical order; in this order they sit.
        seed: the tournament's seed.
        dice_set: which dice.
    """

    def __init__(self, rules: Rules, bots: Sequence[Bot], seed: int, dice_set: int) -> None:
        self._rules, self._names = rules, [bot.name for bot in bots]
        block = block_of(rules, self._names, dice_set, dice_set + 1)
        stream = DiceStream(seed, block.ruleset_hash, self._names, rolls=rules.ruleset.rolls)
        self._throws = lambda round_: stream.throws(round_, dice_set, dice_set + 1).tolist()
        self.game: Game = new_game(rules, len(bots), 0, self._throws)
        self._drivers = [
            InlineDriver(bot, SeatView.of(rules, block, seed, 0, seat), 1) for seat, bot in enumerate(bots)
        ]
        seats = ", ".join(f"seat {seat} {name}" for seat, name in enumerate(self._names))
        self.lines = [f"{rules.ruleset.name}: {seats}", f"seed {seed}, dice set {dice_set}"]

    def play(self) -> None:
        """Play to the end."""
        round_ = 0
        while not self.game.over:
            if self.game.round != round_:
                round_ = self.game.round
                self.lines += ["", f"round {round_}"]
                if isinstance(self._rules, HandRules):
                    self.lines.append(f"  {self._felt()}")
            self._turn()
        if isinstance(self._rules, HandRules):
            self.lines += ["", f"at the end {self._felt()}"]
        totals = self.game.totals()
        won = winners(totals, self.game.ends)
        names = [name for seat, name in enumerate(self._names) if won >> seat & 1]
        self.lines += ["", f"totals {' '.join(map(str, totals))}: won by {' and '.join(names)}"]

    def _felt(self) -> str:
        felt: Felt = self.game.public
        return f"chips {' '.join(map(str, felt.chips))}, pot {felt.pot}"

    def _turn(self) -> None:
        game, seat, round_ = self.game, self.game.seat, self.game.round
        driver, numbers = self._drivers[seat], self._throws(round_)[0][seat]
        self.lines.append(f"  seat {seat} {self._names[seat]}")
        before, dice, rolls = game.public, ROLLS[game.roll_id], 1
        while rolls < self._rules.ruleset.rolls:
            keep = driver.hold([game])[0]
            assert isinstance(keep, int), keep
            kept = KEEPS[keep]
            words = "all" if kept == dice else show_dice(kept) or "none"
            self.lines.append(f"    {show_dice(dice)}  keeps {words}")
            game.hold(keep)
            if kept == dice:
                break
            dice = tuple(sorted(kept + rolled(numbers[rolls], 5 - len(kept))))
            rolls += 1
        else:
            self.lines.append(f"    {show_dice(dice)}")
        if isinstance(self._rules, HandRules):  # the round may be over already, and the felt cleared
            self.lines.append(f"    {hand_kind(dice)}")
            return
        row = driver.choose_row([game])[0]
        assert isinstance(row, int), row
        game.choose(row)
        self.lines.append(
            f"    {self._row(before[seat], game.public[seat], row, ' on the first roll' * (rolls == 1))}"
        )

    def _row(self, before: Card, after: Card, row: int, first: str) -> str:
        assert isinstance(self._rules, CardRules)
        text = f"{self._rules.names[row]}{first} {after.points[row]}"
        if after.extra > before.extra:
            text += f", further five of a kind {after.extra - before.extra}"
        if after.bonus > before.bonus:
            text += f", section bonus {after.bonus - before.bonus}"
        return f"{text}; total {after.total}"
