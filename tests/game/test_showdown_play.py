"""Whole showdown games of random holds, faults among them, against chips counted again by hand."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
import showdown_twin
from compiled_rules import hand_rules, ruleset_of
from hypothesis import given, settings
from hypothesis import strategies as st
from random_play import Player, RiggedDice, TurnTaken, keep_of, number_of, play, scripted, stand

from arena.dice.lattice import ROLLS
from arena.game.new import new_game
from arena.game.showdown_game import Felt
from arena.game.table import Game, winners
from arena.records import End
from arena.rules.settlement import settle

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"tie_break": "kickers", "rolls": 2},
    {"tie_break": "high_die", "straight_above_three": False, "rounds": 6},
    {"stack": 3, "rounds": None},
    {"stack": 4, "rounds": None, "ends": "last_standing"},
    {"stack": 7, "ante": 2, "rounds": 30, "ends": "last_standing", "tie_break": "high_die"},
    {"stack": 20, "ante": 6, "rounds": None},
    {"stack": 9, "ante": 3, "rounds": None, "ends": "last_standing", "tie_break": "high_die"},
    {"stack": 1},
    {"stack": 1, "ends": "last_standing"},
    {"stack": 2, "ante": 3},
    {"ante": 0},
    {"ante": 0, "rounds": 4, "ends": "last_standing", "faces": "cards"},
]
NAMES = ["+".join(f"{name}={value}" for name, value in options.items()) or "plain" for options in OPTION_SETS]
SEEDS = st.integers(0, 2**32)
SEATS = st.integers(2, 6)


class Banker:
    """Keeps chips and pot by the rules' sentences alone.

    Args:
        options: those that differ from the default.
        seats: seats at the table.
    """

    def __init__(self, options: dict[str, Any], seats: int) -> None:
        self.seats = seats
        self.ante = options.get("ante", 1)
        self.rounds = options.get("rounds", 10)
        self.first_out = options.get("ends", "first_out") == "first_out"
        self.tie_break = options.get("tie_break", "face")
        self.above = options.get("straight_above_three", True)
        self.chips = [options.get("stack", 20) if self.ante else 0] * seats
        self.pot = 0
        self.out: set[int] = set()
        self.round = 0
        self.starter: int | None = None
        self.paid_out = 0

    def next_round(self) -> list[int]:
        """Take the antes of the next round; return the seats in the order of their turns, none if all is over."""
        present = [seat for seat in range(self.seats) if seat not in self.out]
        paying = [seat for seat in present if self.chips[seat] >= self.ante]
        somebody_cannot_pay = len(paying) < len(present)
        if len(paying) < 2 or self.round == self.rounds or (self.first_out and somebody_cannot_pay):
            return []
        self.round += 1
        seat = 0 if self.starter is None else (self.starter + 1) % self.seats
        while seat not in paying:
            seat = (seat + 1) % self.seats
        self.starter = seat
        for payer in paying:
            self.chips[payer] -= self.ante
            self.pot += self.ante
        if self.ante == 0:
            self.pot = 60
        around = [(self.starter + n) % self.seats for n in range(self.seats)]
        return [seat for seat in around if seat in paying]

    def show_down(self, hands: dict[int, tuple[int, ...]]) -> None:
        """Give the pot to the best of the hands."""

        def beaten(mine: tuple[int, ...]) -> bool:
            compared = [
                showdown_twin.compare(mine, other, tie_break=self.tie_break, straight_above_three=self.above)
                for other in hands.values()
            ]
            return min(compared) < 0

        best = [seat for seat, hand in hands.items() if not beaten(hand)]
        if best:
            for seat in best:
                self.chips[seat] += self.pot // len(best)
                self.paid_out += self.pot // len(best)
            self.pot %= len(best)
        if self.ante == 0:
            self.pot = 0


def check_game(options: dict[str, Any], game: Game, turns: list[TurnTaken], seats: int) -> Banker:
    banker = Banker(options, seats)
    waiting = list(turns)
    while order := banker.next_round():
        hands: dict[int, tuple[int, ...]] = {}
        for seat in order:
            turn = waiting.pop(0)
            assert (turn.round, turn.seat) == (banker.round, seat)
            if turn.end is End.FINISHED:
                hands[seat] = turn.dice
            else:
                banker.out.add(seat)
        banker.show_down(hands)
    assert waiting == []
    assert game.over
    felt: Felt = game.public
    assert list(felt.chips) == banker.chips
    assert felt.pot == banker.pot
    totals = [0 if seat in banker.out else held for seat, held in enumerate(banker.chips)]
    assert game.totals() == totals
    out = {turn.seat: turn.end for turn in turns if turn.end is not End.FINISHED}
    assert game.ends == [out.get(seat, End.FINISHED) for seat in range(seats)]
    finished = [seat for seat in range(seats) if seat not in out]
    best = max((totals[seat] for seat in finished), default=None)
    assert winners(game.totals(), game.ends) == sum(2**seat for seat in finished if totals[seat] == best)
    return banker


class Watcher:
    """Looks at the felt before every decision.

    Args:
        options: of the game.
        seats: seats at the table.
    """

    def __init__(self, options: dict[str, Any], seats: int) -> None:
        self._all = options.get("stack", 20) * seats if options.get("ante", 1) else None
        self.rounds: Counter[int] = Counter()

    def __call__(self, game: Game) -> None:
        felt: Felt = game.public
        assert min(felt.chips) >= 0
        assert felt.pot >= 0
        if self._all is not None:
            assert sum(felt.chips) + felt.pot == self._all
        elif not game.over:
            assert felt.pot == 60
        if not game.over:
            assert not game.asks_row
            assert felt.hands[game.seat] is None
            self.rounds[game.round] += 1


@pytest.mark.parametrize("options", OPTION_SETS, ids=NAMES)
@settings(max_examples=15)
@given(seed=SEEDS, seats=SEATS)
def test_a_game_of_random_holds(options: dict[str, Any], seed: int, seats: int) -> None:
    rules = hand_rules(**options)
    dice = RiggedDice(seed, seats, rules.ruleset.rolls, alike=0.05)
    watcher = Watcher(options, seats)
    players = [Player(rules, Random(f"{seed} {seat}")) for seat in range(seats)]
    game, turns = play(rules, seats, dice, players, watcher)
    banker = check_game(options, game, turns, seats)
    assert game.ends == [End.FINISHED] * seats
    assert len(watcher.rounds) == banker.round
    if banker.ante:
        assert sum(game.totals()) + banker.pot == options.get("stack", 20) * seats
    else:
        assert sum(game.totals()) == 60 * banker.round == banker.paid_out
        assert banker.round == banker.rounds


@pytest.mark.parametrize("options", OPTION_SETS, ids=NAMES)
@settings(max_examples=20)
@given(seed=SEEDS, seats=SEATS, faulty=st.sampled_from([0.01, 0.05, 0.3]))
def test_a_game_with_faults_at_random_moments(options: dict[str, Any], seed: int, seats: int, faulty: float) -> None:
    rules = hand_rules(**options)
    rng = Random(seed)
    dice = RiggedDice(seed, seats, rules.ruleset.rolls, alike=0.05)
    risk = [faulty if rng.random() < 0.6 else 0.0 for _ in range(seats)]
    players = [Player(rules, Random(f"{seed} {seat}"), faulty=risk[seat]) for seat in range(seats)]
    game, turns = play(rules, seats, dice, players, Watcher(options, seats))
    banker = check_game(options, game, turns, seats)
    if banker.ante:
        out_of_play = sum(banker.chips[seat] for seat in banker.out)
        assert sum(game.totals()) + out_of_play + banker.pot == options.get("stack", 20) * seats


HIGH, LOW, PAIR = "66666", "12346", "11234"


def plain_throws(round_: int) -> list[list[list[int]]]:
    """Return numbers by which seat 0 rolls ones, the next twos, and so on, in every roll."""
    return [[[number_of(str(seat + 1) * 5)] * 3 for seat in range(6)]]


def test_every_seat_antes_and_the_best_hand_takes_the_pot() -> None:
    game = scripted(hand_rules(), 3, [LOW, HIGH])
    assert game.public == Felt((ROLLS.index((1, 2, 3, 4, 6)), 251, None), (19, 19, 19), 3)
    stand(game)
    assert game.round == 2
    assert game.public == Felt((None, None, None), (18, 21, 18), 3)


def test_only_hold_is_asked_and_up_to_three_rolls() -> None:
    game = scripted(hand_rules(), 2, [f"{LOW} {LOW} {HIGH}", LOW])
    assert game.public.chips == (20, 18)
    with pytest.raises(AssertionError, match="showdown asks for no row"):
        game.choose(0)


def test_ties_share_the_pot() -> None:
    game = scripted(hand_rules(), 2, [HIGH, HIGH])
    assert game.public == Felt((None, None), (19, 19), 2)


def test_chips_that_do_not_divide_stay_in_the_next_pot() -> None:
    game = scripted(hand_rules(), 3, [HIGH, HIGH, LOW])
    assert game.public == Felt((None, None, None), (19, 19, 18), 1 + 3)
    game = scripted(hand_rules(), 3, [HIGH, HIGH, LOW, LOW, LOW, HIGH])  # seat 0, last to roll, takes all four
    assert game.public == Felt((None, None, None), (19 + 4 - 1, 18, 17), 3)


def test_chips_left_in_the_pot_at_the_very_end_are_shared_by_nobody() -> None:
    game = scripted(hand_rules(rounds=1), 3, [HIGH, HIGH, LOW])
    assert game.over
    assert game.totals() == [20, 20, 19]
    assert game.public.pot == 1


def test_the_game_ends_after_its_rounds() -> None:
    game = scripted(hand_rules(rounds=2), 2, [HIGH, LOW, LOW, HIGH])
    assert game.over
    assert game.totals() == [22, 18]
    assert winners(game.totals(), game.ends) == 0b01


def test_the_game_ends_when_somebody_cannot_pay_the_ante() -> None:
    game = scripted(hand_rules(stack=2, rounds=None), 3, [HIGH, LOW, LOW, LOW, LOW, HIGH])
    assert game.over
    assert game.totals() == [6, 0, 0]


def test_the_rest_of_a_stack_below_the_ante_stays_with_its_seat() -> None:
    game = scripted(hand_rules(stack=5, ante=3, rounds=None), 2, [HIGH, LOW])
    assert game.over
    assert game.totals() == [8, 2]


def test_a_stack_below_the_ante_ends_the_game_before_it_begins() -> None:
    game = new_game(hand_rules(stack=2, ante=3), 3, 0, plain_throws)
    assert game.over
    assert game.totals() == [2, 2, 2]
    assert winners(game.totals(), game.ends) == 0b111


def test_the_seat_that_starts_moves_on_by_one_each_round() -> None:
    game = new_game(hand_rules(), 4, 0, plain_throws)
    order = []
    while not game.over:
        order.append((game.round, game.seat))
        stand(game)
    assert order == [(round_, (round_ - 1 + place) % 4) for round_ in range(1, 11) for place in range(4)]


def test_last_standing_plays_on_without_those_who_cannot_pay_the_start_passing_over_them() -> None:
    """Seat 3 has the best hand of four; one after the other is broke."""
    game = new_game(hand_rules(stack=3, rounds=6, ends="last_standing"), 4, 0, plain_throws)
    order = []
    while not game.over:
        order.append((game.round, game.seat))
        if game.round == 1 and game.seat == 0:
            game.hold(keep_of(""))
            game.hold(keep_of(""))
        else:
            stand(game)
    assert order[:12] == [(round_, (round_ - 1 + place) % 4) for round_ in (1, 2, 3) for place in range(4)]
    assert len(order) == 12  # then only seat 3 has chips
    assert game.totals() == [0, 0, 0, 12]


def test_last_standing_goes_on_between_the_others_when_one_is_broke() -> None:
    """Seat 1 loses its only two chips; seats 0, 2 and 3 tie for ever and share what is left."""
    hands = {0: HIGH, 1: LOW, 2: HIGH, 3: HIGH}
    rules = hand_rules(stack=2, rounds=5, ends="last_standing")
    game = new_game(rules, 4, 0, lambda _: [[[number_of(hands[seat])] * 3 for seat in range(4)]])
    order: dict[int, list[int]] = {}
    pots = {}
    while not game.over:
        order.setdefault(game.round, []).append(game.seat)
        pots.setdefault(game.round, game.public.pot)
        stand(game)
    assert order == {1: [0, 1, 2, 3], 2: [1, 2, 3, 0], 3: [2, 3, 0], 4: [3, 0, 2], 5: [0, 2, 3]}
    assert pots == {1: 4, 2: 5, 3: 5, 4: 5, 5: 5}
    assert game.totals() == [2, 0, 2, 2]
    assert game.public.pot == 2


def test_without_an_ante_rounds_won_count_in_sixtieths() -> None:
    game = scripted(hand_rules(ante=0, rounds=3), 3, [HIGH, LOW, LOW, HIGH, HIGH, LOW, LOW, LOW, LOW])
    assert game.over
    assert game.totals() == [60 + 0 + 20, 0 + 30 + 20, 0 + 30 + 20]
    assert game.public.pot == 0


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_any_number_of_winners_divides_a_round(seats: int) -> None:
    game = scripted(hand_rules(ante=0, rounds=1), seats, [HIGH] * seats)
    assert game.totals() == [60 // seats] * seats
    assert sum(game.totals()) == 60


def test_with_two_rolls_one_throw_may_follow() -> None:
    game = scripted(hand_rules(rolls=2, rounds=1), 2, [f"{LOW} {HIGH}", LOW])
    assert game.totals() == [21, 19]


def test_the_hands_are_in_sight_of_all_and_none_before_they_are_rolled() -> None:
    game = scripted(hand_rules(), 3, [PAIR, HIGH])
    shown = [None if hand is None else "".join(map(str, ROLLS[hand])) for hand in game.public.hands]
    assert shown == [PAIR, HIGH, None]


def test_a_seat_that_is_out_leaves_the_table_its_chips_out_of_play() -> None:
    game = new_game(hand_rules(rounds=2), 3, 0, plain_throws)
    stand(game)
    game.fault(End.EXCEPTION)
    stand(game)
    assert game.round == 2
    assert game.seat == 2  # the start would be seat 1's
    assert game.public == Felt((None, None, None), (18, 19, 21), 2, out=0b010)
    stand(game)
    stand(game)
    assert game.over
    assert game.totals() == [18, 0, 23]
    assert game.public.chips == (18, 19, 23)
    assert sum(game.totals()) + 19 + game.public.pot == 60


def test_with_two_seats_the_one_left_takes_the_round_and_the_game_is_over() -> None:
    game = new_game(hand_rules(), 2, 0, plain_throws)
    game.fault(End.TIMEOUT)
    assert not game.over
    assert game.seat == 1
    stand(game)
    assert game.over
    assert game.totals() == [0, 21]
    assert game.ends == [End.TIMEOUT, End.FINISHED]
    assert winners(game.totals(), game.ends) == 0b10
    totals, won = np.array([game.totals()], dtype=np.int32), np.array([0b10], dtype=np.uint8)
    assert settle(ruleset_of("showdown"), totals, won).tolist() == [[-20, 1]]


def test_if_all_are_out_in_one_round_its_pot_is_nobodys() -> None:
    game = new_game(hand_rules(), 3, 0, plain_throws)
    for end in (End.CRASH, End.MEMORY, End.PROTOCOL):
        game.fault(end)
    assert game.over
    assert game.totals() == [0, 0, 0]
    assert game.public == Felt((None, None, None), (19, 19, 19), 3, out=0b111)
    assert winners(game.totals(), game.ends) == 0


def test_a_seat_out_by_a_fault_is_not_somebody_who_cannot_pay() -> None:
    """By first_out the game goes on between the two who are left."""
    game = new_game(hand_rules(stack=1, rounds=None), 3, 0, plain_throws)
    game.fault(End.EXCEPTION)
    stand(game)
    stand(game)
    assert game.over  # seat 1 paid its only chip and lost it
    assert game.totals() == [0, 0, 3]
    game = new_game(hand_rules(stack=2, rounds=2), 3, 0, plain_throws)
    game.fault(End.EXCEPTION)
    stand(game)
    stand(game)
    assert not game.over


def test_the_random_games_show_what_they_are_meant_to() -> None:
    """Ties that leave chips in the pot, seats passed over, faults, and games that end by chips."""
    seen: Counter[str] = Counter()
    options = {"stack": 4, "rounds": 40, "ends": "last_standing", "tie_break": "high_die"}
    rules = hand_rules(**options)
    for seed in range(40):
        players = [Player(rules, Random(f"{seed} {seat}"), faulty=0.01) for seat in range(5)]
        pots: list[int] = []
        dice = RiggedDice(seed, 5, 3, alike=0.05)
        game, turns = play(rules, 5, dice, players, lambda game, pots=pots: pots.append(game.public.pot))
        seen["chips left in the next pot"] += max(pots) > 5
        seen["fault"] += any(end is not End.FINISHED for end in game.ends)
        seen["passed over"] += any(
            held == 0 and end is End.FINISHED for held, end in zip(game.public.chips, game.ends, strict=True)
        )
        seen["ended by chips"] += max(turn.round for turn in turns) < 40
        seen["ended by rounds"] += max(turn.round for turn in turns) == 40
    assert {what: count for what, count in seen.items() if count < 3} == {}
