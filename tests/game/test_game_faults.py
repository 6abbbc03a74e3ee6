"""Seats that are out: what becomes of their cards and of the others, moment by moment."""

import pytest
from compiled_rules import card_rules, hand_rules
from random_play import keep_of, number_of, scripted, take_turn
from scoring_twin import CARD_GAMES, PAYS, TURNS, UPPER

from arena.game.new import new_game
from arena.game.table import winners
from arena.records import FAULT_KINDS, End

SCHOOL_TURNS = ["66666 sixes", "55555 fives", "44444 fours", "33333 threes", "22222 twos"]


def ones(round_: int) -> list[list[list[int]]]:
    """Return numbers by which everybody rolls ones only."""
    return [[[0, 0, 0]] * 6]


@pytest.mark.parametrize("ruleset", CARD_GAMES)
@pytest.mark.parametrize("kind", FAULT_KINDS)
def test_a_bot_that_never_made_a_legal_move_has_0(ruleset: str, kind: End) -> None:
    rules = card_rules(ruleset)
    game = new_game(rules, 2, 0, ones)
    game.fault(kind)
    assert game.ends == [kind, End.FINISHED]
    assert game.public[0].points == (0,) * len(PAYS[ruleset])
    while not game.over:
        assert game.seat == 1
        take_turn(game, rules)
    assert game.totals()[0] == 0
    assert winners(game.totals(), game.ends) == 0b10


def test_a_showdown_bot_that_never_made_a_legal_move_has_0() -> None:
    rules = hand_rules()
    game = new_game(rules, 3, 0, ones)
    game.fault(End.START)
    while not game.over:
        take_turn(game, rules)
    assert game.totals()[0] == 0
    assert winners(game.totals(), game.ends) & 1 == 0


@pytest.mark.parametrize("ruleset", CARD_GAMES)
@pytest.mark.parametrize("seats", [1, 2, 3, 6])
def test_if_all_are_out_nobody_wins_and_the_game_is_over(ruleset: str, seats: int) -> None:
    game = new_game(card_rules(ruleset), seats, 0, ones)
    for seat in range(seats):
        assert not game.over
        assert game.seat == seat
        game.fault(End.EXCEPTION)
    assert game.over
    assert game.totals() == [0] * seats
    assert winners(game.totals(), game.ends) == 0


def test_zeros_of_a_closed_card_earn_no_50_in_the_school() -> None:
    rules = card_rules("school")
    game = scripted(rules, 1, SCHOOL_TURNS)
    game.fault(End.ILLEGAL_HOLD)
    assert game.over
    assert game.totals() == [12 + 10 + 8 + 6 + 4]
    assert game.public[0].points == (0, 4, 6, 8, 10, 12, *[0] * 9)


def test_a_bonus_earned_before_stays() -> None:
    game = scripted(card_rules("school"), 1, [*SCHOOL_TURNS, "11111 ones"])
    game.fault(End.TIMEOUT)
    assert game.totals() == [42 + 50]


def test_zeros_of_a_closed_card_earn_no_50_in_two_stage() -> None:
    rules = card_rules("two-stage")
    game = new_game(rules, 2, 0, ones)
    game.fault(End.EXCEPTION)
    take_turn(game, rules)
    take_turn(game, rules)
    assert game.over
    assert game.totals() == [0, 2 + 50 + 4]  # five ones in ones, then as a pair on the first roll


def test_a_fault_in_the_middle_of_a_turn_leaves_the_dice_unwritten() -> None:
    rules = card_rules("yatzy")
    game = scripted(rules, 2, ["66666 sixes", "55555 fives"])
    game.hold(keep_of(""))
    assert (game.seat, game.round, game.roll) == (0, 2, 2)
    game.fault(End.EXCEPTION)
    assert (game.seat, game.round, game.roll) == (1, 2, 1)
    assert [card.total for card in game.public] == [30, 25]
    assert game.public[0].points[rules.row_ids["sixes"]] == 30


def test_a_fault_when_the_row_is_asked_for_leaves_the_dice_unwritten() -> None:
    game = new_game(card_rules("yatzy"), 2, 0, lambda _: [[[number_of("66666")] * 3] * 2])
    game.hold(keep_of("66666"))
    assert game.asks_row
    game.fault(End.ILLEGAL_ROW)
    assert (game.seat, game.asks_row) == (1, False)
    assert game.totals() == [0, 0]
    assert game.ends == [End.ILLEGAL_ROW, End.FINISHED]


@pytest.mark.parametrize("out", [0, 1, 2])
def test_the_others_play_on_in_seat_order_to_the_last_round(out: int) -> None:
    rules = card_rules("thirteen")
    game = new_game(rules, 3, 0, ones)
    order = []
    while not game.over:
        order.append((game.round, game.seat))
        if (game.round, game.seat) == (5, out):
            game.fault(End.CRASH)
        else:
            take_turn(game, rules)
    assert order == [(round_, seat) for round_ in range(1, 14) for seat in range(3) if seat != out or round_ <= 5]
    assert game.ends == [End.CRASH if seat == out else End.FINISHED for seat in range(3)]


def test_the_last_seat_out_in_the_last_round_ends_the_game() -> None:
    rules = card_rules("two-stage")
    game = new_game(rules, 2, 0, ones)
    for _ in range(3):
        take_turn(game, rules)
    assert (game.round, game.seat) == (2, 1)
    game.fault(End.MEMORY)
    assert game.over
    assert winners(game.totals(), game.ends) == 0b01


def test_a_seat_out_with_more_points_loses_to_one_that_finishes_with_fewer() -> None:
    rules = card_rules("two-stage")
    game = scripted(rules, 2, ["66666 sixes", "12345 sixes"])
    game.fault(End.EXCEPTION)
    game.hold(keep_of("11111"))
    game.choose(rules.row_ids["large_straight"])
    assert game.over
    assert game.totals() == [62, -18]
    assert winners(game.totals(), game.ends) == 0b10


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_a_closed_card_is_seen_by_the_others_at_once(ruleset: str) -> None:
    rules = card_rules(ruleset)
    game = new_game(rules, 2, 0, ones)
    take_turn(game, rules)
    take_turn(game, rules)
    before = game.public[0]
    game.fault(End.PROTOCOL)
    closed = game.public[0]
    assert None not in closed.points
    assert rules.open_mask(closed.filled) == 0
    assert closed.total == before.total
    assert TURNS[ruleset] >= 2
    assert all(points == 0 for points, old in zip(closed.points, before.points, strict=True) if old is None)


def test_upper_rows_that_pay_less_than_0_stay_as_they_were() -> None:
    game = scripted(card_rules("school"), 1, ["12345 sixes"])
    game.fault(End.EXCEPTION)
    assert game.totals() == [-18]
    assert game.public[0].points[len(UPPER) - 1] == -18
