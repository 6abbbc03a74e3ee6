"""What a turn can earn: the fast table equals the greatest of all legal rows, and the readable twin's."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import scoring_twin
from compiled_rules import card_rules, played, roll_of
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cards import NAMES, OPTION_SETS, random_card

from arena.dice.lattice import ROLLS
from arena.rules.card import Card, CardRules
from arena.rules.file import load_ruleset
from arena.rules.gains import Gains

SEEDS = st.integers(0, 2**32)


def gain(rules: CardRules, card: Card, row: int, roll: int, first: bool) -> int:
    points = rules.row_pays(card, row, roll, first)
    return points + rules.bonus_pays(card, row, points) + rules.five_pays(card, roll)


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=15)
@given(seed=SEEDS, first=st.booleans())
def test_best_is_the_greatest_over_the_legal_rows(
    ruleset: str, options: dict[str, Any], seed: int, first: bool
) -> None:
    rules = card_rules(ruleset, **options)  # the same table of known positions for all examples
    card = random_card(ruleset, options, Random(seed))
    by_hand = [
        max(gain(rules, card, rules.row_ids[name], roll, first) for name in rules.open_rows(card, roll))
        for roll in range(252)
    ]
    assert rules.gains.best(card, first_roll=first).tolist() == by_hand


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=3)
@given(seed=SEEDS, first=st.booleans())
def test_best_is_what_the_twin_says(ruleset: str, options: dict[str, Any], seed: int, first: bool) -> None:
    rules = card_rules(ruleset, **options)
    card = random_card(ruleset, options, Random(seed))
    held = {name: points for name, points in zip(rules.names, card.points, strict=True) if points is not None}
    before = scoring_twin.section_bonus(ruleset, held, options)

    def earns(row: str, dice: tuple[int, ...]) -> int:
        points = scoring_twin.turn_pays(ruleset, held, row, dice, first_roll=first, options=options)
        bonus = scoring_twin.section_bonus(ruleset, {**held, row: points}, options) - before
        return points + bonus + scoring_twin.five_pays(ruleset, held, dice, options)

    twin = [max(earns(row, dice) for row in scoring_twin.legal_rows(ruleset, held, dice, options)) for dice in ROLLS]
    assert rules.gains.best(card, first_roll=first).tolist() == twin


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
def test_positions_that_share_a_cell_of_memory_are_worth_the_same(ruleset: str, options: dict[str, Any]) -> None:
    """What was asked first fills the cell: asked in the opposite order, every position has the same answer."""
    rules = card_rules(ruleset, **options)
    asked = [
        (card, first)
        for card in (random_card(ruleset, options, Random(seed)) for seed in range(120))
        for first in (False, True)
    ]
    onwards, backwards = Gains(rules), Gains(rules)
    forth = [onwards.best(card, first_roll=first) for card, first in asked]
    back = [backwards.best(card, first_roll=first) for card, first in reversed(asked)]
    for (card, _), one, other in zip(asked, forth, reversed(back), strict=True):
        np.testing.assert_array_equal(one, other, err_msg=str(card))


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
def test_the_gain_of_a_row_is_what_filling_it_adds_to_the_total(ruleset: str, options: dict[str, Any]) -> None:
    rules = card_rules(ruleset, **options)
    for seed in range(20):
        card = random_card(ruleset, options, Random(seed))
        for roll in (0, 60, 126, 200, 251):
            for name in rules.open_rows(card, roll):
                row = rules.row_ids[name]
                for first in (False, True):
                    added = rules.fill(card, row, roll, first).total - card.total
                    assert rules.gains.of_row(card, row, roll, first_roll=first) == added


def test_best_counts_the_row_the_section_bonus_and_the_further_five() -> None:
    rules = card_rules("yahtzee")
    card = played(rules, "five_of_a_kind 66666", "sixes 66612", "fives 55512", "fours 44412", "threes 33312")
    assert card.sums[0] == 54
    best = rules.gains.best(card, first_roll=False)
    assert best[roll_of("22222")] == 10 + 35 + 100
    assert best[roll_of("22221")] == 9  # in twos 8, which makes 62
    assert best[roll_of("12345")] == 40


def test_best_of_the_first_roll_is_doubled_where_the_rules_say() -> None:
    rules = card_rules("two-stage")
    card = played(rules, "sixes 66612")
    first, later = rules.gains.best(card, first_roll=True), rules.gains.best(card, first_roll=False)
    assert (first[roll_of("66666")], later[roll_of("66666")]) == (110, 80)
    assert (first[roll_of("12345")], later[roll_of("12345")]) == (30, 15)
    assert all(first[roll] == 2 * later[roll] for roll, dice in enumerate(ROLLS) if len(set(dice)) > 1)


def test_best_cannot_be_changed_by_who_reads_it() -> None:
    best = card_rules("yatzy").gains.best(card_rules("yatzy").empty, first_roll=False)
    assert best.shape == (252,)
    assert best.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        best[0] = 1000


def test_a_joker_may_pay_more_than_the_row_ever_does_and_still_make_a_bonus_due(tmp_path: Path) -> None:
    """Two positions that differ only in how far the bonus is, out of reach of every ordinary hand."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        """
id: mine
title: A bonus below
game: card
source: nobody
options: {rolls: 3, joker: forced, five_bonus: 100}
five_bonus: {row: five, holds: 50}
joker: {row: five}
sections:
  upper: {rows: {sixes: {pays: sum_face 6}}}
  middle:
    bonus: {points: 9, at: 40, due: reached}
    rows:
      pair: {pattern: pair, pays: sum_pattern}
      two_pairs: {pattern: two_pairs, pays: sum_pattern}
  last: {rows: {five: {pattern: five_of_a_kind, pays: fixed 50}}}
"""
    )
    rules = CardRules(load_ruleset(path))
    held = {"sixes": 6, "five": 50}
    far, near = rules.card_of({**held, "pair": 2}), rules.card_of({**held, "pair": 12})
    sixes = roll_of("66666")
    assert rules.gains.best(far, first_roll=False)[sixes] == 30 + 100
    assert rules.gains.best(near, first_roll=False)[sixes] == 30 + 9 + 100
