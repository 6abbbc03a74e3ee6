"""The dice at a seat depend on the seat, the round and the roll, and on nothing that anybody did."""

from collections.abc import Callable
from random import Random

import pytest
from compiled_rules import ALL_IDS, card_rules, hand_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from random_play import Player, play, rolled

from arena.dice.lattice import KEEPS, ROLLS, lattice
from arena.dice.stream import DiceStream
from arena.game.new import Rules, new_game
from arena.game.table import Game
from arena.records import End

SEEDS = st.integers(0, 2**32)


def rules_for(ruleset: str) -> Rules:
    return hand_rules(stack=1000) if ruleset == "showdown" else card_rules(ruleset)


class StreamDice:
    """The numbers of one dice set of a stream, as a block gives them to its games, and one at a time.

    Args:
        seed: of the stream.
        seats: seats at the table.
        dice_set: which.
    """

    def __init__(self, seed: int, seats: int, dice_set: int = 0) -> None:
        self._stream = DiceStream(seed, "ab" * 32, [f"bot{n}" for n in range(seats)], rolls=3)
        self._dice_set = dice_set
        self._rounds: dict[int, list[list[list[int]]]] = {}

    def __call__(self, round_: int) -> list[list[list[int]]]:
        if round_ not in self._rounds:
            self._rounds[round_] = self._stream.throws(round_, self._dice_set, self._dice_set + 1).tolist()
        return self._rounds[round_]

    def number(self, round_: int, seat: int, roll: int) -> int:
        return self(round_)[0][seat][roll]


class Stubborn(Player):
    """Never rolls again."""

    def keep(self, roll_id: int) -> int:
        return lattice().first_roll_keep + roll_id


class Restless(Player):
    """Rolls everything again, as often as it may."""

    def keep(self, roll_id: int) -> int:
        return lattice().sub_keeps[roll_id][0]


@pytest.mark.parametrize("ruleset", ALL_IDS)
@settings(max_examples=10)
@given(seed=SEEDS)
def test_a_seat_has_the_same_first_rolls_whatever_anybody_does(ruleset: str, seed: int) -> None:
    rules = rules_for(ruleset)
    by_style = []
    for styles in ((Player, Player), (Stubborn, Restless), (Restless, Stubborn), (Restless, Player)):
        players = [style(rules, Random(f"{seed} {styles} {seat}")) for seat, style in enumerate(styles)]
        _, turns = play(rules, 2, StreamDice(seed, 2), players)
        by_style.append({(turn.round, turn.seat): turn.rolls[0] for turn in turns})
    assert len(by_style[0]) >= 4
    assert all(rolls == by_style[0] for rolls in by_style)
    firsts = [[roll for (_, seat), roll in by_style[0].items() if seat == mine] for mine in (0, 1)]
    assert firsts[0] != firsts[1]


@pytest.mark.parametrize("ruleset", ALL_IDS)
@settings(max_examples=10)
@given(seed=SEEDS, quits=st.integers(1, 2))
def test_a_seat_has_the_same_dice_whether_or_not_another_is_out(ruleset: str, seed: int, quits: int) -> None:
    rules = rules_for(ruleset)
    dice = StreamDice(seed, 3)

    def seat_2_of(faulty: bool) -> list[tuple[int, list[tuple[int, ...]]]]:
        game = new_game(rules, 3, 0, dice)
        rolls: dict[int, list[tuple[int, ...]]] = {}
        while not game.over:
            if faulty and game.seat == 1 and game.round == quits:
                game.fault(End.EXCEPTION)
                continue
            if game.seat == 2:
                rolls.setdefault(game.round, []).append(ROLLS[game.roll_id])
            if game.asks_row:
                game.choose(rules.row_ids[rules.open_rows(game.public[game.seat], game.roll_id)[0]])  # type: ignore[union-attr]
            else:
                game.hold(lattice().sub_keeps[game.roll_id][game.roll_id % 3])
        return sorted(rolls.items())

    assert seat_2_of(True) == seat_2_of(False)


@pytest.mark.parametrize("keep_first", [0, 1, 2, 3, 4])
@settings(max_examples=40)
@given(numbers=st.lists(st.integers(0, 7775), min_size=3, max_size=3), pick=st.integers(0, 2**16))
def test_a_reroll_of_k_dice_takes_the_first_k_digits_of_the_rolls_own_number(
    keep_first: int, numbers: list[int], pick: int
) -> None:
    """Whatever was kept before: the second roll reads the second number, the third the third."""
    game = new_game(card_rules("thirteen"), 1, 0, lambda _: [[numbers]])
    assert ROLLS[game.roll_id] == tuple(sorted(rolled(numbers[0], 5)))
    for roll, size in ((1, keep_first), (2, (keep_first + pick) % 5)):
        keeps = [keep for keep in lattice().sub_keeps[game.roll_id] if len(KEEPS[keep]) == size]
        keep = keeps[pick % len(keeps)]
        game.hold(keep)
        assert ROLLS[game.roll_id] == tuple(sorted(KEEPS[keep] + rolled(numbers[roll], 5 - size)))


def test_the_second_roll_is_the_same_roll_however_many_dice_were_kept_after_the_first() -> None:
    numbers = [0, 1 + 6 * 2 + 36 * 3 + 216 * 4 + 1296 * 5, 0]  # ones, then 2 3 4 5 6 in this order
    shown = []
    for kept in range(5):
        game = new_game(card_rules("thirteen"), 1, 0, lambda _: [[numbers]])
        game.hold(lattice().keep_ids[(1,) * kept])
        shown.append(ROLLS[game.roll_id])
    assert shown == [(2, 3, 4, 5, 6), (1, 2, 3, 4, 5), (1, 1, 2, 3, 4), (1, 1, 1, 2, 3), (1, 1, 1, 1, 2)]


def play_out(game: Game, keep: Callable[[Game], int], rules: Rules) -> list[tuple[int, int, int, int]]:
    seen = []
    while not game.over:
        seen.append((game.round, game.seat, game.roll, game.roll_id))
        if game.asks_row:
            game.choose(rules.row_ids[rules.open_rows(game.public[game.seat], game.roll_id)[0]])  # type: ignore[union-attr]
        else:
            game.hold(keep(game))
    return seen


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_table_reads_its_own_numbers_only(ruleset: str) -> None:
    """Game by game out of a common block, or each out of a block of its own."""
    rules = rules_for(ruleset)
    stream = DiceStream(7, "cd" * 32, ["ann", "bob"], rolls=3)

    def keep(game: Game) -> int:
        return lattice().sub_keeps[game.roll_id][game.roll_id % 4]

    for table in range(4):
        together = new_game(rules, 2, table, lambda round_: stream.throws(round_, 10, 14).tolist())
        alone = new_game(rules, 2, 0, lambda round_, n=table: stream.throws(round_, 10 + n, 11 + n).tolist())
        assert play_out(together, keep, rules) == play_out(alone, keep, rules)


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_game_repeats_itself(ruleset: str) -> None:
    rules = rules_for(ruleset)
    results = []
    for _ in range(2):
        players = [Player(rules, Random(seat), faulty=0.01) for seat in range(4)]
        game, turns = play(rules, 4, StreamDice(3, 4), players)
        results.append((turns, game.totals(), game.ends, game.public))
    assert results[0] == results[1]
