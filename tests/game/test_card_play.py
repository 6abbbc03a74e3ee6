"""Whole card games of random legal moves, faults among them, against the readable twin of the rules."""

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import scoring_twin
from compiled_rules import card_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cards import NAMES, OPTION_SETS
from random_play import Player, RiggedDice, TurnTaken, keep_of, number_of, play, scripted
from scoring_twin import CARD_GAMES, PAYS, TURNS, UPPER

from arena.game.new import new_game
from arena.game.table import Game, winners
from arena.records import End

SEEDS = st.integers(0, 2**32)
SEATS = st.integers(1, 6)
ROLLS_TWO = [("two-stage", {"rolls": 2}), ("yahtzee", {"rolls": 2}), ("school", {"rolls": 2})]


class Scorer:
    """Keeps every seat's score by the twin's rules alone.

    Args:
        ruleset: the card game.
        options: those that differ from the default.
        seats: seats at the table.
    """

    def __init__(self, ruleset: str, options: dict[str, Any], seats: int) -> None:
        self.ruleset, self.options = ruleset, options
        self.held: list[dict[str, int]] = [{} for _ in range(seats)]
        self.extra = [0] * seats

    def take(self, turn: TurnTaken) -> None:
        """Score one turn, after checking that it was legal."""
        held, rules = self.held[turn.seat], (self.ruleset, self.options)
        assert turn.row is not None
        assert turn.row in scoring_twin.legal_rows(rules[0], held, turn.dice, rules[1])
        extra = scoring_twin.five_pays(rules[0], held, turn.dice, rules[1])
        points = scoring_twin.turn_pays(
            rules[0], held, turn.row, turn.dice, first_roll=turn.first_roll, options=rules[1]
        )
        self.extra[turn.seat] += extra
        held[turn.row] = points

    def total(self, seat: int) -> int:
        bonus = scoring_twin.section_bonus(self.ruleset, self.held[seat], self.options)
        return sum(self.held[seat].values()) + bonus + self.extra[seat]


def expected_order(turns: list[TurnTaken], seats: int, rounds: int) -> list[tuple[int, int]]:
    """Return the (round, seat) of every turn: all seats in order each round, without those who are out."""
    out_at = {turn.seat: turn.round for turn in turns if turn.end is not End.FINISHED}
    return [
        (round_, seat)
        for round_ in range(1, rounds + 1)
        for seat in range(seats)
        if round_ <= out_at.get(seat, rounds)
    ]


def check_game(ruleset: str, options: dict[str, Any], game: Game, turns: list[TurnTaken], seats: int) -> None:
    rules = card_rules(ruleset, **options)
    assert [(turn.round, turn.seat) for turn in turns] == expected_order(turns, seats, TURNS[ruleset])
    scorer = Scorer(ruleset, options, seats)
    for turn in turns:
        if turn.end is End.FINISHED:
            scorer.take(turn)
    totals = [scorer.total(seat) for seat in range(seats)]
    assert game.totals() == totals
    assert game.over
    out = {turn.seat: turn.end for turn in turns if turn.end is not End.FINISHED}
    assert game.ends == [out.get(seat, End.FINISHED) for seat in range(seats)]
    for seat, card in enumerate(game.public):
        filled = dict(zip(rules.names, card.points, strict=True))
        assert {name: filled[name] for name in scorer.held[seat]} == scorer.held[seat]
        if seat in out:
            assert all(points == 0 for name, points in filled.items() if name not in scorer.held[seat])
        else:
            assert len(scorer.held[seat]) == TURNS[ruleset]
            assert (None in filled.values()) == (ruleset == "two-stage")  # 2 of 14 rows
        assert card.total == sum(points or 0 for points in card.points) + card.bonus + card.extra == totals[seat]
    finished = [seat for seat in range(seats) if seat not in out]
    best = max((totals[seat] for seat in finished), default=None)
    won = [seat for seat in finished if totals[seat] == best]
    assert winners(game.totals(), game.ends) == sum(2**seat for seat in won)
    if not finished:
        assert winners(game.totals(), game.ends) == 0


