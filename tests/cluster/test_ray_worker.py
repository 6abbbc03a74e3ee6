"""A worker keeps one run at most, and leaves no folder of one that it could not begin."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.agent.limits import Level
from arena.agent.nursery import Nursery
from arena.agent.sources import bundled_folder, locate
from arena.errors import DiskError, NoProcessError
from arena.records import Block, Entrant
from arena.rules.shipped import shipped_ruleset
from arena.tournament import ray_worker
from arena.tournament.cargo import Cargo, load_cargo
from arena.tournament.ray_worker import Reply, build, play_blocks
from arena.tournament.work import Job


def make_ready(run: str, job: Job, *blocks: Block) -> Reply:
    return play_blocks(build(), run, (pickle.dumps(Cargo(job, {})), {}), pickle.dumps(blocks))


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process is a worker of Ray's."""
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(get=lambda ref: ref))
    monkeypatch.setattr(ray_worker, "_settle_in", lambda: None)
    yield
    if ray_worker._Kept.here is not None:
        ray_worker._Kept.here.close()
        ray_worker._Kept.here = None


def full(*_: Any, **__: Any) -> None:
    raise OSError(ENOSPC, os.strerror(ENOSPC))


def test_a_run_that_cannot_begin(tmp_path: Path) -> None:
    greedy = locate(bundled_folder() / "greedy.py")
    jobs = [Job(1, {}, {"greedy": ref}, tmp_path) for ref in (greedy, replace(greedy, source_hash="other"))]
    assert make_ready("first", jobs[0]) == ("played", [])
    assert len(list(tmp_path.iterdir())) == 1
    said, text = make_ready("second", jobs[1])
    assert said == "mistake"
    assert "the bot greedy, which ships with the arena, is not what it is here" in text
    assert list(tmp_path.iterdir()) == []
    assert ray_worker._Kept.here is None
    assert make_ready("third", jobs[0]) == ("played", [])
    assert len(list(tmp_path.iterdir())) == 1
    ray_worker._Kept.here.close()
    ray_worker._Kept.here = None
    assert list(tmp_path.iterdir()) == []


def test_no_process_for_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is unable to go on now, and may be able later."""
    rules, greedy = shipped_ruleset("two-stage"), locate(bundled_folder() / "greedy.py")
    job = Job(1, {rules.hash: rules}, {"greedy": replace(greedy, level=Level.PROCESS)}, tmp_path)
    block = Block("", rules.hash, (Entrant("greedy", ""),) * 2, 0, 1)

    def none_left(*_: Any, **__: Any) -> None:
        raise NoProcessError("no process can be started for a bot: none is left")

    with monkeypatch.context() as patched:
        patched.setattr(Nursery, "start", none_left)
        said, why = make_ready("run", job, block)
    assert (said, type(why)) == ("unable", NoProcessError)
    assert str(why) == "no process can be started for a bot: none is left"
    said, played = make_ready("run", job, block)
    assert said == "played", played
    assert [result.block for result, _ in played] == [block]


@pytest.mark.parametrize("where", ["mkdtemp", "mkstemp", "write_bytes"])
def test_a_full_disk(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, whatever it is that has no room."""
    (tmp_path / "mine.py").write_text("def hold(turn):\n    return turn.dice\n")
    (node := tmp_path / "node").mkdir()
    cargo, bundles = load_cargo(Job(1, {}, {"mine": replace(locate(tmp_path / "mine.py"), level=Level.PROCESS)}, node))
    task = build(), "run", (pickle.dumps(cargo), bundles), pickle.dumps(())
    with monkeypatch.context() as patched:
        patched.setattr(Path if where == "write_bytes" else tempfile, where, full)
        said, why = play_blocks(*task)
    assert said == "unable", why
    assert isinstance(why, DiskError)
    assert str(why).endswith("No space left on device")
    assert list(node.iterdir()) == []
    assert play_blocks(*task) == ("played", [])
