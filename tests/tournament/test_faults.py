"""A broken bot costs its own games and nothing else."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from leagues import BOTS, Console, Played, bot, play_league, write_tournament

from arena.agent.loader import load
from arena.agent.sources import locate
from arena.game.new import compile_rules
from arena.records import Block, BlockResult, End, Entrant, Fault
from arena.rules.shipped import shipped_ruleset
from arena.tournament.block import Engine, play_block

MIRRORS = 20
GOOD = ["greedy", "collector", "turn_optimal"]
WARNING = " (8 resource faults: not reproducible)"


def league(*bad: dict[str, Any], ruleset: str = "two-stage") -> dict[str, Any]:
    return {"rulesets": [ruleset], "agents": [*GOOD, *bad], "games": 2 * MIRRORS}


def play(folder: Path, *bad: dict[str, Any], ruleset: str = "two-stage") -> Played:
    return play_league(write_tournament(folder, **league(*bad, ruleset=ruleset)), folder)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    return {ruleset: play(tmp_path_factory.mktemp("honest"), ruleset=ruleset) for ruleset in ("two-stage", "showdown")}


def games_with(played: Played, name: str) -> Iterator[tuple[BlockResult, int, int, int]]:
    """Every game of a bot: the block, the mirror in it, the seating, the bot's seat."""
    for (_, *names), results in played.results.items():
        if name in names:
            for result in results:
                for seating in range(2):
                    seat = [entrant.name for entrant in result.block.seated(seating)].index(name)
                    for mirror in range(result.block.mirrors):
                        yield result, mirror, seating, seat


def assert_others_unchanged(played: Played, honest: Played) -> None:
    assert len(honest.results) == 3
    for key, results in honest.results.items():
        for one, other in zip(results, played.results[key], strict=True):
            for part in ("totals", "ends", "winners"):
                np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
            assert one.faults == other.faults == ()


ALWAYS = [
    ("two-stage", bot("raises.py", "bad", at="hold"), End.EXCEPTION),
    ("two-stage", bot("raises.py", "bad", at="choose_row"), End.EXCEPTION),
    ("two-stage", bot("raises.py", "bad", at="hold", error="SystemExit"), End.EXCEPTION),
    ("two-stage", bot("raises.py", "bad", at="choose_row", error="KeyboardInterrupt"), End.EXCEPTION),
    ("two-stage", bot("raises.py", "bad", at="hold", error="MemoryError"), End.MEMORY),
    ("two-stage", bot("breaks.py", "bad"), End.EXCEPTION),
    ("two-stage", bot("endless.py", "bad"), End.EXCEPTION),
    ("two-stage", bot("answers.py:Answers", "bad", hold="six_dice"), End.ILLEGAL_HOLD),
    ("two-stage", bot("answers.py:Answers", "bad", choose_row="unknown"), End.ILLEGAL_ROW),
    ("two-stage", bot("answers.py:Answers", "bad", choose_row="closed"), End.ILLEGAL_ROW),
    ("showdown", bot("raises.py", "bad", at="hold"), End.EXCEPTION),
    ("showdown", bot("answers.py:Answers", "bad", hold="none"), End.ILLEGAL_HOLD),
]


@pytest.mark.parametrize(("ruleset", "bad", "kind"), ALWAYS)
def test_a_bot_that_always_fails(
    ruleset: str, bad: dict[str, Any], kind: End, tmp_path: Path, honest: dict[str, Played]
) -> None:
    played = play(tmp_path, bad, ruleset=ruleset)
    assert_others_unchanged(played, honest[ruleset])
    games = list(games_with(played, "bad"))
    assert len(games) == 3 * 2 * MIRRORS
    for result, mirror, seating, seat in games:
        assert result.ends[mirror, seating, seat] == kind
        assert result.ends[mirror, seating, 1 - seat] == End.FINISHED
        assert result.winners[mirror, seating] == 1 << (1 - seat)
    lines = {line.name: line for line in played.leagues[ruleset].standings}
    bad_line = lines["bad"]
    assert (bad_line.wins, bad_line.draws, bad_line.losses) == (0, 0, len(games))
    assert (bad_line.faults, bad_line.faults_by_kind) == (len(games), {kind.label: len(games)})
    assert bad_line.mean_score is None
    assert bad_line.rank == 4
    assert all(lines[name].faults == 0 for name in GOOD)


