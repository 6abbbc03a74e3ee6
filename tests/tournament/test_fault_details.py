"""What is kept of a fault: where it happened, of which dice, what was answered, and the bot's own lines."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from leagues import BOTS, bot, play_league, write_tournament

from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.game.new import compile_rules
from arena.records import Block, BlockResult, End, Entrant, Fault
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.tournament.block import play_block
from arena.tournament.faults import Faults

SEED = 20_261_130


def play(bots: dict[str, Bot], *, ruleset: str = "two-stage", mirrors: int = 200) -> BlockResult:
    rules = compile_rules(shipped_ruleset(ruleset))
    entrants = tuple(Entrant(name, "") for name in sorted(bots))
    return play_block(Block("", rules.ruleset.hash, entrants, 0, mirrors), rules, SEED, bots)


def named(**places: str) -> dict[str, Bot]:
    return {
        name: load(locate(BOTS / place if ".py" in place else bundled_folder() / f"{place}.py", name=name))
        for name, place in places.items()
    }


def seat_of(result: BlockResult, fault: Fault) -> int:
    return [entrant.name for entrant in result.block.seated(fault.seating)].index(fault.agent)


@pytest.mark.parametrize("seats", [2, 4])
def test_each_is_charged_once_and_to_who_did_it(seats: int) -> None:
    """Few enough games that all details are kept: they and the ends say the same."""
    everybody = {"bad": "kinds.py:Kinds", "fine": "greedy", "odd": "kinds.py:Chained", "well": "collector"}
    result = play(named(**dict(list(everybody.items())[:seats])), mirrors=Faults.DETAILED)
    told = Counter((fault.dice_set, fault.seating, fault.seat) for fault in result.faults)
    assert set(told.values()) == {1}
    ends = {
        (dice_set, seating, seat): End(int(result.ends[dice_set, seating, seat]))
        for dice_set, seating, seat in np.argwhere(result.ends).tolist()
    }
    assert {(fault.dice_set, fault.seating, fault.seat): fault.kind for fault in result.faults} == ends
    assert all(fault.seat == seat_of(result, fault) for fault in result.faults)
    assert {fault.agent for fault in result.faults} == {"bad", "odd"} & set(list(everybody)[:seats])


def test_the_first_of_every_kind_is_kept() -> None:
    result = play(named(bad="kinds.py:Kinds", fine="greedy"))
    for seating in range(2):
        kept = Counter(fault.kind for fault in result.faults if fault.seating == seating)
        assert kept[End.EXCEPTION] <= Faults.DETAILED
        assert set(kept) == {End.EXCEPTION, End.MEMORY, End.ILLEGAL_HOLD}
        assert Faults.DETAILED <= sum(kept.values()) <= Faults.DETAILED + 2
        seats = [entrant.name for entrant in result.block.seated(seating)]
        ends = result.ends[:, seating, seats.index("bad")]
        assert (ends != End.FINISHED).all()
        first = {kind: int(np.flatnonzero(ends == kind)[0]) for kind in kept}
        assert max(first.values()) > Faults.DETAILED, "nothing is shown: all kinds are among the first faults"
        for kind, dice_set in first.items():
            assert (kind, dice_set) in {(f.kind, f.dice_set) for f in result.faults if f.seating == seating}


def test_dice_and_answer() -> None:
    result = play(named(bad="kinds.py:Kinds", fine="greedy"))
    for fault in result.faults:
        assert len(fault.dice) == 5
        assert fault.dice == tuple(sorted(fault.dice))
        assert (sum(fault.dice) >= 26) == (fault.kind is End.MEMORY)
        assert (fault.kind is End.ILLEGAL_HOLD) == (fault.answer == "(7, 7)") == (sum(fault.dice) == 25)
        assert (fault.round, fault.roll, fault.printed) == (1, 1, "")
        if fault.kind is End.ILLEGAL_HOLD:
            shown = " ".join(map(str, fault.dice))
            assert fault.message == f"InvalidHold: 'bad' kept (7, 7) of roll 1: {shown} in round 1"


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("Kinds", ["return self.failing(turn)", 'return turn.score("no such row")']),
        (
            "Chained",
            [
                'return turn.score("no such row")',
                "return self.failing(turn)",
                'raise RuntimeError("no score") from error',
            ],
        ),
        ("Unready", ['raise OSError("not today")']),
    ],
)
def test_the_bots_own_lines_and_none_of_the_arenas(kind: str, lines: list[str]) -> None:
    """Though the error is raised by the arena, of which the bot asked something wrong."""
    result = play(named(bad=f"kinds.py:{kind}", fine="greedy"), mirrors=4)
    fault = next(fault for fault in result.faults if fault.kind in (End.EXCEPTION, End.START))
    files = re.findall('File "(.*?)", line', fault.traceback)
    assert set(files) == {str(BOTS / "kinds.py")}
    assert [line.strip() for line in fault.traceback.splitlines() if line.strip() in lines] == lines
    assert fault.traceback.splitlines()[-1].partition(":")[0] in fault.message


def test_the_lines_of_a_bundled_bot_are_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an installed arena the bots lie inside the package."""
    package = tmp_path / "arena"
    (package / "_bundled_agents").mkdir(parents=True)
    file = package / "_bundled_agents" / "kinds.py"
    file.write_text((BOTS / "kinds.py").read_text())
    monkeypatch.setattr("arena.agent.inline.ARENA", f"{package}/")
    monkeypatch.setattr("arena.agent.inline.BUNDLED", f"{package}/_bundled_agents/")
    bots = {**named(fine="greedy"), "bad": load(locate(Path(f"{file}:Kinds"), name="bad"))}
    fault = next(fault for fault in play(bots, mirrors=4).faults if fault.kind is End.EXCEPTION)
    assert str(file) in fault.traceback


