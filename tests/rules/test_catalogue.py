"""The shipped rulesets: all seven are there, each with its source and decisions, and no code names one."""

import ast
from pathlib import Path

import pytest
from compiled_rules import ALL_IDS, ruleset_of
from scoring_twin import CARD_GAMES, PAYS

import arena
from arena.errors import UserError
from arena.rules.file import load_ruleset
from arena.rules.model import Settlement
from arena.rules.shipped import FOLDER, ruleset_ids, shipped_ruleset

PACKAGE = Path(arena.__file__).parent

SOURCES = {
    "two-stage": ("1", "Покер на костях с очками", "pokerlaws, 2013"),  # noqa: RUF001 - Russian
    "school": ("2", "Как играть в покер на костях", "how-to article"),
    "fifteen": ("3", "Dice Poker", "Polish rules page"),
    "thirteen": ("4", "Покер със зарове", "Bulgarian-language online board-game site"),
    "showdown": ("5", "Покер на костях", "Russian rules page with a glossary"),
    "yahtzee": ("", "printed Hasbro rules", ""),
    "yatzy": ("", "Scandinavian rules", "Wikipedia page"),
}

DECISIONS = {
    "two-stage": ["any face may be named", "50 of five_of_a_kind belongs to the row", "highest die decide who starts"],
    "school": ["fills a row at once", "chance is a row like any other", "2 x 5 = 10", "seats times a total minus"],
    "fifteen": ["Fifteen turns", "more than 63", "as if the pattern held", "holding 0 there is no joker", "22"],
    "thirteen": ["No bonus and no joker", "who starts"],
    "showdown": ["until somebody's chips run out", "out by a fault", "do not divide", "passing over"],
    "yahtzee": ["wherever it is written", "with 50 or with 0"],
    "yatzy": ["two pairs", "248.63"],
}


def test_the_catalogue_has_the_seven_rulesets() -> None:
    assert tuple(ruleset_ids()) == ALL_IDS


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_file_is_named_as_its_ruleset(ruleset: str) -> None:
    loaded = shipped_ruleset(ruleset)
    assert loaded.id == loaded.name == ruleset
    assert loaded.title
    assert loaded == load_ruleset(FOLDER / f"{ruleset}.yaml")


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_ruleset_cites_its_source(ruleset: str) -> None:
    number, title, kind = SOURCES[ruleset]
    source = shipped_ruleset(ruleset).source
    assert source.startswith(f"{number}: " if number else "the ")
    assert title in source
    assert kind in source
    assert "http" not in source


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_ruleset_lists_its_decisions(ruleset: str) -> None:
    decisions = shipped_ruleset(ruleset).decisions
    for words in DECISIONS[ruleset]:
        assert any(words in decision for decision in decisions), words
    if ruleset in CARD_GAMES:
        assert any("Any open row may be chosen" in decision for decision in decisions)


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_the_rows_stand_in_card_order(ruleset: str) -> None:
    card = shipped_ruleset(ruleset).card
    assert card is not None
    assert [row.name for row in card.rows] == list(PAYS[ruleset])
    assert shipped_ruleset(ruleset).showdown is None


def test_what_each_ruleset_is_settled_by() -> None:
    settled = {ruleset: shipped_ruleset(ruleset).settlement for ruleset in ALL_IDS}
    assert {name: how for name, how in settled.items() if how is not Settlement.NONE} == {
        "two-stage": Settlement.BANK,
        "school": Settlement.MEAN,
        "showdown": Settlement.CHIPS,
    }


def test_the_hashes_are_pinned() -> None:
    """A changed hash makes other dice of every league, so it must be meant."""
    assert {ruleset: ruleset_of(ruleset).hash[:16] for ruleset in ALL_IDS} == {
        "fifteen": "fa9195f4ce70fc09",
        "school": "06d7fe2c56db849c",
        "showdown": "e2c53f74d68b851c",
        "thirteen": "7810bb4c7a55de92",
        "two-stage": "7f88e6828cc98a89",
        "yahtzee": "fe5e9af00fd5d8ce",
        "yatzy": "fbe2f9df4ffd10ac",
    }


def test_an_unknown_ruleset_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        UserError, match=r"unknown ruleset 'yatsy', did you mean 'yatzy'\?; there are fifteen, .*yatzy$"
    ):
        shipped_ruleset("yatsy")


@pytest.mark.parametrize("ruleset", ["../yatzy", "yatzy.yaml", "", "Yatzy"])
def test_a_ruleset_is_found_by_nothing_but_its_name(ruleset: str) -> None:
    with pytest.raises(UserError, match="unknown ruleset"):
        shipped_ruleset(ruleset)


WORDS_OF_RULESET_FILES = {"school": "the pay `school N`", "showdown": "`game: showdown`"}
"""Two ids are words of the vocabulary too; they may stand where it is defined and read."""
VOCABULARY = {PACKAGE / "rules" / "model.py", PACKAGE / "rules" / "file.py"}


def names_in(file: Path) -> set[str]:
    """Return the ruleset ids that stand as whole strings in a file's code."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return strings & set(ALL_IDS)


def test_no_code_names_a_ruleset() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 20
    named = {file: names_in(file) - (WORDS_OF_RULESET_FILES.keys() if file in VOCABULARY else set()) for file in files}
    assert {str(file): names for file, names in named.items() if names} == {}


def test_the_search_for_names_would_find_one(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text('"""About yatzy."""\nif ruleset.id == "yahtzee" or ruleset.id in (\'two-stage\',):\n    pass\n')
    assert names_in(file) == {"yahtzee", "two-stage"}


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_ruleset_of_another_name_is_the_same_game(ruleset: str, tmp_path: Path) -> None:
    text = (FOLDER / f"{ruleset}.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace(f"id: {ruleset}\n", "id: mine\n", 1), encoding="utf-8")
    mine, shipped = load_ruleset(file), shipped_ruleset(ruleset)
    assert mine.id == "mine"
    assert mine.hash == shipped.hash
    assert (mine.card, mine.showdown, mine.rolls, mine.settlement) == (
        shipped.card,
        shipped.showdown,
        shipped.rolls,
        shipped.settlement,
    )


@pytest.mark.parametrize("ruleset", ALL_IDS)
def test_a_ruleset_cannot_be_changed(ruleset: str) -> None:
    loaded = shipped_ruleset(ruleset)
    with pytest.raises(AttributeError):
        loaded.rolls = 2  # type: ignore[misc]
    part, name = (loaded.card, "in_order") if loaded.card else (loaded.showdown, "rounds")
    with pytest.raises(AttributeError):
        setattr(part, name, 1)
