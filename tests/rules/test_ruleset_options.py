"""The options of every ruleset: which there are, what may be said, what each changes, and that it changes the hash."""

from itertools import product
from typing import Any

import pytest
from compiled_rules import ALL_IDS, card_rules, hand_rules, pays, played, roll_of, ruleset_of
from scoring_twin import CARD_GAMES

from arena.errors import UserError
from arena.rules.model import Ends, JokerMode, TieBreak
from arena.rules.options import OPTIONS, parse_option
from arena.rules.shipped import shipped_ruleset

EVERY_CARD_GAME = {"rolls": (3, 2), "five_is_full_house": (False, True), "four_is_two_pairs": (False, True)}
TABLE: dict[str, dict[str, tuple[Any, ...]]] = {
    "two-stage": {**EVERY_CARD_GAME, "first_roll_doubles": (True, False)},
    "school": {**EVERY_CARD_GAME, "first_roll_doubles": (True, False), "sections_in_order": (True, False)},
    "fifteen": {
        **EVERY_CARD_GAME,
        "upper_bonus_at": (64, 0, 1, 63, 105, 1000),
        "joker": ("forced", "none"),
        "five_bonus": (100, 0, 50, 1000),
    },
    "thirteen": EVERY_CARD_GAME,
    "yahtzee": {
        **EVERY_CARD_GAME,
        "upper_bonus_at": (63, 0, 1, 64, 105, 1000),
        "joker": ("forced", "free", "none"),
        "five_bonus": (100, 0, 50, 1000),
    },
    "yatzy": {**EVERY_CARD_GAME, "upper_bonus_at": (63, 0, 1, 64, 105, 1000)},
    "showdown": {
        "rolls": (3, 2),
        "tie_break": ("face", "kickers", "high_die"),
        "straight_above_three": (True, False),
        "rounds": (10, 1, 2, 1_000_000, None),
        "ante": (1, 0, 2, 1_000_000),
        "stack": (20, 1, 21, 1_000_000),
        "ends": ("first_out", "last_standing"),
        "faces": ("numbers", "cards"),
    },
}
"""Values by ruleset and option, the default first; of whole numbers some, the least and the greatest among them."""

CASES = [(ruleset, option) for ruleset in ALL_IDS for option in TABLE[ruleset]]


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_ruleset_takes_the_options_of_the_table_and_no_others(ruleset: str) -> None:
    options = shipped_ruleset(ruleset).options
    assert {option.name: option.default for option in options} == {
        name: values[0] for name, values in TABLE[ruleset].items()
    }
    assert all(option.value == option.default for option in options)
    assert {option.name for option in options} <= OPTIONS.keys()


def test_every_option_belongs_to_some_ruleset() -> None:
    assert OPTIONS.keys() == {option for options in TABLE.values() for option in options}


@pytest.mark.parametrize(("ruleset", "option"), CASES)
def test_each_value_makes_another_ruleset_with_a_hash_and_a_name_of_its_own(ruleset: str, option: str) -> None:
    default, *others = TABLE[ruleset][option]
    plain = shipped_ruleset(ruleset)
    assert shipped_ruleset(ruleset, {option: default}) == plain
    assert shipped_ruleset(ruleset, {option: default}).hash == plain.hash
    assert plain.name == ruleset
    hashes = {plain.hash}
    for value in others:
        changed = shipped_ruleset(ruleset, {option: value})
        hashes.add(changed.hash)
        written = {True: "true", False: "false", None: "none"}[value] if value in (None, True, False) else value
        written = str(value) if type(value) is int else written
        assert changed.name == f"{ruleset}+{option}={written}"
        assert {one.name: one.value for one in changed.options if one.value != one.default} == {option: value}
    assert len(hashes) == len(others) + 1


