"""Mistakes in a ruleset file: each is one line that names the file, the line and what is allowed."""

from pathlib import Path

import pytest

from arena.errors import FileError, UserError
from arena.rules.file import load_ruleset
from arena.rules.shipped import FOLDER

CHANCE = "      chance: {pattern: chance, pays: sum_all}\n"
SMALL = "small_straight: {pattern: small_straight, sequence: 4, pays: fixed 30}"


NO_WORD = "is no name here: a to z first, then also 0 to 9, _ and -; at most 40 in all"


def changed(ruleset: str, old: str, new: str) -> tuple[str, int]:
    """Return a shipped file with one place changed, and the line of the change."""
    text = (FOLDER / f"{ruleset}.yaml").read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {ruleset}"
    return text.replace(old, new), text[: text.index(old)].count("\n") + 1


def message(path: Path, text: str) -> str:
    """Return what is said of a file, after the file's name."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_ruleset(path)
    said = str(caught.value)
    assert "\n" not in said, said
    assert said.startswith(f"{path}:"), said
    return said.removeprefix(f"{path}:")


MISTAKES = {
    "unknown key": ("thirteen", "title: The", "titel: x\ntitle: The", "titel: unknown key, did you mean 'title'?"),
    "unknown key in a section": (
        "yatzy",
        "  lower:\n",
        "  lower:\n    row: {}\n",
        "unknown key, did you mean 'rows'?",
    ),
    "unknown key in a row": ("thirteen", CHANCE, CHANCE.replace("pays", "doubled: true, pays"), "'doubles'"),
    "unknown key in a bonus": ("yatzy", "due: reached", "due: reached, most: 3", "unknown key"),
    "pay unknown": ("thirteen", CHANCE, CHANCE.replace("sum_all", "sum_al"), "unknown pay 'sum_al', did you mean"),
    "pay without its number": ("thirteen", "full_house, pays: fixed 25", "full_house, pays: fixed", "written fixed N"),
    "pay with a number": ("thirteen", CHANCE, CHANCE.replace("sum_all", "sum_all 3"), "sum_all takes no number"),
    "pay below 0": ("thirteen", "full_house, pays: fixed 25", "full_house, pays: fixed -25", "written fixed N"),
    "face too high": ("thirteen", "sum_face 6", "sum_face 7", "written sum_face N"),
    "face 0": ("school", "school 1", "school 0", "written school N"),
    "pay no text": ("thirteen", CHANCE, CHANCE.replace("sum_all", "25"), "pays: should be a valid string, not 25"),
    "pattern unknown": ("thirteen", CHANCE, CHANCE.replace("pattern: chance", "pattern: chances"), "'chances'"),
    "sequence with no face": (
        "thirteen",
        SMALL,
        SMALL.replace("sequence: 4", "sequence: 34567"),
        "34567: a sequence",
    ),
    "sequence no number": ("thirteen", SMALL, SMALL.replace("sequence: 4", "sequence: four"), "'four': a sequence"),
    "sequence 0": ("thirteen", SMALL, SMALL.replace("sequence: 4", "sequence: 0"), "0: a sequence is a length"),
    "sequence below 0": (
        "thirteen",
        SMALL,
        SMALL.replace("sequence: 4", "sequence: -4"),
        "-4: a sequence is a length",
    ),
    "sequence a fraction": (
        "thirteen",
        SMALL,
        SMALL.replace("sequence: 4", "sequence: 4.5"),
        "4.5: a sequence is a length",
    ),
    "sequence a list": ("thirteen", SMALL, SMALL.replace("sequence: 4", "sequence: [1, 2]"), "[1, 2]: a sequence"),
    "sequence a switch": ("thirteen", SMALL, SMALL.replace("sequence: 4", "sequence: true"), "True: a sequence is"),
    "straight without a sequence": ("thirteen", SMALL, SMALL.replace("sequence: 4, ", ""), "needs a sequence"),
    "pair with a sequence": ("yatzy", "{pattern: pair, ", "{pattern: pair, sequence: 4, ", "pair takes no sequence"),
    "doubles no switch": ("school", "chance, pays: sum_all}", "chance, pays: sum_all, doubles: 2}", "doubles"),
    "plus no number": ("school", "plus: 50", "plus: fifty", "plus"),
    "pattern nearly": (
        "thirteen",
        CHANCE,
        CHANCE.replace("pattern: chance", "pattern: two_pair"),
        "'two_pair' is not allowed, did you mean 'two_pairs'?: 'pair', 'two_pairs', ",
    ),
    "settlement nearly": (
        "two-stage",
        "settlement: bank",
        "settlement: bnak",
        "settlement: 'bnak' is not allowed, did you mean 'bank'?: 'none', 'bank', ",
    ),
    "due nearly": (
        "yatzy",
        "due: reached",
        "due: reach",
        "'reach' is not allowed, did you mean 'reached'?: 'reached' or 'complete'",
    ),
    "at nearly": ("fifteen", "at: upper_bonus_at", "at: uper_bonus_at", "did you mean 'upper_bonus_at'?"),
    "option's value nearly": ("fifteen", "default: forced", "default: force", "not allowed, did you mean 'forced'?: "),
    "row in capitals": ("thirteen", CHANCE, CHANCE.replace("chance:", "CON:"), f"rows.CON: 'CON' {NO_WORD}"),
    "id of two words": ("thirteen", "id: thirteen", "id: Light House", f"id: 'Light House' {NO_WORD}"),
    "id too long": ("thirteen", "id: thirteen", f"id: {'x' * 41}", NO_WORD),
    "option unknown": ("thirteen", "  rolls: 3\n", "  rols: 3\n  rolls: 3\n", "unknown option, did you mean 'rolls'?"),
    "option's value": ("thirteen", "  rolls: 3\n", "  rolls: 4\n", "rolls: 4 is not allowed: 2, 3"),
    "option's default": (
        "fifteen",
        "default: forced",
        "default: force",
        "'force' is not allowed, did you mean 'forced'?: forced, free, none",
    ),
    "option's choice": ("fifteen", "allowed: [forced, none]", "allowed: [forced, no_ne]", "'no_ne' is not allowed"),
    "option's choices no list": ("fifteen", "allowed: [forced, none]", "allowed: 3", "is written as a value, or as {"),
    "option's choices a word": (
        "fifteen",
        "allowed: [forced, none]",
        "allowed: forced",
        "is written as a value, or as {",
    ),
    "option's key": ("fifteen", "allowed: [forced, none]", "alowed: [forced, none]", "is written as a value, or as {"),
    "option's default not among its choices": (
        "fifteen",
        "allowed: [forced, none]",
        "allowed: [none]",
        "'forced' is not among",
    ),
    "row twice": ("thirteen", CHANCE, CHANCE + CHANCE, ""),
    "bonus due": ("yatzy", "due: reached", "due: later", "'later' is not allowed: 'reached' or 'complete'"),
    "bonus at a word": ("yatzy", "at: upper_bonus_at", "at: upper", "bonus.at: 'upper' is neither"),
    "bonus at an option that is not there": ("yatzy", "  upper_bonus_at: 63\n", "", "upper_bonus_at is not among"),
    "turns 0": ("yatzy", "  lower:\n", "  lower:\n    turns: 0\n", "turns"),
    "five_bonus row": ("fifteen", "five_bonus: {row: five_of_a_kind", "five_bonus: {row: five_of_kind", "no row"),
    "five_bonus option": ("fifteen", "  five_bonus: 100\n", "", "the option five_bonus is not among the options"),
    "joker row": ("yahtzee", "joker: {row: five_of_a_kind}", "joker: {row: fives_}", "no row 'fives_', did you mean"),
    "joker option": ("yahtzee", "  joker: forced\n", "", "the option joker is not among the options"),
    "ranking short": ("showdown", ", pair, nothing]", ", pair]", "a ranking orders all of five_of_a_kind"),
    "ranking twice": ("showdown", ", pair, nothing]", ", pair, pair, nothing]", "a ranking orders all of"),
    "ranking unknown": ("showdown", ", pair, nothing]", ", pairs, nothing]", "a ranking orders all of"),
    "showdown option missing": ("showdown", "  stack: 20\n", "", "the option stack is required"),
    "dice too many": ("thirteen", "game: card\n", "game: card\ndice: 7\n", "dice"),
    "dice no number": ("thirteen", "game: card\n", "game: card\ndice: five\n", "dice"),
    "seats": ("thirteen", "game: card\n", "game: card\nmax_seats: 7\n", "max_seats"),
    "no seat": ("thirteen", "game: card\n", "game: card\nmin_seats: 0\n", "min_seats"),
    "settlement": ("school", "settlement: mean", "settlement: median", "'median' is not allowed"),
    "game": (
        "thirteen",
        "game: card",
        "game: cards",
        "'cards' is not allowed, did you mean 'card'?: 'card' or 'showdown'",
    ),
    "id": ("thirteen", "id: thirteen", "id: Thirteen!", "id"),
    "decisions no list": ("thirteen", "published_results:", "decision: x\npublished_results:", "unknown key"),
    "published": ("thirteen", "drawn: 2489", "drawn: few", "drawn"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_one_line_that_names_file_and_line(what: str, tmp_path: Path) -> None:
    ruleset, old, new, said = MISTAKES[what]
    text, line = changed(ruleset, old, new)
    told = message(tmp_path / "mine.yaml", text)
    number, _, rest = told.partition(": ")
    assert number.isdecimal(), told
    assert said in rest
    near = {
        "unknown key in a section": line + 1,
        "row twice": line + 1,
        "turns 0": line + 1,
        "dice too many": line + 1,
        "dice no number": line + 1,
        "seats": line + 1,
        "no seat": line + 1,
    }
    elsewhere = {  # a part that is missing is told where it should stand or is wanted
        "bonus at an option that is not there": "bonus: {points",
        "five_bonus option": "five_bonus: {row",
        "joker option": "joker: {row",
        "showdown option missing": "options:",
    }
    if what in elsewhere:
        line = next(
            n for n, words in enumerate(text.splitlines(), start=1) if words.strip().startswith(elsewhere[what])
        )
    assert int(number) == near.get(what, line), told


@pytest.mark.parametrize("key", ["id", "title", "game", "source", "options"])
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    lines = (FOLDER / "yatzy.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
    start = next(n for n, line in enumerate(lines) if line.startswith(f"{key}:"))
    stop = next(n for n in range(start + 1, len(lines)) if not lines[n].startswith(" "))
    assert message(tmp_path / "mine.yaml", "".join(lines[:start] + lines[stop:])) == f"1: {key}: is required"


def test_a_card_game_needs_sections(tmp_path: Path) -> None:
    text = (FOLDER / "yatzy.yaml").read_text(encoding="utf-8")
    without = text[: text.index("sections:")]
    assert message(tmp_path / "mine.yaml", without) == "1: a card game needs sections"


def test_rolls_is_required(tmp_path: Path) -> None:
    text, _ = changed("yatzy", "  rolls: 3\n", "")
    line = next(n for n, words in enumerate(text.splitlines(), start=1) if words == "options:")
    assert message(tmp_path / "mine.yaml", text) == f"{line}: options: the option rolls is required"


def test_more_turns_than_rows(tmp_path: Path) -> None:
    text, line = changed("two-stage", "  stage_2:\n    turns: 1\n", "  stage_2:\n    turns: 9\n")
    told = message(tmp_path / "mine.yaml", text)
    assert told == f"{line + 1}: sections.stage_2.turns: more turns than the 8 rows"


def test_a_key_twice_names_both_lines(tmp_path: Path) -> None:
    text = (FOLDER / "yatzy.yaml").read_text(encoding="utf-8")
    last = text.count("\n") + 1
    told = message(tmp_path / "mine.yaml", text + "title: again\n")
    assert told == f"{last}: title: the key stands twice, first in line 2"


def test_a_row_in_two_sections(tmp_path: Path) -> None:
    text, _ = changed("thirteen", CHANCE, CHANCE + "      ones: {pays: sum_face 1}\n")
    line = next(n for n, words in enumerate(text.splitlines(), start=1) if words == "sections:")
    assert message(tmp_path / "mine.yaml", text) == f"{line}: sections: the row ones stands in two sections"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"  \n\n", "is empty"),
        (b"\xff\xfe\x00\x01", "is no text"),
        (b"id: x\0", "is no text"),
        (b"- one\n- two\n", "1: a ruleset file is a mapping"),
        (b"just words\n", "1: a ruleset file is a mapping"),
        (b"id: x\n\ttitle: y\n", "2: a tab stands where YAML wants spaces"),
        (b"id: [x\n", ":"),
        (b"id: &a x\ntitle: *a\n", "1: anchors (&) and aliases (*) are not allowed"),
        (b"a: " + b"[" * 40 + b"]" * 40, "1: is nested more than"),
    ],
)
def test_files_that_are_no_ruleset_file(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        load_ruleset(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}:")


def test_a_missing_file_names_the_nearest_and_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("id: x\n")
    with pytest.raises(FileError, match=r"nine\.yaml: no such ruleset file, did you mean 'mine\.yaml'\?"):
        load_ruleset(tmp_path / "nine.yaml")
    with pytest.raises(FileError, match="is a folder, not a ruleset file"):
        load_ruleset(tmp_path)


GOOD = """
id: mine
title: A small game of three dice
game: card
source: nobody
dice: 3
options: {rolls: 2}
sections:
  only:
    turns: 2
    bonus: {points: 9, at: 10, due: complete}
    rows:
      sixes: {pays: sum_face 6}
      pair: {pattern: pair, pays: sum_pattern, doubles: true, plus: 1}
      any: {pays: sum_all}
"""


def test_a_good_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    ruleset = load_ruleset(path)
    assert (ruleset.id, ruleset.dice, ruleset.rolls, ruleset.max_seats) == ("mine", 3, 2, 6)
    assert ruleset.card is not None
    assert ruleset.card.turns == 2
    assert [row.name for row in ruleset.card.rows] == ["sixes", "pair", "any"]


@pytest.mark.parametrize("options", ["2", "[rolls]", "", "rolls"])
def test_options_are_a_mapping(options: str, tmp_path: Path) -> None:
    told = message(tmp_path / "mine.yaml", GOOD.replace("{rolls: 2}", options))
    assert told.startswith("7: options: should be a mapping of keys to values, not ")
