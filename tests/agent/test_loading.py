"""Bots by name, file and folder; what is refused, and how that is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from leagues import BOTS, ROOT, Console, play_league, write_tournament

from arena.agent.loader import load
from arena.agent.sources import bots_in, bundled_folder, find_named, locate
from arena.errors import UserError
from arena.tournament.file import load_tournament

FUNCTIONS = "def hold(turn):\n    return turn.dice\n\n\ndef choose_row(turn):\n    return turn.open_rows[0]\n"
CLASS = """
class {name}:
    def __init__(self{params}):
        pass

    def hold(self, turn):
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
"""


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path, **how: Any) -> str:
    with pytest.raises(UserError) as error:
        load(locate(path, **how))
    text = str(error.value)
    assert "\n" not in text
    return text.replace(f"{path.parent.resolve()}/", "").replace(f"{path.parent}/", "")


# What can be entered


def test_a_module_of_functions(tmp_path: Path) -> None:
    mine = load(locate(written(tmp_path / "mine.py", f'"""Does little.\n\nMore."""\n\n{FUNCTIONS}')))
    assert (mine.name, mine.per_game, mine.description) == ("mine", False, "Does little.")
    assert mine.start() is mine.source


def test_a_class_with_parameters(tmp_path: Path) -> None:
    text = '"""The module."""\n' + CLASS.format(name="Mine", params=", risk=0.5, *, brave=False")
    path = written(tmp_path / "mine.py", text.replace("self, risk", "self, risk").replace("pass", "self.risk = risk"))
    mine = load(locate(path, params={"risk": 0.2, "brave": True}))
    assert (mine.name, mine.per_game) == ("mine", True)
    one, other = mine.start(), mine.start()
    assert one is not other
    assert one.risk == 0.2


def test_a_folder_with_its_own_modules(tmp_path: Path) -> None:
    folder = tmp_path / "clever"
    written(folder / "ideas.py", "def stop(dice):\n    return dice\n")
    written(folder / "data" / "words.txt", "one two")
    agent = (
        "from pathlib import Path\n\nfrom .ideas import stop\n\n"
        "WORDS = (Path(__file__).parent / 'data' / 'words.txt').read_text().split()\n\n\n" + FUNCTIONS
    )
    written(folder / "agent.py", agent.replace("return turn.dice", "return stop(turn.dice)"))
    ref = locate(folder)
    mine = load(ref)
    assert (ref.name, ref.origin, mine.source.WORDS) == ("clever", "folder", ["one", "two"])
    play_league(write_tournament(tmp_path, agents=["greedy", {"path": "clever"}]), tmp_path, backend="processes")


def test_a_class_by_name() -> None:
    assert load(locate(BOTS / "two_bots.py:Bold")).source.__name__ == "Bold"
    assert locate(BOTS / "two_bots.py:Bold").name == "Bold"
    assert locate(BOTS / "two_bots.py:Bold", name="mine").name == "mine"


def test_imported_classes_are_not_the_files_own(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    written(folder / "other.py", CLASS.format(name="Other", params=""))
    written(folder / "agent.py", "from .other import Other\n" + CLASS.format(name="Mine", params=""))
    assert load(locate(folder)).source.__name__ == "Mine"


def test_two_bots_of_one_file_name(tmp_path: Path) -> None:
    one = load(locate(written(tmp_path / "a" / "mine.py", "X = 1\n" + FUNCTIONS)))
    other = load(locate(written(tmp_path / "b" / "mine.py", "X = 2\n" + FUNCTIONS)))
    assert (one.source.X, other.source.X) == (1, 2)


def test_a_bot_of_a_name_that_python_uses() -> None:
    """The shipped ``random.py`` must not stand in for Python's."""
    mine = load(locate(find_named("random", ROOT)))
    assert mine.source.__name__ != "random"
    import random  # noqa: PLC0415 - after the bot

    assert random.Random(1).random() == 0.13436424411240122


# Where a name is looked for


def test_a_name_beside_the_file_comes_first(tmp_path: Path) -> None:
    league = tmp_path / "leagues"
    assert find_named("greedy", league) == ROOT / "agents" / "greedy.py"
    above = written(tmp_path / "agents" / "greedy.py", FUNCTIONS)
    assert find_named("greedy", league) == above
    beside = written(league / "agents" / "greedy.py", FUNCTIONS)
    assert find_named("greedy", league) == beside
    assert find_named("collector", league) == ROOT / "agents" / "collector.py"


