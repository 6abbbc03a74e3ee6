"""RULES, classics: yahtzee with its jokers, yatzy; every sentence by name."""

import pytest
from compiled_rules import card_rules, pays, played, roll_of
from scoring_twin import CARD_GAMES, PAYS, UPPER

LOWER = tuple(row for row in PAYS["yahtzee"] if row not in UPPER)
FULL_PAY = {"full_house": 25, "small_straight": 30, "large_straight": 40}
HOLDS_50, HOLDS_0 = "five_of_a_kind 66666", "five_of_a_kind 12346"


def without(rows: tuple[str, ...], *filled: str) -> tuple[str, ...]:
    return tuple(row for row in rows if row not in filled)


def test_yahtzee_has_the_rows_and_pays_of_thirteen() -> None:
    assert card_rules("yahtzee").names == card_rules("thirteen").names
    assert card_rules("yahtzee").points == card_rules("thirteen").points


def test_yahtzee_upper_bonus_is_35_at_63_or_more() -> None:
    rules = card_rules("yahtzee")
    turns = [f"{row} {str(face) * 3}{'65' if face < 5 else '12'}" for face, row in enumerate(UPPER, start=1)]
    assert played(rules, *turns).total == 63 + 35
    assert played(rules, "ones 11234", *turns[1:]).total == 62


def test_yahtzee_a_further_five_of_a_kind_earns_100_wherever_it_is_written() -> None:
    rules = card_rules("yahtzee")
    assert played(rules, HOLDS_50, "fives 55555").extra == 100
    assert played(rules, HOLDS_50, "fives 55123", "chance 55555").extra == 100
    all_lower = [f"{row} 12346" for row in without(LOWER, "five_of_a_kind")]
    card = played(rules, HOLDS_50, "fives 55123", *all_lower, "ones 55555")
    assert (card.extra, card.points[0]) == (100, 0)


def test_yahtzee_the_first_five_of_a_kind_earns_no_100_nor_does_one_over_a_0() -> None:
    rules = card_rules("yahtzee")
    assert played(rules, "five_of_a_kind 55555").extra == 0
    assert played(rules, "fives 55555", "five_of_a_kind 55555").extra == 0
    assert played(rules, HOLDS_0, "fives 55555").extra == 0


@pytest.mark.parametrize("held", [HOLDS_50, HOLDS_0])
def test_yahtzee_forced_joker_goes_to_the_matching_upper_row_if_open(held: str) -> None:
    rules = card_rules("yahtzee")
    for face, row in enumerate(UPPER, start=1):
        card = played(rules, held)
        assert rules.open_rows(card, roll_of(str(face) * 5)) == (row,)
        assert played(rules, held, f"{row} {str(face) * 5}").points[face - 1] == 5 * face


@pytest.mark.parametrize("held", [HOLDS_50, HOLDS_0])
def test_yahtzee_forced_joker_else_goes_to_any_open_lower_row_at_full_pay(held: str) -> None:
    rules = card_rules("yahtzee")
    card = played(rules, held, "fours 44123", "chance 12346")
    rows = without(LOWER, "five_of_a_kind", "chance")
    assert rules.open_rows(card, roll_of("44444")) == rows
    extra = 100 if held == HOLDS_50 else 0
    for row in rows:
        after = played(rules, held, "fours 44123", "chance 12346", f"{row} 44444")
        assert after.total == card.total + FULL_PAY.get(row, 20) + extra


@pytest.mark.parametrize("held", [HOLDS_50, HOLDS_0])
def test_yahtzee_forced_joker_else_is_a_0_in_any_open_upper_row(held: str) -> None:
    rules = card_rules("yahtzee")
    turns = [held, "fours 44123", *(f"{row} 12346" for row in without(LOWER, "five_of_a_kind"))]
    card = played(rules, *turns)
    assert rules.open_rows(card, roll_of("44444")) == without(UPPER, "fours")
    for row in without(UPPER, "fours"):
        after = played(rules, *turns, f"{row} 44444")
        assert after.points[rules.row_ids[row]] == 0
        assert after.total == card.total + (100 if held == HOLDS_50 else 0)


@pytest.mark.parametrize("held", [HOLDS_50, HOLDS_0])
def test_yahtzee_free_joker_goes_to_any_open_row_full_pay_only_over_a_filled_upper_row(held: str) -> None:
    rules = card_rules("yahtzee", joker="free")
    extra = 100 if held == HOLDS_50 else 0
    card = played(rules, held)
    assert rules.open_rows(card, roll_of("44444")) == without(rules.names, "five_of_a_kind")
    plain = {"fours": 20, "three_of_a_kind": 20, "four_of_a_kind": 20, "chance": 20}
    for row in without(rules.names, "five_of_a_kind"):
        assert played(rules, held, f"{row} 44444").total == card.total + plain.get(row, 0) + extra
    over = played(rules, held, "fours 44123")
    assert rules.open_rows(over, roll_of("44444")) == without(rules.names, "five_of_a_kind", "fours")
    for row in without(LOWER, "five_of_a_kind"):
        paid = played(rules, held, "fours 44123", f"{row} 44444").total - over.total
        assert paid == FULL_PAY.get(row, 20) + extra
    for row in without(UPPER, "fours"):
        assert played(rules, held, "fours 44123", f"{row} 44444").total == over.total + extra


