"""The page that invents a game: its ruleset loads, every bot plays it, and it has all words of the vocabulary."""

import re
from pathlib import Path

import pytest
import yaml
from leagues import Console, Played, play_league
from pages import fences_in, files_in, save, text_of
from pydantic import BaseModel

from arena.agent.sources import bundled_folder, bundled_names
from arena.errors import UserError
from arena.rules import file as ruleset_file
from arena.rules.file import load_ruleset
from arena.rules.model import Pattern, Pay

PAGE = "docs/invent-a-game.md"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's files."""
    folder = tmp_path_factory.mktemp("harbour")
    save(files_in(PAGE), folder)
    return folder


@pytest.fixture(scope="module")
def league(harbour: Path) -> Played:
    """The page's tournament, with all bots that ship."""
    content = yaml.safe_load((harbour / "harbour.yaml").read_text())
    assert set(content["agents"]) <= set(bundled_names())
    file = harbour / "all.yaml"
    file.write_text(yaml.safe_dump({**content, "agents": bundled_names()}))
    return play_league(file, harbour, games=20)


def test_all_bots_play_it_without_a_fault(league: Played) -> None:
    assert list(league.leagues) == ["lighthouse", "lighthouse+upper_bonus_at=24"]
    for one in league.leagues.values():
        assert sorted(line.name for line in one.standings) == bundled_names()
        assert all(line.faults == 0 for line in one.standings)


def test_who_looks_the_rules_up_plays_it_well(league: Played) -> None:
    for one in league.leagues.values():
        means = {line.name: line.mean_score or 0 for line in one.standings}
        assert min(means["turn_optimal"], means["planner"]) > max(means["collector"], means["greedy"], means["random"])


def test_scores_that_the_page_asks_for(harbour: Path, arena: Console) -> None:
    commands = [line.split() for fence in fences_in(PAGE, "sh") for line in fence.splitlines() if " rules " in line]
    printed = [arena(*(word.strip("'") for word in words[1:]), cwd=harbour) for words in commands]
    assert [one.code for one in printed] == [0, 0, 0]
    assert "exactly 1-1-1-6-6" in printed[0].out
    assert [line.split() for line in printed[1].lines] == [
        *(["fours", "12"], ["fives", "0"], ["sixes", "12"], ["calm", "20"])
    ]
    assert [line.split() for line in printed[2].lines] == [["beam", "80"], ["signal", "0"], ["fog", "15"]]


def test_other_numbers_of_dice(tmp_path: Path) -> None:
    """Every bot that ships plays with two to six dice."""
    row = "      pair: {pattern: pair, pays: sum_pattern}\n      six: {pays: sum_face 6}\n      any: {pays: sum_all}\n"
    names = []
    for dice in (2, 3, 4, 6):
        text = f"id: dice{dice}\ntitle: a\ngame: card\nsource: a\ndice: {dice}\noptions: {{rolls: 3}}\nsections:\n"
        (tmp_path / f"dice{dice}.yaml").write_text(f"{text}  only:\n    rows:\n{row}")
        names.append({"file": f"dice{dice}.yaml"})
    content = {"name": "dice", "seed": 1, "rulesets": names, "agents": bundled_names(), "games": 8}
    (tmp_path / "dice.yaml").write_text(yaml.safe_dump(content))
    played = play_league(tmp_path / "dice.yaml", tmp_path)
    for league in played.leagues.values():
        assert {line.name: line.faults_by_kind for line in league.standings} == {name: {} for name in bundled_names()}
    assert bundled_folder().is_dir()


def test_mistakes_that_the_page_shows(harbour: Path, tmp_path: Path) -> None:
    good = (harbour / "lighthouse.yaml").read_text()
    changes = [
        ("sum_face 4", "sum_fac 4"),
        ("11166", "6"),
        ("doubles: true\nsec", "doubles: true\n  joker: free\nsec"),
    ]
    shown = re.findall(r"^error: lighthouse\.yaml:(.*?)(?:\.\.\.)?$", text_of(PAGE), re.MULTILINE)
    assert len(shown) == len(changes)
    for (old, new), told in zip(changes, shown, strict=True):
        assert good.count(old) == 1
        path = tmp_path / "lighthouse.yaml"
        path.write_text(good.replace(old, new))
        with pytest.raises(UserError) as error:
            load_ruleset(path)
        assert str(error.value).removeprefix(f"{path}:").startswith(told)


PARTS = [
    *(ruleset_file.RulesetFile, ruleset_file.SectionText, ruleset_file.RowText, ruleset_file.BonusText),
    *(ruleset_file.FiveBonusText, ruleset_file.JokerText, ruleset_file.PublishedText),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_key_is_documented(part: type[BaseModel]) -> None:
    for key in part.model_fields:
        assert re.search(rf"`{key}`|[{{ ]{key}: ", text_of(PAGE)), key


@pytest.mark.parametrize("word", [*Pattern, *Pay])
def test_every_pattern_and_pay_is_documented(word: str) -> None:
    assert re.search(rf"^\|[^|]*`{word}( N)?`", text_of(PAGE), re.MULTILINE)
