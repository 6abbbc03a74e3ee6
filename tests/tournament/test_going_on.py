"""What is stored is not played again: after an interruption, a kill, or a change of the tournament."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT, Console, Played, block_ranges, bot, files_in, play_league, write_tournament

from arena import pipeline
from arena.records import BlockResult
from arena.store import Store
from arena.version import VERSION

MIRRORS = 300
LEAGUE = {
    "agents": [{"name": "gated", "path": str(ROOT / "tests" / "bots" / "gated.py")}, "greedy", "collector"],
    "games": 2 * MIRRORS,
}
DEADLINE = 60.0
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


def wait_for(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"no {what} in {DEADLINE:.0f} s"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("expected")
    return play_league(write_tournament(folder, **LEAGUE), folder)


def living(group: int) -> list[int]:
    """Return the processes of a group that are not dead."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it ended meanwhile
            continue
        if int(pgrp) == group and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


def stored_blocks(run_dir: Path) -> int:
    return sum(map(len, block_ranges(run_dir).values()))


@contextmanager
def half_played(arena: Console, folder: Path, *how: str, gated: str = "gated.py") -> Iterator[subprocess.Popen[str]]:
    """A run that has stored something and stands still: whoever plays waits for a gate that never opens."""
    agents = [{"name": "gated", "path": str(ROOT / "tests" / "bots" / gated)}, "greedy", "collector"]
    file, gate = write_tournament(folder, **{**LEAGUE, "agents": agents}), folder / "gate"
    players = 2 if "--workers" in how else 1
    with arena.start("run", file, "--run-dir", "run", "--out", "out", *how, cwd=folder, GATE=str(gate)) as process:
        try:
            wait_for(lambda: len(list(folder.glob("gate.*"))) == players or process.poll() is not None, "waiting bot")
            assert process.poll() is None, process.communicate()
            wait_for(lambda: stored_blocks(folder / "run"), "stored block")
            yield process
        finally:
            with suppress(ProcessLookupError):  # nobody of its group is left
                os.killpg(process.pid, signal.SIGKILL)


def assert_goes_on(arena: Console, folder: Path, expected: Played, *how: str) -> None:
    before = block_ranges(folder / "run")
    assert 0 < sum(map(len, before.values())) < len(expected.plan.missing)
    run = arena("run", folder / "tournament.yaml", "--run-dir", "run", "--out", "out", *how, cwd=folder)
    assert run.code == 0, run.err
    kept = sum(2 * (stop - first) for ranges in before.values() for first, stop in ranges)
    assert f"{kept:,} of them played before" in run.err
    assert run.lines[-1] == f"digest {expected.digest}"
    assert files_in(folder / "out") == expected.files
    after = block_ranges(folder / "run")
    assert len(after) == 3
    for series, ranges in after.items():
        assert set(before.get(series, [])) <= set(ranges)
        assert (ranges[0][0], ranges[-1][1]) == (0, MIRRORS)
        assert all(one[1] == other[0] for one, other in pairwise(ranges))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_goes_on(number: signal.Signals, arena: Console, tmp_path: Path, expected: Played) -> None:
    with half_played(arena, tmp_path, "--workers", "2") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 1
    assert out == ""
    assert "digest" not in err
    assert err.splitlines()[-1].startswith("unfinished: ")
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()
    assert_goes_on(arena, tmp_path, expected, "--backend", "serial")


@needs_proc
def test_a_killed_run_goes_on(arena: Console, tmp_path: Path, expected: Played) -> None:
    """No worker outlives its parent."""
    with half_played(arena, tmp_path, "--workers", "2") as process:
        assert len(living(process.pid)) >= 3  # the supervisor and two workers; multiprocessing may have one of its own
        process.kill()
        process.wait(DEADLINE)
        wait_for(lambda: not living(process.pid), "end of all workers")
    assert process.returncode == -signal.SIGKILL
    assert_goes_on(arena, tmp_path, expected, "--backend", "serial")


