"""Games played by random legal moves, with faults at random moments, on dice that often show five of a kind.

A game is stepped by hand, without drivers, and every step is written down together with what the dice must be,
worked out again from the numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from arena.dice.lattice import KEEPS, ROLLS, lattice
from arena.game.new import Rules, new_game
from arena.game.table import Game
from arena.records import FAULT_KINDS, End
from arena.rules.card import CardRules

NUMBERS = 6**5
FIVE_ALIKE = [sum(face * 6**die for die in range(5)) for face in range(6)]


class Dice(Protocol):
    """Numbers for one table."""

    def __call__(self, round_: int) -> list[list[list[int]]]:
        """Return the numbers of a round by table (one only), seat and roll."""

    def number(self, round_: int, seat: int, roll: int) -> int:
        """Return the number of one roll."""


class RiggedDice:
    """Numbers for one table: any, and often five of one face.

    Args:
        seed: of the random numbers.
        seats: seats at the table.
        rolls: rolls a turn.
        alike: how likely a number is to show five of one face.
    """

    def __init__(self, seed: int, seats: int, rolls: int, alike: float = 0.3) -> None:
        self._seed, self._seats, self._rolls, self._alike = seed, seats, rolls, alike
        self.asked: list[int] = []

    def __call__(self, round_: int) -> list[list[list[int]]]:
        """Return the numbers of a round by table (one only), seat and roll."""
        self.asked.append(round_)
        return [[[self.number(round_, seat, roll) for roll in range(self._rolls)] for seat in range(self._seats)]]

    def number(self, round_: int, seat: int, roll: int) -> int:
        """Return the number of one roll."""
        rng = Random(f"{self._seed} {round_} {seat} {roll}")
        return rng.choice(FIVE_ALIKE) if rng.random() < self._alike else rng.randrange(NUMBERS)


def rolled(number: int, dice: int) -> tuple[int, ...]:
    """Return the faces that a reroll of some dice shows: base-6 digits, the least significant first."""
    return tuple(number // 6**die % 6 + 1 for die in range(dice))


def number_of(dice: str) -> int:
    """Return the number from which five dice such as ``55512`` are read, in this order."""
    return sum((int(face) - 1) * 6**die for die, face in enumerate(dice))


def keep_of(dice: str) -> int:
    """Return the id of the keep of dice such as ``555``."""
    return lattice().keep_ids[tuple(map(int, dice))]


def stand(game: Game) -> None:
    """Keep the dice now showing."""
    game.hold(lattice().first_roll_keep + game.roll_id)


def take_turn(game: Game, rules: Rules) -> None:
    """Keep the first roll, and fill the first legal row where there are rows."""
    stand(game)
    if isinstance(rules, CardRules):
        game.choose(rules.row_ids[rules.open_rows(game.public[game.seat], game.roll_id)[0]])


def scripted(rules: Rules, seats: int, turns: Sequence[str]) -> Game:
    """Return a game after some turns, each written as its rolls and its row: ``12346 66123 pair``.

    Between rolls nothing is kept; the last roll is kept whole. In showdown there is no row.
    """
    has_rows = isinstance(rules, CardRules)
    words = [turn.split() for turn in turns]
    played = [(word[:-1], word[-1]) if has_rows else (word, "") for word in words]
    numbers: dict[tuple[int, int], list[int]] = {}
    for n, (rolls, _) in enumerate(played):
        round_, place = n // seats + 1, n % seats
        seat = place if has_rows else (place + round_ - 1) % seats  # in showdown the start moves on
        numbers[round_, seat] = [*map(number_of, rolls), 0, 0]
    game = new_game(rules, seats, 0, lambda round_: [[numbers.get((round_, seat), [0] * 3) for seat in range(seats)]])
    for rolls, row in played:
        for n, dice in enumerate(rolls, start=1):
            if has_rows or n < rules.ruleset.rolls:  # in showdown the last roll is the hand at once
                assert ROLLS[game.roll_id] == tuple(sorted(map(int, dice)))
            if n < len(rolls):
                game.hold(keep_of(""))
            elif n < rules.ruleset.rolls:
                game.hold(keep_of(dice))
        if isinstance(rules, CardRules):
            game.choose(rules.row_ids[row])
    return game


@dataclass
class TurnTaken:
    """One turn as it was played.

    Attributes:
        seat: whose.
        round: when.
        rolls: the dice after each roll, sorted.
        keeps: what was kept of each roll but the last, sorted.
        row: the row that was filled, if any.
        end: a fault kind if the turn ended by one.
    """

    seat: int
    round: int
    rolls: list[tuple[int, ...]] = field(default_factory=list)
    keeps: list[tuple[int, ...]] = field(default_factory=list)
    row: str | None = None
    end: End = End.FINISHED

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice of the last roll."""
        return self.rolls[-1]

    @property
    def first_roll(self) -> bool:
        """True if all five dice were kept after the first roll."""
        return self.keeps[:1] == [self.rolls[0]]


