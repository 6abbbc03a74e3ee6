"""``arena replay``: a game of a run roll by roll, its bots asked again, and every mistake in one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT, Console, Outcome, write_tournament

from arena import pipeline
from arena.manifest import Manifest, game_name
from arena.records import NO_MOVE, BlockResult, End
from arena.replays import StoredGame, check_again, stored_game
from arena.store import Store, opened_results

MOODY = """\
import os

def hold(turn):
    return turn.dice if os.environ.get("MOOD") == "good" else ()

def choose_row(turn):
    return turn.open_rows[0]
"""
BOTH = """\
def hold(turn):
    if turn.round == 2 and turn.seat == 0:
        raise KeyError("what now?")
    return (7,) if turn.round == 2 else turn.dice

def choose_row(turn):
    return turn.open_rows[0]
"""
GOLDEN = ROOT / "tests" / "golden" / "replays"


def run(folder: Path, **changes: Any) -> Path:
    """Play a league serially, without its leaderboard, and return the run's folder."""
    tournament = pipeline.load(write_tournament(folder, **changes))
    run_dir = folder / "runs" / tournament.name
    with Store(run_dir) as store:
        plan = pipeline.plan(tournament, store)
        for result in pipeline.play(plan, store, backend="serial"):
            assert isinstance(result, BlockResult)
    return run_dir


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small league of the shipped bots, and of two that err or change their minds."""
    folder = tmp_path_factory.mktemp("league")
    (folder / "moody.py").write_text(MOODY, encoding="utf-8")
    (folder / "both.py").write_text(BOTH, encoding="utf-8")
    showdown = {"id": "showdown", "options": {"rounds": 2, "faces": "cards"}}
    agents = [{"path": "moody.py", "isolation": "inline"}, {"path": "both.py", "isolation": "process"}]
    run(folder, rulesets=["two-stage", "yahtzee", showdown], agents=["greedy", "turn_optimal", *agents], games=20)
    return folder


def printed(outcome: Outcome) -> str:
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[1]


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.iterdir()))
def test_what_is_printed(arena: Console, league: Path, name: str) -> None:
    expected = golden(name)
    assert printed(arena("replay", "small", expected.splitlines()[0], cwd=league)) == expected


def test_it_needs_neither_the_file_nor_the_bots(arena: Console, league: Path, tmp_path: Path) -> None:
    shutil.copytree(league / "runs" / "small", tmp_path / "elsewhere")
    expected = golden("exception")
    with opened_results(tmp_path / "elsewhere") as results:
        manifest = Manifest.from_json(results.manifest() or "")
    with Store(tmp_path / "elsewhere") as store:
        store.describe(replace(manifest, file=str(tmp_path / "gone.yaml")).to_json())
    assert printed(arena("replay", "elsewhere", expected.splitlines()[0], cwd=tmp_path)) == expected


def test_games_of_all_pairings_can_be_replayed(league: Path) -> None:
    number = 0
    with opened_results(league / "runs" / "small") as results:
        manifest = Manifest.from_json(results.manifest() or "")
    for ruleset, whole in manifest.series(7):
        for seating in range(2):
            names = [entrant.name for entrant in whole.seated(seating)]
            for dice_set in range(seating, whole.stop, 3):
                game = stored_game(league / "runs" / "small", game_name(ruleset.name, names, dice_set))
                assert game.agents == tuple(names)
                number += len(list(game.turns())) > 0
    assert number == 3 * 6 * (4 + 3)


@pytest.mark.parametrize(
    ("game", "mistake"),
    [
        ("yahtze/greedy/moody/1", "no ruleset 'yahtze' in this run, did you mean 'yahtzee'?"),
        ("yahtzee/greedy/mody/1", "no agent 'mody' in this run, did you mean 'moody'?; one of both, greedy,"),
        ("yahtzee/greedy/moody/x", "a dice set is a whole number from 0 to 9, not 'x'"),
        ("yahtzee/greedy/moody/10", "is not stored: 10 dice sets of this pairing are"),
        ("yahtzee/greedy/1", "a game of this run is named RULESET/AGENT/AGENT/DICESET, agents by seat"),
    ],
)
def test_a_game_that_the_run_has_not(arena: Console, league: Path, game: str, mistake: str) -> None:
    assert arena("replay", "small", game, cwd=league).mistake.startswith(f"{game}: {mistake}")


def test_a_run_that_is_none(arena: Console, league: Path) -> None:
    assert arena("replay", "smal", "x", cwd=league).mistake == "smal: no such run, did you mean 'small'?; one of small"


def test_the_bots_decide_the_same_again(arena: Console, league: Path) -> None:
    for game in (
        "yahtzee/turn_optimal/greedy/2",
        "showdown+faces=cards+rounds=2/greedy/moody/0",
        "yahtzee/both/moody/9",
    ):
        turns = list(stored_game(league / "runs" / "small", game).turns())
        decisions = sum(len(turn.places) for turn in turns)
        assert printed(arena("replay", "small", game, "--check", cwd=league)) == f"same, {decisions} decisions\n"


def test_what_a_killed_one_left_goes_with_the_next(
    arena: Console, league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """if True:
        import os, signal, sys
        from arena import replays
        from arena.cli.main import main

        replays.play_serial = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        main(sys.argv[1:])
    """
    words = ["replay", "small", "yahtzee/turn_optimal/greedy/2", "--check"]
    killed = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=league,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("arena-replay-*"))) == 1
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert arena(*words, cwd=league).code == 0
    assert list(tmp_path.glob("arena-replay-*")) == []


def test_a_bot_of_another_mind(arena: Console, league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOD", "good")
    game = stored_game(league / "runs" / "small", "two-stage/greedy/moody/4")
    first = next(turn for turn in game.turns() if turn.seat == 1)
    dice = " ".join(map(str, first.rolls[0]))
    checked = arena("replay", "small", game.name, "--check", cwd=league)
    told = f"round 1, seat 1, moody, roll 1: {dice}\n  recorded: keeps none\n  now:      keeps all\n"
    assert (checked.code, checked.err, checked.out) == (1, "", told)


def test_a_bot_that_now_has_a_fault(arena: Console, league: Path) -> None:
    game = stored_game(league / "runs" / "small", "two-stage/greedy/moody/4")
    faulty = replace(game, moves=game.moves.copy(), ends=(End.FINISHED, End.ILLEGAL_ROW))
    faulty.moves[-1, 1, -1] = NO_MOVE
    _, difference = check_again(replace(faulty, totals=(game.totals[0], _total_before(game, 1))))
    assert difference is not None
    assert (difference.turn.round, difference.turn.seat, difference.roll) == (2, 1, 3)
    assert (difference.recorded, difference.now) == ("illegal_row", "writes pair")


def _total_before(game: StoredGame, seat: int) -> int:
    """Return a seat's total when its last turn began."""
    total: int = [turn for turn in game.turns() if turn.seat == seat][-1].before[seat].total
    return total


