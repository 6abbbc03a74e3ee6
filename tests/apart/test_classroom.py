"""A class contest with broken bots: it ends, stays small, and charges nobody for what another did."""

from __future__ import annotations

from pathlib import Path

import classroom
import pytest

BROKEN = classroom.BROKEN[:4]
HEALTHY = 16
WIDE = {"decision_ms": 2000, "start_s": 30, "memory_mb": 128, "wall_s": 60}
"""On a machine that may be busy."""
MET = ["bot000", "bot001", "bot002"]
"""Whom all others meet, beside the broken ones."""


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, classroom.Watched]:
    folder = tmp_path_factory.mktemp("class")
    gauntlet = [*MET, *map(classroom.name_of, BROKEN)]
    file = classroom.write_contest(folder, HEALTHY, BROKEN, seed=5, limits=WIDE, schedule={"gauntlet": gauntlet})
    seen = classroom.watched_run(file, folder / "run", "--workers", "2", "--out", str(folder / "out"))
    assert seen.code == 0, seen.said
    return folder, seen


def test_each_is_charged_for_its_own_faults(contest: tuple[Path, classroom.Watched]) -> None:
    folder, seen = contest
    games = 2 * (HEALTHY + len(BROKEN) - 1)
    assert classroom.wrongly_charged(folder / "out", BROKEN, games) == []
    assert classroom.wrongly_charged(folder / "out", BROKEN[1:], games), "nothing is compared"
    assert "games were lost by a fault: see arena faults" in seen.said


def test_games_of_the_healthy_are_as_without_the_broken(
    contest: tuple[Path, classroom.Watched], tmp_path: Path
) -> None:
    met = {"gauntlet": MET}
    file = classroom.write_contest(tmp_path, HEALTHY, (), seed=5, isolation="inline", schedule=met)
    assert classroom.watched_run(file, tmp_path / "run", "--backend", "serial").code == 0
    pairs = len(MET) * (HEALTHY - len(MET)) + len(MET) * (len(MET) - 1) // 2
    assert classroom.different_games(tmp_path / "run", contest[0] / "run") == (2 * pairs, 0)


def test_it_stays_small(contest: tuple[Path, classroom.Watched]) -> None:
    seen = contest[1]
    assert seen.first_s > 0
    assert 0 < max(seen.peak_mb) < 512
    assert 0 < max(seen.descriptors) < 128
    assert 4 <= seen.processes < 64