def test_a_killed_serial_run_goes_on(arena: Console, tmp_path: Path, expected: Played) -> None:
    with half_played(arena, tmp_path, "--backend", "serial") as process:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=DEADLINE)
    assert_goes_on(arena, tmp_path, expected, "--workers", "2")


def test_a_second_interruption_ends_a_serial_run_at_once(arena: Console, tmp_path: Path, expected: Played) -> None:
    """The block being played hangs, so the first one alone would wait for ever."""
    with half_played(arena, tmp_path, "--backend", "serial") as process:
        assert process.stderr is not None
        process.send_signal(signal.SIGINT)
        read = ""
        while "once more stops at once" not in read:
            line = process.stderr.readline()
            assert line, read
            read += line
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=DEADLINE)
    assert process.returncode == 1
    assert rest.strip().endswith("stopped: finished blocks are kept; the same command goes on from there")
    assert_goes_on(arena, tmp_path, expected, "--backend", "serial")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_half_of_a_mirror_never_counts(
    number: signal.Signals, arena: Console, tmp_path: Path, expected: Played
) -> None:
    """A run ends while the second seating of its mirrors is played, the first being over; its bot plays as `gated`.

    No worker outlives it.
    """
    with half_played(arena, tmp_path, "--workers", "2", gated="gated_second.py") as process:
        os.killpg(process.pid, number)  # as a terminal does: workers get it too
        _, err = process.communicate(timeout=DEADLINE)
        assert process.returncode == (1 if number == signal.SIGINT else -number)
        assert "Traceback" not in err
        wait_for(lambda: not living(process.pid), "end of all workers")
    assert not (tmp_path / "out").exists()
    tournament = pipeline.load(tmp_path / "tournament.yaml")
    [ruleset] = tournament.rulesets
    table = pipeline.builder(tournament, ruleset)
    with Store(tmp_path / "run") as store:
        plan = pipeline.plan(tournament, store)
        stored = [result for whole in plan.whole(ruleset) for result in store.results(whole)]
        for result in stored:
            table.add(result)
    rows = {(row.first, row.second): row for row in table.build().rows}
    mirrors: dict[tuple[str, ...], int] = {}
    for result in stored:
        names = tuple(entrant.name for entrant in result.block.entrants)
        mirrors[names] = mirrors.get(names, 0) + result.block.mirrors
    assert 0 < sum(mirrors.values()) < 3 * MIRRORS
    for names, number_of_mirrors in mirrors.items():
        one, other = rows[names], rows[names[::-1]]
        assert one.games == other.games == number_of_mirrors
        assert one.ll + one.ld + one.wl + one.dd + one.wd + one.ww == number_of_mirrors
    run = arena("run", tmp_path / "tournament.yaml", "--run-dir", "run", "--out", "out", cwd=tmp_path)
    assert run.code == 0, run.err
    assert (run.lines[-1], files_in(tmp_path / "out")) == (f"digest {expected.digest}", expected.files)


def test_one_run_at_a_time_uses_a_folder(arena: Console, tmp_path: Path) -> None:
    with half_played(arena, tmp_path, "--backend", "serial"):
        for more in ([], ["--fresh"]):
            second = arena(
                "run", tmp_path / "tournament.yaml", "--run-dir", "run", "--out", "other", *more, cwd=tmp_path
            )
            assert second.mistake == "run: another run is using this folder"
            assert not (tmp_path / "other").exists()
            assert not (tmp_path / "run.1").exists()


def games_played(file: Path, folder: Path, **how: Any) -> tuple[int, Played]:
    played = play_league(file, folder, **how)
    return sum(block.games for block in played.plan.missing), played


SMALL = {"agents": ["greedy", "collector", "random"], "games": 60}


