"""The pages are whole: links lead somewhere, bots and tournaments work, and what the program has is documented."""

import re
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
from pages import PAGES, ROOT, anchors_of, fences_in, files_in, links_in, save, text_of

import arena
from arena.agent.hooks import is_bot
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, bundled_names, locate
from arena.agent.turn import Opponent, Turn
from arena.agent.turns import Turns
from arena.cli.main import COMMANDS, main
from arena.cli.rules import rules
from arena.cli.run import run
from arena.dice.lattice import Lattice
from arena.dice.rng import Rng
from arena.records import FAULT_KINDS, CrosstableRow, Standing
from arena.report.publish import published
from arena.rules.model import Settlement, show
from arena.rules.options import OPTIONS
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.tournament.agents import AgentText
from arena.tournament.file import NOT_YET, TournamentText, load_tournament
from arena.tournament.rulesets import RulesetText

TUTORIAL = "docs/write-a-bot.md"
GAME_PAGE = "docs/invent-a-game.md"
PROTOCOL = "docs/protocol.md"


def row_of(page: str, name: str) -> str:
    """Return the line of a table whose first cell names something, alone or among others."""
    found = [line for line in text_of(page).splitlines() if re.match(rf"\|[^|]*`{re.escape(name)}[`(]", line)]
    assert found, f"{page} has no line for {name}"
    return found[0]


def run_arena(*words: str) -> int:
    with pytest.raises(SystemExit) as ending:
        main(list(words))
    assert isinstance(ending.value.code, int)
    return ending.value.code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_resolve(page: Path) -> None:
    for link in links_in(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert "://" not in link, link
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_every_page_is_linked_from_the_readme() -> None:
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in links_in(ROOT / "README.md")}
    generated = {ROOT / "docs" / "evidence.md", ROOT / "docs" / "performance.md"}
    assert set(PAGES) - generated - {ROOT / "README.md"} <= linked


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the tutorial says to save."""
    folder = tmp_path_factory.mktemp("tutorial")
    save(files_in(TUTORIAL), folder)
    return folder


def test_the_tutorial_shows_its_bots_as_files() -> None:
    bots = [text for text in fences_in(TUTORIAL, "python") if "def hold" in text]
    assert bots == [text for name, text in files_in(TUTORIAL).items() if name.startswith("bots/")]
    assert len(bots) >= 5


BOTS = [name for name in files_in(TUTORIAL) if name.startswith("bots/")]


@pytest.fixture(scope="module")
def leagues(tutorial: Path) -> dict[str, Any]:
    """What is published of a league of the tutorial's bots under every ruleset."""
    rulesets, paths = ", ".join(ruleset_ids()), ", ".join(f"{{path: {name}}}" for name in BOTS)
    file = tutorial / "all.yaml"
    text = f"name: all\nseed: 1\nrulesets: [{rulesets}]\nagents: [{paths}]\ngames: 2\nisolation: inline\n"
    file.write_text(text, encoding="utf-8")
    places = ["--out", str(tutorial / "all"), "--run-dir", str(tutorial / "all-run")]
    assert run_arena("run", str(file), "--backend", "serial", *places) == 0
    return dict(published(tutorial / "all"))


def test_bots_of_the_tutorial_load_and_play_every_ruleset(tutorial: Path, leagues: dict[str, Any]) -> None:
    for name in BOTS:
        assert load(locate(tutorial / name)).description
    assert sorted(leagues) == ruleset_ids()
    for league in leagues.values():
        assert [line["faults"] for line in league["standings"]] == [0] * len(BOTS)


def test_the_tutorials_tournaments_and_its_listing_of_faults_work(
    tutorial: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tutorial)
    for file in ("first.yaml", "second.yaml"):
        assert run_arena("run", file, "--backend", "serial", "--games", "2", "--out", "build") == 0
    assert "`arena faults second`" in text_of("docs/write-a-bot.md")
    capsys.readouterr()
    assert run_arena("faults", "second") == 0
    assert capsys.readouterr().out == "no faults in 90 games\n"
    save({"bots/planner.py": "def hold(turn): return (7,)\ndef choose_row(turn): return ''\n"}, tutorial)
    assert run_arena("run", "second.yaml", "--backend", "serial", "--games", "2", "--out", "build") == 0
    save(files_in(TUTORIAL), tutorial)
    capsys.readouterr()
    assert run_arena("faults", "second", "--bot", "planner") == 0
    told = capsys.readouterr().out
    assert "InvalidHold: 'planner' kept (7,) of roll 1" in told
    assert "answered (7,)" in told