@pytest.mark.parametrize(
    ("ruleset", "options"), OPTION_SETS + ROLLS_TWO, ids=[*NAMES, *(f"{name}+rolls=2" for name, _ in ROLLS_TWO)]
)
@settings(max_examples=12)
@given(seed=SEEDS, seats=SEATS)
def test_a_game_of_random_legal_moves(ruleset: str, options: dict[str, Any], seed: int, seats: int) -> None:
    rules = card_rules(ruleset, **options)
    dice = RiggedDice(seed, seats, rules.ruleset.rolls)
    players = [Player(rules, Random(f"{seed} {seat}")) for seat in range(seats)]
    game, turns = play(rules, seats, dice, players)
    assert game.ends == [End.FINISHED] * seats
    assert len(turns) == seats * TURNS[ruleset]
    check_game(ruleset, options, game, turns, seats)


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=20)
@given(seed=SEEDS, seats=SEATS, faulty=st.sampled_from([0.01, 0.05, 0.3]))
def test_a_game_with_faults_at_random_moments(
    ruleset: str, options: dict[str, Any], seed: int, seats: int, faulty: float
) -> None:
    rules = card_rules(ruleset, **options)
    rng = Random(seed)
    dice = RiggedDice(seed, seats, rules.ruleset.rolls)
    risk = [faulty if rng.random() < 0.6 else 0.0 for _ in range(seats)]
    players = [Player(rules, Random(f"{seed} {seat}"), faulty=risk[seat]) for seat in range(seats)]
    game, turns = play(rules, seats, dice, players)
    for seat in range(seats):
        if not risk[seat]:
            assert game.ends[seat] is End.FINISHED
    check_game(ruleset, options, game, turns, seats)


@pytest.mark.parametrize("ruleset", CARD_GAMES)
@settings(max_examples=8)
@given(seed=SEEDS, seats=st.integers(2, 6))
def test_a_turn_changes_only_the_card_of_its_seat(ruleset: str, seed: int, seats: int) -> None:
    rules = card_rules(ruleset)
    seen: list[tuple[int, int, Any]] = []
    players = [Player(rules, Random(f"{seed} {seat}"), faulty=0.02) for seat in range(seats)]
    play(
        rules,
        seats,
        RiggedDice(seed, seats, 3),
        players,
        lambda game: seen.append((game.seat, game.round, game.public)),
    )
    for (seat, round_, before), (next_seat, next_round, after) in pairwise(seen):
        assert all(before[other] is after[other] for other in range(seats) if other != seat)
        if (seat, round_) == (next_seat, next_round):
            assert before is after


@settings(max_examples=20)
@given(seed=SEEDS, seats=SEATS)
def test_two_stage_fills_one_row_of_each_stage(seed: int, seats: int) -> None:
    rules = card_rules("two-stage")
    players = [Player(rules, Random(f"{seed} {seat}")) for seat in range(seats)]
    game, turns = play(rules, seats, RiggedDice(seed, seats, 3), players)
    assert [turn.round for turn in turns] == [1] * seats + [2] * seats
    for card in game.public:
        filled = [name for name, points in zip(rules.names, card.points, strict=True) if points is not None]
        assert len(filled) == 2
        assert filled[0] in UPPER
        assert filled[1] not in UPPER
        assert -18 <= card.total <= 172


@settings(max_examples=20)
@given(seed=SEEDS)
def test_school_fills_the_six_before_the_nine(seed: int) -> None:
    rules = card_rules("school")
    game, turns = play(rules, 1, RiggedDice(seed, 1, 3), [Player(rules, Random(seed))])
    rows = [turn.row for turn in turns]
    assert set(rows[:6]) == set(UPPER)
    assert set(rows[6:]) == set(PAYS["school"]) - set(UPPER)
    assert -58 <= game.totals()[0] <= 510


def test_the_sheets_example_of_two_stage_is_a_game_of_three() -> None:
    game = scripted(
        card_rules("two-stage"),
        3,
        [
            "12346 55512 fives",
            "12346 12346 22134 twos",
            "66661 sixes",
            "66123 pair",
            "12346 23455 small_straight",
            "12346 12346 55512 three_of_a_kind",
        ],
    )
    assert game.over
    assert game.totals() == [74, 12, 71]
    assert winners(game.totals(), game.ends) == 0b001


def test_keeping_all_after_the_first_roll_is_the_first_roll_and_doubles() -> None:
    assert scripted(card_rules("two-stage"), 1, ["66612 sixes", "66123 pair"]).totals() == [50 + 24]