def test_a_finished_league_is_not_played_again(tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, **SMALL)
    games, first = games_played(file, tmp_path)
    assert games == 180
    games, second = games_played(file, tmp_path)
    assert games == 0
    assert (second.digest, second.files) == (first.digest, first.files)
    run = arena("run", file, "--run-dir", tmp_path / "run", "--out", tmp_path / "out")
    assert run.lines[-1] == f"digest {first.digest}"
    assert "180 games of two-stage, 180 of them played before" in run.err


def test_more_games_keep_the_old_ones(tmp_path: Path) -> None:
    _, few = games_played(write_tournament(tmp_path, **SMALL), tmp_path)
    before = block_ranges(few.run_dir)
    games, many = games_played(write_tournament(tmp_path, **{**SMALL, "games": 100}), tmp_path)
    assert games == 3 * 40
    for series, ranges in block_ranges(many.run_dir).items():
        assert ranges[: len(before[series])] == before[series]
        assert ranges[-1][1] == 50
    _, fresh = games_played(write_tournament(tmp_path / "fresh", **{**SMALL, "games": 100}), tmp_path / "fresh")
    assert (many.digest, many.files) == (fresh.digest, fresh.files)


def test_fewer_games_are_the_smaller_league(tmp_path: Path) -> None:
    _, small = games_played(write_tournament(tmp_path / "small", **{**SMALL, "games": 26}), tmp_path / "small")
    _, large = games_played(write_tournament(tmp_path, **SMALL), tmp_path)
    games, cut = games_played(tmp_path / "tournament.yaml", tmp_path, games=26)
    assert games == 0
    assert (cut.digest, cut.files) == (small.digest, small.files)
    assert cut.digest != large.digest


def test_holes_are_filled(tmp_path: Path) -> None:
    """A run that stopped here and there, under other block sizes, is completed and not repeated."""
    _, expected = games_played(write_tournament(tmp_path / "whole", **SMALL), tmp_path / "whole")
    tournament = pipeline.load(write_tournament(tmp_path, **SMALL))
    with Store(tmp_path / "run") as store:
        whole = pipeline.plan(tournament, store, block_size=7)
        blocks = whole.missing
        holed = replace(whole, missing=blocks[1::2])
        assert all(isinstance(result, BlockResult) for result in pipeline.play(holed, store, backend="serial"))
    games, played = games_played(tmp_path / "tournament.yaml", tmp_path, block_size=4)
    assert games == 180 - sum(block.games for block in blocks[1::2])
    assert (played.digest, played.files) == (expected.digest, expected.files)


def test_another_seed_is_played_beside(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, **SMALL)
    _, one = games_played(file, tmp_path)
    games, other = games_played(file, tmp_path, seed=8)
    assert games == 180
    assert other.digest != one.digest
    games, again = games_played(file, tmp_path)
    assert games == 0
    assert again.digest == one.digest


def test_another_bot_plays_only_its_own_games(tmp_path: Path) -> None:
    games_played(write_tournament(tmp_path, **SMALL), tmp_path)
    more = {**SMALL, "agents": [*SMALL["agents"], bot("two_bots.py:Meek", "meek")]}
    games, played = games_played(write_tournament(tmp_path, **more), tmp_path)
    assert games == 3 * 60
    assert {"meek"} == set.intersection(*({e.name for e in block.entrants} for block in played.plan.missing))


