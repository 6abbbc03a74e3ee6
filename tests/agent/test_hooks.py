"""One door for every bot: the hook ``arena_agents``."""

from __future__ import annotations

from pathlib import Path

import pytest
from leagues import BOTS, ROOT, play_league, write_tournament

from arena.agent.hooks import NO_BOT, ModulePlugin, bots_of, is_bot, plugin_manager, register
from arena.agent.loader import load
from arena.agent.sources import bots_in, bundled_folder, locate
from arena.errors import UserError

PLUGIN = """
import sys

import arena


class Wild:
    def __init__(self, row=0):
        self.row = row

    def hold(self, turn):
        return ()

    def choose_row(self, turn):
        return turn.open_rows[self.row]


class Tame(Wild):
    def hold(self, turn):
        return turn.dice


@arena.hookimpl
def {hook}():
    {body}
"""


def plugin(folder: Path, body: str, hook: str = "arena_agents") -> Path:
    path = folder / "plugin.py"
    path.write_text(PLUGIN.format(hook=hook, body=body), encoding="utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(UserError) as error:
        load(locate(path))
    text = str(error.value)
    assert "\n" not in text
    return text.removeprefix(f"{path.resolve()}")


def test_a_plugin_offers_what_it_registers(tmp_path: Path) -> None:
    bot = load(locate(plugin(tmp_path, "return [Tame]")))
    assert (bot.name, bot.source.__name__, bot.per_game) == ("plugin", "Tame", True)


def test_a_plugin_of_several_bots(tmp_path: Path) -> None:
    path = plugin(tmp_path, "return [Wild, Tame]")
    assert refused(path) == ": has several bots; name one of plugin.py:Tame, plugin.py:Wild"
    assert load(locate(path.with_name("plugin.py:Wild"), params={"row": -1})).source.__name__ == "Wild"


def test_a_plugin_may_offer_objects_and_modules(tmp_path: Path) -> None:
    bot = load(locate(plugin(tmp_path, "return [Tame(row=-1)]")))
    assert not bot.per_game
    assert bot.source.row == -1


def test_a_plugins_bot_plays_in_workers_too(tmp_path: Path) -> None:
    plugin(tmp_path, "yield Tame")
    agents = ["greedy", {"path": "plugin.py", "params": {"row": 0}}]
    here = play_league(write_tournament(tmp_path, agents=agents), tmp_path / "here")
    there = play_league(tmp_path / "tournament.yaml", tmp_path / "there", backend="processes", workers=2)
    assert here.digest == there.digest
    assert all(line.faults == 0 for line in here.leagues["two-stage"].standings)


def test_a_misspelt_hook_is_an_error(tmp_path: Path) -> None:
    told = refused(plugin(tmp_path, "return [Wild]", hook="arena_agent"))
    there = "there are arena_agents, arena_rulesets"
    assert told == f":23: unknown hook 'arena_agent', did you mean 'arena_agents'?; {there}"


def test_a_hook_that_takes_what_there_is_not(tmp_path: Path) -> None:
    path = plugin(tmp_path, "return [Wild]")
    path.write_text(path.read_text().replace("arena_agents()", "arena_agents(league)"))
    assert refused(path) == ":23: arena_agents is given nothing, and here it takes league: write arena_agents()"


def test_a_hook_that_is_not_marked(tmp_path: Path) -> None:
    path = plugin(tmp_path, "return [Wild]")
    path.write_text(path.read_text().replace("@arena.hookimpl\n", ""))
    assert refused(path) == ":23: arena_agents is not marked with @arena.hookimpl"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 1 // 0", ":25: arena_agents failed: ZeroDivisionError: integer division or modulo by zero"),
        ("sys.exit(4)", ":25: arena_agents failed: SystemExit: 4"),
        ("return 5", ":23: arena_agents returns 5; a list was expected"),
        ("pass", ":23: arena_agents returns nothing; a list was expected"),
        ("return 'Wild'", ":23: arena_agents returns 'Wild'; a list was expected"),
        ("return [5]", f": arena_agents offers 5, which is no bot: {NO_BOT}"),
        (
            "return [Wild, object]",
            f": arena_agents offers <class 'object'>, which is no bot: {NO_BOT}",
        ),
    ],
)
def test_a_hook_that_fails(body: str, told: str, tmp_path: Path) -> None:
    assert refused(plugin(tmp_path, body)) == told


def test_a_plugin_of_nothing(tmp_path: Path) -> None:
    assert refused(plugin(tmp_path, "return []")).startswith(": no bot here")


def test_things_that_answer_to_every_name_are_no_hooks(tmp_path: Path) -> None:
    """Python's ``ctypes.cdll`` looks for a library of any name, and mocks have every attribute."""
    path = tmp_path / "mine.py"
    source = (BOTS / "breaks.py").read_text()
    path.write_text(f"from ctypes import cdll\nfrom unittest.mock import MagicMock\n\nmock = MagicMock()\n{source}")
    assert load(locate(path)).source.__name__.startswith("arena_bot_")


@pytest.mark.parametrize("name", sorted(bots_in(bundled_folder())))
def test_shipped_bots_come_by_the_same_door(name: str) -> None:
    """As strangers' do: found as a file, registered as a plugin, offered by the hook."""
    module = load(locate(bundled_folder() / f"{name}.py")).source
    manager = plugin_manager()
    register(manager, module, name)
    assert [type(one) for one in manager.get_plugins()] == [ModulePlugin]
    assert bots_of(manager, name) == [module]
    assert is_bot(module)


def test_the_bundled_folder_is_the_repositorys() -> None:
    assert bundled_folder() == ROOT / "agents"
