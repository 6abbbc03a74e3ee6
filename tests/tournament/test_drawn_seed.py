"""A seed that nobody knows before the run is finished: drawn once, kept, told at the end."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from leagues import Console, Outcome, play_league, write_tournament

from arena.errors import UserError
from arena.records import SEED_BITS
from arena.run_folder import SEED_NAME
from arena.store import Store
from arena.tournament.file import MAX_SEED, load_tournament


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_tournament(tmp_path, seed="draw")


def ran(arena: Console, file: Path, *how: str) -> Outcome:
    run = arena("run", file, "--backend", "serial", *how, cwd=file.parent)
    assert run.code == 0, run.err
    return run


def seed_told(run: Outcome) -> int:
    [said] = [line for line in run.lines if line.startswith("seed ")]
    found = re.fullmatch(r"seed ([0-9]+), drawn for this run", said)
    assert found
    return int(found[1])


def published_seed(folder: Path) -> object:
    return json.loads((folder / "leaderboard" / "two-stage" / "standings.json").read_text())["seed"]


def test_it_is_drawn_kept_for_the_owner_alone_and_told_at_the_end(file: Path, arena: Console) -> None:
    run = ran(arena, file)
    seed = seed_told(run)
    kept = file.parent / "runs" / "small" / SEED_NAME
    assert kept.read_text() == f"{seed}\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert published_seed(file.parent) == seed
    page = (file.parent / "leaderboard" / "two-stage" / "standings.md").read_text()
    assert f"seed {seed}," in page
    assert run.lines[-1].startswith("digest ")
    assert str(seed) not in run.err


def test_it_is_used_again_and_the_same_as_written(file: Path, arena: Console) -> None:
    first = ran(arena, file)
    again = ran(arena, file)
    assert (seed_told(again), again.lines[-1]) == (seed_told(first), first.lines[-1])
    assert "8 of them played before" in again.err
    written = write_tournament(file.parent, "written.yaml", seed=seed_told(first))
    assert ran(arena, written, "--run-dir", "other").lines[-1] == first.lines[-1]


def test_two_runs_draw_two_seeds_of_128_bits(file: Path, arena: Console) -> None:
    seeds = {seed_told(ran(arena, file, "--run-dir", name)) for name in ("a", "b", "c")}
    assert len(seeds) == 3
    assert max(seeds).bit_length() > SEED_BITS - 20
    assert (1 << SEED_BITS) - 1 == MAX_SEED


def test_fresh_draws_anew_and_keeps_the_old_one_aside(file: Path, arena: Console) -> None:
    first = seed_told(ran(arena, file))
    assert seed_told(ran(arena, file, "--fresh")) != first
    assert (file.parent / "runs" / "small.1" / SEED_NAME).read_text() == f"{first}\n"


def test_a_seed_on_the_command_line_stands_in_for_it(file: Path, arena: Console) -> None:
    run = ran(arena, file, "--seed", "7")
    assert not [line for line in run.lines if line.startswith("seed ")]
    assert not (file.parent / "runs" / "small" / SEED_NAME).exists()
    assert published_seed(file.parent) == 7
    assert ran(arena, write_tournament(file.parent, "seven.yaml"), "--run-dir", "x").lines[-1] == run.lines[-1]


def test_a_run_that_is_stopped_goes_on_with_it_and_publishes_nothing_before(file: Path, tmp_path: Path) -> None:
    play_league(file, tmp_path, block_size=1, stop_after=2)
    seed = int((tmp_path / "run" / SEED_NAME).read_text())
    assert not (tmp_path / "out").exists()
    played = play_league(file, tmp_path, block_size=1)
    assert (played.plan.seed, played.leagues["two-stage"].seed) == (seed, seed)
    assert played.plan.missing_games == 8 - 4
    assert played.digest == play_league(file, tmp_path / "other", seed=seed).digest


def test_workers_play_with_it_too(file: Path, tmp_path: Path) -> None:
    played = play_league(file, tmp_path / "there", backend="processes", workers=2)
    assert play_league(file, tmp_path / "here", seed=played.plan.seed).digest == played.digest


@pytest.mark.parametrize("seed", [0, 1 << 64, MAX_SEED])
def test_large_seeds_survive_publication(seed: int, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, seed=seed), tmp_path)
    content = json.loads(played.files["two-stage/standings.json"])
    assert content["seed"] == seed
    assert type(content["seed"]) is int


@pytest.mark.parametrize("text", ["", "seven\n", "-1\n", "9" * 40 + "\n", f"{1 << 128}\n", "1.5"])
def test_a_damaged_seed_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / SEED_NAME).write_text(text)
    with (
        Store(tmp_path) as store,
        pytest.raises(UserError, match="seed: is damaged: no seed of 128 bits; --fresh sets"),
    ):
        store.draw_seed()


def test_a_seed_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / SEED_NAME).mkdir()
    with Store(tmp_path) as store, pytest.raises(UserError, match="seed: cannot be used: Is a directory"):
        store.draw_seed()


def test_nothing_is_drawn_before_there_is_a_run(file: Path) -> None:
    assert load_tournament(file).seed is None
