"""What the README shows works, as it is written: its bot, its tournament, its picture."""

import re
from pathlib import Path

import pytest
from draw_leaderboard import PICTURE, play_readme
from pages import ROOT, fences_in, files_in, text_of

from arena.records import Standing


@pytest.fixture(scope="module")
def standings(tmp_path_factory: pytest.TempPathFactory) -> list[Standing]:
    return play_readme(tmp_path_factory.mktemp("readme"))


def test_the_bot_is_ranked_and_charged_with_nothing(standings: list[Standing]) -> None:
    by_name = {line.name: line for line in standings}
    assert set(by_name) == {"turn_optimal", "collector", "pairs", "greedy", "random"}
    assert all(line.games == 800 and line.faults == 0 for line in standings)
    assert by_name["pairs"].elo_low > by_name["greedy"].elo_high


def test_the_bot_has_ten_lines_at_most() -> None:
    assert len(files_in("README.md")["bots/pairs.py"].splitlines()) <= 10


def test_the_picture_shows_the_readmes_own_tournament(standings: list[Standing]) -> None:
    shown = re.sub(r"<[^>]*>", "", PICTURE.read_text(encoding="utf-8")).replace("&#160;", " ")
    shown = re.sub(r" *│ *", "|", shown)
    for line in standings:
        figures = f"{line.name}|{line.elo:.1f}|{line.elo_low:.1f} to {line.elo_high:.1f}|{line.games}"
        assert f"|{line.rank}|{figures}|" in shown


def test_the_picture_fetches_nothing() -> None:
    picture = PICTURE.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "://" not in picture
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", picture)


def test_every_make_target_and_path_in_its_commands_exists() -> None:
    targets = re.findall(r"^([\w-]+):", text_of("Makefile"), re.MULTILINE)
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"`?\bmake ([a-z]+)`?(?=`|    )", text_of(page)):
            assert target in targets, (page, target)
    commands = "\n".join(fences_in("README.md", "sh"))
    assert "make quick" in commands
    assert "make test" in commands
    for path in re.findall(r"tournaments/\S+", commands):
        assert (ROOT / path).is_file(), path


def test_the_same_bot_stands_in_the_tutorial() -> None:
    tutorial = files_in("docs/write-a-bot.md")
    for name, text in files_in("README.md").items():
        assert tutorial[name] == text, name


def test_no_page_names_a_place_on_somebodys_machine() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        found = re.findall(r"(?:/(?:home|root|work|tmp)/|[A-Z]:\\)\S*", page.read_text(encoding="utf-8"))
        assert not found, (Path(page).name, found)