@pytest.mark.parametrize("place", ["agents", "leagues/agents"])
def test_where_a_bot_is_from(place: str, tmp_path: Path) -> None:
    own = tmp_path / place
    own.mkdir(parents=True)
    shutil.copy(ROOT / "agents" / "greedy.py", own)
    written(own / "mine.py", FUNCTIONS)
    written(own / "random.py", FUNCTIONS)
    file = write_tournament(tmp_path / "leagues", agents=["greedy", "collector", "mine", "random"])
    assert {ref.name: ref.origin for ref in load_tournament(file).agents} == {
        "greedy": "bundled",  # equal to the bundled one, wherever it is
        "collector": "bundled",
        "mine": "file",
        "random": "file",
    }


def test_the_output_says_where_bots_are_from(tmp_path: Path, arena: Console) -> None:
    """And how far apart each is kept."""
    written(tmp_path / "agents" / "random.py", FUNCTIONS)
    file = write_tournament(
        tmp_path,
        agents=[
            "greedy",
            {"name": "random", "isolation": "process"},
            {"name": "meek", "path": f"{BOTS}/two_bots.py:Meek"},
        ],
    )
    run = arena("run", file, "--backend", "serial", cwd=tmp_path)
    assert run.err.splitlines()[:3] == [
        "  greedy: bundled, inline",
        f"  meek: file {BOTS}/two_bots.py, inline",
        f"  random: file {tmp_path.resolve()}/agents/random.py, process",
    ]


def test_an_unknown_name(tmp_path: Path) -> None:
    written(tmp_path / "agents" / "mine.py", FUNCTIONS)
    with pytest.raises(UserError) as error:
        load_tournament(write_tournament(tmp_path, agents=["greedy", "turn_optimum"]))
    known = ", ".join(sorted([*bots_in(bundled_folder()), "mine"]))
    told = f"no agent 'turn_optimum', did you mean 'turn_optimal'?; known by name: {known}"
    assert str(error.value) == f"{tmp_path}/tournament.yaml:7: agents[1]: {told}"


# Who it is