def test_a_bot_that_is_another_now(arena: Console, tmp_path: Path) -> None:
    bot = tmp_path / "moody.py"
    bot.write_text(MOODY, encoding="utf-8")
    agents = ["greedy", {"path": "moody.py", "isolation": "inline"}]
    file = run(tmp_path, agents=agents) and tmp_path / "tournament.yaml"
    game = ("replay", "small", "two-stage/greedy/moody/0")
    bot.write_text(f"# better\n{MOODY}", encoding="utf-8")
    refused = arena(*game, "--check", cwd=tmp_path).mistake
    assert refused == (
        f"{file}: 'moody' is not the bot that played this game: its source or its parameters have changed since"
    )
    write_tournament(tmp_path, agents=["greedy", "random"])
    assert arena(*game, "--check", cwd=tmp_path).mistake == f"{file}: 'moody' does not play here any more"
    file.unlink()
    assert str(file) in arena(*game, "--check", cwd=tmp_path).mistake
    assert arena(*game, cwd=tmp_path).code == 0


def test_a_run_whose_seed_was_drawn(arena: Console, tmp_path: Path) -> None:
    run_dir = run(tmp_path, seed="draw")
    checked = arena("replay", "small", "two-stage/greedy/random/3", "--check", cwd=tmp_path)
    assert (checked.code, checked.out.split(",")[0]) == (0, "same")
    (run_dir / "seed").write_text(f"{int((run_dir / 'seed').read_text()) ^ 1}\n")
    assert "is not stored: 0 dice sets" in arena("replay", "small", "two-stage/greedy/random/3", cwd=tmp_path).mistake


