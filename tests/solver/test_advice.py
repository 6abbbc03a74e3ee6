"""Every decision in a position, the best first: ties by the arena's rule, and agreement with how bots decide."""

from __future__ import annotations

import numpy as np
import pytest
from positions import card_turn
from small_rulesets import GIVEN, rules_of_text

from arena import KEEPS, best_keep, keep_values, lattice
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.rules.card import CardRules
from arena.rules.shipped import shipped_ruleset
from arena.solver.advice import advise_card_keeps, advise_hands, advise_keeps, advise_rows
from arena.solver.values import CardValues

TIE = 1e-9
THIRTEEN = CardRules(shipped_ruleset("thirteen"))


def test_keeps_as_good_as_the_best_lose_nothing_and_the_last_is_first() -> None:
    same = np.full(252, 7.0)
    found = advise_keeps(same, same, 100, number=1, rolls=3, dice=5)
    assert [advice.loss for advice in found] == [0.0] * len(found)
    assert [lattice().keep_ids[advice.keep] for advice in found] == sorted(lattice().sub_keeps[100], reverse=True)


def test_less_than_a_tie_is_no_loss() -> None:
    """The whole hand is a hair less than any other keep, and taken all the same."""
    stop = np.full(252, 7.0)
    stop[100] -= TIE / 2
    found = advise_keeps(np.full(252, 7.0), stop, 100, number=1, rolls=3, dice=5)
    assert (found[0].keep, found[0].loss) == (lattice().rolls[100], 0.0)
    stop[100] -= TIE
    found = advise_keeps(np.full(252, 7.0), stop, 100, number=1, rolls=3, dice=5)
    assert found[-1].keep == lattice().rolls[100]
    assert found[-1].loss == pytest.approx(1.5 * TIE, rel=1e-3)


@pytest.mark.parametrize("number", [1, 2])
def test_the_first_is_what_bots_keep(number: int) -> None:
    rng = np.random.default_rng(number)
    for roll in range(0, 252, 9):
        at_last = rng.integers(0, 4, 252).astype(float)
        found = advise_keeps(at_last, at_last, roll, number=number, rolls=3, dice=5)
        turn = card_turn(THIRTEEN, "".join(map(str, lattice().rolls[roll])), roll=number)
        assert found[0].keep == best_keep(turn, at_last)
        worth = keep_values(at_last, 3 - number)
        worth[lattice().first_roll_keep + roll] = at_last[roll]
        assert {advice.keep: advice.value for advice in found} == {
            KEEPS[keep]: worth[keep] for keep in lattice().sub_keeps[roll]
        }


def test_optimal_takes_what_is_listed_first() -> None:
    values, optimal = CardValues(THIRTEEN, cached=False), load(locate(bundled_folder() / "optimal.py")).source
    for dice in ("12345", "44416", "66511", "11123"):
        roll = lattice().roll_ids[tuple(map(int, dice))]
        assert advise_card_keeps(values, THIRTEEN.empty, roll, 1)[0].keep == optimal.hold(card_turn(THIRTEEN, dice))
        row = advise_rows(values, THIRTEEN.empty, roll)[0].row
        assert row == optimal.choose_row(card_turn(THIRTEEN, dice, roll=3, asks_row=True))


def test_rows_as_good_as_the_best_lose_nothing_and_the_first_is_first() -> None:
    rules = rules_of_text(GIVEN["rows worth the same"])
    values, card = CardValues(rules, cached=False), rules.card_of({"a": 1})
    roll = lattice(2).roll_ids[1, 3]
    found = advise_rows(values, card, roll)
    assert [rules.row_ids[advice.row] for advice in found[:2]] == [1, 2]
    assert [advice.loss for advice in found[:2]] == [0.0, 0.0]


def test_nothing_is_kept_after_the_last_roll() -> None:
    worth = np.zeros(252)
    for ask in (
        lambda: advise_keeps(worth, worth, 0, number=3, rolls=3, dice=5),
        lambda: advise_hands(worth, 0, number=3, rolls=3),
        lambda: advise_card_keeps(CardValues(THIRTEEN, cached=False), THIRTEEN.empty, 0, 3),
    ):
        with pytest.raises(ValueError, match="nothing is kept after roll 3 of 3"):
            ask()
