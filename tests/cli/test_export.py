"""``arena export``: a line a game, the games that were played and no others."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from leagues import ROOT, Console, Played, bot, files_in, play_league, write_tournament

from arena.records import End
from arena.run_folder import FILE_NAME

AGENTS = ["greedy", "random", bot("breaks.py", "broken")]
RULESETS = ["two-stage", "showdown"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exported")


@pytest.fixture(scope="module")
def league(folder: Path) -> Played:
    """A league with faults, in blocks of three mirrors, in ``runs/small``."""
    file = write_tournament(folder, rulesets=RULESETS, agents=AGENTS, games=20)
    played = play_league(file, folder, block_size=3)
    (folder / "runs").mkdir()
    (folder / "run").rename(folder / "runs" / "small")
    return played


def games_of(played: Played) -> list[dict[str, Any]]:
    """Return what an export should have, from the results themselves."""
    found = []
    names = {ruleset.hash: ruleset.name for ruleset in played.plan.tournament.rulesets}
    for series in played.plan.series:
        for result in played.results[series.ruleset_hash, *(entrant.name for entrant in series.entrants)]:
            for (mirror, seating), won in np.ndenumerate(result.winners):
                found.append(
                    {
                        "ruleset": names[series.ruleset_hash],
                        "dice_set": result.block.first + mirror,
                        "seating": seating,
                        "agents": [entrant.name for entrant in result.block.seated(seating)],
                        "totals": result.totals[mirror, seating].tolist(),
                        "ends": [End(end).label for end in result.ends[mirror, seating]],
                        "winners": [seat for seat in range(series.block(0, 1).seats) if int(won) >> seat & 1],
                    }
                )
    return found


def read(text: str, form: str, seats: int = 2) -> list[dict[str, Any]]:
    """Return the games that an export has."""
    if form == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    found = []
    for row in csv.DictReader(io.StringIO(text, newline="")):
        by_seat = {part: [row.pop(f"{part}{seat}") for seat in range(seats)] for part in ("agent", "total", "end")}
        assert set(row) == {"ruleset", "dice_set", "seating", "winners"}
        found.append(
            {
                **{"ruleset": row["ruleset"], "dice_set": int(row["dice_set"]), "seating": int(row["seating"])},
                **{"agents": by_seat["agent"], "totals": [int(total) for total in by_seat["total"]]},
                **{"ends": by_seat["end"], "winners": [int(seat) for seat in row["winners"].split()]},
            }
        )
    return found


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_every_game_is_a_line(form: str, arena: Console, folder: Path, league: Played) -> None:
    before = files_in(folder)
    printed = arena("export", "small", "--format", form, cwd=folder)
    assert (printed.code, printed.err) == (0, "")
    games = games_of(league)
    assert len(games) == 2 * 3 * 20
    assert {"exception", "finished"} == {end for game in games for end in game["ends"]}
    assert [] not in [game["winners"] for game in games]
    assert [0, 1] in [game["winners"] for game in games]
    assert read(printed.out, form) == games
    assert files_in(folder) == before
    written = arena("export", "runs/small", "--format", form, "--out", "games.txt", cwd=folder)
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (folder / "games.txt").read_text(encoding="utf-8") == printed.out
    (folder / "games.txt").unlink()
    assert files_in(folder) == before


def test_csv_is_what_is_written_unless_told(arena: Console, folder: Path, league: Played) -> None:
    printed = arena("export", "small", cwd=folder).out
    head, first, *_ = printed.split("\n")
    assert head == "ruleset,dice_set,seating,agent0,agent1,total0,total1,end0,end1,winners"
    assert first.startswith("two-stage,0,0,broken,greedy,")
    assert first.endswith(",exception,finished,1")
    assert "\r" not in printed


def test_three_at_a_table_and_names_with_commas(arena: Console, tmp_path: Path) -> None:
    agents = ["greedy", bot("breaks.py", 'a, "b"'), {**bot("breaks.py", "zoë")}]
    played = play_league(write_tournament(tmp_path, agents=agents, seats=3, games=9), tmp_path)
    for form in ("csv", "jsonl"):
        games = read(arena("export", "run", "--format", form, cwd=tmp_path).out, form, seats=3)
        assert games == games_of(played)
        assert games[0]["agents"] == ['a, "b"', "greedy", "zoë"]
        assert games[0]["winners"] == [1]


def test_games_that_are_nobodys(arena: Console, tmp_path: Path) -> None:
    agents = [bot("breaks.py", "one"), bot("breaks.py", "two")]
    played = play_league(write_tournament(tmp_path, agents=agents), tmp_path)
    for form in ("csv", "jsonl"):
        games = read(arena("export", "run", "--format", form, cwd=tmp_path).out, form)
        assert games == games_of(played)
        assert [game["winners"] for game in games] == [[]] * 8


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (["--ruleset", "showdown"], lambda game: game["ruleset"] == "showdown"),
        (["--ruleset", "showdown", "--ruleset", "two-stage"], lambda game: True),
        (["--bot", "random"], lambda game: "random" in game["agents"]),
        (["--bot", "random", "--bot", "broken"], lambda game: {"random", "broken"} == set(game["agents"])),
        (
            ["--bot", "greedy", "--ruleset", "two-stage"],
            lambda game: "greedy" in game["agents"] and game["ruleset"] == "two-stage",
        ),
    ],
)
def test_some_games(options: list[str], chosen: Any, arena: Console, folder: Path, league: Played) -> None:
    printed = arena("export", "small", "--format", "jsonl", *options, cwd=folder)
    assert (printed.code, printed.err) == (0, "")
    assert read(printed.out, "jsonl") == [game for game in games_of(league) if chosen(game)]


def test_an_unfinished_run_gives_what_it_has(arena: Console, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, games=40), tmp_path, block_size=4, stop_after=3)
    printed = arena("export", "run", "--format", "jsonl", cwd=tmp_path)
    assert (printed.code, printed.err) == (0, "unfinished: 24 of 40 games are stored, and written\n")
    assert read(printed.out, "jsonl") == games_of(played)


def test_fewer_games_than_are_stored(arena: Console, tmp_path: Path) -> None:
    """What is exported is what was last asked for."""
    file = write_tournament(tmp_path, games=40)
    play_league(file, tmp_path)
    fewer = play_league(file, tmp_path, games=10)
    games = read(arena("export", "run", cwd=tmp_path).out, "csv")
    assert games == games_of(fewer)
    assert len(games) == 10


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["smal"], "smal: no such run, did you mean 'small'?; one of small"),
        (["runs"], f"runs: is no run's folder: it has no {FILE_NAME}"),
        (
            ["small", "--ruleset", "two_stage"],
            "--ruleset: 'two_stage' is not in this run, did you mean 'two-stage'?; one of two-stage, showdown",
        ),
        (
            ["small", "--bot", "x"],
            "--bot: 'x' is not in this run; one of broken, greedy, random",
        ),
        (["small", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'csv', 'jsonl'."),
        (["small", "--out", "runs"], "runs: --out is no plain file"),
        (["small", "--out", "/dev/null"], "/dev/null: --out is no plain file"),
        (["small", "--out", "none/x.csv"], "none/x.csv: cannot be written: No such file or directory"),
        ([], "Missing argument 'RUN'."),
    ],
)
def test_mistakes(options: list[str], told: str, arena: Console, folder: Path, league: Played) -> None:
    before = files_in(folder)
    assert arena("export", *options, cwd=folder).mistake == told
    assert files_in(folder) == before


def test_a_link_stays_a_link(arena: Console, folder: Path, league: Played, tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert arena("export", "small", "--out", tmp_path / "link.csv", cwd=folder).code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == arena("export", "small", cwd=folder).out


@pytest.mark.parametrize(
    "out", ["run/results.sqlite", "run/lock.sqlite", "run/games.csv", "link.csv", "linked/x.csv", "store"]
)
def test_the_runs_own_folder_takes_no_export(out: str, arena: Console, tmp_path: Path) -> None:
    """Its store would be replaced by the games; also where links lead there, or the store stands elsewhere."""
    play_league(write_tournament(tmp_path), tmp_path)
    (tmp_path / "run" / FILE_NAME).rename(tmp_path / "store")
    (tmp_path / "run" / FILE_NAME).symlink_to(tmp_path / "store")
    (tmp_path / "link.csv").symlink_to("run/results.sqlite")
    (tmp_path / "linked").symlink_to("run")
    before = files_in(tmp_path)
    told = arena("export", "run", "--out", out, cwd=tmp_path).mistake
    assert told == f"{out}: --out is in the run's own folder, which holds its games; choose another place"
    assert files_in(tmp_path) == before


def test_a_link_to_itself(arena: Console, folder: Path, league: Played, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "there").symlink_to("back")
    (tmp_path / "back").symlink_to("there")
    for name in ("loop", "there"):
        out = tmp_path / name
        told = arena("export", "small", "--out", out, cwd=folder).mistake
        assert told == f"{out}: --out is a link that leads back to itself"
        assert out.is_symlink()


def test_a_damaged_run_leaves_what_stood_there(arena: Console, tmp_path: Path) -> None:
    played = play_league(write_tournament(tmp_path, games=4000), tmp_path, block_size=50)
    file = played.run_dir / FILE_NAME
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2] + b"\xa5" * (len(content) - len(content) // 2))
    (tmp_path / "games.csv").write_text("old")
    before = files_in(tmp_path)
    told = arena("export", "run", "--out", "games.csv", cwd=tmp_path).mistake
    assert told.startswith(f"run/{FILE_NAME}: is damaged: ")
    assert files_in(tmp_path) == before


def test_whoever_reads_may_go(folder: Path, league: Played) -> None:
    """The reader of a pipe closes it after a line, long before all is written."""
    command = [sys.executable, "-m", "arena", "export", "small", "--format", "jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"ruleset"')
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 1)


def test_memory_does_not_grow(tmp_path: Path) -> None:
    """Ten times the games take as much memory as before, but for a little."""
    script = """if True:
        import resource, sys
        from arena.cli.main import main
        try:
            main(["export", "run", "--out", sys.argv[1]])
        finally:
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    """
    peaks = []
    for games in (4_000, 40_000):
        folder = tmp_path / str(games)
        play_league(write_tournament(folder, games=games), folder, block_size=500)
        run = subprocess.run(
            [sys.executable, "-c", script, "games.csv"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(int(run.stdout))
        assert (folder / "games.csv").read_text().count("\n") == games + 1
    assert all(larger < 1.1 * smaller for smaller, larger in pairwise(peaks))
