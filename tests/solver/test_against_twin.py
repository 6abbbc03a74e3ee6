"""Small games solved by the solver and by the twin: values, variances and decisions, for every card and every roll."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from positions import view_of
from small_rulesets import GIVEN, rules_of_text, small_rules
from twin import Twin

from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.agent.turn import Turn, new_turn
from arena.agent.turns import Turns
from arena.agent.values import values
from arena.dice.lattice import lattice
from arena.game.card_tables import CardTables
from arena.rules.card import Card, CardRules
from arena.solver.space import count_sets
from arena.solver.values import CardValues

OPTIMAL = load(locate(bundled_folder() / "optimal.py")).source
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
"""Games that would take the twin long are filtered out, and the twin is slow by design."""
SOME = 23
"""Every so many-th position is asked in the scalar form too."""


def check_values(rules: CardRules) -> None:
    """Every card that can be reached, in the scalar look-up and in the one for arrays."""
    expected, found = Twin(rules).solve(), CardValues(rules, cached=False, threads=1)
    for card, worth in expected.items():
        assert found.to_come(card) == pytest.approx(worth.value, abs=1e-9), card
        assert found.variance(card) == pytest.approx(worth.variance, abs=1e-9), card
    assert found.value == pytest.approx(expected[rules.empty].value, abs=1e-9)
    assert found.sd == pytest.approx(max(0, expected[rules.empty].variance) ** 0.5, abs=1e-4)
    cards = list(expected)
    parts = zip(*map(found.cards_of, cards), strict=True)
    states = found.states(tuple(np.concatenate(part) for part in parts))  # type: ignore[arg-type]
    assert states.tolist() == [found.space.state(card) for card in cards]
    assert set(found.space.sets.tolist()) == {card.filled for card in cards}
    assert len(found.space.sets) == count_sets(rules.sheet)


def tables_of(rules: CardRules, positions: list[tuple[Card, int]], roll: int) -> CardTables:
    """Return games for one whose cards, and whose dice on the given roll, are these."""
    game = CardTables(rules, 1, len(positions), lambda _: np.zeros((len(positions), 1, 3), dtype=np.int64))
    sections = np.array(rules.section_of)
    for table, (card, roll_id) in enumerate(positions):
        filled = np.array([points is not None for points in card.points])
        game.cards.filled[table, 0], game.cards.points[table, 0] = filled, [points or 0 for points in card.points]
        game.cards.sums[table, 0], game.cards.totals[table, 0] = card.sums, card.total
        game.cards.played[table, 0] = np.bincount(sections[filled], minlength=len(card.sums))
        game.cards.earned[table, 0] = [card.earned >> section & 1 for section in range(len(card.sums))]
        game.roll_ids[table], game.roll_numbers[table] = roll_id, roll
    game.round, game.seat = 1, 0
    return game


def check_decisions(rules: CardRules) -> None:
    """`optimal` in both forms: what it keeps, and the row that it takes, is what the written rule says."""
    twin, view, keeps = Twin(rules), view_of(rules, seats=1), lattice(rules.ruleset.dice).keeps
    plans = {card: twin.turn(card) for card in twin.solve() if rules.open_mask(card.filled)}
    asked = 0
    for roll in range(1, rules.ruleset.rolls + 1):
        positions = [(card, twin.roll_ids[dice]) for card in plans for dice in twin.rolls]
        dice_of = [dice for _ in plans for dice in twin.rolls]
        game, every = tables_of(rules, positions, roll), np.arange(len(positions), dtype=np.int32)
        rows = OPTIMAL.choose_row_many(Turns(view, game, every, game.legal(every)))
        # A row is chosen on any roll after which no more are thrown.
        chosen = [plans[card].rows[roll == 1][dice] for (card, _), dice in zip(positions, dice_of, strict=True)]
        assert rows.tolist() == [choice.taken for choice in chosen]
        held = []
        if roll < rules.ruleset.rolls:
            found = [keeps[keep] for keep in OPTIMAL.hold_many(Turns(view, game, every))]
            held = [plans[card].keeps[roll][dice] for (card, _), dice in zip(positions, dice_of, strict=True)]
            assert found == [choice.taken for choice in held]
        for number in range(roll, len(positions), SOME):
            card, roll_id = positions[number]
            row = OPTIMAL.choose_row(new_turn(Turn, (view, 0, 1, roll, roll_id, True, (card,))))
            assert rules.row_ids[row] == chosen[number].taken
            if held:
                keep = OPTIMAL.hold(new_turn(Turn, (view, 0, 1, roll, roll_id, False, (card,))))
                assert keep == held[number].taken
            asked += 1
    assert asked
    # What bots read of the table is the same.
    worth, card = values(rules.ruleset), next(iter(plans))
    turn = new_turn(Turn, (view, 0, 1, 1, 0, False, (card,)))
    assert worth.to_come(turn).tolist() == pytest.approx([twin.worth(card).value], abs=1e-9)
    assert worth.variance(turn).tolist() == pytest.approx([twin.worth(card).variance], abs=1e-9)


@pytest.mark.parametrize("name", GIVEN)
def test_values_of_one_ruleset_of_each_kind(name: str) -> None:
    check_values(rules_of_text(GIVEN[name]))


@pytest.mark.parametrize("name", GIVEN)
def test_decisions_in_one_ruleset_of_each_kind(name: str) -> None:
    check_decisions(rules_of_text(GIVEN[name]))


@settings(max_examples=30, suppress_health_check=SLOW)
@given(rules=small_rules())
def test_values_of_any_small_ruleset(rules: CardRules) -> None:
    check_values(rules)


@settings(max_examples=15, suppress_health_check=SLOW)
@given(rules=small_rules())
def test_decisions_in_any_small_ruleset(rules: CardRules) -> None:
    check_decisions(rules)


@pytest.mark.parametrize("name", ["forced", "two bonuses, fewer turns", "first roll doubles"])
def test_values_in_fractions(name: str) -> None:
    """The twin without any rounding: what the solver says is right to the last digits."""
    rules = rules_of_text(GIVEN[name])
    found, exact = CardValues(rules, cached=False), Twin(rules, exact=True).solve()
    worth = exact[rules.empty]
    assert isinstance(worth.value, Fraction)
    assert found.value == pytest.approx(float(worth.value), rel=1e-14)
    assert found.variance(rules.empty) == pytest.approx(float(worth.variance), rel=1e-12)


def test_rows_worth_the_same() -> None:
    """That there are such: in fractions, and with what is left varying by the row that is taken."""
    rules = rules_of_text(GIVEN["rows worth the same"])
    twin = Twin(rules, exact=True)
    card = rules.card_of({"a": 1})
    for dice in ((1, 3), (4, 4)):
        choice = twin.turn(card).rows[False][dice]
        assert (choice.taken, choice.best) == (1, {1, 2})
        later = [twin.worth(rules.fill(card, row, twin.roll_ids[dice], False)) for row in (1, 2)]
        assert later[0].value == later[1].value == Fraction(5351, 324)
        assert later[0].variance != later[1].variance
