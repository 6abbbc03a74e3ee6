"""``arena rules`` against the golden data, and its mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT, Console

from arena.rules.shipped import ruleset_ids, shipped_ruleset

GOLDEN = ROOT / "tests" / "golden"
JOKERS = [json.loads(line) for line in (GOLDEN / "joker.jsonl").read_text().splitlines()]
HANDS = list(csv.DictReader((GOLDEN / "showdown.csv").read_text().splitlines()))
SCORES = list(csv.DictReader((GOLDEN / "scoring.csv").read_text().splitlines()))
CARD_GAMES = [name for name in ruleset_ids() if shipped_ruleset(name).card]


def options(changes: dict[str, Any]) -> list[str]:
    return [word for name, value in changes.items() for word in ("--option", f"{name}={value}")]


def test_the_golden_data_is_there() -> None:
    assert (len(JOKERS), len(HANDS), len(SCORES)) == (8, 45, 96)


@pytest.mark.parametrize("case", JOKERS, ids=[case["why"] for case in JOKERS])
def test_golden_jokers(case: dict[str, Any], arena: Console) -> None:
    card = ",".join(f"{row}={points}" for row, points in case["card"].items())
    command = ("rules", "score", case["ruleset"], case["dice"], "--card", card, "--json")
    found = json.loads(arena(*command, *options(case.get("options", {}))).out)
    assert list(found) == ["rows", "extra"]
    assert list(found["rows"]) == case["legal"]
    assert {row: found["rows"][row] for row in case["points"]} == case["points"]
    assert found["extra"] == case["extra"]


@pytest.mark.parametrize("case", HANDS, ids=["-".join(case.values()) for case in HANDS])
def test_golden_hands(case: dict[str, str], arena: Console) -> None:
    tie_break = ("--option", f"tie_break={case['tie_break']}")
    there = arena("rules", "compare", "showdown", case["first"], case["second"], *tie_break)
    back = arena("rules", "compare", "showdown", case["second"], case["first"], *tie_break)
    assert there.out == f"{case['winner']}\n"
    assert back.out == {"first": "second\n", "second": "first\n", "tie": "tie\n"}[case["winner"]]


@pytest.mark.parametrize("ruleset", sorted({case["ruleset"] for case in SCORES}))
def test_golden_scores(ruleset: str, arena: Console) -> None:
    """Some rows are not open on an empty card; the table has them all."""
    table = {
        (line["row"], line["dice"], line["first_roll"]): line["points"]
        for line in csv.DictReader(arena("rules", "table", ruleset, "--csv").lines)
    }
    for case in SCORES:
        if case["ruleset"] == ruleset:
            dice = "".join(sorted(case["dice"]))
            assert table[case["row"], dice, case["first_roll"]] == case["points"], case["why"]


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_the_complete_table(ruleset: str, arena: Console) -> None:
    lines = arena("rules", "table", ruleset, "--csv").lines
    sheet = shipped_ruleset(ruleset).card
    assert sheet
    rows = [row.name for row in sheet.rows]
    assert lines[0] == "row,dice,first_roll,points"
    table = list(csv.DictReader(lines))
    assert len(table) == 252 * 2 * len(rows)
    keys = [(line["row"], line["dice"], line["first_roll"]) for line in table]
    assert len(set(keys)) == len(keys)
    assert list(dict.fromkeys(line["row"] for line in table)) == rows
    dice = list(dict.fromkeys(line["dice"] for line in table))
    assert dice == sorted(dice)
    assert all("".join(sorted(one)) == one and len(one) == 5 and set(one) <= set("123456") for one in dice)
    assert {line["first_roll"] for line in table} == {"0", "1"}


def test_the_table_of_hands(arena: Console) -> None:
    lines = arena("rules", "table", "showdown", "--csv").lines
    assert lines[0] == "dice,kind,rank"
    assert len(lines) == 253
    assert lines[1] == "11111,five_of_a_kind,66"
    plain = arena("rules", "table", "showdown").lines
    assert [line.split() for line in plain] == [line.split(",") for line in lines]


def test_the_table_follows_options(arena: Console) -> None:
    doubled = arena("rules", "table", "two-stage", "--csv").lines
    plain = arena("rules", "table", "two-stage", "--csv", "--option", "first_roll_doubles=false").lines
    changed = [(one, other) for one, other in zip(doubled, plain, strict=True) if one != other]
    assert changed
    assert all(one.split(",")[2] == "1" for one, _ in changed)
    assert "pair,11112,1,4" in doubled
    assert "pair,11112,1,2" in plain


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["two-stage", "66123", "--first-roll", "--card", "ones=-3"], {"pair": 24, "two_pairs": 0}),
        (["two-stage", "66123", "--card", "ones=-3"], {"pair": 12}),
        (["two-stage", "66666", "--first-roll", "--card", "ones=-3"], {"five_of_a_kind": 110}),
        (["two-stage", "55512"], {"ones": -2, "fives": 0, "sixes": -18}),
        (["fifteen", "55525"], {"three_of_a_kind": 22, "fives": 20}),
        (["thirteen", "13244"], {"ones": 1, "fours": 8, "small_straight": 30}),
        (["yatzy", "44444", "--option", "five_is_full_house=true"], {"full_house": 20, "two_pairs": 0}),
        (["yatzy", "44441", "--option", "four_is_two_pairs=true"], {"two_pairs": 16}),
        (["school", "12345", "--option", "sections_in_order=false"], {"small_straight": 15, "ones": -2}),
        (["yahtzee", " 44444", "--card", " five_of_a_kind = 50 , fours=12,"], {"full_house": 25}),
    ],
)
def test_scores(command: list[str], expected: dict[str, int], arena: Console) -> None:
    command[1] = command[1].strip()
    found = json.loads(arena("rules", "score", *command, "--json").out)["rows"]
    assert {row: found[row] for row in expected} == expected


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("score fifteen 444444", "'444444' are 6 dice; fifteen throws 5, written such as 44416"),
        ("score fifteen 4444", "'4444' are 4 dice; fifteen throws 5, written such as 44416"),
        ("score fifteen 44447", "'44447': '7' is no face; faces are 1 to 6"),
        ("score fifteen 04444", "'04444': '0' is no face; faces are 1 to 6"),
        ("score fifteen 4444x", "'4444x': 'x' is no face; faces are 1 to 6"),
        ("score fifteen 4444٤", "'4444٤': '٤' is no face; faces are 1 to 6"),
        ("score fifteen 44444 --card fours=12,fours=8", "--card: the row 'fours' is filled twice"),
        ("score fifteen 44444 --card fours=13", "--card: row 'fours' cannot hold 13: it pays 0, 4, 8, 12, 16, 20"),
        ("score fifteen 44444 --card fours=-4", "--card: row 'fours' cannot hold -4: it pays 0, 4, 8, 12, 16, 20"),
        ("score fifteen 44444 --card four=12", "--card: no row 'four' in fifteen, did you mean 'fours'?"),
        ("score fifteen 44444 --card fours", "--card: 'fours' is not ROW=POINTS"),
        ("score fifteen 44444 --card fours=", "--card: 'fours=' is not ROW=POINTS"),
        ("score fifteen 44444 --card fours=--4", "--card: 'fours=--4' is not ROW=POINTS"),
        ("score fifteen 44444 --card fours=x", "--card: 'fours=x' is not ROW=POINTS"),
        ("score fifteen 44444 --card fours=1.5", "--card: 'fours=1.5' is not ROW=POINTS"),
        (
            "score two-stage 44444 --card pair=8",
            "--card: row 'pair' cannot be filled while the rows before it are open",
        ),
        (
            "score two-stage 44444 --card ones=-3,twos=-6",
            "--card: row 'twos' cannot be filled while the rows before it are open",
        ),
        ("score two-stage 44444 --card ones=-3,pair=8", "--card: every row is filled, so none is open"),
        (
            "score showdown 44444 --first-roll",
            "showdown has no card: neither --card nor --first-roll means anything",
        ),
        (
            "score showdown 44444 --card fours=12",
            "showdown has no card: neither --card nor --first-roll means anything",
        ),
        ("compare thirteen 44444 44445", "thirteen compares no hands; showdown does"),
        ("compare showdown 44444 4444", "'4444' are 4 dice; showdown throws 5, written such as 44416"),
        (
            "score thirten 44444",
            "unknown ruleset 'thirten', did you mean 'thirteen'?; there are " + ", ".join(ruleset_ids()),
        ),
        (
            "score fifteen 44444 --option rols=2",
            "unknown option 'rols', did you mean 'rolls'?; there are rolls, upper_bonus_at, joker, five_bonus, "
            "five_is_full_house, four_is_two_pairs, first_roll_doubles, sections_in_order, tie_break, "
            "straight_above_three, stack, ante, rounds, ends, faces",
        ),
        (
            "show thirteen --option joker=none",
            "thirteen takes no option 'joker'; it takes rolls, five_is_full_house, four_is_two_pairs",
        ),
        ("show fifteen --option rolls", "an option is written NAME=VALUE, not 'rolls'"),
        ("show fifteen --option rolls=4", "fifteen: rolls=4 is not allowed; 2, 3"),
        ("show fifteen --option rolls=+-3", "fifteen: rolls=+-3 is not allowed; 2, 3"),
        ("show fifteen --option rolls=3 --option rolls=2", "the option rolls is given twice"),
        (
            "show fifteen --option joker=free",
            "fifteen: joker=free is not allowed, did you mean 'forced'?; forced, none",
        ),
        ("show fifteen --option upper_bonus_at=1001", "fifteen: upper_bonus_at=1001 is not allowed; 0 to 1,000"),
        (
            "show fifteen --option five_is_full_house=yes",
            "fifteen: five_is_full_house=yes is not allowed; false, true",
        ),
        (
            "show showdown --option tie_break=kicker",
            "showdown: tie_break=kicker is not allowed, did you mean 'kickers'?; face, kickers, high_die",
        ),
        (
            "show showdown --option ante=0 --option rounds=none",
            "showdown: with ante=0 rounds must be set, as nobody ever runs out of chips",
        ),
        ("frob thirteen", "No such command 'frob'."),
        ("score thirteen", "Missing argument 'DICE'."),
    ],
)
def test_mistakes(command: str, told: str, arena: Console, tmp_path: Path) -> None:
    assert arena("rules", *command.split(), cwd=tmp_path).mistake == told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000])
def test_numbers_of_any_length(number: str, arena: Console) -> None:
    assert arena("rules", "show", "fifteen", "--option", f"five_bonus={number}").mistake.endswith("; 0 to 1,000")
    assert arena("rules", "score", "fifteen", "44444", "--card", f"ones={number}").mistake.endswith(
        "is not ROW=POINTS"
    )


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_every_ruleset_is_shown_with_source_decisions_and_options(ruleset: str, arena: Console) -> None:
    value = shipped_ruleset(ruleset)
    shown = arena("rules", "show", ruleset)
    assert (shown.code, shown.err) == (0, "")
    assert f"source: {value.source}\n" in shown.out
    assert f"hash: {value.hash}\n" in shown.out
    assert value.decisions
    for decision in value.decisions:
        assert f"  - {decision}\n" in shown.out
    for option in value.options:
        assert f"  {option.name}=" in shown.out
    for row in value.card.rows if value.card else ():
        assert f"    {row.name} " in shown.out


def test_a_file_whose_id_is_one_of_the_arenas_own(arena: Console, tmp_path: Path) -> None:
    """A tournament refuses it, and so does every command."""
    path = tmp_path / "mine.yaml"
    path.write_text((ROOT / "arena" / "rules" / "catalogue" / "yatzy.yaml").read_text())
    told = f"{path}: the id 'yatzy' is one of the arena's own rulesets; give yours another"
    for command in (["rules", "show", path], ["solve", path], ["check", "greedy", "--ruleset", path]):
        assert arena(*command, cwd=tmp_path).mistake == told


@pytest.mark.parametrize("ending", ["yaml", "yml"])
def test_a_ruleset_file_may_end_in_either_way(ending: str, arena: Console, tmp_path: Path) -> None:
    path = tmp_path / f"mine.{ending}"
    path.write_text(
        (ROOT / "arena" / "rules" / "catalogue" / "yatzy.yaml").read_text().replace("id: yatzy", "id: mine")
    )
    assert arena("rules", "show", str(path)).out.startswith("mine: ")