class Player:
    """Random legal moves.

    Args:
        rules: the rules of the game.
        rng: decides.
        faulty: how likely a decision is to be a fault.
    """

    def __init__(self, rules: Rules, rng: Random, faulty: float = 0.0) -> None:
        self._rules, self._rng, self._faulty = rules, rng, faulty

    def fault(self) -> End | None:
        """Return a fault, or None to go on."""
        return self._rng.choice(FAULT_KINDS) if self._rng.random() < self._faulty else None

    def keep(self, roll_id: int) -> int:
        """Return a keep id: everything, the most frequent face, or anything."""
        keeps, dice = lattice().sub_keeps[roll_id], ROLLS[roll_id]
        style = self._rng.random()
        if style < 0.3:
            return keeps[-1]
        if style < 0.6:
            face = max(dice, key=dice.count)
            return KEEPS.index(tuple(die for die in dice if die == face))
        return self._rng.choice(keeps)

    def row(self, game: Game) -> int:
        """Return a legal row: the one that pays most, or any."""
        rules = self._rules
        assert isinstance(rules, CardRules)
        card, first = game.public[game.seat], game.roll == 1
        rows = [rules.row_ids[name] for name in rules.open_rows(card, game.roll_id)]
        if self._rng.random() < 0.5:
            return max(rows, key=lambda row: rules.row_pays(card, row, game.roll_id, first))
        return self._rng.choice(rows)


def play(
    rules: Rules,
    seats: int,
    dice: Dice,
    players: Sequence[Player],
    watch: Callable[[Game], None] | None = None,
) -> tuple[Game, list[TurnTaken]]:
    """Play a game to its end.

    Args:
        rules: the rules.
        seats: seats at the table.
        dice: the numbers.
        players: by seat.
        watch: called before every decision and at the end, if given.

    Returns:
        The game, over, and its turns in order.
    """
    game = new_game(rules, seats, 0, dice)
    look = watch or (lambda _: None)
    most_rolls = rules.ruleset.rolls
    turns: list[TurnTaken] = []
    while not game.over:
        turn = TurnTaken(game.seat, game.round)
        turns.append(turn)
        player = players[game.seat]
        expected = tuple(sorted(rolled(dice.number(game.round, game.seat, 0), 5)))
        while True:
            look(game)
            assert (game.seat, game.round) == (turn.seat, turn.round)
            assert ROLLS[game.roll_id] == expected
            assert game.roll == len(turn.rolls) + 1 <= most_rolls
            assert not game.asks_row
            turn.rolls.append(expected)
            if fault := player.fault():
                turn.end = fault
                break
            keep = player.keep(game.roll_id)
            kept = KEEPS[keep]
            turn.keeps.append(kept)
            rolls_on = kept != expected and len(turn.rolls) < most_rolls
            if rolls_on:
                number = dice.number(game.round, game.seat, len(turn.rolls))
                expected = tuple(sorted(kept + rolled(number, 5 - len(kept))))
            game.hold(keep)
            if not rolls_on:
                break
            if len(turn.rolls) + 1 == most_rolls:  # the last roll: nothing is kept of it
                turn.rolls.append(expected)
                break
        if turn.end is not End.FINISHED:
            game.fault(turn.end)
        elif isinstance(rules, CardRules):
            look(game)
            assert game.asks_row
            assert (game.seat, game.round, game.roll) == (turn.seat, turn.round, len(turn.rolls))
            assert ROLLS[game.roll_id] == turn.dice
            if fault := player.fault():
                turn.end = fault
                game.fault(fault)
            else:
                row = player.row(game)
                turn.row = rules.names[row]
                game.choose(row)
    look(game)
    return game, turns
