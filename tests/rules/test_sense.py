"""What a ruleset file can say and no game can mean is refused, where it stands."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import UserError
from arena.game.new import compile_rules
from arena.rules.file import load_ruleset
from arena.rules.shipped import FOLDER

CARD = """\
id: mine
title: A game
game: card
source: nobody
options: {rolls: 3}
sections:
  only:
    rows:
      sixes: {pays: sum_face 6}
      five: {pattern: five_of_a_kind, pays: fixed 50}
      rest: {pays: sum_all}
"""
HANDS = (FOLDER / "showdown.yaml").read_text(encoding="utf-8").replace("id: showdown", "id: hands")


def refused(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        load_ruleset(path)
    told = str(error.value)
    assert "\n" not in told
    return told.removeprefix(f"{path}:")


def changed(old: str, new: str, text: str = CARD) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def test_the_games_make_sense(tmp_path: Path) -> None:
    for text in (CARD, HANDS):
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        assert load_ruleset(tmp_path / "mine.yaml").hash


FIVE_BONUS = changed("sections:", "five_bonus: {row: five, holds: 50}\nsections:").replace(
    "rolls: 3", "rolls: 3, five_bonus: 100"
)
JOKER = changed("sections:", "joker: {row: five, holds: 50}\nsections:").replace("rolls: 3", "rolls: 3, joker: free")


@pytest.mark.parametrize("text", [FIVE_BONUS, JOKER])
def test_bonuses_for_a_further_five_make_sense(text: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    assert load_ruleset(tmp_path / "mine.yaml").card


ROWS = {
    "{pattern: small_straight, sequence: 6, pays: sum_all}": "no throw of 5 dice shows small_straight 6",
    "{pattern: large_straight, sequence: 123456, pays: sum_all}": "no throw of 5 dice shows large_straight 123456",
}


@pytest.mark.parametrize("row", ROWS)
def test_rows_that_no_throw_fills(row: str, tmp_path: Path) -> None:
    text = changed("rest: {pays: sum_all}", f"rest: {row}")
    assert refused(tmp_path, text) == f"11: sections.only.rows.rest: {ROWS[row]}"


@pytest.mark.parametrize("dice", [2, 3, 4, 6])
def test_rows_by_the_number_of_dice(dice: int, tmp_path: Path) -> None:
    text = changed("game: card", f"game: card\ndice: {dice}")
    if dice == 6:
        text = text.replace("{pays: sum_all}", "{pattern: full_house, pays: sum_all}")
        assert refused(tmp_path, text) == "12: sections.only.rows.rest: no throw of 6 dice shows full_house"
    else:
        told = f"11: sections.only.rows.five: no throw of {dice} dice shows five_of_a_kind"
        assert refused(tmp_path, text) == told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("joker: free", "options.joker: changes nothing without a joker"),
        ("five_bonus: 100", "options.five_bonus: changes nothing without five_bonus, with its row"),
        ("upper_bonus_at: 63", "options.upper_bonus_at: changes nothing without a bonus with at: upper_bonus_at"),
        ("first_roll_doubles: true", "options.first_roll_doubles: changes nothing without a row with doubles: true"),
        ("sections_in_order: true", "options.sections_in_order: changes nothing without a second section"),
        ("stack: 20", "options.stack: means nothing with game: card"),
        ("faces: cards", "options.faces: means nothing with game: card"),
    ],
)
def test_options_that_change_nothing(options: str, told: str, tmp_path: Path) -> None:
    assert refused(tmp_path, changed("rolls: 3", f"rolls: 3, {options}")) == f"5: {told}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (changed("options:", "ranking: [pair]\noptions:"), "5: ranking: means nothing with game: card"),
        (changed("options:", "min_seats: 4\nmax_seats: 3\noptions:"), "5: min_seats: is more than max_seats, 3"),
        (changed("options:", "settlement: chips\noptions:"), "5: settlement: chips are for games of hands"),
        (FIVE_BONUS.replace("holds: 50", "holds: 40"), "6: five_bonus.holds: five never holds 40"),
        (JOKER.replace("holds: 50", "holds: 1"), "6: joker.holds: five never holds 1"),
        (
            changed("pays: fixed 50", "pays: fixed 10001"),
            "10: sections.only.rows.five.pays: 'fixed 10001': at most 10,000",
        ),
        (changed("pays: fixed 50", f"pays: fixed {'9' * 500}"), "10: sections.only.rows.five.pays: 'fixed 999"),
        (
            changed("pays: fixed 50", "pays: fixed 5, plus: 10001"),
            "10: sections.only.rows.five.plus: should be less than",
        ),
        (changed("id: mine", "id: con"), "1: id: 'con' cannot name a folder on Windows"),
        (changed("id: mine", "id: lpt1"), "1: id: 'lpt1' cannot name a folder on Windows"),
        (changed("id: mine", "id: ../x"), "1: id: '../x' is no name here: a to z first, "),
        (changed("id: mine", f"id: {'x' * 41}"), "1: id: 'xxx"),
        (changed("title: A game", 'title: "A\\e[31m"'), "2: title: 'A\\x1b[31m': printable text was expected"),
        (changed("title: A game", "title: ' '"), "2: title: '': printable text was expected"),
        (
            changed("sections:", "sections_in_order: true\nsections:").replace(
                "rolls: 3", "rolls: 3, sections_in_order: true"
            )
            + "  more:\n    rows:\n      all: {pays: sum_all}\n",
            "6: sections_in_order: stands among the options too",
        ),
        (
            CARD + "".join(f"      r{n}: {{pays: sum_all}}\n" for n in range(58)),
            "6: sections: has 61 rows; 60 at most",
        ),
        (changed("game: showdown", "game: showdown\ndice: 4", HANDS), "4: dice: hands are of 5 dice"),
        (changed("min_seats: 2\n", "", HANDS), "1: min_seats: hands are compared by two seats at least"),
        (changed("options:\n", "sections: {}\noptions:\n", HANDS), "13: sections: means nothing with game: showdown"),
        (
            changed("  rolls: 3\n", "  rolls: 3\n  joker: free\n", HANDS),
            "17: options.joker: means nothing with game: ",
        ),
        (
            changed("  ante: 1\n", "  ante: 0\n", HANDS).replace("rounds: 10", "rounds: none"),
            "19: options.rounds: with ante=0 rounds must be set, as nobody ever runs out of chips",
        ),
    ],
)
def test_what_means_nothing(text: str, told: str, tmp_path: Path) -> None:
    assert refused(tmp_path, text).startswith(told)


def test_lines_may_be_folded(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(changed("title: A game", "title: >\n  A\n  game\n"))
    assert load_ruleset(tmp_path / "mine.yaml").title == "A game"


# Fuzz


scalars = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    st.sampled_from(["fixed 5", "sum_face 6", "school 9", "pair", "full_house", "upper_bonus_at", "12345", "none"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=6), inner, max_size=2)),
    max_leaves=4,
)
WORDS = """
    id title game source options options.rolls options.joker options.stack sections sections.only sections.only.rows
    sections.only.turns sections.only.bonus sections.only.bonus.at sections.only.bonus.points sections.only.rows.six
    sections.only.rows.six.pays sections.only.rows.six.pattern sections.only.rows.six.sequence dice min_seats
    sections.only.rows.six.doubles sections.only.rows.six.plus five_bonus five_bonus.row joker joker.holds ranking
    settlement
"""


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(WORDS.split()), value=values)
def test_any_value_anywhere_is_accepted_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: str, value: object
) -> None:
    content: Any = yaml.safe_load(JOKER)
    content["sections"]["only"]["rows"]["six"] = {"pays": "sum_all"}
    content["sections"]["only"]["bonus"] = {"points": 5, "at": 5, "due": "reached"}
    content["five_bonus"] = {"row": "five", "holds": 50}
    content["options"]["five_bonus"] = 100
    *path, last = place.split(".")
    inner = content
    for key in path:
        inner = inner[key]
    inner[last] = value
    file = tmp_path_factory.getbasetemp() / "fuzz.yaml"
    file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8", errors="surrogatepass")
    with suppress(UserError):  # anything else is a failure
        ruleset = load_ruleset(file)
        assert re.fullmatch(r"[a-z0-9_+=-]+", ruleset.name)
        compile_rules(ruleset)
