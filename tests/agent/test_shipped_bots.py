"""The bots that ship: legal everywhere, strong in their order, and exact where they say so."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import pytest
from leagues import ROOT, Played, play_league, write_tournament
from positions import card_turn, faces, rules_of, showdown_turn, view_of

from arena import keep_values
from arena.agent.loader import load
from arena.agent.sources import bots_in, bundled_folder, bundled_names, locate
from arena.dice.lattice import lattice
from arena.game.new import compile_rules
from arena.records import Block, Entrant
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.tournament.block import Engine, play_block
from arena.tournament.file import load_tournament

BOTS = {name: load(locate(path)) for name, path in sorted(bots_in(bundled_folder()).items())}
FOUR = ["collector", "greedy", "random", "turn_optimal"]
CARD_GAMES = [name for name in ruleset_ids() if shipped_ruleset(name).card]
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("two-stage", {"first_roll_doubles": False, "rolls": 2}),
    ("school", {"sections_in_order": False}),
    ("fifteen", {"joker": "none", "upper_bonus_at": 63, "five_is_full_house": True}),
    ("thirteen", {"rolls": 2, "four_is_two_pairs": True}),
    ("yahtzee", {"joker": "free", "upper_bonus_at": 40, "five_bonus": 0}),
    ("yahtzee", {"joker": "none"}),
    ("yatzy", {"rolls": 2, "five_is_full_house": True, "four_is_two_pairs": True}),
    ("showdown", {"ante": 0, "tie_break": "kickers"}),
    ("showdown", {"ends": "last_standing", "rounds": None, "stack": 3, "tie_break": "high_die"}),
    ("showdown", {"rolls": 2, "straight_above_three": False, "ante": 7}),
]


def test_the_four_are_among_them() -> None:
    assert set(FOUR) <= set(BOTS)


@pytest.mark.parametrize("name", list(BOTS))
def test_each_says_in_one_line_what_it_does(name: str) -> None:
    line = BOTS[name].description
    assert line.endswith(".")
    assert 30 < len(line) < 110


# Legal everywhere


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_no_faults_in_any_ruleset(ruleset: str, quick: Played) -> None:
    standings = quick.leagues[ruleset].standings
    assert {line.name: (line.games, line.faults) for line in standings} == dict.fromkeys(FOUR, (600, 0))


@pytest.mark.parametrize(("ruleset", "options"), OPTIONS, ids=str)
def test_no_faults_under_options(ruleset: str, options: dict[str, Any]) -> None:
    rules = compile_rules(shipped_ruleset(ruleset, options))
    for pair in pairwise([*BOTS, next(iter(BOTS))]):
        block = Block("", rules.ruleset.hash, tuple(Entrant(name, "") for name in sorted(pair)), 0, 4)
        result = play_block(block, rules, 3, BOTS)
        assert result.faults == ()
        assert not result.ends.any()


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_asked_for_many_turns_or_for_one_they_play_the_same(ruleset: str) -> None:
    rules = compile_rules(shipped_ruleset(ruleset))
    for pair in pairwise([*FOUR, FOUR[0]]):
        block = Block("", rules.ruleset.hash, tuple(Entrant(name, "") for name in sorted(pair)), 0, 4)
        many, one = (play_block(block, rules, 4, BOTS, engine=engine) for engine in get_args(Engine))
        np.testing.assert_array_equal(many.totals, one.totals)
        np.testing.assert_array_equal(many.winners, one.winners)


# Strong in their order


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_turn_optimal_beats_greedy_beats_random(ruleset: str, quick: Played) -> None:
    lines = {line.name: line for line in quick.leagues[ruleset].standings}
    for better, worse in pairwise(["turn_optimal", "greedy", "random"]):
        assert lines[better].elo_low > lines[worse].elo_high


def test_quick_is_the_league_of_everything(quick: Played) -> None:
    assert list(quick.leagues) != sorted(quick.leagues)  # as the file has them
    assert sorted(quick.leagues) == ruleset_ids()
    assert [ref.name for ref in quick.plan.tournament.agents] == FOUR
    assert {ref.origin for ref in quick.plan.tournament.agents} == {"bundled"}


def test_quick_has_the_same_result_everywhere(quick: Played) -> None:
    """If this fails on purpose, results of older versions are not what this one would play: see `PLAY_VERSION`."""
    assert quick.digest == "6d8e82f2a97ef7bd664ac15a424f7fd972d1c0e2469ea5d1b0f8a22e09b4745e"


def test_the_league_has_every_shipped_bot_and_ruleset() -> None:
    quick, league = (load_tournament(ROOT / "tournaments" / f"{name}.yaml") for name in ("quick", "league"))
    assert [ref.name for ref in league.agents] == bundled_names()
    assert [ruleset.name for ruleset in league.rulesets] == [ruleset.name for ruleset in quick.rulesets]
    assert sorted(ruleset.id for ruleset in league.rulesets) == ruleset_ids()
    assert (league.name, league.seed) == ("league", quick.seed)


# What each does


def test_random_keeps_each_die_half_of_the_time_and_any_row() -> None:
    rules = rules_of("thirteen")
    kept, rows = Counter[int](), Counter[str]()
    for seed in range(400):
        view = view_of(rules, seed=seed)
        kept.update(BOTS["random"].source.hold(card_turn(rules, "12345", view=view)))
        rows[BOTS["random"].source.choose_row(card_turn(rules, "12345", roll=3, asks_row=True, view=view))] += 1
    assert sorted(kept) == [1, 2, 3, 4, 5]
    assert all(150 < number < 250 for number in kept.values())
    assert set(rows) == set(rules.names)


@pytest.mark.parametrize(("dice", "kept"), [("66123", "66"), ("66133", "66"), ("11133", "111"), ("12345", "5")])
def test_collector_keeps_its_most_frequent_face(dice: str, kept: str) -> None:
    assert BOTS["collector"].source.hold(card_turn(rules_of("thirteen"), dice)) == faces(kept)
    assert BOTS["collector"].source.hold(showdown_turn(rules_of("showdown"), dice)) == faces(kept)


def test_greedy_never_rolls_again_but_for_a_hand_of_nothing() -> None:
    assert BOTS["greedy"].source.hold(card_turn(rules_of("thirteen"), "12346")) == faces("12346")
    assert BOTS["greedy"].source.hold(showdown_turn(rules_of("showdown"), "12346")) == ()
    assert BOTS["greedy"].source.hold(showdown_turn(rules_of("showdown"), "12345")) == ()
    assert BOTS["greedy"].source.hold(showdown_turn(rules_of("showdown"), "11346")) == faces("11346")


@pytest.mark.parametrize("name", ["collector", "greedy", "turn_optimal"])
def test_the_row_that_pays_most_is_taken(name: str) -> None:
    choose = BOTS[name].source.choose_row
    rules = rules_of("thirteen")
    assert choose(card_turn(rules, "23456", roll=3)) == "large_straight"
    assert (
        choose(card_turn(rules, "66651", roll=3)) == "three_of_a_kind"
    )  # 24, as chance pays, and earlier on the card
    assert choose(card_turn(rules, "22333", roll=3, card={"full_house": 0})) == "three_of_a_kind"


# turn_optimal, by hand


def only(ruleset: str, *open_rows: str) -> dict[str, int]:
    """Return a card whose other rows hold 0, and chance the 5 that it pays at least."""
    rules = rules_of(ruleset)
    return {name: 5 if name == "chance" else 0 for name in rules.names if name not in open_rows}


def keeps(ruleset: str, dice: str, roll: int, card: dict[str, int]) -> str:
    turn = card_turn(rules_of(ruleset), dice, roll=roll, card=card)
    return "".join(map(str, BOTS["turn_optimal"].source.hold(turn)))


@pytest.mark.parametrize(
    ("dice", "roll", "kept"),
    [
        ("12345", 2, "45"),
        ("44566", 2, "44566"),
        ("11233", 2, ""),
        ("12345", 1, "5"),
        ("44566", 1, "566"),
        ("11234", 1, ""),
        ("55566", 1, "55566"),
    ],
)
def test_of_a_chance_it_keeps_what_is_above_the_mean_of_what_may_come(dice: str, roll: int, kept: str) -> None:
    """One throw more is worth 3.5 a die, so 4 is kept; two throws more 4.25, so 4 is not."""
    assert keeps("thirteen", dice, roll, only("thirteen", "chance")) == kept


def test_a_turn_for_chance_is_worth_23_and_a_third() -> None:
    sums = np.array([float(sum(roll)) for roll in lattice().rolls])
    for rolls_left, mean in [(1, 3.5), (2, 4.25), (3, 14 / 3)]:
        assert keep_values(sums, rolls_left, 5)[0] == pytest.approx(5 * mean, abs=1e-9)


def test_a_turn_for_five_of_a_kind_is_worth_2_point_3() -> None:
    """4.6029% is the known chance of a Yahtzee in three rolls."""
    fives = np.array([50.0 * (len(set(roll)) == 1) for roll in lattice().rolls])
    assert keep_values(fives, 3, 5)[0] == pytest.approx(50 * 0.0460286, abs=1e-5)


@pytest.mark.parametrize(
    ("row", "dice", "roll", "kept"),
    [
        ("ones", "11345", 2, "11"),
        ("ones", "23456", 1, ""),
        ("sixes", "66612", 1, "666"),
        ("five_of_a_kind", "33312", 1, "333"),
        ("five_of_a_kind", "66333", 2, "333"),
        ("full_house", "66331", 2, "3366"),
        ("full_house", "66333", 1, "33366"),
        ("large_straight", "12346", 1, "2346"),  # as good as 1234, and later by id
        ("large_straight", "12234", 2, "1234"),
        ("large_straight", "23345", 1, "2345"),
        ("large_straight", "23456", 1, "23456"),
        ("small_straight", "12346", 2, "12346"),  # already there: of equal keeps, that of most dice
        ("small_straight", "13456", 2, "13456"),
    ],
)
def test_of_one_row_it_keeps_what_serves_it(row: str, dice: str, roll: int, kept: str) -> None:
    assert keeps("thirteen", dice, roll, only("thirteen", row)) == kept


def test_of_equal_rows_it_takes_the_first() -> None:
    choose = BOTS["turn_optimal"].source.choose_row
    card = only("thirteen", "four_of_a_kind", "full_house", "large_straight")
    assert choose(card_turn(rules_of("thirteen"), "11236", roll=3, card=card)) == "four_of_a_kind"


def test_a_section_bonus_that_the_turn_makes_due_is_counted() -> None:
    choose = BOTS["turn_optimal"].source.choose_row
    card = {**only("yahtzee", "sixes", "chance"), "threes": 9, "fours": 16, "fives": 20}
    assert choose(card_turn(rules_of("yahtzee"), "66642", roll=3, card=card)) == "sixes"  # 18 and 35 before 24
    assert choose(card_turn(rules_of("yahtzee"), "66442", roll=3, card=card)) == "chance"  # 12 before 22: no bonus


def test_five_of_a_kind_that_earns_a_hundred_is_counted() -> None:
    card = {**only("yahtzee", "fours", "chance"), "five_of_a_kind": 50}
    assert keeps("yahtzee", "44446", 2, card) == "4444"
    no_bonus = only("thirteen", "chance")
    assert keeps("thirteen", "44446", 2, no_bonus) == "44446"


def test_a_first_roll_that_pays_twice_is_kept() -> None:
    stage_2 = {"ones": -3}
    assert keeps("two-stage", "23456", 1, stage_2) == "23456"
    assert keeps("two-stage", "66666", 1, stage_2) == "66666"
    assert keeps("two-stage", "11234", 1, stage_2) == "11234"  # a small straight of 10, twice
    assert keeps("two-stage", "11235", 1, stage_2) != "11235"
    assert keeps("two-stage", "66633", 1, stage_2) == "33666"  # a full house of 24, twice


def test_stage_1_collects_one_face() -> None:
    assert keeps("two-stage", "66612", 1, {}) == "666"
    assert BOTS["turn_optimal"].source.choose_row(card_turn(rules_of("two-stage"), "66612", roll=3)) == "sixes"
    assert BOTS["turn_optimal"].source.choose_row(card_turn(rules_of("two-stage"), "11234", roll=3)) == "ones"


@pytest.mark.parametrize(
    ("shown", "dice", "roll", "kept"),
    [
        ("12346", "66123", 2, "12366"),  # a pair beats nothing: it is won
        ("66123", "55123", 2, "55"),
        ("66666", "66123", 1, "66"),  # only the same could share the pot
        ("11112", "66661", 1, "16666"),  # won already
        ("66661", "55551", 2, "5555"),
    ],
)
def test_in_showdown_it_plays_to_beat_what_is_shown(shown: str, dice: str, roll: int, kept: str) -> None:
    turn = showdown_turn(rules_of("showdown"), dice, roll=roll, shown=shown)
    assert "".join(map(str, BOTS["turn_optimal"].source.hold(turn))) == kept


def test_turn_optimal_gets_the_most_of_a_turn(tmp_path: Any) -> None:
    """Over 400 games of one row at a time no shipped bot has a better mean in stage 1 and 2 together."""
    played = play_league(write_tournament(tmp_path, agents=FOUR, games=400), tmp_path)
    means = {line.name: line.mean_score for line in played.leagues["two-stage"].standings}
    assert max(means, key=means.__getitem__) == "turn_optimal"
