"""A job travels without files: foreign bots as bundles, the others by what is installed where it arrives."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from arena.agent.commands import locate_command
from arena.agent.ref import AgentRef
from arena.agent.sources import bundled_folder, locate, source_of
from arena.errors import DiskError, FileError, UserError
from arena.records import Block, BlockResult, End, Entrant, Fault
from arena.tournament.cargo import Unloaded, load_cargo
from arena.tournament.work import Job

BOT = "def hold(turn):\n    return turn.dice\ndef choose_row(turn):\n    return turn.open_rows[0]\n"


@pytest.fixture
def mine(tmp_path: Path) -> AgentRef:
    file = tmp_path / "here" / "mine.py"
    file.parent.mkdir()
    file.write_text(BOT)
    return locate(file)


def job_of(*refs: AgentRef) -> Job:
    return Job(7, {}, {ref.name: ref for ref in refs})


def arrive(job: Job, folder: Path) -> Unloaded:
    """Send a job to a place that has none of its files."""
    cargo, bundles = load_cargo(job)
    for ref in job.agents.values():
        if ref.origin == "file":
            shutil.rmtree(ref.path.parent, ignore_errors=True)
    folder.mkdir()
    sent = pickle.loads(pickle.dumps(cargo))
    return Unloaded(sent, bundles.__getitem__, folder, inner=folder / "inner", place="there")


def test_a_bot_of_a_file(mine: AgentRef, tmp_path: Path) -> None:
    arrived = arrive(job_of(mine), tmp_path / "there")
    there = arrived.job.agents["mine"]
    assert there.path.is_relative_to(tmp_path / "there")
    assert there.path.read_text() == BOT
    assert there.entrant == mine.entrant
    assert arrived.told(f'File "{there.path}", line 2') == f'File "{mine.path}", line 2'


def test_equal_sources_travel_once(mine: AgentRef) -> None:
    cargo, bundles = load_cargo(job_of(mine, replace(mine, name="again")))
    assert len(bundles) == 1
    assert cargo.bundles == dict.fromkeys(["mine", "again"], *bundles)


def test_faults_name_the_bots_own_files(mine: AgentRef, tmp_path: Path) -> None:
    """Itself, and what it looked for beside it, wherever that is told."""
    arrived = arrive(job_of(mine), tmp_path / "there")
    block = Block("", "", (Entrant("mine", ""),), 0, 1)

    def fault_at(path: Path) -> Fault:
        told = f'File "{path}", no {path.parent / "table"}'
        return Fault("mine", End.CRASH, 0, 0, 0, 1, 1, told, told, answer=told, printed=told)

    [told] = arrived.sent(BlockResult(block, *[None] * 3, (fault_at(arrived.job.agents["mine"].path),))).faults
    assert told == fault_at(mine.path)


def test_bots_that_ship_do_not_travel(tmp_path: Path) -> None:
    ref = replace(locate(bundled_folder() / "greedy.py"), path=Path("/nowhere/greedy.py"))
    cargo, bundles = load_cargo(job_of(ref))
    assert not bundles
    there = Unloaded(cargo, bundles.__getitem__, tmp_path, inner=tmp_path, place="there").job.agents["greedy"]
    assert there.path == bundled_folder() / "greedy.py"


def test_a_bot_that_cannot_be_loaded_is_not_looked_for(mine: AgentRef, tmp_path: Path) -> None:
    broken = replace(mine, broken="why")
    assert arrive(job_of(broken), tmp_path / "there").job.agents["mine"] == broken


def test_plugins_must_be_installed_there(tmp_path: Path) -> None:
    path = source_of("yaml")
    assert path is not None
    ref = replace(locate(bundled_folder() / "greedy.py"), origin="plugin", name="bot", path=path, module="yaml:Bots")
    for module, hash_, state in (("yaml", "0" * 64, "is not what it is here"), ("yam1", "", "is not installed")):
        cargo, bundles = load_cargo(job_of(replace(ref, module=f"{module}:Bots", source_hash=hash_)))
        with pytest.raises(UserError) as error:
            Unloaded(cargo, bundles.__getitem__, tmp_path, inner=tmp_path, place="there")
        said = f"the module {module} of the bot bot {state} on there: install the same there"
        assert str(error.value) == said


def test_a_level_that_is_missing_there(mine: AgentRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.tournament.cargo.missing", lambda: ["Landlock", "seccomp"])
    with pytest.raises(UserError, match="mine: no sandbox on there, which has no Landlock, no seccomp"):
        arrive(job_of(replace(mine, level="sandbox")), tmp_path / "there")


@pytest.mark.parametrize("change", [lambda path: path.write_text(BOT + "\n"), Path.unlink], ids=["edited", "removed"])
def test_a_bot_that_changed_meanwhile(mine: AgentRef, change: Callable[[Path], object]) -> None:
    change(mine.path)
    with pytest.raises(FileError, match=r"mine\.py: changed while the tournament was running"):
        load_cargo(job_of(mine))


def test_the_program_of_an_external_bot_must_be_there(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "bot.txt").write_text("a bot")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    ref = locate_command([str(program), "bot.txt"], folder, name="mine")
    cargo, bundles = load_cargo(job_of(ref))
    there = {"fetch": bundles.__getitem__, "folder": folder, "inner": folder, "place": "there"}
    assert Unloaded(cargo, **there).job.agents["mine"].root == folder / cargo.bundles["mine"]
    program.write_text("#!/bin/sh\ntrue\n")
    with pytest.raises(UserError, match=f"mine: {program} on there is not what it is here: install the same there"):
        Unloaded(cargo, **there)
    program.unlink()
    with pytest.raises(UserError, match=f"mine: on there: no program '{program}'"):
        Unloaded(cargo, **there)


def test_a_full_disk(mine: AgentRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no mistake in the bot, and nothing stays of it."""
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DiskError, match=r"^mine: cannot be unpacked on there: No space left on device$"):
        arrive(job_of(mine), tmp_path / "there")
    assert list((tmp_path / "there").iterdir()) == []


def full(*_: Any) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))
