"""Who is entered: many agents by one pattern, names as people give them, and bots that cannot be loaded."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
import unicodedata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from leagues import BOTS, ROOT, Console, Played, play_league, write_tournament

from arena.agent.names import MAX_NAME
from arena.agent.ref import source_files
from arena.cli.tables import console, crosstable_table, standings_table
from arena.records import End
from arena.tournament.file import load_tournament

FUNCTIONS = "def hold(turn):\n    return turn.dice\n\n\ndef choose_row(turn):\n    return turn.open_rows[0]\n"
CLASS = """
class {name}:
    def hold(self, turn):
        return ()

    def choose_row(self, turn):
        return turn.open_rows[-1]
"""
PLUGIN = (
    CLASS.format(name="One")
    + CLASS.format(name="Two")
    + (
        "\n\nimport arena\n\nthree = Two()\nthree.name = 'Thrée'\n\n\n"
        "@arena.hookimpl\ndef arena_agents():\n    return [Two, One, three]\n"
    )
)


def written(folder: Path, **files: str) -> None:
    """Write files: ``a__b`` is ``a/b.py``."""
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def refused(arena: Console, folder: Path, *agents: Any, **keys: Any) -> str:
    file = write_tournament(folder, agents=list(agents), **keys)
    return arena("run", file, cwd=folder).mistake.replace(f"{folder.resolve()}/", "").removeprefix("tournament.yaml:")


# Patterns


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """Files, folders with an agent.py, and what is none of either."""
    written(tmp_path / "in", ada=FUNCTIONS, ben=CLASS.format(name="B"), carol__agent="import odds\n" + FUNCTIONS)
    written(tmp_path / "in", carol__odds="x = 1", _part="1 / 0", __pycache____x="1 / 0")
    (tmp_path / "in" / ".hidden.py").write_text("1 / 0")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("in/*.py", "ada ben"),
        ("in/*", "ada ben carol"),
        ("in/*/agent.py", "carol"),
        ("in/c*", "carol"),
        ("**/*.py", "ada ben carol"),
        ("in/[ab]*.py", "ada ben"),
        ("./in/../in/a?a.py", "ada"),
    ],
)
def test_a_pattern_enters_all_that_it_matches(pattern: str, names: str, contest: Path) -> None:
    refs = load_tournament(write_tournament(contest, agents=["greedy", "random", {"glob": pattern}])).agents
    assert [ref.name for ref in refs if ref.origin != "bundled"] == names.split()


def test_an_absolute_pattern_and_one_above(contest: Path) -> None:
    file = write_tournament(contest / "leagues", agents=[{"glob": f"{contest}/in/*.py"}])
    assert [ref.name for ref in load_tournament(file).agents] == ["ada", "ben"]
    file = write_tournament(contest / "leagues", agents=[{"glob": "../in/*"}])
    assert [ref.name for ref in load_tournament(file).agents] == ["ada", "ben", "carol"]


def test_parameters_go_to_all(tmp_path: Path) -> None:
    text = CLASS.format(name="B").replace("class B:\n", "class B:\n    def __init__(self, row):\n        pass\n\n")
    written(tmp_path, one=text, two=text)
    file = write_tournament(tmp_path, agents=[{"glob": "*.py", "params": {"row": 2}}])
    assert [ref.params for ref in load_tournament(file).agents] == [{"row": 2}] * 2


def test_a_file_of_several_bots_enters_them_all(tmp_path: Path) -> None:
    written(tmp_path / "in", several=PLUGIN, classes=(BOTS / "two_bots.py").read_text())
    played = play_league(write_tournament(tmp_path, agents=[{"glob": "in/*"}]), tmp_path)
    assert [ref.name for ref in played.plan.tournament.agents] == ["Bold", "Meek", "One", "Thrée", "Two"]
    assert all(line.faults == 0 for line in played.leagues["two-stage"].standings)
    one_by_one = ["in/several.py:Thrée", "in/several.py:One", "in/several.py:Two", "in/classes.py:Bold"]
    agents = [*({"path": path} for path in one_by_one), {"path": "in/classes.py:Meek"}]
    again = play_league(write_tournament(tmp_path, agents=agents), tmp_path / "again")
    assert again.digest == played.digest


def test_base_names_that_meet_are_told_with_both_paths(tmp_path: Path, arena: Console) -> None:
    written(tmp_path, ann__bot=FUNCTIONS, bob__bot=FUNCTIONS)
    told = refused(arena, tmp_path, "greedy", {"glob": "*/bot.py"})
    assert told == (
        "7: agents[1]: the name 'bot' stands twice: ann/bot.py and bob/bot.py; rename one of them, "
        "or write strict: false, which tells them apart by their files"
    )
    agents = [{"path": "ann/bot.py", "name": "ann"}, {"path": "bob/bot.py", "name": "bob"}]
    assert play_league(write_tournament(tmp_path, agents=agents), tmp_path).digest


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ({"glob": "no/*.py"}, "agents[1].glob: nothing matches 'no/*.py' in "),
        ({"glob": "in/_*"}, "agents[1].glob: nothing matches 'in/_*' in "),
        ({"glob": "in/*", "name": "all"}, "agents[1]: glob may mean many agents, which cannot have one name"),
        ({"glob": "in/*", "path": "in/ada.py"}, "agents[1]: has path and glob; one of them is enough"),
        ({"class": "a:B", "path": "in/ada.py"}, "agents[1]: has path and class; one of them is enough"),
        ({"glob": 5}, "agents[1].glob: should be a valid string, not 5"),
        ({"class": ""}, "agents[1].class: is empty"),
        (
            {"clas": "x"},
            "agents[1].clas: unknown key, did you mean 'class'?; allowed: class, command, glob, isolation, name, ",
        ),
        ({"params": {"x": 1}}, "agents[1]: an agent needs a name, or one of path, glob, class, command"),
    ],
)
def test_patterns_that_are_refused(agent: dict[str, Any], told: str, contest: Path, arena: Console) -> None:
    assert refused(arena, contest, "greedy", agent).partition(": ")[2].startswith(told)


# Bots that cannot be loaded


BROKEN = {"dan": "import nosuch\n", "eve": "x = 1\n", "fay": FUNCTIONS.replace("turn.dice", "turn.dice + ((")}


def test_strict_refuses_and_names_the_first(contest: Path, arena: Console) -> None:
    written(contest / "in", **BROKEN)
    told = refused(arena, contest, "greedy", {"glob": "in/*"})
    assert told == "7: agents[1].glob: in/dan.py:1: cannot be loaded: ModuleNotFoundError: No module named 'nosuch'"
    assert refused(arena, contest, "greedy", {"glob": "in/*"}, strict=True) == told


SECRET = "SEED = 5"


def with_links(folder: Path) -> dict[str, str]:
    """Make bots that reach for a file beside their folder, and return what is told of each, by what is entered."""
    (folder / "secret.py").write_text(SECRET)
    inside = folder / "in"
    (inside / "ada.py").symlink_to("../secret.py")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "agent.py").write_text(FUNCTIONS)
    (inside / "ben").symlink_to("../elsewhere")
    for name, target in (("cleo", "../../secret.py"), ("dora", str(folder / "secret.py")), ("eva", "../none.py")):
        written(inside, **{f"{name}__agent": FUNCTIONS})
        (inside / name / "data.txt").symlink_to(target)
    os.mkfifo(inside / "finn.py")
    written(inside, gina__agent=FUNCTIONS)
    os.mkfifo(inside / "gina" / "pipe")
    (inside / "gina" / "same.py").symlink_to("agent.py")
    out = "the link 'data.txt' leads out of the bot's folder"
    link = "is a link, or lies beneath one: a pattern takes none"
    return {
        "ada.py": link,
        "ben": link,
        "finn.py": "neither a file nor a folder",
        "cleo": out,
        "dora": out,
        "eva": out,
    }


def test_links_that_lead_out(tmp_path: Path, arena: Console) -> None:
    """Or else the copy that is made of a bot would hold what it must not read."""
    (tmp_path / "in").mkdir()
    told = with_links(tmp_path)
    for entered, why in told.items():
        assert refused(arena, tmp_path, "greedy", {"glob": f"in/{entered[:-1]}*"}).endswith(f"in/{entered}: {why}")
    refs = {
        ref.name: ref
        for ref in load_tournament(
            write_tournament(tmp_path, agents=["greedy", {"glob": "in/*"}], strict=False)
        ).agents
    }
    assert {name for name, ref in refs.items() if not ref.broken} == {"greedy", "gina"}
    assert {
        ref.path.name: ref.broken.rpartition(f"{ref.path.name}: ")[2] for ref in refs.values() if ref.broken
    } == told
    assert {name for name, _ in source_files(refs["gina"].path)} == {"agent.py", "same.py"}


@pytest.mark.parametrize("entry", [{"path": "in/cleo"}, {"command": [sys.executable, "in/cleo/agent.py", "in/cleo"]}])
def test_links_out_of_a_folder_that_the_file_names(entry: dict[str, Any], tmp_path: Path, arena: Console) -> None:
    (tmp_path / "in").mkdir()
    why = f"in/cleo: {with_links(tmp_path)['cleo']}"
    assert refused(arena, tmp_path, "greedy", entry, isolation=None).endswith(why)
    file = write_tournament(tmp_path, agents=["greedy", {**entry, "name": "broken"}], strict=False, isolation=None)
    [broken] = [ref for ref in load_tournament(file).agents if ref.name == "broken"]
    assert broken.broken.endswith(why)


def test_a_link_that_the_file_names_is_its_authors(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ada.py").write_text(FUNCTIONS)
    (tmp_path / "link.py").symlink_to("elsewhere/ada.py")
    (tmp_path / "in").symlink_to("elsewhere")
    file = write_tournament(tmp_path, agents=["greedy", {"path": "link.py"}, {"glob": "in/*.py"}])
    assert {ref.name for ref in load_tournament(file).agents if not ref.broken} == {"greedy", "link", "ada"}


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> tuple[Played, Played]:
    """A league with three broken bots and a folder without a bot, and one without them."""
    folder = tmp_path_factory.mktemp("lenient")
    written(folder / "in", ada=FUNCTIONS, ben=CLASS.format(name="B"))
    honest = play_league(write_tournament(folder, agents=["greedy", {"glob": "in/*"}]), folder / "honest")
    written(folder / "in", **BROKEN, gus__helper="x = 1")
    agents = ["greedy", {"glob": "in/*"}]
    file = write_tournament(folder, agents=agents, strict=False, rulesets=["two-stage", "showdown"])
    return honest, play_league(file, folder / "lenient", backend="processes", workers=2)


def test_a_bot_that_cannot_be_loaded_loses_its_games_and_the_others_play(lenient: tuple[Played, Played]) -> None:
    honest, played = lenient
    for league in played.leagues.values():
        lines = {line.name: line for line in league.standings}
        assert sorted(lines) == ["ada", "ben", "dan", "eve", "fay", "greedy", "gus"]
        for name in ("dan", "eve", "fay", "gus"):
            assert lines[name].faults_by_kind == {"start": 6 * 8}
            assert (lines[name].wins, lines[name].mean_score) == (0, None)
        assert all(lines[name].faults == 0 for name in ("ada", "ben", "greedy"))
    for key, results in honest.results.items():
        for one, other in zip(results, played.results[key], strict=True):
            assert (one.totals == other.totals).all()


def test_the_reason_is_kept_with_the_run(lenient: tuple[Played, Played]) -> None:
    faults = {
        fault.agent: fault for results in lenient[1].results.values() for result in results for fault in result.faults
    }
    assert {fault.kind for fault in faults.values()} == {End.START}
    told = {name: fault.message.rpartition("/")[2] for name, fault in faults.items()}
    assert told == {
        "dan": "dan.py:1: cannot be loaded: ModuleNotFoundError: No module named 'nosuch'",
        "eve": "eve.py: no bot here: it has no function hold and no choose_row, nor a class with them",
        "fay": "fay.py:2: cannot be loaded: SyntaxError: '(' was never closed",
        "gus": "gus: the folder has no agent.py",
    }
    assert all(fault.message.startswith("StartError: could not start: /") for fault in faults.values())
    assert all(fault.traceback == "" for fault in faults.values())


def test_the_reason_is_told_before_and_after(contest: Path, arena: Console) -> None:
    written(contest / "in", **BROKEN)
    file = write_tournament(contest, agents=["greedy", {"glob": "in/[ad]*"}], strict=False)
    run = arena("run", file, "--backend", "serial", cwd=contest)
    assert run.code == 0
    reason = f"{contest.resolve()}/in/dan.py:1: cannot be loaded: ModuleNotFoundError: No module named 'nosuch'"
    assert f"  dan: loses every game, as it cannot be loaded: {reason}" in run.err.splitlines()
    told = " ".join(run.out.split())
    assert (
        f"dan: start in 16 games, first at dice set 0, seat 1, round 1, roll 1: StartError: could not start: {reason}"
        in told
    )
    assert "Traceback" not in run.out + run.err


def test_once_it_can_be_loaded_it_plays(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its games are played again; all the others are taken as they are."""
    written(contest / "in", dan="import arena_test_later\n" + FUNCTIONS)
    file = write_tournament(contest, agents=["greedy", {"glob": "in/[ad]*"}], strict=False)
    before = play_league(file, contest)
    assert {line.name: line.faults for line in before.leagues["two-stage"].standings}["dan"] == 16
    monkeypatch.setitem(sys.modules, "arena_test_later", ModuleType("arena_test_later"))
    after = play_league(file, contest)
    assert {line.name: line.faults for line in after.leagues["two-stage"].standings}["dan"] == 0
    names = {entrant.name for block in after.plan.missing for entrant in block.entrants}
    assert (sorted(names), after.plan.missing_games) == (["ada", "dan", "greedy"], 16)


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("gredy", "agents[1]: no agent 'gredy', did you mean 'greedy'?"),
        ({"path": "in/no.py"}, "agents[1].path: in/no.py: no such file or folder"),
        ({"class": "no.such:Class"}, "agents[1].class: no module 'no.such'"),
        ({"glob": "no/*"}, "agents[1].glob: nothing matches 'no/*'"),
    ],
)
def test_what_is_not_there_is_refused_all_the_same(agent: Any, told: str, contest: Path, arena: Console) -> None:
    assert refused(arena, contest, "greedy", agent, strict=False).partition(": ")[2].startswith(told)