def test_what_makes_another_entrant(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.py", FUNCTIONS)
    one = locate(path)
    assert locate(path).entrant == one.entrant
    assert locate(written(tmp_path / "b" / "mine.py", FUNCTIONS)).entrant == one.entrant
    assert locate(path, params={"risk": 1}).entrant.identity != one.entrant.identity
    assert locate(path, params={"risk": 1}).entrant != locate(path, params={"risk": 1.0}).entrant
    assert locate(path, name="ours").entrant.identity == one.entrant.identity
    assert locate(tmp_path / "mine.py:Mine").entrant.identity != one.entrant.identity
    written(path, FUNCTIONS + "\n")
    assert locate(path).entrant.identity != one.entrant.identity


def test_the_order_of_parameters_makes_no_other_entrant(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.py", FUNCTIONS)
    assert locate(path, params={"a": 1, "b": 2}).entrant == locate(path, params={"b": 2, "a": 1}).entrant


def test_every_file_of_a_folder_counts_but_what_python_and_editors_leave(tmp_path: Path) -> None:
    folder = tmp_path / "clever"
    written(folder / "agent.py", FUNCTIONS)
    before = locate(folder).source_hash
    written(folder / "__pycache__" / "agent.cpython-311.pyc", "")
    written(folder / ".idea" / "workspace.xml", "")
    assert locate(folder).source_hash == before
    data = written(folder / "deep" / "data.txt", "1")
    with_data = locate(folder).source_hash
    written(data, "2")
    changed = locate(folder).source_hash
    data.rename(data.with_name("other.txt"))
    assert len({before, with_data, changed, locate(folder).source_hash}) == 4


# What is refused


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def hold(turn:\n    pass\n", "mine.py:1: cannot be loaded: SyntaxError: '(' was never closed"),
        ("x = 1\n\tif\n", "mine.py:2: cannot be loaded: IndentationError: unexpected indent"),
        ("\nimport nosuch\n", "mine.py:2: cannot be loaded: ModuleNotFoundError: No module named 'nosuch'"),
        ("\n\n1 / 0\n", "mine.py:3: cannot be loaded: ZeroDivisionError: division by zero"),
        ("def f():\n    raise SystemExit(3)\n\n\nf()\n", "mine.py:2: cannot be loaded: SystemExit: 3"),
        ("raise KeyboardInterrupt\n", "mine.py:1: cannot be loaded: KeyboardInterrupt"),
        ("raise ValueError('one\\ntwo')\n", "mine.py:1: cannot be loaded: ValueError: one two"),
        (
            FUNCTIONS.replace("def hold", "def holds"),
            "mine.py: no bot here: it has no function hold, nor a class with them",
        ),
        (
            FUNCTIONS.replace("choose_row", "choose"),
            "mine.py: no bot here: it has no function choose_row, nor a class with them",
        ),
        ("x = 1\n", "mine.py: no bot here: it has no function hold and no choose_row, nor a class with them"),
        (
            "hold = 1\nchoose_row = 2\n",
            "mine.py: no bot here: it has no function hold and no choose_row, nor a class with them",
        ),
        (
            CLASS.format(name="One", params="") + CLASS.format(name="Another", params=""),
            "mine.py: has several bots; name one of mine.py:Another, mine.py:One",
        ),
        (CLASS.format(name="Mine", params=", risk"), "mine.py: Mine: missing a required argument: 'risk'"),
        (
            CLASS.format(name="Mine", params="").replace("pass", "self.x = 1 // 0"),
            "mine.py:4: Mine cannot be made: ZeroDivisionError: integer division or modulo by zero",
        ),
    ],
)
def test_files_that_are_no_bots(text: str, told: str, tmp_path: Path) -> None:
    assert refused(written(tmp_path / "mine.py", text)) == told


def test_a_file_of_bytes(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(bytes(range(128, 256)))
    assert " cannot be loaded: SyntaxError: (unicode error) 'utf-8' codec can't decode" in refused(path)
    path.write_bytes(b"x = 1\0\n")
    assert "cannot contain null bytes" in refused(path)


def test_a_mistake_in_a_folders_other_module(tmp_path: Path) -> None:
    folder = tmp_path / "clever"
    written(folder / "ideas.py", "1 / 0\n")
    written(folder / "agent.py", "\nfrom . import ideas\n" + FUNCTIONS)
    assert refused(folder) == "clever/ideas.py:1: cannot be loaded: ZeroDivisionError: division by zero"
    written(folder / "agent.py", "from .idea import x\n" + FUNCTIONS)
    told = refused(folder)
    assert told.startswith("clever/agent.py:1: cannot be loaded: ModuleNotFoundError: No module named ")


@pytest.mark.parametrize(
    ("make", "name", "told"),
    [
        ("greedy.py", "greed.py", "greed.py: no such file or folder, did you mean 'greedy.py'?"),
        ("greedy.py", "zzz", "zzz: no such file or folder"),
        ("clever/helper.py", "clever", "clever: the folder has no agent.py"),
        ("mine.txt", "mine.txt", "mine.txt: is no Python file: its name must end in .py"),
        ("mine.py", "mine.py:Mine", "mine.py: no bot class 'Mine'"),
        ("mine.py", "a" * 300, "a" * 300 + ": cannot be read: File name too long"),
        ("mine.py", "a\0b", r"a\x00b: no such file or folder"),
    ],
)
def test_paths_without_a_bot(make: str, name: str, told: str, tmp_path: Path) -> None:
    written(tmp_path / make, FUNCTIONS)
    assert refused(tmp_path / name) == told


def test_the_wrong_class_of_several() -> None:
    assert refused(BOTS / "two_bots.py:Meeks") == "two_bots.py: no bot class 'Meeks', did you mean 'Meek'?"
    assert refused(BOTS / "two_bots.py:Helper") == "two_bots.py: no bot class 'Helper'"


def test_parameters_that_do_not_fit() -> None:
    meek = BOTS / "two_bots.py:Meek"
    told = refused(meek, params={"rows": 1})
    assert told == "two_bots.py: Meek has no parameter 'rows', did you mean 'row'?; it takes ['row', 'last']"
    assert refused(BOTS / "two_bots.py:Bold", params={"x": 1}).startswith("two_bots.py: Bold has no parameter 'x'")
    functions = refused(ROOT / "agents" / "greedy.py", params={"x": 1})
    assert functions == "greedy.py: params are for classes; this bot is a module of functions"
    with pytest.raises(UserError, match=r"breaks\.py: params are for classes"):
        load(locate(BOTS / "breaks.py", params={"x": 1}))
    assert refused(BOTS / "never.py") == "never.py:6: Never cannot be made: OSError: out of order"


def test_any_parameters(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.py", CLASS.format(name="Mine", params=", first, **others"))
    assert load(locate(path, params={"first": 1, "second": 2})).params == {"first": 1, "second": 2}
    told = refused(path, params={"first": 1, "self": 2})
    assert told.startswith("mine.py: Mine cannot be made: TypeError: ")
    assert "multiple values for argument 'self'" in told


@pytest.mark.parametrize("parent", ["dict", "int", "Exception"])
def test_a_class_whose_parameters_python_does_not_know(parent: str, tmp_path: Path) -> None:
    text = f"class Mine({parent}):\n" + CLASS.format(name="X", params="").split("pass\n", 1)[1]
    path = written(tmp_path / "mine.py", text)
    assert load(locate(path)).per_game
    if parent != "dict":
        assert "mine.py: Mine cannot be made: TypeError: " in refused(path, params={"no": 1})


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.py", FUNCTIONS)
    ref = locate(path)
    written(path, FUNCTIONS + "\n")
    with pytest.raises(UserError, match=r"mine\.py: changed while the tournament was running"):
        load(ref)
