"""Bots that make ready: what `prepare` may be, and what becomes of one that raises or cannot be called."""

from __future__ import annotations

from pathlib import Path

import pytest
from positions import rules_of, view_of

from arena.agent.bot import Bot
from arena.agent.inline import InlineDriver
from arena.agent.loader import load
from arena.agent.sources import locate
from arena.agent.tables import ArrayDriver
from arena.errors import UserError
from arena.records import Block, BlockResult, End, Entrant
from arena.tournament.block import Engine, play_block

RULES = rules_of("two-stage")
MODULE = """
ready = []
{prepare}
def hold(turn):
    assert ready == [turn.ruleset.id], ready
    return turn.dice

def choose_row(turn):
    return turn.open_rows[0]
"""
CLASS = """
class Mine:
    ready = []
{prepare}
    def hold(self, turn):
        assert self.ready == [turn.ruleset.id], self.ready
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
"""
GOOD = {
    "module": (MODULE, "def prepare(ruleset):\n    ready[:] = [ruleset.id]\n"),
    "staticmethod": (
        CLASS,
        "    @staticmethod\n    def prepare(ruleset):\n        Mine.ready[:] = [ruleset.id]\n",
    ),
    "classmethod": (CLASS, "    @classmethod\n    def prepare(cls, ruleset):\n        cls.ready[:] = [ruleset.id]\n"),
    "callable object": (
        CLASS,
        "    class Ready:\n        def __call__(self, ruleset):\n            Mine.ready[:] = [ruleset.id]\n"
        "    prepare = Ready()\n",
    ),
}
BAD = {
    "plain method": (
        CLASS,
        "    def prepare(self, ruleset):\n        pass\n",
        "Mine.prepare is called before there is an instance: mark it with @staticmethod",
    ),
    "inherited plain method": (
        "class Above:\n    def prepare(self, ruleset):\n        pass\n" + CLASS.replace("Mine:", "Mine(Above):"),
        "",
        "Mine.prepare is called before there is an instance: mark it with @staticmethod",
    ),
    "number in a class": (CLASS, "    prepare = 3\n", "prepare is no function but of type int"),
    "list in a module": (MODULE, "prepare = []\n", "prepare is no function but of type list"),
}


def bot_of(folder: Path, text: str, prepare: str) -> Bot:
    path = folder / "mine.py"
    path.write_text(text.format(prepare=prepare))
    return load(locate(path))


def played(mine: Bot, engine: Engine) -> BlockResult:
    other = Bot("other", load(locate(Path(__file__).parents[2] / "agents" / "greedy.py")).source)
    block = Block("", RULES.ruleset.hash, (Entrant(mine.name, ""), Entrant("other", "")), 0, 3)
    return play_block(block, RULES, 1, {mine.name: mine, "other": other}, engine=engine)


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
@pytest.mark.parametrize("kind", GOOD)
def test_what_is_called_before_the_first_game(kind: str, engine: Engine, tmp_path: Path) -> None:
    result = played(bot_of(tmp_path, *GOOD[kind]), engine)
    assert result.faults == ()
    assert not result.ends.any()


@pytest.mark.parametrize("kind", BAD)
def test_what_cannot_be_called_is_refused_at_load(kind: str, tmp_path: Path) -> None:
    text, prepare, message = BAD[kind]
    with pytest.raises(UserError) as caught:
        bot_of(tmp_path, text, prepare)
    assert str(caught.value).endswith(f"mine.py: {message}")
    assert "\n" not in str(caught.value)


def test_none_is_none(tmp_path: Path) -> None:
    bot_of(tmp_path, MODULE, "prepare = None\n").prepare(RULES.ruleset)


@pytest.mark.parametrize("text", [MODULE, CLASS], ids=["module", "class"])
@pytest.mark.parametrize("engine", ["arrays", "scalar"])
def test_one_that_raises_loses_its_games_by_start(text: str, engine: Engine, tmp_path: Path) -> None:
    indent = "" if text == MODULE else "    "
    mark = "" if text == MODULE else f"{indent}@staticmethod\n"
    prepare = f"{mark}{indent}def prepare(ruleset):\n{indent}    raise OSError('no table for ' + ruleset.id)\n"
    result = played(bot_of(tmp_path, text, prepare), engine)
    assert {(fault.agent, fault.kind) for fault in result.faults} == {("mine", End.START)}
    assert {fault.message for fault in result.faults} == {
        "StartError: could not start: OSError: no table for two-stage"
    }
    assert "no table for" in result.faults[0].traceback


def test_both_drivers_ask_the_class_itself(tmp_path: Path) -> None:
    bot = bot_of(tmp_path, *GOOD["classmethod"])
    view = view_of(RULES, seats=1)
    InlineDriver(bot, view, 2)
    assert bot.source.ready == ["two-stage"]
    bot.source.ready.clear()
    ArrayDriver(bot, view)
    assert bot.source.ready == ["two-stage"]