def test_names_with_any_characters(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    run(tmp_path, agents=["greedy", {"name": "50% [b]/ü", "path": "moody.py", "isolation": "inline"}])
    shown = printed(arena("replay", "small", "two-stage/greedy/50%25 [b]%2Fü/0", cwd=tmp_path))
    assert "│ 1 50% [b]/ü │" in shown


def test_a_damaged_transcript_is_told_where_it_is(
    arena: Console, league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes before the damage is printed."""
    game = stored_game(league / "runs" / "small", "two-stage/both/moody/5")
    row, keep = game.moves.copy(), game.moves.copy()
    row[1, 1, 2] = game.moves[0, 1, 2]
    keep[0, 0, 0] = 32
    late = replace(game, faults=tuple(replace(fault, roll=2) for fault in game.faults))
    for damaged, told, turns in [
        (replace(game, moves=row), "round 2, seat 1, roll 3: 1 2 3 4 5: ones is recorded, which is not open", 3),
        (replace(game, moves=keep), "round 1, seat 0, roll 1: 2 2 3 4 6: keep 32 is recorded, and there are", 0),
        (replace(game, totals=(-3, -1)), "the game ends -3, -2, and is stored as -3, -1", 4),
        (replace(game, ends=(End.FINISHED,) * 2), "round 2, seat 0, roll 1: 2 2 4 4 4: no decision is recorded", 2),
        (replace(game, ends=(End.ILLEGAL_ROW, End.FINISHED)), "round 2, seat 0, roll 1: 2 2 4 4 4: no decision", 2),
        (replace(game, ends=(End.EXCEPTION,) * 2), "seat 1 finished, and is stored as out by exception", 4),
        (late, "round 2, seat 0, roll 1: no decision is recorded, and the fault that is stored was in round 2", 2),
    ]:
        monkeypatch.setattr("arena.replays.stored_game", lambda *_, damaged=damaged: damaged)
        outcome = arena("replay", "small", game.name, cwd=league)
        assert outcome.code == 2
        assert outcome.err.startswith(f"error: {game.name}: the transcript is damaged: {told}"), outcome.err
        assert outcome.err.count("\n") == 1
        assert sum("│" in line for line in outcome.lines) == turns


def test_a_bot_that_has_no_fault_any_more(arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is told as it was, and what is decided in its place; and the other way round."""
    torn = MOODY.replace("else ()", "else (7,)")
    (tmp_path / "moody.py").write_text(torn, encoding="utf-8")
    agents = ["greedy", {"path": "../moody.py", "isolation": "inline"}]
    bad = run(tmp_path / "bad", agents=agents)
    monkeypatch.setenv("MOOD", "good")
    good = run(tmp_path / "good", agents=agents)
    name = "two-stage/greedy/moody/0"
    checked = arena("replay", bad, name, "--check")
    dice = " ".join(map(str, list(stored_game(bad, name).turns())[1].rolls[0]))
    fault = f"illegal_hold: InvalidHold: 'moody' kept (7,) of roll 1: {dice} in round 1"
    where = f"round 1, seat 1, moody, roll 1: {dice}"
    assert (checked.code, checked.out.splitlines()) == (1, [where, f"  recorded: {fault}", "  now:      keeps all"])
    monkeypatch.delenv("MOOD")
    checked = arena("replay", good, name, "--check")
    assert (checked.code, checked.out.splitlines()) == (1, [where, "  recorded: keeps all", f"  now:      {fault}"])


def test_a_game_is_checked_beside_bots_that_are_broken_by_now(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    run(tmp_path, agents=["greedy", "random", {"path": "moody.py"}])
    (tmp_path / "moody.py").write_text("raise SystemExit\n", encoding="utf-8")
    checked = arena("replay", "small", "two-stage/greedy/random/3", "--check", cwd=tmp_path)
    assert (checked.code, checked.out.split(",")[0]) == (0, "same")
