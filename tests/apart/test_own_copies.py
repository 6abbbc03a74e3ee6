"""The copies of bots' sources that processes run: always what was entered, whatever the user or a bot writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from external_bots import PYTHON, external
from kept_apart import LACKING, WIDE, apart, here, misbehaved, play, shipped
from leagues import play_league, write_tournament

from arena import pipeline
from arena.agent.commands import locate_command
from arena.agent.nursery import Nursery
from arena.agent.ref import AgentRef
from arena.agent.sources import locate
from arena.errors import FileError, UserError
from arena.store import Store

STOPS = "def hold(turn):\n    return turn.dice\n\n\ndef choose_row(turn):\n    return turn.open_rows[0]\n"
LOGS = """
from pathlib import Path


def log():
    try:
        with open(Path(__file__).with_name("log.txt"), "a") as file:
            file.write("one more")
    except OSError:
        pass


log()
"""
ANSWERS = """
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    said = {"type": "hello"}
    if message["type"] != "hello":
        rows = message["type"] == "choose_row"
        said = {"answers": [turn["open_rows"][0] if rows else turn["dice"] for turn in message["turns"]]}
    print(json.dumps(said), flush=True)
    log()
"""
FORMS = ("file", "folder", "command")


def entered(form: str, beside: Path, name: str = "mine", *, logs: str = LOGS) -> dict[str, Any]:
    """Write a bot into a folder of its name, and return how it is entered."""
    folder = beside / name
    folder.mkdir(parents=True)
    if form == "command":
        (folder / "__main__.py").write_text(logs + ANSWERS)
        return {"command": [*PYTHON, name], "name": name}
    (folder / "agent.py").write_text(logs + STOPS)
    return {"path": name if form == "folder" else f"{name}/agent.py", "name": name}


def source(form: str, beside: Path) -> Path:
    return beside / "mine" / ("__main__.py" if form == "command" else "agent.py")


def located(form: str, beside: Path) -> AgentRef:
    """Write a bot that no other test has, as all share a nursery."""
    entry = entered(form, beside, logs=f"# {beside}\ndef log():\n    pass\n")
    return external("mine", beside=beside) if form == "command" else locate(beside / entry["path"], name="bad")


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_what_was_changed_is_not_played(form: str, gone: bool, boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    ref = located(form, tmp_path)
    if gone:
        source(form, tmp_path).unlink()
    else:
        source(form, tmp_path).write_text("print('something else')")
    with pytest.raises(FileError, match="changed while the tournament was running"):
        play({**apart(nursery, ref, boxed=boxed), **here(shipped("greedy"))}, mirrors=2)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_changed_later_is_played_as_it_was(form: str, boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    """By a worker that has its copy."""
    ref = located(form, tmp_path)
    for _ in range(2):
        assert not play({**apart(nursery, ref, boxed=boxed), **here(shipped("greedy"))}).faults
        source(form, tmp_path).write_text("print('something else')")


def test_a_program_that_is_gone_ends_the_run(
    boxed: bool, nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that the command does not bring: the machine's."""
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "mine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    ref = locate_command(["mine"], tmp_path)
    program.unlink()
    with pytest.raises(FileError, match="cannot be started any more: no program 'mine'"):
        play({**apart(nursery, ref, boxed=boxed), **here(shipped("greedy"))}, mirrors=2)


@pytest.mark.parametrize(
    ("form", "backend", "isolation"),
    [
        ("file", "processes", "auto"),
        ("folder", "serial", "process"),
        ("command", "serial", "auto"),
        ("command", "processes", "process"),
    ],
)
def test_a_change_ends_the_run(form: str, backend: pipeline.Backend, isolation: str, tmp_path: Path) -> None:
    """Nothing is stored of the new bot under the old one's name."""
    agents = ["greedy", entered(form, tmp_path)]
    tournament = pipeline.load(write_tournament(tmp_path, agents=agents, isolation=isolation))
    source(form, tmp_path).write_text("raise SystemExit")
    with Store(tmp_path / "run") as store:
        plan = pipeline.plan(tournament, store)
        with pytest.raises(UserError, match=r"mine.*: changed while the tournament was running"):
            list(pipeline.play(plan, store, backend=backend, workers=1))
        assert pipeline.plan(tournament, store).missing == plan.missing


def test_bots_may_write_beside_their_sources(tmp_path: Path) -> None:
    """At `process`, and no leg is lost; in the sandbox that is refused, and the games are the same."""
    digests = set()
    limits = {"decision_ms": WIDE.decision_ms, "start_s": WIDE.start_s, "wall_s": WIDE.wall_s}
    for isolation, workers in (("process", 1), ("process", 2), *([] if LACKING else [("sandbox", 1)])):
        folder = tmp_path / f"{isolation}-{workers}"
        file = write_tournament(
            folder,
            agents=["greedy", *(entered(form, folder, f"a_{form}") for form in FORMS)],
            schedule={"gauntlet": ["greedy"]},
            isolation=isolation,
            games=8,
            limits=limits,
        )
        backend: pipeline.Backend = "processes" if workers > 1 else "serial"
        played = play_league(file, folder / "run", backend=backend, workers=workers, block_size=2)
        assert sorted(map(len, played.results.values())) == [2] * len(FORMS)
        assert not [fault for blocks in played.results.values() for result in blocks for fault in result.faults]
        assert not list(folder.glob("a_*/log.txt"))
        digests.add(played.digest)
    assert len(digests) == 1


LEAVES = """
import os

THERE = os.path.join(os.path.dirname(__file__), ".seen")
FIRST = not os.path.exists(THERE)
os.makedirs(THERE, exist_ok=True)


def hold(turn):
    return () if FIRST else turn.dice


def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.mark.parametrize("name", ["leaves.py", "leaves/agent.py"])
def test_what_one_process_leaves_no_other_finds(name: str, tmp_path: Path) -> None:
    """However well hidden: else a game would depend on those that its worker had played before."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(LEAVES, encoding="utf-8")
    agents = ["greedy", "random", {"path": name.partition("/")[0]}]
    file = write_tournament(tmp_path, agents=agents, isolation="process", games=8)
    digests = {play_league(file, tmp_path / str(size), backend="serial", block_size=size).digest for size in (1, 4)}
    assert len(digests) == 1


def test_copies_are_removed_with_their_processes(nursery: Nursery) -> None:
    ref = misbehaved("several.py:Scalar", risk=0.25)
    first, second = (nursery.unpack(ref, alone=True) for _ in range(2))
    assert len({first.path, second.path, nursery.unpack(ref).path}) == 3
    nursery.dismiss(nursery.start(first, WIDE, boxed=False))
    nursery.bury(nursery.start(second, WIDE, boxed=False))
    assert not first.path.exists()
    assert not second.path.exists()


def test_a_first_copy_that_was_written_to(nursery: Nursery) -> None:
    """No bot does so by chance; it is made anew all the same."""
    ref = misbehaved("hand_raises.py")
    nursery.unpack(ref).path.write_text("something else")
    assert nursery.unpack(ref, alone=True).path.read_text() == ref.path.read_text()
