"""A run whose store is damaged is told in a line, or ends as if nothing were wrong: never in between."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from leagues import Console, Played, block_ranges, files_in, play_league, write_tournament

from arena.errors import UserError
from arena.run_folder import FILE_NAME

BIT_FLIPS = 60


def test_a_run_goes_on_from_a_damaged_store_or_refuses_it(tmp_path: Path) -> None:
    """Of a league of which half was played, one bit is wrong."""
    file = write_tournament(tmp_path, rulesets=["two-stage", "showdown"], games=60)
    whole = play_league(file, tmp_path / "whole", block_size=10)
    half = play_league(file, tmp_path / "half", block_size=10, stop_after=3)
    content = (half.run_dir / FILE_NAME).read_bytes()
    random = np.random.default_rng(7)
    told: list[str] = []
    ended: list[Played] = []
    for place in random.integers(0, 8 * len(content), BIT_FLIPS).tolist():
        folder = tmp_path / "damaged"
        shutil.copytree(half.run_dir, folder / "run")
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        (folder / "run" / FILE_NAME).write_bytes(damaged)
        try:
            ended.append(play_league(file, folder, block_size=10))
        except UserError as error:
            told.append(str(error))
            assert not (folder / "out").exists(), place
        else:
            assert (ended[-1].digest, ended[-1].files) == (whole.digest, whole.files), place
        shutil.rmtree(folder)
    assert told
    assert ended
    assert all(message.count("\n") == 0 and str(tmp_path / "damaged" / "run") in message for message in told)


@pytest.mark.parametrize("how", [("--backend", "serial"), ("--workers", "2")])
def test_damage_is_told_before_anything_is_played(how: tuple[str, ...], arena: Console, tmp_path: Path) -> None:
    """Of a finished league, of which more is wanted, one bit of the last block's games is wrong."""
    file = write_tournament(tmp_path, agents=["greedy", "random", "collector"], games=40)
    played = play_league(file, tmp_path, block_size=5)
    with closing(sqlite3.connect(played.run_dir / FILE_NAME, isolation_level=None)) as database:
        last = played.plan.missing[-1]
        row = (last.series, last.first)
        (games,) = database.execute("SELECT games FROM blocks WHERE series = ? AND first = ?", row).fetchone()
        wrong = games[:-1] + bytes([games[-1] ^ 1])
        database.execute("UPDATE blocks SET games = ? WHERE series = ? AND first = ?", (wrong, *row))
    before = block_ranges(played.run_dir)
    more = arena("run", file, "--games", "60", "--run-dir", "run", "--out", "out", *how, cwd=tmp_path)
    assert (more.code, more.out) == (2, "")
    told = f"error: run/{FILE_NAME}: is damaged: wrong checksum of {last}; --fresh sets it aside"
    assert more.err.splitlines()[-1] == told
    assert block_ranges(played.run_dir) == before
    assert files_in(tmp_path / "out") == played.files