@pytest.mark.parametrize("ruleset", ["yahtzee", "fifteen"])
def test_joker_none_is_no_joker_but_the_100_over_a_50_is_still_earned(ruleset: str) -> None:
    rules = card_rules(ruleset, joker="none")
    card = played(rules, HOLDS_50, "fours 44123")
    assert rules.open_rows(card, roll_of("44444")) == without(rules.names, "five_of_a_kind", "fours")
    after = played(rules, HOLDS_50, "fours 44123", "full_house 44444")
    assert (after.points[rules.row_ids["full_house"]], after.extra, after.total) == (0, 100, card.total + 100)
    assert played(rules, HOLDS_50, "fours 44123", "chance 44444").total == card.total + 20 + 100
    assert played(rules, HOLDS_0, "fours 44444").extra == 0


def test_yahtzee_no_joker_while_its_row_is_open() -> None:
    for joker in ("forced", "free"):
        rules = card_rules("yahtzee", joker=joker)
        card = played(rules, "fours 44123")
        assert rules.open_rows(card, roll_of("44444")) == without(rules.names, "fours")
        assert played(rules, "fours 44123", "full_house 44444").total == 8


def test_a_joker_is_only_five_of_a_kind() -> None:
    for ruleset in ("fifteen", "yahtzee"):
        rules = card_rules(ruleset)
        card = played(rules, HOLDS_50, "fours 44123")
        for roll, dice in enumerate(rules.rolls):
            if len(set(dice)) > 1:
                assert rules.open_rows(card, roll) == without(rules.names, "five_of_a_kind", "fours")
                assert rules.five_pays(card, roll) == 0
                for row in range(len(rules.names)):
                    assert rules.row_pays(card, row, roll, False) == rules.points[0][row][roll]


def test_the_highest_yahtzee_is_the_known_1575() -> None:
    card = played(
        card_rules("yahtzee"),
        HOLDS_50,
        *(f"{row} {str(face) * 5}" for face, row in enumerate(UPPER, start=1)),
        *(f"{row} 66666" for row in without(LOWER, "five_of_a_kind")),
    )
    assert card.total == 1575


def test_yatzy_bonus_is_50_at_63_or_more() -> None:
    rules = card_rules("yatzy")
    turns = [f"{row} {str(face) * 3}{'65' if face < 5 else '12'}" for face, row in enumerate(UPPER, start=1)]
    assert played(rules, *turns).total == 63 + 50
    assert played(rules, "ones 11234", *turns[1:]).total == 62


def test_yatzy_rows_pay_the_dice_of_their_pattern() -> None:
    assert pays("yatzy", "pair", "66551") == 12
    assert pays("yatzy", "two_pairs", "66551") == 22
    assert pays("yatzy", "three_of_a_kind", "33356") == 9
    assert pays("yatzy", "four_of_a_kind", "33336") == 12
    assert pays("yatzy", "full_house", "66655") == 28
    assert pays("yatzy", "chance", "66655") == 28


def test_yatzy_straights_are_exactly_1_2_3_4_5_and_2_3_4_5_6() -> None:
    assert pays("yatzy", "small_straight", "12345") == 15
    assert pays("yatzy", "small_straight", "23456") == 0
    assert pays("yatzy", "large_straight", "23456") == 20
    assert pays("yatzy", "large_straight", "12345") == 0


def test_yatzy_five_of_a_kind_is_50_and_not_doubled() -> None:
    assert pays("yatzy", "five_of_a_kind", "11111") == 50
    assert pays("yatzy", "five_of_a_kind", "66666", first=True) == 50


def test_yatzy_one_pair_is_not_paid_in_two_pairs() -> None:
    assert pays("yatzy", "two_pairs", "66123") == 0


def test_yatzy_has_fifteen_turns_in_any_order() -> None:
    rules = card_rules("yatzy")
    assert rules.turns == 15
    assert all(rules.open_rows(rules.empty, roll) == rules.names for roll in range(252))


def test_the_highest_yatzy_is_the_known_374() -> None:
    card = played(
        card_rules("yatzy"),
        *(f"{row} {str(face) * 5}" for face, row in enumerate(UPPER, start=1)),
        "pair 66666",
        "two_pairs 66655",
        "three_of_a_kind 66666",
        "four_of_a_kind 66666",
        "small_straight 12345",
        "large_straight 23456",
        "full_house 66655",
        "chance 66666",
        "five_of_a_kind 66666",
    )
    assert card.total == 374


@pytest.mark.parametrize("ruleset", [game for game in CARD_GAMES if game not in ("fifteen", "yahtzee")])
def test_no_other_card_game_has_a_joker_or_a_100(ruleset: str) -> None:
    sheet = card_rules(ruleset).sheet
    assert sheet.joker is None
    assert sheet.five_bonus is None