@pytest.mark.parametrize("change", ["source", "parameter", "name"])
def test_a_changed_bot_replays_only_its_own_games(change: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes((ROOT / "tests" / "bots" / "two_bots.py").read_bytes())
    mine: dict[str, Any] = {"name": "mine", "path": "mine.py:Meek", "params": {"row": 0}}
    league = {**SMALL, "agents": ["greedy", "random", mine]}
    games, one = games_played(write_tournament(tmp_path, **league), tmp_path)
    assert games == 180
    match change:
        case "source":
            path.write_text(path.read_text() + "\n# another version\n")
        case "parameter":
            mine["params"] = {"row": -1}
        case "name":
            mine["name"] = "ours"
    games, other = games_played(write_tournament(tmp_path, **league), tmp_path)
    assert games == 120
    assert all(mine["name"] in {e.name for e in block.entrants} for block in other.plan.missing)
    assert (other.digest == one.digest) is (change == "source")  # a comment changes who plays, not how


def test_a_changed_ruleset_plays_only_its_own_games(tmp_path: Path) -> None:
    """Another option makes another ruleset; taken back, its games are known."""
    plain = {**SMALL, "rulesets": ["two-stage", "fifteen", "showdown"]}
    games, one = games_played(write_tournament(tmp_path, **plain), tmp_path)
    assert games == 3 * 180
    changed = {**SMALL, "rulesets": ["two-stage", {"id": "fifteen", "options": {"upper_bonus_at": 63}}, "showdown"]}
    games, other = games_played(write_tournament(tmp_path, **changed), tmp_path)
    assert games == 180
    assert {block.ruleset_hash for block in other.plan.missing} == {other.plan.tournament.rulesets[1].hash}
    _, fresh = games_played(write_tournament(tmp_path / "fresh", **changed), tmp_path / "fresh")
    assert other.digest == fresh.digest != one.digest
    games, again = games_played(write_tournament(tmp_path, **plain), tmp_path)
    assert (games, again.digest) == (0, one.digest)


def test_another_order_plays_nothing(tmp_path: Path) -> None:
    league = {**SMALL, "rulesets": ["two-stage", "showdown"]}
    _, one = games_played(write_tournament(tmp_path, **league), tmp_path)
    turned = {**league, "agents": SMALL["agents"][::-1], "rulesets": ["showdown", "two-stage"]}
    games, other = games_played(write_tournament(tmp_path, **turned), tmp_path)
    assert (games, other.digest, other.files) == (0, one.digest, one.files)
    assert list(other.leagues) == list(one.leagues)[::-1]


def test_without_one_of_the_bots_nothing_is_played(tmp_path: Path) -> None:
    _, one = games_played(write_tournament(tmp_path, **SMALL), tmp_path)
    two = {**SMALL, "agents": ["greedy", "random"]}
    games, other = games_played(write_tournament(tmp_path, **two), tmp_path)
    _, fresh = games_played(write_tournament(tmp_path / "fresh", **two), tmp_path / "fresh")
    assert (games, other.digest, other.files) == (0, fresh.digest, fresh.files)
    assert other.digest != one.digest


def test_fresh_sets_the_old_run_aside(tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, **SMALL)
    run = ("run", file, "--backend", "serial", "--out", tmp_path / "out")
    first = arena(*run, cwd=tmp_path)
    assert first.code == 0, first.err
    for number in (1, 2):
        again = arena(*run, "--fresh", cwd=tmp_path)
        assert again.code == 0, again.err
        assert again.err.startswith(f"the earlier run is now {Path('runs')}/small.{number}\n")
        assert "played before" not in again.err
        assert again.lines[-1] == first.lines[-1]
        assert stored_blocks(tmp_path / "runs" / f"small.{number}") == stored_blocks(tmp_path / "runs" / "small")
    assert arena(*run, cwd=tmp_path).err.count("played before") == 1


def test_fresh_needs_a_name(tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, **SMALL)
    run = arena("run", file, "--backend", "serial", "--run-dir", ".", "--fresh", cwd=tmp_path)
    assert run.mistake == ".: this folder cannot be set aside; name one inside it"


def test_the_run_folder_is_named_by_the_tournament(tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, **SMALL)
    assert arena("run", file, "--backend", "serial", cwd=tmp_path).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["leaderboard", "runs", "tournament.yaml"]
    assert (tmp_path / "runs" / "small" / "results.sqlite").is_file()


def test_python_runs_the_module_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arena", "--version"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == f"arena, version {VERSION}\n"
