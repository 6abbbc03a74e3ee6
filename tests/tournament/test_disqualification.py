"""``faults: {disqualify_after: N}``: a bot is out, and the league goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from leagues import Console, Played, bot, files_in, play_league, write_tournament

AGENTS: list[Any] = [
    "greedy",
    "random",
    bot("two_bots.py:Meek", "meek"),
    bot("raises.py", "hasty", at="hand", hand=[1, 2, 3, 4, 6]),
    bot("answers.py:Answers", "odd", hold="none"),
]
LEAGUE = {"rulesets": ["two-stage", "showdown"], "agents": AGENTS, "games": 40, "isolation": "inline"}
OUT = {**LEAGUE, "faults": {"disqualify_after": 7}}


def league(folder: Path, keys: dict[str, Any], **play: Any) -> Played:
    return play_league(write_tournament(folder, **keys), folder, **play)


@pytest.fixture(scope="module")
def all_stay(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return league(tmp_path_factory.mktemp("all"), LEAGUE)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return league(tmp_path_factory.mktemp("out"), OUT)


def lines(played: Played, ruleset: str) -> dict[str, dict[str, Any]]:
    return {line["name"]: line for line in json.loads(played.files[f"{ruleset}/standings.json"])["standings"]}


@pytest.mark.parametrize("ruleset", ["two-stage", "showdown"])
def test_who_is_out_is_marked_and_last(ruleset: str, expected: Played) -> None:
    found = lines(expected, ruleset)
    out = {name for name, line in found.items() if line["disqualified"]}
    assert {"odd"} <= out <= {"odd", "hasty"}
    assert list(found)[-len(out) :] == sorted(out, key=lambda name: found[name]["rank"])
    assert [line["rank"] for line in found.values()] == [1, 2, 3, 4, 5]
    for name in out:
        assert found[name]["disqualified"] == "after 7 faults"
        assert 7 <= found[name]["faults"] <= 8
    page = expected.files[f"{ruleset}/standings.md"].decode()
    assert f"| {found['odd']['faults']} illegal_hold; disqualified after 7 faults |" in page
    played = 4 * 40 - found["odd"]["games"]
    assert f"- 'odd' was disqualified after 7 faults: its last {played} games count for nobody." in page
    shown = expected.files["README.md"].decode()
    assert f"| 5, {len(out)} disqualified |" in shown


def test_the_two_rulesets_decide_for_themselves(expected: Played) -> None:
    """One bot has enough faults under one of them only."""
    assert [bool(lines(expected, ruleset)["hasty"]["disqualified"]) for ruleset in ("two-stage", "showdown")] == [
        False,
        True,
    ]


def test_games_and_digest_are_as_ever(all_stay: Played, expected: Played) -> None:
    assert expected.digest == all_stay.digest
    for key, results in all_stay.results.items():
        for one, other in zip(results, expected.results[key], strict=True):
            for part in ("totals", "ends", "winners"):
                np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


@pytest.mark.parametrize("ruleset", ["two-stage", "showdown"])
def test_games_of_the_others_count_as_ever(ruleset: str, all_stay: Played, expected: Played) -> None:
    out = {name for name, line in lines(expected, ruleset).items() if line["disqualified"]}

    def between(played: Played) -> list[object]:
        rows = played.leagues[ruleset].crosstable.rows
        return [row for row in rows if not out & {row.first, row.second}]

    assert between(expected) == between(all_stay)
    assert len(between(expected)) == (5 - len(out)) * (4 - len(out))


@pytest.mark.parametrize("block_size", [1, 3, 7, 512])
def test_any_size_of_blocks(block_size: int, expected: Played, tmp_path: Path) -> None:
    assert league(tmp_path, OUT, block_size=block_size).files == expected.files


def test_two_workers(expected: Played, tmp_path: Path) -> None:
    played = league(tmp_path, OUT, backend="processes", workers=2, block_size=4)
    assert played.files == expected.files


def test_a_run_that_was_stopped(expected: Played, tmp_path: Path) -> None:
    for size, stop_after in ((3, 5), (7, 9), (512, None)):
        played = league(tmp_path, OUT, block_size=size, stop_after=stop_after)
    assert played.files == expected.files


def test_another_number_plays_no_game(all_stay: Played, tmp_path: Path) -> None:
    assert league(tmp_path, LEAGUE).files == all_stay.files
    again = league(tmp_path, {**LEAGUE, "faults": {"disqualify_after": 1}})
    assert again.plan.missing == ()
    assert lines(again, "two-stage")["odd"]["games"] == 2
    assert league(tmp_path, LEAGUE).files == all_stay.files


def test_more_than_there_are_is_as_none(all_stay: Played, tmp_path: Path) -> None:
    played = league(tmp_path, {**LEAGUE, "faults": {"disqualify_after": 161}})
    assert played.files == all_stay.files


def test_exactly_as_many_as_there_are(all_stay: Played, tmp_path: Path) -> None:
    """Its last fault puts it out, and takes nothing from anybody."""
    played = league(tmp_path, {**LEAGUE, "faults": {"disqualify_after": 160}})
    for ruleset in ("two-stage", "showdown"):
        marked = {name: {**line, "disqualified": ""} for name, line in lines(played, ruleset).items()}
        assert marked == lines(all_stay, ruleset)
        assert lines(played, ruleset)["odd"]["disqualified"] == "after 160 faults"
        assert "no game was left" in played.files[f"{ruleset}/standings.md"].decode()


def test_all_are_out(tmp_path: Path) -> None:
    agents = [bot("breaks.py", name) for name in ("one", "three", "two")]
    played = league(tmp_path, {**OUT, "agents": agents, "faults": {"disqualify_after": 1}})
    found = lines(played, "two-stage")
    assert {name: line["disqualified"] for name, line in found.items()} == {
        "one": "after 1 fault",
        "three": "after 1 fault",
        "two": "",  # it met nobody who was still in
    }
    assert all(line["elo_low"] <= line["elo"] <= line["elo_high"] for line in found.values())
    again = league(tmp_path, {**OUT, "agents": agents[:2], "faults": {"disqualify_after": 1}})
    assert all(line["disqualified"] for line in lines(again, "two-stage").values())
    assert "| [two-stage](two-stage/standings.md) |  | 2, 2 disqualified | 0 |" in again.files["README.md"].decode()


@pytest.mark.parametrize("seats", [3, 4])
def test_larger_tables(seats: int, tmp_path: Path) -> None:
    """A table with somebody who is out counts for nobody at it."""
    keys = {**LEAGUE, "seats": seats, "games": 2 * seats, "rulesets": ["two-stage"]}
    keys["faults"] = {"disqualify_after": 1}
    played = league(tmp_path / "a", keys)
    assert played.files == league(tmp_path / "b", keys, block_size=1).files
    assert lines(played, "two-stage")["odd"]["games"] == seats
    clusters = {one.agents: one.mirrors for one in played.leagues["two-stage"].crosstable.clusters}
    assert sum("odd" in names for names in clusters) == 1


def test_alone(tmp_path: Path) -> None:
    keys = {**LEAGUE, "seats": 1, "games": 30, "rulesets": ["two-stage"], "faults": {"disqualify_after": 2}}
    played = league(tmp_path / "a", keys)
    assert played.files == league(tmp_path / "b", keys, block_size=4).files
    found = lines(played, "two-stage")
    assert found["odd"]["disqualified"] == "after 2 faults"
    assert (found["odd"]["games"], found["odd"]["faults"], found["odd"]["mean_score"]) == (0, 2, None)
    assert found["hasty"]["disqualified"] == "after 2 faults"
    assert found["hasty"]["mean_score"] is not None
    assert [line["rank"] for line in found.values()] == [1, 2, 3, 4, 5]
    assert list(found)[3:] == ["hasty", "odd"]


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        ({"disqualify_after": 0}, "faults.disqualify_after: "),
        ({"disqualify_after": -3}, "faults.disqualify_after: "),
        ({"disqualify_after": True}, "faults.disqualify_after: "),
        ({"disqualify_after": 1.5}, "faults.disqualify_after: "),
        ({"disqualify_after": "100"}, "faults.disqualify_after: "),
        ({}, "faults.disqualify_after: is required"),
        ({"disqualify": 3}, "faults.disqualify: "),
        (100, "faults: "),
        ([], "faults: "),
    ],
    ids=str,
)
def test_mistakes(faults: object, told: str, tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, faults=faults)
    run = arena("run", file, cwd=tmp_path)
    assert run.code == 2
    assert run.out == ""
    assert all(line.startswith(f"error: {file}:") for line in run.err.splitlines())
    assert told in run.err
    assert list(files_in(tmp_path)) == ["tournament.yaml"]


def test_the_league_that_stays_is_the_same_with_and_without_the_key(tmp_path: Path) -> None:
    keys = {**LEAGUE, "agents": AGENTS[:3]}
    with_key = league(tmp_path / "a", {**keys, "faults": {"disqualify_after": 1}})
    assert with_key.files == league(tmp_path / "b", keys).files