def test_no_two_single_changes_of_any_rulesets_share_a_hash() -> None:
    hashes = [shipped_ruleset(ruleset).hash for ruleset in ALL_IDS]
    hashes += [
        shipped_ruleset(ruleset, {option: value}).hash
        for ruleset, option in CASES
        for value in TABLE[ruleset][option][1:]
    ]
    assert len(set(hashes)) == len(hashes)


def test_changes_together_are_named_in_alphabetical_order_however_given() -> None:
    one = shipped_ruleset("showdown", {"rolls": 2, "ante": 2, "rounds": None})
    other = shipped_ruleset("showdown", {"rounds": None, "rolls": 2, "ante": 2})
    assert one.name == other.name == "showdown+ante=2+rolls=2+rounds=none"
    assert one.hash == other.hash


@pytest.mark.parametrize(
    ("ruleset", "option", "value"),
    [
        *((ruleset, "rolls", value) for ruleset in ALL_IDS for value in (1, 4, "3", 3.0, True)),
        *((ruleset, "five_is_full_house", value) for ruleset in CARD_GAMES for value in (1, 0, "true", None)),
        *((ruleset, "four_is_two_pairs", value) for ruleset in CARD_GAMES for value in (1, 0, "true", None)),
        *((ruleset, "first_roll_doubles", value) for ruleset in ("two-stage", "school") for value in (0, 2, "no")),
        ("school", "sections_in_order", 0),
        ("fifteen", "joker", "free"),
        ("fifteen", "joker", None),
        ("yahtzee", "joker", "sometimes"),
        ("yahtzee", "joker", True),
        *((ruleset, "upper_bonus_at", value) for ruleset in ("fifteen", "yahtzee", "yatzy") for value in (-1, 1001)),
        *(("yatzy", "upper_bonus_at", value) for value in (True, "63", 63.0, None)),
        *((ruleset, "five_bonus", value) for ruleset in ("fifteen", "yahtzee") for value in (-1, 1001, False, "100")),
        *(("showdown", "tie_break", value) for value in ("faces", True, None)),
        ("showdown", "straight_above_three", 1),
        *(("showdown", "stack", value) for value in (0, -1, 1_000_001, None)),
        *(("showdown", "ante", value) for value in (-1, 1_000_001, None, True)),
        *(("showdown", "rounds", value) for value in (0, -1, 1_000_001, "nothing", True)),
        *(("showdown", "ends", value) for value in ("never", None)),
        *(("showdown", "faces", value) for value in ("letters", None)),
    ],
)
def test_other_values_are_refused(ruleset: str, option: str, value: Any) -> None:
    with pytest.raises(UserError, match=rf"^{ruleset}: {option}=.* is not allowed") as caught:
        shipped_ruleset(ruleset, {option: value})
    assert "\n" not in str(caught.value)


def test_a_refusal_says_what_is_allowed_and_what_is_nearest() -> None:
    with pytest.raises(UserError, match=r"joker=fored is not allowed, did you mean 'forced'\?; forced, none$"):
        shipped_ruleset("fifteen", {"joker": "fored"})
    with pytest.raises(UserError, match=r"upper_bonus_at=2000 is not allowed; 0 to 1,000$"):
        shipped_ruleset("yatzy", {"upper_bonus_at": 2000})
    with pytest.raises(UserError, match=r"rounds=0 is not allowed; 1 to 1,000,000 or none$"):
        shipped_ruleset("showdown", {"rounds": 0})


@pytest.mark.parametrize(
    ("ruleset", "option"),
    [(ruleset, option) for ruleset, option in product(ALL_IDS, OPTIONS) if option not in TABLE[ruleset]],
)
def test_an_option_of_another_ruleset_is_refused(ruleset: str, option: str) -> None:
    default = next(TABLE[other][option][0] for other in ALL_IDS if option in TABLE[other])
    with pytest.raises(UserError, match=rf"^{ruleset} takes no option '{option}'.*; it takes "):
        shipped_ruleset(ruleset, {option: default})


def test_an_option_misspelt_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"yatzy takes no option 'upper_bonus', did you mean 'upper_bonus_at'\?"):
        shipped_ruleset("yatzy", {"upper_bonus": 63})