@pytest.fixture
def misnamed(tmp_path: Path) -> Path:
    """Submissions that work, and whose names do not."""
    written(tmp_path / "in", ada=FUNCTIONS, Miss=FUNCTIONS, miss=FUNCTIONS, greedy=FUNCTIONS)
    (tmp_path / "in" / "sp .py").write_text(FUNCTIONS)
    (tmp_path / "in" / "a\nb.py").write_text(FUNCTIONS)
    (tmp_path / "in" / f"{'y' * 220}.py").write_text(FUNCTIONS)
    (tmp_path / "in" / "\u0301.py").write_text(FUNCTIONS)
    Path(os.fsdecode(os.fsencode(tmp_path / "in") + b"/caf\xe9.py")).write_text(FUNCTIONS)
    two = CLASS.format(name="A") + CLASS.format(name="B")
    written(tmp_path / "in", dup1=two, dup2=two, hook=PLUGIN.replace("'Thrée'", "'a\\nb'"))
    return tmp_path


def test_no_name_of_a_submission_stops_the_others(misnamed: Path, arena: Console) -> None:
    agents = [{"glob": "in/*"}, "greedy"]
    file = write_tournament(misnamed, agents=agents, strict=False, games=2)
    run = arena.process("run", file, "--workers", "1", cwd=misnamed)
    assert run.code == 0, run.err
    refs = {ref.name: ref for ref in load_tournament(file).agents}
    playing = {name for name, ref in refs.items() if not ref.broken}
    assert playing == {
        *("ada", "A", "B", "One", "Two", "greedy", "Miss"),
        *("dup2.py:A", "dup2.py:B", "in/greedy.py", "in/miss.py"),
    }
    broken = {name: ref.broken.rpartition("/in/")[2] for name, ref in refs.items() if ref.broken}
    assert broken == {
        "sp": "sp .py: 'sp ' is no name: a space stands at its end; rename the file",
        "a b": r"a\nb.py: 'a\nb' is no name: it has the character U+000A, which cannot be printed; rename the file",
        "y" * 200: f"{'y' * 220}.py: '{'y' * 56}... is no name: it has 220 characters, at most 200 are allowed; "
        "rename the file",
        "unnamed": "\u0301.py: '\u0301' is no name: it begins with a mark that would stand on the character before; "
        "rename the file",
        r"caf\udce9": r"caf\udce9.py: 'caf\udce9' is no name: it has the character U+DCE9, which cannot be printed; "
        "rename the file",
        "hook.py:a b": r"hook.py: 'a\nb' is no name: it has the character U+000A, which cannot be printed; "
        "give the bot another name in this file",
    }
    lines = json.loads((misnamed / "leaderboard" / "two-stage" / "standings.json").read_text())["standings"]
    faults = {line["name"]: line["faults_by_kind"] for line in lines}
    assert set(faults) == set(refs)
    assert {name for name, kinds in faults.items() if kinds} == set(broken)
    assert all(set(kinds) == {"start"} for kinds in faults.values() if kinds)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["sp .py"], "in/sp .py: 'sp ' is no name: a space stands at its end; rename the file"),
        (["Miss.py", "miss.py"], "'Miss' and 'miss' cannot be told apart: in/Miss.py and in/miss.py; rename one of"),
        (["dup1.py", "dup2.py"], "the name 'A' stands twice: in/dup1.py and in/dup2.py; rename one of them, or write"),
        (
            ["hook.py"],
            r"in/hook.py: 'a\nb' is no name: it has the character U+000A, which cannot be printed; give the",
        ),
    ],
)
def test_strict_names_the_file_and_what_can_be_done(
    names: list[str], told: str, misnamed: Path, arena: Console
) -> None:
    for path in (misnamed / "in").iterdir():
        if path.name not in names:
            path.unlink()
    assert refused(arena, misnamed, "greedy", {"glob": "in/*"}).startswith(f"7: agents[1]: {told}")


