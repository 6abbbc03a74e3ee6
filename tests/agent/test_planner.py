"""The planner and the other characters: both forms alike, and the planner stronger than a turn's optimum."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from positions import card_turn, rules_of, showdown_turn, view_of

from arena import ROLLS, best_gains, keep_values, row_gain, row_payments, score_table
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.agent.turns import Turns
from arena.dice.lattice import lattice
from arena.game.card_tables import CardTables
from arena.game.new import compile_rules
from arena.records import Block, BlockResult, Entrant
from arena.rules.card import CardRules
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.tournament.block import Engine, play_block

BOTS = {name: load(locate(bundled_folder() / f"{name}.py")) for name in ("chaser", "planner", "random", "waverer")}
OPTIMAL = load(locate(bundled_folder() / "turn_optimal.py"))
PLANNER = BOTS["planner"].source
CARD_GAMES = [name for name in ruleset_ids() if shipped_ruleset(name).card]
RULESETS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ruleset_ids()),
    ("two-stage", {"first_roll_doubles": False, "rolls": 2}),
    ("school", {"sections_in_order": False}),
    ("fifteen", {"joker": "none", "upper_bonus_at": 63, "five_is_full_house": True}),
    ("thirteen", {"rolls": 2, "four_is_two_pairs": True}),
    ("yahtzee", {"joker": "free", "five_bonus": 0}),
    ("yahtzee", {"joker": "none", "upper_bonus_at": 0}),
    ("yahtzee", {"upper_bonus_at": 1000}),
    ("yatzy", {"five_is_full_house": True, "four_is_two_pairs": True}),
    ("showdown", {"ante": 0, "tie_break": "kickers"}),
    ("showdown", {"ends": "last_standing", "rounds": None, "stack": 3, "tie_break": "high_die"}),
    ("showdown", {"rolls": 2, "straight_above_three": False, "ante": 7}),
]


def block_of(rules: Any, names: list[str], mirrors: int, engine: Engine = "arrays", seed: int = 5) -> BlockResult:
    bots = {**BOTS, "turn_optimal": OPTIMAL}
    entrants = tuple(Entrant(name, "") for name in sorted(names))
    return play_block(Block("", rules.ruleset.hash, entrants, 0, mirrors), rules, seed, bots, engine=engine)


@pytest.mark.parametrize("name", ["chaser", "planner", "waverer"])
@pytest.mark.parametrize(("ruleset", "options"), RULESETS, ids=str)
def test_both_forms_play_the_same_games(ruleset: str, options: dict[str, Any], name: str) -> None:
    """Random numbers and all: the same totals in every game, at tables of two and of four."""
    rules = compile_rules(shipped_ruleset(ruleset, options))
    for others, mirrors in ((["random"], 2), (["random", "turn_optimal", "planner"], 1)):
        names = [name, *(other for other in others if other != name)]
        arrays, scalar = (block_of(rules, names, mirrors, engine) for engine in ("arrays", "scalar"))
        assert arrays.faults == scalar.faults == ()
        np.testing.assert_array_equal(arrays.totals, scalar.totals)


# Strength


def scores(result: BlockResult, name: str) -> npt.NDArray[np.int32]:
    """Return int32[mirrors], the mean of a bot's points over the seatings of a mirror, times their number."""
    block = result.block
    seats = [[entrant.name for entrant in block.seated(seating)].index(name) for seating in range(block.seats)]
    return sum(result.totals[:, seating, seat] for seating, seat in enumerate(seats))


def interval(values: npt.NDArray[Any]) -> tuple[float, float]:
    mean, error = float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5
    return mean - 1.96 * error, mean + 1.96 * error