def test_without_an_ante_rounds_must_be_set() -> None:
    with pytest.raises(UserError, match="showdown: with ante=0 rounds must be set"):
        shipped_ruleset("showdown", {"ante": 0, "rounds": None})
    assert shipped_ruleset("showdown", {"ante": 0}).showdown is not None
    assert shipped_ruleset("showdown", {"ante": 1, "rounds": None}).showdown is not None


def test_none_may_be_written_as_a_word() -> None:
    assert shipped_ruleset("showdown", {"rounds": "none"}) == shipped_ruleset("showdown", {"rounds": None})


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("upper_bonus_at=63", ("upper_bonus_at", 63)),
        (" upper_bonus_at = 63 ", ("upper_bonus_at", 63)),
        ("five_is_full_house=true", ("five_is_full_house", True)),
        ("first_roll_doubles=false", ("first_roll_doubles", False)),
        ("rounds=none", ("rounds", None)),
        ("joker=none", ("joker", "none")),
        ("joker=free", ("joker", "free")),
        ("tie_break=high_die", ("tie_break", "high_die")),
        ("ante=-1", ("ante", -1)),
    ],
)
def test_options_as_the_command_line_gives_them(text: str, option: tuple[str, Any]) -> None:
    name, value = parse_option(text)
    assert (name, value) == option
    assert type(value) is type(option[1])


def test_options_as_the_command_line_should_not_give_them() -> None:
    with pytest.raises(UserError, match="an option is written NAME=VALUE, not 'rolls'"):
        parse_option("rolls")
    with pytest.raises(UserError, match=r"unknown option 'rols', did you mean 'rolls'\?"):
        parse_option("rols=2")


# what each option changes


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_rolls(ruleset: str) -> None:
    assert shipped_ruleset(ruleset, {"rolls": 2}).rolls == 2


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_five_is_full_house(ruleset: str) -> None:
    paid = {"two-stage": 30, "school": 30, "fifteen": 25, "thirteen": 25, "yahtzee": 25, "yatzy": 30}[ruleset]
    doubled = paid * (2 if ruleset in ("two-stage", "school") else 1)
    assert pays(ruleset, "full_house", "66666") == 0
    assert pays(ruleset, "full_house", "66666", five_is_full_house=True) == paid
    assert pays(ruleset, "full_house", "66666", first=True, five_is_full_house=True) == doubled
    assert pays(ruleset, "full_house", "66665", five_is_full_house=True) == 0
    assert pays(ruleset, "full_house", "66655", five_is_full_house=True) == pays(ruleset, "full_house", "66655")


@pytest.mark.parametrize("ruleset", [ruleset for ruleset in CARD_GAMES if ruleset not in ("thirteen", "yahtzee")])
def test_four_is_two_pairs_five_of_one_face_too(ruleset: str) -> None:
    options = {"four_is_two_pairs": True}
    sum_pattern = ruleset != "fifteen"
    assert pays(ruleset, "two_pairs", "44441") == 0
    assert pays(ruleset, "two_pairs", "44444") == 0
    assert pays(ruleset, "two_pairs", "44441", **options) == (16 if sum_pattern else 17)
    assert pays(ruleset, "two_pairs", "44444", **options) == (16 if sum_pattern else 20)
    assert pays(ruleset, "two_pairs", "44411", **options) == (10 if sum_pattern else 14)
    assert pays(ruleset, "two_pairs", "44412", **options) == 0
    if ruleset in ("two-stage", "school"):
        assert pays(ruleset, "two_pairs", "44441", first=True, **options) == 32


@pytest.mark.parametrize("ruleset", ["thirteen", "yahtzee"])
def test_four_is_two_pairs_changes_no_score_without_such_a_row(ruleset: str) -> None:
    assert card_rules(ruleset, four_is_two_pairs=True).points == card_rules(ruleset).points


