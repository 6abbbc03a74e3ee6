"""SIGKILL at random moments: every time the run goes on, and ends as an undisturbed one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from kills import SLOW, SLOW_BOT, Killed
from leagues import Console, block_ranges, files_in, play_league, write_tournament

from arena.run_folder import FILE_NAME

MIRRORS = 400
KILLS = 5

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")


def test_a_league_that_is_killed_again_and_again(arena: Console, tmp_path: Path) -> None:
    """One of its bots is not trusted, and so has processes of its own, which must not outlive the run either.

    Where nobody is killed it plays the same moves here, without taking its time.
    """
    (tmp_path / "mine.py").write_text(SLOW_BOT)
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast" / "mine.py").write_text(SLOW_BOT.replace(SLOW, ""))
    agents = ["greedy", "collector", {"path": "mine.py"}]
    limits = {"decision_ms": 60_000, "start_s": 120, "wall_s": 600}
    file = write_tournament(tmp_path, agents=agents, games=2 * MIRRORS, isolation="auto", limits=limits)
    whole = play_league(write_tournament(tmp_path / "fast", agents=agents, games=2 * MIRRORS), tmp_path / "whole")
    killed = Killed(
        lambda: arena.start("run", file, "--workers", "2", "--run-dir", "run", "--out", "out", cwd=tmp_path),
        tmp_path / "run" / FILE_NAME,
        sum(map(len, block_ranges(whole.run_dir).values())),
        Random(20_260_301),
    )
    for left in range(KILLS, 0, -1):
        killed.kill(left)
        assert not (tmp_path / "out").exists()
    before = len(killed.stored())
    assert 0 < before < killed.blocks
    out, err = killed.finish()
    assert (killed.kills, killed.workers_killed > 1) == (KILLS, True)
    killed.check(MIRRORS)
    assert out.splitlines()[-1] == f"digest {whole.digest}"
    assert files_in(tmp_path / "out") == whole.files
    assert "of them played before" in err