NEVER: list[tuple[str, dict[str, Any]]] = [
    ("hold", {"hold": "none"}),
    ("row", {"choose_row": "unknown"}),
]


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("ruleset", ruleset_ids())
@pytest.mark.parametrize(("question", "answers"), NEVER, ids=["hold", "row"])
def test_who_never_makes_a_legal_move_gets_no_point(
    question: str, answers: dict[str, Any], ruleset: str, seats: int, tmp_path: Path
) -> None:
    """No win, no draw and no score: also against one of its kind, and whatever it held before its first row."""
    if question == "row" and ruleset == "showdown":
        pytest.skip("no rows are chosen in showdown")
    agents = [
        "greedy",
        "random",
        bot("answers.py:Answers", "bad", **answers),
        bot("answers.py:Answers", "worse", **answers),
    ]
    file = write_tournament(
        tmp_path, rulesets=[ruleset], agents=agents, seats=seats, games=10 * seats, isolation="inline"
    )
    played = play_league(file, tmp_path)
    league = played.leagues[ruleset]
    for name in ("bad", "worse"):
        tally = league.crosstable.tallies[name]
        assert (tally.wins, tally.draws, tally.scored, tally.score, tally.score_sq) == (0,) * 5
        assert tally.settlement <= 0
        assert sum(tally.faults.values()) == 10 * seats * 3
        line = next(line for line in league.standings if line.name == name)
        assert (line.wins, line.draws, line.mean_score) == (0, 0, None)
        for row in league.crosstable:
            assert row.wins_first == row.draws == 0 or row.first != name
            assert row.losses_first == row.draws == 0 or row.second != name
    for results in played.results.values():
        for result in results:
            for seating in range(seats):
                for seat, entrant in enumerate(result.block.seated(seating)):
                    if entrant.name in ("bad", "worse"):
                        assert not result.totals[:, seating, seat].any()
                        assert not (result.winners[:, seating] >> seat & 1).any()