def test_a_file_that_is_entered_twice_is_a_mistake_all_the_same(contest: Path, arena: Console) -> None:
    told = refused(arena, contest, {"glob": "in/*"}, {"path": "in/ada.py"}, strict=False)
    assert told.partition(": ")[2] == "agents[0]: the name 'ada' stands twice; give one of them another name"


def test_every_kind_of_entry_may_be_broken(contest: Path) -> None:
    written(contest, agents__named="1 / 0\n", pack__broken="1 / 0\n")
    agents = ["named", {"path": "in/ben.py", "params": {"x": 1}}, {"class": "pack.broken:Mine"}]
    refs = load_tournament(write_tournament(contest, agents=agents, strict=False)).agents
    assert [(ref.name, bool(ref.broken)) for ref in refs] == [("Mine", True), ("ben", True), ("named", True)]


# Names as people give them


NAMES = [
    *(
        "<b>bold</b>",
        "../x",
        "CON",
        "two words",
        "C:\\",
        "a|b",
        "=A1",
        "a,b",
        "x" * MAX_NAME,
        '"quoted"',
        "[red]r[/red]",
    ),
    *(
        "名前のあるロボット",
        "e\u0301te\u0301",
        "🎲🎲",
        "👩‍🚀",
        "שלום",
        "Z\u0351\u036b\u0343",
        ":boom:",
        "[link=x]y",
        "\\[bold]",
    ),
]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Played]:
    folder = tmp_path_factory.mktemp("named")
    agents = [{"name": name, "path": str(ROOT / "agents" / "greedy.py")} for name in NAMES]
    return folder, play_league(write_tournament(folder, agents=agents, games=2), folder)


