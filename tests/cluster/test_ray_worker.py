"""A worker keeps one run at most, and leaves no folder of one that it could not begin."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.agent.sources import bundled_folder, locate
from arena.tournament import ray_worker
from arena.tournament.cargo import Cargo
from arena.tournament.ray_worker import Reply, build, play_blocks
from arena.tournament.work import Job


def make_ready(run: str, job: Job) -> Reply:
    return play_blocks(build(), run, (pickle.dumps(Cargo(job, {})), {}), pickle.dumps(()))


def test_a_run_that_cannot_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(get=lambda ref: ref))
    monkeypatch.setattr(ray_worker, "_settle_in", lambda: None)
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