def test_keeping_all_after_a_later_roll_is_not_the_first_roll() -> None:
    rules = card_rules("two-stage")
    assert scripted(rules, 1, ["66612 sixes", "66123 66123 pair"]).totals() == [50 + 12]
    assert scripted(rules, 1, ["66612 sixes", "66123 66123 66123 pair"]).totals() == [50 + 12]


def test_with_two_rolls_keeping_all_after_the_first_is_still_the_first_roll() -> None:
    rules = card_rules("two-stage", rolls=2)
    assert scripted(rules, 1, ["66612 sixes", "66123 pair"]).totals() == [50 + 24]
    assert scripted(rules, 1, ["66612 sixes", "12346 66123 pair"]).totals() == [50 + 12]


def test_a_die_kept_once_may_be_rolled_later() -> None:
    rules = card_rules("thirteen")
    game = new_game(rules, 1, 0, lambda _: [[[number_of("66123"), number_of("55444"), number_of("22222")]]])
    game.hold(keep_of("66"))
    assert rules.rolls[game.roll_id] == (4, 5, 5, 6, 6)
    game.hold(keep_of("55"))
    assert rules.rolls[game.roll_id] == (2, 2, 2, 5, 5)
    assert game.asks_row


def test_none_of_the_dice_may_be_kept() -> None:
    rules = card_rules("thirteen")
    game = new_game(rules, 1, 0, lambda _: [[[0, number_of("66555"), number_of("12346")]]])
    game.hold(keep_of(""))
    assert rules.rolls[game.roll_id] == (5, 5, 5, 6, 6)
    game.hold(keep_of(""))
    assert rules.rolls[game.roll_id] == (1, 2, 3, 4, 6)


def test_keeping_all_ends_the_rolling() -> None:
    game = new_game(card_rules("thirteen"), 1, 0, lambda _: [[[number_of("66123"), 0, 0]]])
    assert not game.asks_row
    game.hold(keep_of("66123"))
    assert (game.asks_row, game.roll) == (True, 1)


def test_the_random_games_show_what_they_are_meant_to() -> None:
    """Jokers in every kind of row, hands kept on the first roll, and a fault after any number of rolls."""
    rules = card_rules("yahtzee")
    seen: Counter[str] = Counter()
    for seed in range(60):
        players = [Player(rules, Random(f"{seed} {seat}"), faulty=0.005) for seat in range(4)]
        game, turns = play(rules, 4, RiggedDice(seed, 4, 3), players)
        scorer = Scorer("yahtzee", {}, 4)
        for turn in turns:
            held = scorer.held[turn.seat]
            if turn.end is not End.FINISHED:
                seen[f"fault after roll {len(turn.rolls)}"] += 1
                continue
            seen["first roll"] += turn.first_roll
            if scoring_twin.joker_is_in_force("yahtzee", held, turn.dice, {}):
                own = UPPER[turn.dice[0] - 1] == turn.row
                seen["joker in its row" if own else f"joker {'above' if turn.row in UPPER else 'below'}"] += 1
            scorer.take(turn)
        seen["bonus"] += sum(card.bonus > 0 for card in game.public)
        seen["extra"] += sum(card.extra > 0 for card in game.public)
    wanted = [f"fault after roll {n}" for n in (1, 2, 3)] + [
        f"joker {how}" for how in ("in its row", "above", "below")
    ]
    assert {what: seen[what] for what in [*wanted, "first roll", "bonus", "extra"] if seen[what] < 5} == {}


def test_equal_totals_are_a_draw_and_with_three_seats_the_winners_share() -> None:
    fine = [End.FINISHED] * 3
    assert winners([10, 10], fine[:2]) == 0b11
    assert winners([10, 12, 12], fine) == 0b110
    assert winners([-18, -18, -18], fine) == 0b111
    assert winners([5], fine[:1]) == 1
    assert winners([-5], fine[:1]) == 1


def test_a_seat_that_is_out_loses_to_every_seat_that_finishes_whatever_the_points() -> None:
    assert winners([172, -18], [End.EXCEPTION, End.FINISHED]) == 0b10
    assert winners([100, 50, 50], [End.ILLEGAL_ROW, End.FINISHED, End.FINISHED]) == 0b110
    assert winners([0, 0], [End.START, End.TIMEOUT]) == 0