def test_names_are_kept_composed_and_whole(named: tuple[Path, Played]) -> None:
    _, played = named
    composed = sorted(unicodedata.normalize("NFC", name) for name in NAMES)
    assert [ref.name for ref in played.plan.tournament.agents] == composed
    content = json.loads(played.files["two-stage/standings.json"])
    assert sorted(line["name"] for line in content["standings"]) == composed
    rows = list(csv.DictReader(played.files["two-stage/crosstable.csv"].decode().splitlines()))
    assert sorted({row["first"] for row in rows}) == composed


def test_names_become_no_files(named: tuple[Path, Played]) -> None:
    folder, played = named
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {name for name in made if not name.startswith(("run/", "out/"))} == {"tournament.yaml"}
    assert all(name.isascii() for name in made)
    assert sorted(name.partition("/")[2] for name in played.files if "/" in name)[:1] == ["crosstable.csv"]


def test_names_are_shown_letter_by_letter_on_a_terminal(
    named: tuple[Path, Played], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    _, played = named
    league = played.leagues["two-stage"]
    console().print(standings_table("two-stage", league.standings))
    console().print(crosstable_table(league.standings, league.crosstable))
    shown = capsys.readouterr().out
    for line in league.standings:
        if len(line.name) < 40:
            assert line.name in shown, line.name
    assert "x" * 20 + "…" + "x" * 19 in shown


def test_names_do_not_crash_a_terminal_that_has_not_their_letters(tmp_path: Path, arena: Console) -> None:
    agents = [{"name": name, "path": str(ROOT / "agents" / "greedy.py")} for name in ("名前", "plain")]
    file = write_tournament(tmp_path, agents=agents)
    run = arena.process("run", file, "--backend", "serial", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert run.code == 0, run.err
    assert r"\u540d\u524d" in run.out


def test_names_may_be_looked_up_in_a_gauntlet(tmp_path: Path) -> None:
    agents = ["greedy", "random", {"name": "e\u0301te\u0301", "path": str(ROOT / "agents" / "greedy.py")}]
    file = write_tournament(tmp_path, agents=agents, schedule={"gauntlet": ["e\u0301te\u0301"]})
    assert load_tournament(file).gauntlet == ("\u00e9t\u00e9",)


@pytest.mark.parametrize(
    ("one", "other"), [("Ada", "ada"), ("e\u0301", "\u00e9"), ("a b", "a  b"), ("Straße", "STRASSE")]
)
def test_names_that_nobody_can_tell_apart(one: str, other: str, tmp_path: Path, arena: Console) -> None:
    agents = [{"name": name, "path": str(ROOT / "agents" / "greedy.py")} for name in (one, other)]
    told = refused(arena, tmp_path, *agents)
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    what = "the name 'é' stands twice" if same else f"{one!r} and {other!r} cannot be told apart"
    assert told.partition(": ")[2] == f"agents[1]: {what}; give one of them another name"


def test_a_files_name_that_is_no_agents(tmp_path: Path, arena: Console) -> None:
    (tmp_path / "in").mkdir()
    shutil.copy(ROOT / "agents" / "greedy.py", tmp_path / "in" / "a\u202eb.py")
    told = refused(arena, tmp_path, "random", {"glob": "in/*"})
    assert "agents[1]: in/a\\u202eb.py: 'a\\u202eb' is no name: it has the character U+202E" in told