@pytest.mark.parametrize("ruleset", ["two-stage", "school"])
def test_first_roll_doubles_false(ruleset: str) -> None:
    rules = card_rules(ruleset, first_roll_doubles=False)
    assert rules.points[1] == rules.points[0] == card_rules(ruleset).points[0]
    assert pays(ruleset, "five_of_a_kind", "66666", first=True, first_roll_doubles=False) == 80


def test_sections_in_order_false_opens_all_fifteen_rows_from_the_start() -> None:
    rules = card_rules("school", sections_in_order=False)
    assert all(rules.open_rows(rules.empty, roll) == rules.names for roll in range(252))
    assert rules.turns == 15
    assert played(rules, "chance 66666", "ones 11116", "pair 66123 first").total == 30 + 1 + 24
    assert rules.points == card_rules("school").points


@pytest.mark.parametrize(("ruleset", "bonus"), [("fifteen", 35), ("yahtzee", 35), ("yatzy", 50)])
def test_upper_bonus_at(ruleset: str, bonus: int) -> None:
    turns = ("sixes 66661", "fives 55512")  # 39
    assert played(card_rules(ruleset, upper_bonus_at=39), *turns).total == 39 + bonus
    assert played(card_rules(ruleset, upper_bonus_at=40), *turns).total == 39


@pytest.mark.parametrize("ruleset", ["fifteen", "yahtzee"])
@pytest.mark.parametrize("points", [0, 50, 1000])
def test_five_bonus(ruleset: str, points: int) -> None:
    card = played(card_rules(ruleset, five_bonus=points), "five_of_a_kind 66666", "fours 44444")
    assert (card.extra, card.total) == (points, 70 + points)


@pytest.mark.parametrize(("ruleset", "modes"), [("fifteen", "forced none"), ("yahtzee", "forced free none")])
def test_joker(ruleset: str, modes: str) -> None:
    legal = {}
    for mode in modes.split():
        rules = card_rules(ruleset, joker=mode)
        assert rules.sheet.joker is not None
        assert rules.sheet.joker.mode is JokerMode(mode)
        legal[mode] = len(rules.open_rows(played(rules, "five_of_a_kind 66666"), roll_of("44444")))
    every = len(card_rules(ruleset).names) - 1
    assert legal == {mode: 1 if mode == "forced" else every for mode in modes.split()}


@pytest.mark.parametrize("value", list(TieBreak))
def test_tie_break(value: TieBreak) -> None:
    assert hand_rules(tie_break=str(value)).sheet.tie_break is value


def test_straight_above_three() -> None:
    above, below = hand_rules(straight_above_three=True), hand_rules(straight_above_three=False)
    straight, three = roll_of("12345"), roll_of("66612")
    assert above.ranks[straight] > above.ranks[three]
    assert below.ranks[straight] < below.ranks[three]
    assert list(above.sheet.ranking) == [
        "five_of_a_kind",
        "four_of_a_kind",
        "full_house",
        "straight",
        "three_of_a_kind",
        "two_pairs",
        "pair",
        "nothing",
    ]
    assert list(below.sheet.ranking) == [
        "five_of_a_kind",
        "four_of_a_kind",
        "full_house",
        "three_of_a_kind",
        "straight",
        "two_pairs",
        "pair",
        "nothing",
    ]


def test_stack_ante_rounds_ends_and_faces() -> None:
    sheet = ruleset_of("showdown").showdown
    assert sheet is not None
    assert (sheet.stack, sheet.ante, sheet.rounds, sheet.ends, sheet.faces) == (20, 1, 10, Ends.FIRST_OUT, "numbers")
    changed = ruleset_of("showdown", stack=7, ante=3, rounds=None, ends="last_standing", faces="cards").showdown
    assert changed is not None
    assert (changed.stack, changed.ante, changed.rounds) == (7, 3, None)
    assert (changed.ends, changed.faces) == (Ends.LAST_STANDING, "cards")