def test_each_fault_is_charged_once_and_to_who_did_it(tmp_path: Path) -> None:
    """Of 20 mirrors a leg keeps the details of 16; the count is whole all the same."""
    file = write_tournament(tmp_path, **league(bot("raises.py", "bad", at="choose_row")))
    played = play_league(file, tmp_path, block_size=MIRRORS)
    results = [result for (_, *names), found in played.results.items() if "bad" in names for result in found]
    faults = [fault for result in results for fault in result.faults]
    assert {fault.agent for fault in faults} == {"bad"}
    assert {fault.kind for fault in faults} == {End.EXCEPTION}
    for result in results:
        seats = {
            (mirror + result.block.first, seating): [e.name for e in result.block.seated(seating)].index("bad")
            for mirror in range(result.block.mirrors)
            for seating in range(2)
        }
        told = [(fault.dice_set, fault.seating) for fault in result.faults]
        assert len(told) == len(set(told)) == 2 * 16 < result.block.games == 2 * MIRRORS
        for fault in result.faults:
            assert fault.seat == seats[fault.dice_set, fault.seating]
            assert (fault.round, fault.roll) == (1, 1)
            assert fault.message == "ValueError: it would not choose"
            assert 'raise self.error("it would not choose")' in fault.traceback


def test_a_bot_that_fails_on_one_hand_only(tmp_path: Path, honest: dict[str, Played]) -> None:
    """It loses the games in which it throws this hand, wherever that is in the game; all others it plays."""
    hand = (1, 2, 3, 4, 6)
    played = play(tmp_path / "bad", bot("raises.py", "bad", at="hand", hand=hand))
    sane = play(tmp_path / "sane", bot("raises.py", "bad", at="hand"))
    assert_others_unchanged(played, honest["two-stage"])
    faults = {
        (result.block.entrants, fault.dice_set, fault.seating): fault
        for results in played.results.values()
        for result in results
        for fault in result.faults
    }
    kept = 0
    for (one, *where), (other, *_) in zip(games_with(played, "bad"), games_with(sane, "bad"), strict=True):
        mirror, seating, seat = where
        fault = faults.pop((one.block.entrants, mirror + one.block.first, seating), None)
        if fault is None:
            kept += 1
            for part in ("totals", "ends", "winners"):
                np.testing.assert_array_equal(
                    getattr(one, part)[mirror, seating], getattr(other, part)[mirror, seating]
                )
        else:
            assert one.ends[mirror, seating, seat] == End.EXCEPTION
            assert one.winners[mirror, seating] == 1 << (1 - seat)
            assert one.totals[mirror, seating, 1 - seat] == other.totals[mirror, seating, 1 - seat]
            assert (fault.agent, fault.seat) == ("bad", seat)
    assert not faults
    line = next(line for line in played.leagues["two-stage"].standings if line.name == "bad")
    assert 0 < line.faults == 6 * MIRRORS - kept < 6 * MIRRORS


def test_forfeits_do_not_enter_mean_scores(tmp_path: Path) -> None:
    played = play(tmp_path, bot("raises.py", "bad", at="hand", hand=[1, 2, 3, 4, 6]))
    scores: dict[str, list[int]] = {}
    forfeits = 0
    for results in played.results.values():
        for result in results:
            for mirror in range(result.block.mirrors):
                for seating in range(2):
                    if (result.ends[mirror, seating] != End.FINISHED).any():
                        forfeits += 1
                        continue
                    for seat, entrant in enumerate(result.block.seated(seating)):
                        scores.setdefault(entrant.name, []).append(int(result.totals[mirror, seating, seat]))
    assert forfeits
    for line in played.leagues["two-stage"].standings:
        assert line.mean_score == round(sum(scores[line.name]) / len(scores[line.name]), 4)
    rows = played.leagues["two-stage"].crosstable.rows
    assert sum(row.score_first + row.score_second for row in rows) == sum(map(sum, scores.values()))


