"""Every case of the golden files: scores of rows, section bonuses, jokers, hands compared."""

import csv
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import scoring_twin
import showdown_twin
from compiled_rules import card_rules, faces_of, hand_rules, roll_of

from arena.rules.card import CardRules

GOLDEN = Path(__file__).parents[1] / "golden"


def table(name: str) -> list[dict[str, str]]:
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()]


def test_the_golden_files_are_whole() -> None:
    assert len(table("scoring.csv")) == 96
    assert len(lines("bonus.jsonl")) == 10
    assert len(lines("joker.jsonl")) == 8
    assert len(table("showdown.csv")) == 45


@pytest.mark.parametrize("case", table("scoring.csv"), ids=lambda case: "-".join(list(case.values())[:4]))
def test_scoring(case: dict[str, str]) -> None:
    rules, row, first = card_rules(case["ruleset"]), case["row"], case["first_roll"] == "1"
    roll = roll_of(case["dice"])
    assert row in rules.names
    assert rules.row_pays(rules.empty, rules.row_ids[row], roll, first) == int(case["points"])
    assert rules.points[first][rules.row_ids[row]][roll] == int(case["points"])


def cards_with_upper_sum(rules: CardRules, total: int) -> list[tuple[int, ...]]:
    """Return how many dice of each face make six upper rows of the sum, in every way."""
    par = 3 if rules.ruleset.id == "school" else 0
    return [
        counts
        for counts in product(range(6), repeat=6)
        if sum((count - par) * face for face, count in enumerate(counts, start=1)) == total
    ]


@pytest.mark.parametrize("case", lines("bonus.jsonl"), ids=lambda case: f"{case['ruleset']}-{case['upper_total']}")
def test_bonus(case: dict[str, Any]) -> None:
    rules = card_rules(case["ruleset"])
    ways = cards_with_upper_sum(rules, case["upper_total"])
    assert len(ways) > 100
    for counts in ways:
        card = rules.empty
        for row, count in enumerate(counts):
            other = 1 + (row == 0)
            dice = (row + 1,) * count + (other,) * (5 - count)
            card = rules.place(card, row, rules.row_pays(card, row, roll_of("".join(map(str, dice))), False))
        assert card.sums[0] == case["upper_total"]
        assert card.bonus == case["bonus"]
        assert card.total == case["upper_total"] + case["bonus"]


@pytest.mark.parametrize("case", lines("joker.jsonl"), ids=lambda case: case["why"])
def test_joker(case: dict[str, Any]) -> None:
    rules = card_rules(case["ruleset"], **case.get("options", {}))
    card, roll = rules.card_of(case["card"]), roll_of(case["dice"])
    assert list(rules.open_rows(card, roll)) == case["legal"]
    assert rules.five_pays(card, roll) == case["extra"]
    for row, points in case["points"].items():
        assert rules.row_pays(card, rules.row_ids[row], roll, False) == points
        after = rules.fill(card, rules.row_ids[row], roll, False)
        assert after.points[rules.row_ids[row]] == points
        assert after.extra == case["extra"]


@pytest.mark.parametrize("case", table("showdown.csv"), ids=lambda case: "-".join(list(case.values())[:3]))
def test_showdown(case: dict[str, str]) -> None:
    ranks = hand_rules(tie_break=case["tie_break"]).ranks
    first, second = ranks[roll_of(case["first"])], ranks[roll_of(case["second"])]
    assert ("tie" if first == second else "first" if first > second else "second") == case["winner"]


def test_the_readable_twins_agree_with_the_golden_files() -> None:
    for case in table("scoring.csv"):
        first = case["first_roll"] == "1"
        points = scoring_twin.row_pays(
            case["ruleset"], case["row"], faces_of(case["dice"]), first_roll=first, options={}
        )
        assert points == int(case["points"]), case
    for joker in lines("joker.jsonl"):
        ruleset, held, options = joker["ruleset"], joker["card"], joker.get("options", {})
        dice = faces_of(joker["dice"])
        assert scoring_twin.legal_rows(ruleset, held, dice, options) == joker["legal"], joker
        assert scoring_twin.five_pays(ruleset, held, dice, options) == joker["extra"], joker
        for row, points in joker["points"].items():
            paid = scoring_twin.turn_pays(ruleset, held, row, dice, first_roll=False, options=options)
            assert paid == points, joker
    for case in table("showdown.csv"):
        won = showdown_twin.compare(faces_of(case["first"]), faces_of(case["second"]), tie_break=case["tie_break"])
        assert {1: "first", -1: "second", 0: "tie"}[won] == case["winner"], case