def test_tournament_files_of_the_pages_are_valid(tutorial: Path, tmp_path: Path) -> None:
    shutil.copytree(tutorial / "bots", tmp_path / "bots")
    save(files_in(GAME_PAGE), tmp_path)
    save(files_in(PROTOCOL), tmp_path)
    found = [text for page in PAGES for text in fences_in(str(page.relative_to(ROOT)), "yaml")]
    assert len(found) >= 4
    for text in found:
        if "game: " in text or "provider: " in text:  # a ruleset: see test_invented_game.py; Ray's file of a cluster
            continue
        folder = tmp_path / ("league" if "../bots" in text else ".")
        save({"shown.yaml": text}, folder)
        for ref in load_tournament(folder / "shown.yaml").agents:
            if not ref.argv:  # such a bot was started once, and answered
                load(ref)


def test_every_option_of_run_is_documented() -> None:
    for option in run.params:
        if isinstance(option, click.Option):
            row_of("docs/tournament-file.md", option.opts[0])
    row_of("docs/tournament-file.md", "--help")


def test_every_key_of_a_tournament_file_is_documented() -> None:
    for part in (TournamentText, AgentText, RulesetText):
        for name, field in part.model_fields.items():
            row_of("docs/tournament-file.md", field.alias or name)
    for key in NOT_YET:
        assert f"`{key}`" in text_of("docs/tournament-file.md"), key


def test_every_command_is_documented() -> None:
    everything = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for command in COMMANDS:
        assert f"arena {command}" in everything, command
    for name, command in rules.commands.items():
        assert re.search(rf"^\| `arena rules {name} [^`]+` \|", text_of("docs/rulesets.md"), re.MULTILINE), name
        for option in command.params:
            if isinstance(option, click.Option):
                assert f"`{option.opts[0]}" in text_of("docs/rulesets.md"), option.opts[0]


@pytest.mark.parametrize("ruleset_id", ruleset_ids())
def test_every_ruleset_is_documented(ruleset_id: str) -> None:
    ruleset = shipped_ruleset(ruleset_id)
    row = row_of("docs/rulesets.md", ruleset_id)
    turns = str(ruleset.card.turns) if ruleset.card else "at most 10 rounds"
    assert f"| {ruleset.title} | {ruleset.source} | {turns} | `{ruleset.settlement}` |" in row


def test_every_settlement_is_documented() -> None:
    for settlement in Settlement:
        row_of("docs/rulesets.md", settlement)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_documented(name: str) -> None:
    row, kind = row_of("docs/rulesets.md", name), OPTIONS[name]
    assert f"| `{name}` | {kind.meaning} | {kind.allowed} |" in row
    takers = [ruleset for ruleset in map(shipped_ruleset, ruleset_ids()) if name in {o.name for o in ruleset.options}]
    assert takers
    named_together = "all rulesets" if len(takers) == len(ruleset_ids()) else "all card games"
    for ruleset in takers:
        [default] = [show(option.default) for option in ruleset.options if option.name == name]
        assert re.search(rf"\| {default} in|; {default} in", row), (ruleset.id, default)
        assert f"`{ruleset.id}`" in row or named_together in row


def test_every_bot_that_ships_is_documented() -> None:
    for name in bundled_names():
        description = load(locate(bundled_folder() / f"{name}.py")).description
        assert f"| `{name}` | {description} |" in text_of("docs/bot-reference.md")


@pytest.mark.parametrize("thing", [Turn, Turns, Rng, Opponent, Lattice], ids=lambda thing: thing.__name__)
def test_everything_a_bot_sees_is_documented(thing: type) -> None:
    page = text_of("docs/bot-reference.md")
    names = [name for name, member in vars(thing).items() if not name.startswith("_") and member is not None]
    assert names
    for name in names:
        if thing is Turn:
            row_of("docs/bot-reference.md", name)
        assert f"`{name}`" in page or f"`{name}(" in page, name


def test_everything_a_bot_may_import_is_documented() -> None:
    for name in arena.__all__:
        row_of("docs/bot-reference.md", name)


def test_every_fault_is_documented() -> None:
    for kind in FAULT_KINDS:
        row_of("docs/bot-reference.md", kind.label)


def test_every_field_that_is_published_is_documented() -> None:
    for row in (Standing, CrosstableRow):
        for field in fields(row):
            row_of("docs/files.md", field.name)


def test_every_key_of_standings_is_documented(leagues: dict[str, Any]) -> None:
    for league in leagues.values():
        for key in (*league, *league["standings"][0]):
            row_of("docs/files.md", key)


def test_the_plugin_that_the_reference_shows_works(tmp_path: Path) -> None:
    [shown] = [text for text in fences_in("docs/bot-reference.md", "python") if "arena_agents" in text]
    bots = "".join(
        f"class {name}:\n    def hold(self, turn): return turn.dice\n"
        "    def choose_row(self, turn): return turn.open_rows[0]\n"
        for name in ("FirstBot", "SecondBot")
    )
    save({"plugin.py": shown + bots}, tmp_path)
    bot = load(locate(tmp_path / "plugin.py:SecondBot"))
    assert bot.name == "SecondBot"
    assert is_bot(bot.source)