@pytest.mark.parametrize("ruleset", ["thirteen", "yahtzee", "yatzy", "fifteen"])
def test_the_planner_beats_turn_optimal(ruleset: str) -> None:
    """Mean scores with their intervals apart, and more than half of the games."""
    result = block_of(rules_of(ruleset), ["planner", "turn_optimal"], 512)
    low, _ = interval(scores(result, "planner") / 2)
    _, high = interval(scores(result, "turn_optimal") / 2)
    assert low > high + 5
    first = np.array([result.winners[:, 0] & 1, result.winners[:, 0] == 3]) * [[1], [-0.5]]
    second = np.array([result.winners[:, 1] >> 1 & 1, result.winners[:, 1] == 3]) * [[1], [-0.5]]
    assert interval((first + second).sum(axis=0) / 2)[0] > 0.55


def test_the_planner_makes_220_points_of_thirteen() -> None:
    """The most that anybody can make in the mean is 229.6."""
    low, high = interval(scores(block_of(rules_of("thirteen"), ["planner", "turn_optimal"], 1024), "planner") / 2)
    assert 225 < low < high < 232


def test_the_planner_is_not_worse_elsewhere() -> None:
    school = block_of(rules_of("school"), ["planner", "turn_optimal"], 512)
    assert interval((scores(school, "planner") - scores(school, "turn_optimal")) / 2)[0] > 5
    two_stage = block_of(rules_of("two-stage"), ["planner", "turn_optimal"], 256)
    assert abs(scores(two_stage, "planner").mean() - scores(two_stage, "turn_optimal").mean()) < 2
    showdown = block_of(rules_of("showdown"), ["planner", "turn_optimal"], 1024)
    assert scores(showdown, "planner").mean() >= scores(showdown, "turn_optimal").mean()


# What it does


def test_it_does_not_waste_a_good_row() -> None:
    rules = rules_of("thirteen")
    nothing = card_turn(rules, "12246", roll=3)
    assert OPTIMAL.source.choose_row(nothing) == "chance"
    assert PLANNER.choose_row(nothing) in ("ones", "twos")
    assert PLANNER.choose_row(card_turn(rules, "55556", roll=3)) in ("fives", "four_of_a_kind")
    assert PLANNER.choose_row(card_turn(rules, "23456", roll=3)) == "large_straight"


def test_where_nothing_comes_after_it_plays_the_turn_for_its_points() -> None:
    rules = rules_of("thirteen")
    for row in rules.names:
        card = {name: 5 if name == "chance" else 0 for name in rules.names if name != row}
        for roll_id, roll in product(range(0, len(ROLLS), 7), (1, 2)):
            turn = card_turn(rules, "".join(map(str, ROLLS[roll_id])), roll=roll, card=card)
            assert PLANNER.hold(turn) == OPTIMAL.source.hold(turn)


def test_it_counts_what_brings_a_bonus_nearer() -> None:
    """Four sixes: in yatzy they are worth more among the sixes, 30 points before 24, as a bonus of 50 is in sight."""
    rules = rules_of("yatzy")
    card = {"fives": 15, "fours": 12, "threes": 9}
    assert PLANNER.choose_row(card_turn(rules, "66661", roll=3, card=card)) == "sixes"
    lost = {"fives": 0, "fours": 0, "threes": 0}
    assert PLANNER.choose_row(card_turn(rules, "66661", roll=3, card=lost)) == "four_of_a_kind"


def test_worths_are_the_rulesets_own() -> None:
    """With one turn to come a row is worth what a turn for it alone brings."""
    for ruleset in ("thirteen", "yatzy"):
        turn = card_turn(rules_of(ruleset), "66123")
        worth = PLANNER.Plan(turn).groups[0].worth
        assert (worth[0] == 0).all()
        alone = keep_values(score_table(turn)[0], 3)[:, 0]
        if ruleset == "thirteen":
            np.testing.assert_allclose(worth[1] - worth[1].min(), alone - alone.min(), atol=1e-9)
        assert worth.shape == (len(turn.card), len(turn.card))
        assert np.isfinite(worth).all()


