"""``arena solve`` and ``arena advise``: what they print, and what they refuse."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path

import pytest
from leagues import ROOT, Console

from arena.rules.shipped import shipped_ruleset
from arena.solver.threads import MOST_THREADS, default_threads

THIRTEEN = 229.638500
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
"""In an empty cache there are no compiled kernels either, and two-stage is solved sooner than they are compiled."""
CARD = shipped_ruleset("thirteen").card
assert CARD


def test_json_has_the_value_and_nothing_else_is_on_stdout(arena: Console) -> None:
    told = arena("solve", "thirteen", "--json", "--no-cache")
    found = json.loads(told.out)
    assert told.code == 0
    assert found["value"] == pytest.approx(THIRTEEN, abs=1e-6)
    assert (found["ruleset"], found["hash"]) == ("thirteen", shipped_ruleset("thirteen").hash)
    assert (found["states"], found["table_bytes"], found["from"]) == (8192, 65536, "solved")
    assert found["cpu_seconds"] > 0
    assert found["sd"] is None


def test_a_table_is_stored_and_read_the_next_time(arena: Console, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path), **PLAIN}
    first, second = (json.loads(arena.process("solve", "two-stage", "--sd", "--json", **cache).out) for _ in range(2))
    assert (first["from"], second["from"]) == ("stored", "read")
    assert Path(first["table"]).exists()
    assert (first["value"], first["sd"]) == (second["value"], second["sd"])
    assert second["compile_seconds"] == 0
    read = arena.process("solve", "two-stage", **cache)
    assert read.out.splitlines()[-1] == f"table     0 KB, read from {first['table']}"


def test_a_cache_that_cannot_be_written_is_told_and_does_no_harm(arena: Console, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = arena.process("solve", "two-stage", "--json", XDG_CACHE_HOME=str(tmp_path / "file"), **PLAIN)
    assert told.code == 0
    found = json.loads(told.out)
    assert (found["from"], found["table"]) == ("solved", None)
    assert told.err.splitlines()[-1].startswith("the table could not be stored in ")


def test_what_is_printed_for_people(arena: Console) -> None:
    lines = arena("solve", "two-stage", "--sd", "--no-cache").out.splitlines()
    assert lines[:4] == ["ruleset   two-stage", "value     62.399798", "sd        25.4973", "states    55"]
    assert [line.split()[0] for line in lines[4:]] == ["time", "memory", "table"]


def test_options_change_the_ruleset(arena: Console) -> None:
    plain = json.loads(arena("solve", "two-stage", "--json", "--no-cache").out)
    changed = json.loads(
        arena("solve", "two-stage", "--json", "--no-cache", "--option", "first_roll_doubles=false").out
    )
    assert changed["ruleset"] == "two-stage+first_roll_doubles=false"
    assert changed["value"] < plain["value"]


def test_threads_change_no_number(arena: Console) -> None:
    values = {
        json.loads(arena("solve", "thirteen", "--json", "--no-cache", "--threads", threads).out)["value"]
        for threads in (1, 2, 3)
    }
    assert len(values) == 1


def test_the_default_of_threads_is_told_as_it_is(arena: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    told = f"one a processor, {MOST_THREADS} at most"
    assert f"default: {told})" in " ".join(arena("solve", "--help").out.split())
    assert told in (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    for processors, threads in ((None, 1), (1, 1), (MOST_THREADS, MOST_THREADS), (64, MOST_THREADS)):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        assert default_threads() == threads


def test_showdown_has_shares_by_seat(arena: Console) -> None:
    two, three = (json.loads(arena("solve", "showdown", "--json", *seats).out) for seats in ((), ("--seats", "3")))
    assert (two["seats"], three["seats"]) == (2, 3)
    for found in (two, three):
        assert len(found["shares"]) == found["seats"]
        assert sum(found["shares"]) == pytest.approx(1, abs=1e-12)
        assert found["shares"] == sorted(found["shares"])
    lines = arena("solve", "showdown").out.splitlines()
    assert lines[:3] == ["ruleset   showdown", *(f"seat {n}    {two['shares'][n]:.6f}" for n in (0, 1))]


def test_the_last_open_row_of_five_of_a_kind_is_worth_its_chance(arena: Console) -> None:
    """Each of two dice shows the face within two rolls with a chance of 11/36; 5 points stand in chance already."""
    rows = [row.name for row in CARD.rows if row.name != "five_of_a_kind"]
    card = ",".join(f"{row}={5 if row == 'chance' else 0}" for row in rows)
    best = {}
    for dice in ("11123", "66666"):
        answer = arena("advise", "thirteen", dice, "--roll", 1, "--card", card, "--json")
        best[dice] = json.loads(answer.out)["keeps"][0]
    assert (best["66666"]["keep"], best["66666"]["value"]) == ([6, 6, 6, 6, 6], 55)
    assert best["11123"]["keep"] == [1, 1, 1]
    assert best["11123"]["value"] == pytest.approx(float(5 + 50 * Fraction(11, 36) ** 2), abs=1e-12)


def test_every_keep_of_the_dice_is_there_with_its_loss(arena: Console) -> None:
    keeps = json.loads(arena("advise", "thirteen", "44416", "--roll", "2", "--json").out)["keeps"]
    assert len(keeps) == len({tuple(keep["keep"]) for keep in keeps}) == 16  # four counts of 4, with 1 and 6 or not
    assert [keep["loss"] for keep in keeps] == sorted(keep["loss"] for keep in keeps)
    best = keeps[0]
    assert (best["keep"], best["loss"]) == ([4, 4, 4], 0)
    for keep in keeps:
        assert keep["value"] + keep["loss"] == pytest.approx(best["value"], abs=1e-9)


def test_rows_after_the_last_roll(arena: Console) -> None:
    command = ("advise", "yahtzee", "55555", "--roll", "3", "--card", "five_of_a_kind=50,fours=12")
    [row] = json.loads(arena(*command, "--json").out)["rows"]
    assert (row["row"], row["points"], row["loss"]) == ("fives", 125, 0)
    assert arena(*command).out.splitlines()[0] == "row    points       value      loss"


def test_points_on_the_card_count_in_the_value(arena: Console) -> None:
    last = ",".join(f"{row.name}=0" for row in CARD.rows if row.name != "chance")
    last = last.replace("sixes=0", "sixes=18")
    [row] = json.loads(arena("advise", "thirteen", "12345", "--roll", "3", "--card", last, "--json").out)["rows"]
    assert (row["row"], row["points"], row["value"]) == ("chance", 15, 33)


def test_in_showdown_the_last_seat_knows_what_to_beat(arena: Console) -> None:
    answer = json.loads(arena("advise", "showdown", "66553", "--roll", "2", "--best", "66552", "--json").out)
    by_keep = {tuple(keep["keep"]): keep["value"] for keep in answer["keeps"]}
    assert by_keep[3, 5, 5, 6, 6] == 0.5  # it ties, as only the pairs compare
    kickers = ("--option", "tie_break=kickers")
    told = json.loads(arena("advise", "showdown", "66553", "--roll", "2", "--best", "66552", *kickers, "--json").out)
    assert {tuple(keep["keep"]): keep["value"] for keep in told["keeps"]}[3, 5, 5, 6, 6] == 1


MISTAKES = [
    (("advise", "thirteen", "444161", "--roll", "1"), "'444161' are 6 dice; thirteen throws 5, written such as 44416"),
    (("advise", "thirteen", "44417", "--roll", "1"), "'44417': '7' is no face; faces are 1 to 6"),
    (("advise", "thirteen", "44411", "--roll", "4"), "--roll 4: a turn of thirteen has 3 rolls"),
    (
        ("advise", "thirteen", "44411", "--roll", "1", "--card", "fours=4,fours=8"),
        "--card: the row 'fours' is filled twice",
    ),
    (
        ("advise", "thirteen", "44411", "--roll", "1", "--card", "fours=13"),
        "--card: row 'fours' cannot hold 13: it pays 0, 4, 8, 12, 16, 20",
    ),
    (
        ("advise", "thirteen", "44411", "--roll", "1", "--card", "four=4"),
        "--card: no row 'four' in thirteen, did you mean 'fours'?",
    ),
    (
        ("advise", "two-stage", "44411", "--roll", "1", "--card", "ones=-3,pair=8"),
        "--card: every row is filled, so none is open",
    ),
    (("advise", "showdown", "44411", "--roll", "3"), "--roll 3: nothing is decided after the last roll of showdown"),
    (
        ("advise", "showdown", "44411", "--roll", "1", "--card", "pair=2"),
        "showdown has no card; say --best HAND",
    ),
    (
        ("advise", "thirteen", "44411", "--roll", "1", "--best", "44411"),
        "thirteen compares no hands: --best, --held and --later are for showdown; say --card",
    ),
    (
        ("advise", "showdown", "44411", "--roll", "1", "--held", "2"),
        "--held says how many hold the best hand: say --best HAND",
    ),
    (
        ("advise", "showdown", "44411", "--roll", "1", "--later", "0"),
        "1 seats: showdown is played by 2 to 6",
    ),
    (("solve", "thirteen", "--seats", "2"), "thirteen is solved for one player: --seats is for showdown"),
    (
        ("solve", "showdown", "--sd"),
        "showdown has shares and no table: --sd, --threads and --no-cache mean nothing there",
    ),
]


@pytest.mark.parametrize(("command", "message"), MISTAKES, ids=[" ".join(command) for command, _ in MISTAKES])
def test_mistakes_are_told_in_one_line(command: tuple[str, ...], message: str, arena: Console) -> None:
    told = arena(*command)
    assert (told.code, told.out) == (2, "")
    assert told.err == f"error: {message}\n"


def test_a_game_too_large_is_refused_before_it_is_tried(arena: Console, tmp_path: Path) -> None:
    rows = "\n".join(f"      r{n}: {{pays: sum_all}}" for n in range(40))
    text = (
        f"id: big\ntitle: Big\ngame: card\nsource: none\noptions: {{rolls: 3}}\nsections:\n  all:\n    rows:\n{rows}\n"
    )
    (tmp_path / "big.yaml").write_text(text)
    told = arena("solve", "big.yaml", cwd=tmp_path)
    assert (told.code, told.out) == (2, "")
    assert told.err == ("error: big cannot be solved: its rows fill up in 1,099,511,627,776 sets, 2,097,152 at most\n")


def test_a_card_that_does_not_tell_whether_a_bonus_was_earned_is_refused(arena: Console, tmp_path: Path) -> None:
    """Points below 0 after a bonus was reached do not take it back, so the order of filling decides."""
    text = (
        "id: sticky\ntitle: Sticky\ngame: card\nsource: none\noptions: {rolls: 3}\ndice: 2\nsections:\n  a:\n"
        "    bonus: {points: 10, at: 0, due: reached}\n    rows:\n      sixes: {pays: school 6}\n"
        "      twos: {pays: school 2}\n      ones: {pattern: pair, pays: fixed 4, plus: -9}\n"
    )
    (tmp_path / "sticky.yaml").write_text(text)
    told = arena("advise", "sticky.yaml", "66", "--roll", "3", "--card", "ones=0,sixes=-12", cwd=tmp_path)
    assert (told.code, told.out) == (2, "")
    assert told.err == "error: --card: whether the bonus of a was earned depends on the order of filling\n"


def test_a_pipe_in_a_tables_place_is_no_table(arena: Console, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path), **PLAIN}
    first = json.loads(arena.process("solve", "two-stage", "--json", **cache).out)
    table = Path(first["table"])
    table.unlink()
    os.mkfifo(table)
    again = json.loads(arena.process("solve", "two-stage", "--json", **cache).out)
    assert (again["from"], again["value"]) == ("stored", first["value"])
