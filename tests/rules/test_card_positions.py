"""Cards of whole random games, turn by turn, against the readable twin: legal rows, pays, bonuses, totals."""

from random import Random
from typing import Any

import pytest
import scoring_twin
from compiled_rules import card_rules, played, roll_of
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cards import NAMES, OPTION_SETS, random_card, random_turns
from scoring_twin import UPPER

from arena.dice.lattice import ROLLS
from arena.errors import UserError
from arena.rules.card import Card, CardRules

SEEDS = st.integers(0, 2**32)


def held_of(rules: CardRules, card: Card) -> dict[str, int]:
    return {name: points for name, points in zip(rules.names, card.points, strict=True) if points is not None}


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=30)
@given(seed=SEEDS)
def test_every_turn_of_a_card_is_as_the_twin_says(ruleset: str, options: dict[str, Any], seed: int) -> None:
    rules = card_rules(ruleset, **options)
    held: dict[str, int] = {}
    extra = 0
    for card, row, roll, first in random_turns(ruleset, options, Random(seed)):
        assert held_of(rules, card) == held
        bonus = scoring_twin.section_bonus(ruleset, held, options)
        assert (card.bonus, card.extra) == (bonus, extra)
        assert card.total == sum(held.values()) + bonus + extra
        if row < 0:
            assert len(held) == scoring_twin.TURNS[ruleset]
            continue
        dice, name = ROLLS[roll], rules.names[row]
        legal = scoring_twin.legal_rows(ruleset, held, dice, options)
        assert list(rules.open_rows(card, roll)) == legal
        assert [n for n, other in enumerate(rules.names) if rules.legal(card, roll) >> n & 1] == [
            rules.row_ids[other] for other in legal
        ]
        for other in legal:
            pays = scoring_twin.turn_pays(ruleset, held, other, dice, first_roll=first, options=options)
            assert rules.row_pays(card, rules.row_ids[other], roll, first) == pays, (other, dice, held)
            after = scoring_twin.section_bonus(ruleset, {**held, other: pays}, options)
            assert rules.bonus_pays(card, rules.row_ids[other], pays) == after - bonus
        assert rules.five_pays(card, roll) == scoring_twin.five_pays(ruleset, held, dice, options)
        extra += scoring_twin.five_pays(ruleset, held, dice, options)
        held[name] = scoring_twin.turn_pays(ruleset, held, name, dice, first_roll=first, options=options)


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=15)
@given(seed=SEEDS)
def test_filling_a_row_leaves_the_card_before_as_it_was(ruleset: str, options: dict[str, Any], seed: int) -> None:
    rules = card_rules(ruleset, **options)
    card = random_card(ruleset, options, Random(seed))
    before = tuple(card)
    for roll in (0, 100, 251):
        for name in rules.open_rows(card, roll):
            after = rules.fill(card, rules.row_ids[name], roll, False)
            assert after.points[rules.row_ids[name]] is not None
    assert tuple(card) == before
    with pytest.raises(AttributeError):
        card.total = 0  # type: ignore[misc]


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=15)
@given(seed=SEEDS)
def test_a_closed_card_holds_zeros_and_earns_nothing(ruleset: str, options: dict[str, Any], seed: int) -> None:
    rules = card_rules(ruleset, **options)
    card = random_card(ruleset, options, Random(seed))
    closed = card.closed()
    assert closed.points == tuple(0 if points is None else points for points in card.points)
    assert rules.open_mask(closed.filled) == 0
    assert (closed.bonus, closed.extra, closed.total) == (card.bonus, card.extra, card.total)
    assert held_of(rules, closed).keys() == set(rules.names)


def test_a_school_card_closed_at_its_best_earns_no_50() -> None:
    rules = card_rules("school")
    card = played(rules, "sixes 66666", "fives 55555", "fours 44444", "threes 33333", "twos 22222")
    assert card.closed().total == card.total == 40
    assert rules.empty.closed().total == 0


def test_a_two_stage_card_closed_before_its_first_turn_earns_no_50() -> None:
    assert card_rules("two-stage").empty.closed().total == 0


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=15)
@given(seed=SEEDS)
def test_a_card_is_made_again_from_its_rows_alone(ruleset: str, options: dict[str, Any], seed: int) -> None:
    rules = card_rules(ruleset, **options)
    card = random_card(ruleset, options, Random(seed))
    made = rules.card_of(held_of(rules, card))
    assert made == card._replace(extra=0, total=card.total - card.extra)


def test_a_card_made_of_rows_is_refused_if_it_cannot_be() -> None:
    fifteen, school, two_stage = card_rules("fifteen"), card_rules("school"), card_rules("two-stage")
    with pytest.raises(UserError, match=r"no row 'fives_' in fifteen, did you mean 'fives'\?"):
        fifteen.card_of({"fives_": 5})
    with pytest.raises(UserError, match="row 'fives' cannot hold 7: it pays 0, 5, 10, 15, 20, 25"):
        fifteen.card_of({"fives": 7})
    with pytest.raises(UserError, match="row 'full_house' cannot hold 26: it pays 0, 25"):
        fifteen.card_of({"full_house": 26})
    with pytest.raises(UserError, match="row 'pair' cannot be filled while the rows before it are open"):
        school.card_of({"pair": 12})
    with pytest.raises(UserError, match="row 'twos' cannot be filled"):
        two_stage.card_of({"ones": 0, "twos": 0})
    assert school.card_of({"ones": -3}).total == -3
    with pytest.raises(UserError, match="row 'ones' cannot hold 3: it pays -3, -2, -1, 0, 1, 2"):
        school.card_of({"ones": 3})


def test_rows_that_a_further_five_of_a_kind_looks_at() -> None:
    for ruleset, rows in [("fifteen", ["five_of_a_kind"]), ("yahtzee", ["five_of_a_kind"]), ("yatzy", [])]:
        rules = card_rules(ruleset)
        assert [rules.names[row] for row in rules.watched_rows] == rows


def test_rows_know_their_sections() -> None:
    rules = card_rules("yatzy")
    assert [name for row, name in enumerate(rules.names) if rules.section_of[row] == 0] == list(UPPER)
    assert set(rules.section_of) == {0, 1}


def test_rolls_know_their_face_of_five() -> None:
    rules = card_rules("yatzy")
    assert {roll: face for roll, face in enumerate(rules.face_of_five) if face} == {
        roll_of(str(face) * 5): face for face in range(1, 7)
    }


def test_a_card_may_be_told_in_any_order() -> None:
    rules = card_rules("school")
    held = {"chance": 20, "pair": 12, **dict.fromkeys(reversed(UPPER), 0)}
    card = rules.card_of(held)
    assert card == rules.card_of(dict(reversed(held.items())))
    assert (card.total, card.bonus) == (82, 50)