def test_in_showdown_it_counts_who_is_still_to_roll() -> None:
    """A pair would beat what a plain throw brings; not so a player who sees it and has three rolls."""
    rules = rules_of("showdown")
    pair = showdown_turn(rules, "66123", roll=2)
    assert PLANNER.to_beat(pair) == (-1.0, 0, 1)
    assert PLANNER.to_beat(showdown_turn(rules, "66123", shown="55512"))[1:] == (1, 0)
    ranks = np.array(rules.ranks, dtype=np.float64)
    shares = PLANNER.shares(ranks.tobytes(), 3, -1.0, 0, 1)
    by_dice = dict(zip(ROLLS, shares, strict=True))
    assert by_dice[1, 2, 3, 4, 6] < 0.03 < by_dice[1, 2, 3, 6, 6] < 0.2
    assert by_dice[6, 6, 6, 6, 6] > 0.95
    more = PLANNER.shares(ranks.tobytes(), 3, -1.0, 0, 3)
    assert (more <= shares).all()


def test_a_share_in_showdown_is_what_a_last_player_leaves() -> None:
    """Against the one strategy that is best for whoever rolls last, hand by hand."""
    ranks = np.array(rules_of("showdown").ranks, dtype=np.float64)
    dice, shares = lattice(), PLANNER.shares(ranks.tobytes(), 3, -1.0, 0, 1)
    for hand in (0, 100, 200, 251):
        value = np.where(ranks > ranks[hand], 1.0, np.where(ranks == ranks[hand], 0.5, 0.0))
        for _ in range(2):
            value = dice.best(dice.expected(value))[dice.first_roll_keep :]
        assert shares[hand] == pytest.approx(1 - dice.expected(value)[0], abs=1e-12)


def test_chaser_dares_more_when_it_is_behind() -> None:
    """Far behind, an even chance of 40 points or none is better than 20 for sure; far ahead it is worse."""
    lean = BOTS["chaser"].source.lean
    turn = card_turn(rules_of("thirteen"), "66123")
    assert lean(turn, np.array([[200]]), np.array([100])) == pytest.approx(100 / (12 * 13))
    assert lean(turn, np.array([[500]]), np.array([0])) == 1.0
    assert lean(turn, np.array([[0, 30]]), np.array([500])) == -1.0
    bent = BOTS["chaser"].source.bent
    sure, wild = np.array([[20.0, 20.0]]), np.array([[0.0, 40.0]])
    for bend, better in ((1.0, True), (-1.0, False)):
        worth = [float(bent(rolls, np.array([[bend]])).mean()) for rolls in (wild, sure)]
        assert (worth[0] > worth[1]) is better


def test_waverer_makes_the_best_move_most_often() -> None:
    rules, kept = rules_of("thirteen"), []
    for seed in range(300):
        turn = card_turn(rules, "11235")
        turn = type(turn)((view_of(rules, seed=seed), *(turn_part(turn, part) for part in range(1, 7))))
        kept.append(BOTS["waverer"].source.hold(turn))
    assert max(set(kept), key=kept.count) == OPTIMAL.source.hold(card_turn(rules, "11235"))
    assert 3 <= len(set(kept)) <= 16


def turn_part(turn: Any, part: int) -> Any:
    return tuple.__getitem__(turn, part)


# The helpers that it brought


def tables_of(rules: CardRules, cards: list[dict[str, int]]) -> Turns:
    """Return the turns of seat 0 at tables with these cards, with five sixes on the first roll."""
    game = CardTables(rules, 1, len(cards), lambda _: np.zeros((len(cards), 1, 3), dtype=np.int64))
    for table, card in enumerate(cards):
        for name, points in card.items():
            row = rules.row_ids[name]
            section = rules.section_of[row]
            game.cards.filled[table, 0, row], game.cards.points[table, 0, row] = True, points
            game.cards.sums[table, 0, section] += points
            game.cards.played[table, 0, section] += 1
        game.cards.earned[table, 0] = [rules.card_of(card).earned >> n & 1 for n in range(len(rules.sheet.sections))]
    game.round, game.seat = 1, 0
    game.roll_ids[:], game.roll_numbers[:] = len(ROLLS) - 1, 1
    return Turns(view_of(rules, seats=1), game, np.arange(len(cards), dtype=np.int32))