def test_if_both_fail_it_is_nobodys_game(tmp_path: Path, honest: dict[str, Played]) -> None:
    worse = bot("answers.py:Answers", "worse", choose_row="none")
    played = play(tmp_path, bot("raises.py", "bad", at="hold"), worse)
    assert_others_unchanged(played, honest["two-stage"])
    (results,) = [found for (_, *names), found in played.results.items() if names == ["bad", "worse"]]
    for result in results:
        assert not result.winners.any()
        assert set(np.unique(result.ends)) == {End.EXCEPTION, End.ILLEGAL_ROW}
    table = played.leagues["two-stage"].crosstable
    both = [row for row in table if {row.first, row.second} == {"bad", "worse"}]
    assert len(both) == 2
    for row in both:
        counts = (row.games, row.wins_first, row.draws, row.losses_first, row.score_first, row.score_second)
        assert counts == (0,) * 6
        assert (row.ll, row.ld, row.wl, row.dd, row.wd, row.ww) == (0,) * 6
    for line in played.leagues["two-stage"].standings:
        assert line.games == (6 if line.name in ("bad", "worse") else 8) * MIRRORS
    faults = {line.name: line.faults for line in played.leagues["two-stage"].standings}
    assert (faults["bad"], faults["worse"]) == (8 * MIRRORS, 8 * MIRRORS)


def test_nobodys_games_are_in_the_digest(tmp_path: Path) -> None:
    """Two leagues of the same crosstable, whose games nobody won ended for other reasons."""
    digests = Counter()
    for number, answer in enumerate(["none", "number"]):
        worse = bot("answers.py:Answers", "worse", choose_row=answer)
        digests[play(tmp_path / str(number), bot("raises.py", "bad", at="hold"), worse).digest] += 1
    assert len(digests) == 1  # how an answer is illegal is no part of the result
    worse = bot("answers.py:Answers", "worse", hold="none")
    other = play(tmp_path / "other", bot("raises.py", "bad", at="hold"), worse)
    assert other.digest not in digests


def test_two_bots_that_only_meet_each_other(tmp_path: Path) -> None:
    """Nobody has a game; all the same there is a leaderboard."""
    agents = [bot("breaks.py", "bad"), bot("breaks.py", "worse")]
    played = play_league(write_tournament(tmp_path, agents=agents), tmp_path)
    for line in played.leagues["two-stage"].standings:
        assert (line.games, line.faults, line.mean_score) == (0, 8, None)
        assert line.elo_low <= line.elo <= line.elo_high


def test_a_class_that_can_only_sometimes_be_made(tmp_path: Path) -> None:
    played = play(tmp_path, bot("sometimes.py", "bad"))
    ends = Counter(
        int(result.ends[mirror, seating, seat]) for result, mirror, seating, seat in games_with(played, "bad")
    )
    assert set(ends) == {End.FINISHED, End.START}
    assert ends[End.START] == 2 * MIRRORS


def untold(fault: Fault) -> Fault:
    """Return a fault without its texts, and without the addresses of objects in its answer."""
    return replace(fault, message="", traceback="", answer=re.sub(r"x[0-9a-f]{8,}", "", fault.answer))


@pytest.mark.parametrize("question", ["hold", "choose_row"])
def test_both_games_charge_the_same(question: str) -> None:
    """The scalar game and the game in arrays agree on every answer: who is charged, for what, and where."""
    rules = compile_rules(shipped_ruleset("two-stage"))
    answers: Any = load(locate(BOTS / "two_bots.py:Meek")), load(locate(BOTS / "answers.py:Answers"))
    kinds = sys.modules[answers[1].source.__module__]
    for answer in kinds.HOLDS if question == "hold" else kinds.CHOICES:
        bots = {"good": answers[0], "odd": replace(answers[1], params={question: answer})}
        block = Block("", rules.ruleset.hash, (Entrant("good", ""), Entrant("odd", "")), 0, 20)
        one, other = (play_block(block, rules, 5, bots, engine=engine) for engine in get_args(Engine))
        for part in ("totals", "ends", "winners"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part), err_msg=answer)
        told = [[untold(fault) for fault in result.faults] for result in (one, other)]
        assert sorted(told[0], key=str) == sorted(told[1], key=str), answer
        assert {fault.agent for fault in one.faults} <= {"odd"}


