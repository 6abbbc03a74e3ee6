"""A run whose store is damaged is told in a line, or ends as if nothing were wrong: never in between."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from leagues import Played, play_league, write_tournament

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