@pytest.mark.parametrize("ruleset", CARD_GAMES)
@pytest.mark.parametrize("first_roll", [False, True])
def test_charged_gains_by_the_plain_rules(ruleset: str, first_roll: bool) -> None:
    """For every roll the best of all legal rows, each less what is charged for the points it is filled with."""
    rules = rules_of(ruleset)
    assert isinstance(rules, CardRules)
    cards = [{}, {rules.names[0]: -3 if ruleset in ("school", "two-stage") else 3}]
    if rules.sheet.joker:
        cards += [{"five_of_a_kind": held, "fours": 12} for held in (0, 50)]
        cards += [{"five_of_a_kind": 50, "threes": 9, "fours": 16, "fives": 20}]
    turns = tables_of(rules, cards)
    payments = row_payments(turns)
    charges = np.random.default_rng(3).normal(0, 20, (len(cards), *payments.shape))
    together = best_gains(turns, first_roll=first_roll, charges=charges)
    for number, card in enumerate(cards):
        held, turn = rules.card_of(card), card_turn(rules, "66666", card=card)
        gains = best_gains(turn, first_roll=first_roll, charges=charges[number])
        np.testing.assert_array_equal(gains, together[number])
        expected = []
        for roll in range(len(ROLLS)):
            legal = [row for row in range(len(rules.names)) if rules.legal(held, roll) >> row & 1]
            worth = []
            for row in legal:
                paid = rules.row_pays(held, row, roll, first_roll)
                level = payments[row].tolist().index(paid)
                worth.append(rules.fill(held, row, roll, first_roll).total - charges[number, row, level])
            expected.append(max(worth) - held.total)
        np.testing.assert_allclose(gains, expected, atol=1e-9)
        plain = best_gains(turn, first_roll=first_roll)
        np.testing.assert_array_equal(
            best_gains(turn, first_roll=first_roll, charges=np.zeros((len(payments), 1))), plain
        )


def test_the_last_charge_stands_for_the_rest() -> None:
    rules = rules_of("thirteen")
    turn, turns = card_turn(rules, "66666"), tables_of(rules, [{}])
    few = np.arange(39.0).reshape(13, 3)
    many = np.repeat(few, [1, 1, row_payments(turn).shape[1] - 2], axis=1)
    np.testing.assert_array_equal(best_gains(turn, charges=few), best_gains(turn, charges=many))
    np.testing.assert_array_equal(best_gains(turns, charges=few[None]), best_gains(turns, charges=many[None]))


def test_charges_of_another_shape_are_refused() -> None:
    turns = tables_of(rules_of("thirteen"), [{}, {}])
    with pytest.raises(ValueError, match=r"charges of 2 turns and 13 rows are not of shape \(1, 13, 1\)"):
        best_gains(turns, charges=np.zeros((1, 13, 1)))


def test_score_tables_and_payments() -> None:
    turn = card_turn(rules_of("school"), "66666")
    table, payments = score_table(turn), row_payments(turn)
    pair = list(turn.card).index("pair")
    by_dice = dict(zip(ROLLS, table[:, pair].T.tolist(), strict=True))
    assert by_dice[1, 2, 3, 6, 6] == [12, 24]
    assert by_dice[1, 2, 3, 4, 6] == [0, 0]
    assert payments[0].tolist()[:6] == [-3, -2, -1, 0, 1, 2]
    assert set(payments[0].tolist()) == {-3, -2, -1, 0, 1, 2}
    assert not table.flags.writeable
    assert not payments.flags.writeable
    assert row_gain(card_turn(rules_of("thirteen"), "66666"), "sixes") == 30
    for helper in (score_table, row_payments):
        with pytest.raises(ValueError, match="showdown has no card; see hand_ranks"):
            helper(showdown_turn(rules_of("showdown"), "66123"))