@pytest.mark.parametrize("backend", ["serial", "processes"])
def test_faults_are_no_failure_of_the_run(backend: str, tmp_path: Path, arena: Console) -> None:
    agents = ["greedy", bot("raises.py", "quits", at="hold", error="SystemExit")]
    file = write_tournament(tmp_path, agents=agents)
    run = arena("run", file, "--backend", backend, cwd=tmp_path)
    assert run.code == 0, run.err
    assert "8 exception" in run.out
    assert "Traceback" not in run.out + run.err


def test_a_broken_protocol_may_cost_other_games_the_next_time(tmp_path: Path, arena: Console) -> None:
    agents = ["greedy", {"path": str(BOTS / "apart" / "deeds.py"), "name": "bad", "params": {"deed": "noise_and_on"}}]
    file = write_tournament(tmp_path, agents=agents, isolation="process")
    run = arena("run", file, "--backend", "serial", cwd=tmp_path)
    assert run.lines[-1].endswith(WARNING), run.err
    assert "8 protocol" in run.out


@pytest.mark.parametrize(
    ("ready", "why", "said"),
    [
        ("while True: pass", "did not start", WARNING),
        ("os._exit(3)", "with exit code 3", WARNING),
        ("crowd()", "threads; 256 are allowed", WARNING),
        ("raise ValueError", "ValueError", ""),
    ],
    ids=["time", "death", "threads", "error"],
)
def test_a_start_that_is_lost_may_not_be_the_next_time(
    ready: str, why: str, said: str, tmp_path: Path, arena: Console
) -> None:
    (tmp_path / "bad.py").write_text(
        "import os, signal, threading\n"
        "def crowd():\n"
        "    threading.stack_size(1 << 16)\n"
        "    for _ in range(300):\n"
        "        threading.Thread(target=signal.pause, daemon=True).start()\n"
        "    signal.pause()\n"
        f"def prepare(ruleset):\n    {ready}\n"
        "def hold(turn):\n    return turn.dice\n"
        "def choose_row(turn):\n    return turn.open_rows[0]\n"
    )
    agents = ["greedy", {"path": "bad.py", "isolation": "process"}]
    limits = {"start_s": 0.5} if "while" in ready else {}
    file = write_tournament(tmp_path, agents=agents, limits=limits)
    run = arena("run", file, "--backend", "serial", cwd=tmp_path)
    assert re.search(rf"bad: start in 8 games, .*{re.escape(why)}", run.out), run
    assert re.sub(r"^digest [0-9a-f]{64}", "", run.lines[-1]) == said


def test_a_start_of_a_bot_that_cannot_be_loaded_comes_again(tmp_path: Path, arena: Console) -> None:
    (tmp_path / "bad.py").write_text("raise ValueError\n")
    agents = ["greedy", {"path": "bad.py", "isolation": "process"}]
    run = arena("run", write_tournament(tmp_path, agents=agents, strict=False), "--backend", "serial", cwd=tmp_path)
    assert "8 start" in run.out, run.err
    assert re.sub(r"^digest [0-9a-f]{64}", "", run.lines[-1]) == ""


def test_resource_faults_are_said_in_the_last_line(tmp_path: Path, arena: Console) -> None:
    agents = ["greedy", bot("raises.py", "hungry", at="hold", error="MemoryError")]
    run = arena("run", write_tournament(tmp_path, agents=agents), "--backend", "serial", cwd=tmp_path)
    assert run.code == 0, run.err
    digest, said = run.lines[-1].removeprefix("digest ").split(" ", 1)
    assert len(digest) == 64
    assert f" {said}" == WARNING
