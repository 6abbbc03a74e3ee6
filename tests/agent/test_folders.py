"""Bots of several files: each imports its own, however it is asked for, and nobody else's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from leagues import Console, play_league, write_tournament

from arena.agent.bot import Bot
from arena.agent.hooks import NO_BOT
from arena.agent.loader import load
from arena.agent.sources import locate, locate_class
from arena.errors import UserError

AGENT = """
{imports}


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]


def word():
    {late}
    return {word}.WORD
"""
CLASS = """
{imports}


class Mine:
    def __init__(self, row=0):
        self.row = row

    def hold(self, turn):
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[self.row]
"""


def folder_of(path: Path, imports: str, *, late: str = "pass", word: str = "helper", **files: str) -> Path:
    """Write a bot's folder: what its agent imports, and further modules, an inner folder's as ``folder__module``."""
    for name, text in {"agent": AGENT.format(imports=imports, late=late, word=word), **files}.items():
        file = path / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path


def loaded(path: Path) -> Bot:
    return load(locate(path))


@pytest.mark.parametrize("how", ["import helper", "from . import helper", "import helper as helper"])
def test_two_helpers_of_one_name_do_not_meet(how: str, tmp_path: Path) -> None:
    one, other = (loaded(folder_of(tmp_path / name, how, helper=f"WORD = {name!r}")) for name in ("one", "other"))
    assert (one.source.word(), other.source.word()) == ("one", "other")
    assert "helper" not in sys.modules


NAMED = "import types; mine = types.SimpleNamespace(WORD=WORD)"


@pytest.mark.parametrize(
    ("imports", "late", "word"),
    [
        ("", "import helper", "helper"),
        ("", "from . import helper", "helper"),
        ("", "import parts.deep", "parts.deep"),
        ("", "from parts import deep", "deep"),
        ("from parts.deep import WORD", NAMED, "mine"),
        ("import parts.deep as mine", "pass", "mine"),
        ("from parts import deep as mine", "pass", "mine"),
        ("from .parts import deep as mine", "pass", "mine"),
        ("from helper import *", NAMED, "mine"),
    ],
)
def test_every_way_to_import(imports: str, late: str, word: str, tmp_path: Path) -> None:
    files = {"helper": "WORD = 1", "parts__deep": "import helper\nWORD = helper.WORD"}
    bots = [loaded(folder_of(tmp_path / str(number), imports, late=late, word=word, **files)) for number in range(2)]
    assert [mine.source.word() for mine in bots] == [1, 1]
    assert not {"helper", "parts", "parts.deep"} & set(sys.modules)


def test_a_folder_may_hide_what_python_has_from_itself_only(tmp_path: Path) -> None:
    helper = "import random\nimport json\nWORD = random.WORD + json.dumps(1)"
    mine = loaded(folder_of(tmp_path / "mine", "import helper", helper=helper, random="WORD = 'mine'"))
    assert mine.source.word() == "mine1"
    import random  # noqa: PLC0415 - after the bot

    assert random.random() < 1


def test_a_folder_of_data_hides_nothing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "import json as helper", late="helper.WORD = 1")
    (folder / "json").mkdir()
    (folder / "json" / "data.json").write_text("{}")
    assert loaded(folder).source.word() == 1


def test_modules_may_import_the_bot_itself(tmp_path: Path) -> None:
    mine = loaded(folder_of(tmp_path / "mine", "WORD = 1\nimport helper", helper="import agent\nWORD = agent.WORD"))
    assert mine.source.word() == 1


def test_a_file_alone_sees_no_neighbours(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("WORD = 1")
    (tmp_path / "mine.py").write_text(AGENT.format(imports="import helper", late="pass", word="helper"))
    with pytest.raises(
        UserError, match=r"mine\.py:2: cannot be loaded: ModuleNotFoundError: No module named 'helper'"
    ):
        loaded(tmp_path / "mine.py")


def test_a_module_that_is_missing_is_told_by_its_own_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "import parts.wrong", parts__deep="")
    with pytest.raises(UserError) as error:
        loaded(folder)
    assert (
        str(error.value)
        == f"{folder}/agent.py:2: cannot be loaded: ModuleNotFoundError: No module named 'parts.wrong'"
    )


@pytest.mark.parametrize(
    ("deep", "told"),
    [
        ("x = 1\nimport nosuch", "parts/deep.py:2: cannot be loaded: ModuleNotFoundError: No module named 'nosuch'"),
        ("x = 1\n\nx.y", "parts/deep.py:3: cannot be loaded: AttributeError: 'int' object has no attribute 'y'"),
        ("x = (\n", "parts/deep.py:1: cannot be loaded: SyntaxError: '(' was never closed"),
    ],
)
def test_the_file_that_is_broken_is_the_one_that_is_told(deep: str, told: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "import helper", helper="import parts.deep", parts__deep=deep)
    with pytest.raises(UserError) as error:
        loaded(folder)
    assert str(error.value) == f"{folder}/{told}"


def test_a_change_within_the_second_is_seen(tmp_path: Path) -> None:
    """What Python keeps of a compiled file is told by the second, and by a length that is the same here."""
    for word in ("1", "2", "3"):
        assert loaded(folder_of(tmp_path / "mine", "import helper", helper=f"WORD = {word}")).source.word() == int(
            word
        )
    assert not list(tmp_path.rglob("__pycache__"))


def test_another_try_begins_anew(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "import helper", helper="import sys\nsys.arena_tries += 1\n1 / 0")
    sys.arena_tries = 0  # type: ignore[attr-defined]
    for _ in range(2):
        with pytest.raises(UserError, match=r"mine/helper\.py:3: cannot be loaded: ZeroDivisionError"):
            loaded(folder)
    assert sys.arena_tries == 2  # type: ignore[attr-defined]


def test_what_numba_compiles_in_a_folder(tmp_path: Path) -> None:
    helper = (
        "import numba\nN = 2\n\n\n@numba.njit\ndef double(x):\n    return len((x, x)) * x * N\n\n\nWORD = double(1)"
    )
    assert loaded(folder_of(tmp_path / "mine", "import helper", helper=helper)).source.word() == 4


# Classes by module


def written(path: Path, imports: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CLASS.format(imports=imports))


def test_a_class_beside_the_file(tmp_path: Path) -> None:
    for league in ("one", "other"):
        written(tmp_path / league / "bots" / "clever.py", "import common\nfrom bots.parts import PART")
        (tmp_path / league / "common.py").write_text(f"WORD = {league!r}")
        (tmp_path / league / "bots" / "parts.py").write_text("PART = 1")
    refs = [locate_class("bots.clever:Mine", tmp_path / league) for league in ("one", "other")]
    bots = [load(ref) for ref in refs]
    assert [(ref.name, ref.origin, ref.where) for ref in refs] == [("Mine", "class", "class bots.clever:Mine")] * 2
    assert [mine.per_game for mine in bots] == [True, True]
    words = [sys.modules[mine.source.__module__].common.WORD for mine in bots]
    assert words == ["one", "other"]


def test_a_class_of_a_package(tmp_path: Path) -> None:
    written(tmp_path / "pack" / "inner" / "clever.py", "from ..words import WORD\nimport pack.words")
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "words.py").write_text("WORD = 1")
    ref = locate_class("pack.inner.clever:Mine", tmp_path, params={"row": -1})
    assert ref.path == tmp_path.resolve() / "pack"
    assert load(ref).params == {"row": -1}
    (tmp_path / "pack" / "words.py").write_text("WORD = 2")
    assert locate_class("pack.inner.clever:Mine", tmp_path, params={"row": -1}).entrant != ref.entrant
    assert locate_class("pack.inner.clever:Other", tmp_path).entrant.identity != ref.entrant.identity


def test_classes_play_in_workers_too(tmp_path: Path) -> None:
    written(tmp_path / "bots" / "clever.py", "import common")
    (tmp_path / "common.py").write_text("WORD = 1")
    agents = ["greedy", {"class": "bots.clever:Mine", "name": "last", "params": {"row": -1}}]
    agents.append({"path": str(folder_of(tmp_path / "mine", "", late="import helper", helper="WORD = 1"))})
    file = write_tournament(tmp_path, agents=agents)
    here = play_league(file, tmp_path / "here")
    there = play_league(file, tmp_path / "there", backend="processes", workers=2)
    assert here.digest == there.digest
    assert [line.faults for line in here.leagues["two-stage"].standings] == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bots.clever", "'bots.clever' is not written package.module:Class"),
        ("bots/clever.py:Mine", "'bots/clever.py:Mine' is not written package.module:Class"),
        (":Mine", "':Mine' is not written package.module:Class"),
        ("bots.clver:Mine", "{folder} has no module 'bots.clver'"),
        ("bot.clever:Mine", "no module 'bot.clever': neither beside the file nor installed"),
        ("solo:Min", "{folder}/solo.py: has no 'Min', did you mean 'Mine'?"),
        (
            "solo:X",
            f"{{folder}}/solo.py: X is no bot: {NO_BOT}",
        ),
        ("sole:Mine", "no module 'sole', did you mean 'solo'?: neither beside the file nor installed"),
        ("broken:Mine", "{folder}/broken.py:1: cannot be loaded: ZeroDivisionError: division by zero"),
        (
            "json:JSONDecoder",
            f"JSONDecoder is no bot: {NO_BOT}",
        ),
        ("sys:Mine", "no module 'sys': neither beside the file nor installed"),
    ],
)
def test_classes_that_are_not_there(text: str, told: str, tmp_path: Path, arena: Console) -> None:
    written(tmp_path / "bots" / "clever.py")
    written(tmp_path / "solo.py", "X = 1")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    file = write_tournament(tmp_path, agents=["greedy", {"class": text}])
    mistake = arena("run", file, cwd=tmp_path).mistake
    assert "agents[1].class: " in mistake
    assert mistake.endswith(told.format(folder=tmp_path.resolve()))


def test_parameters_of_a_class(tmp_path: Path, arena: Console) -> None:
    written(tmp_path / "solo.py")
    file = write_tournament(tmp_path, agents=["greedy", {"class": "solo:Mine", "params": {"rows": 1}}])
    told = arena("run", file, cwd=tmp_path).mistake
    assert told.endswith("solo.py: Mine has no parameter 'rows', did you mean 'row'?; it takes ['row']")


def test_an_installed_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "site" / "arena_test_pack" / "clever.py")
    (tmp_path / "site" / "arena_test_pack" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    ref = locate_class("arena_test_pack.clever:Mine", tmp_path)
    assert ref.root is None
    assert load(ref).source.__module__ == "arena_test_pack.clever"
    assert ref.path == (tmp_path / "site" / "arena_test_pack").resolve()
