"""Whatever happens to the nodes and workers of a cluster, a run on it ends as one in a single process does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deadly import deadly_blocks
from gated_league import DEADLY, LEAGUE, write_league
from leagues import Played, play_league, write_tournament

from arena.tournament.ray_address import STARTS
from arena.tournament.ray_worker import build

Found = dict[str, Any]
SAME_LEAGUE = ("two_nodes", "killed_node", "frozen_node")


@pytest.fixture
def scenario(found: Found) -> Callable[[str], Found]:
    def of(name: str) -> Found:
        told: Found = found[name]
        assert "broken" not in told, told["broken"]
        return told

    return of


@pytest.mark.parametrize("name", SAME_LEAGUE)
def test_the_same_games_and_files(name: str, scenario: Callable[[str], Found], expected: Played) -> None:
    told = scenario(name)
    assert told["digest"] == expected.digest
    assert told["files"] == {file: content.decode() for file, content in expected.files.items()}


@pytest.mark.parametrize("name", SAME_LEAGUE)
def test_every_block_is_taken_once(name: str, scenario: Callable[[str], Found]) -> None:
    came = scenario(name)["came"]
    assert len(came) == len(set(came)) == 5 * 2 * LEAGUE["games"] // 2 // 10


def test_processes_play_the_same(expected: Played, tmp_path: Path) -> None:
    played = play_league(write_league(tmp_path), tmp_path, backend="processes", workers=2)
    assert played.digest == expected.digest


def test_two_nodes(scenario: Callable[[str], Found]) -> None:
    told = scenario("two_nodes")
    assert told["seen"] == ["head", "second"]
    assert [2, 2] in told["crews"]
    assert len(told["news"]) == 2
    assert all(news.startswith("playing on the Ray cluster ") for news in told["news"])


def test_stopped_and_gone_on_with(scenario: Callable[[str], Found]) -> None:
    told = scenario("two_nodes")
    assert told["begun"] == 5
    assert len(told["came"]) > 2 * told["begun"]


def test_bots_travel_as_bytes(scenario: Callable[[str], Found]) -> None:
    """Their files are gone while they play; what is told of them names these all the same."""
    told = scenario("two_nodes")
    assert told["hidden"]
    bots = Path(told["folder"]) / "bots"
    assert set(told["tracebacks"]) == {"gated", "hasty"}
    for name, traceback in told["tracebacks"].items():
        assert f'File "{bots / name}.py", line' in traceback
        assert "ValueError" in traceback


def test_a_killed_node_is_a_line(scenario: Callable[[str], Found]) -> None:
    first, *rest = scenario("killed_node")["news"]
    assert first.startswith("playing on ")
    [name] = {line.removeprefix("lost node ").partition(")")[0].removeprefix("node ") for line in rest}
    assert name
    assert all(("what it had is played elsewhere" in line) or ("does not answer" in line) for line in rest)


def test_a_frozen_node_is_a_line(scenario: Callable[[str], Found]) -> None:
    told = scenario("frozen_node")
    assert told["states"] == ["T"]
    assert "third" in told["at_the_gate"]
    assert any("does not answer; what it has is played elsewhere too" in line for line in told["news"])


def test_blocks_that_kill_their_workers(scenario: Callable[[str], Found], tmp_path: Path) -> None:
    """They are set aside after two tries, the others are kept, and nothing is lost once the bot is sane."""
    told = scenario("killed_workers")
    file = write_tournament(tmp_path, **DEADLY)
    deadly, others = deadly_blocks(file, tmp_path / "run")
    assert deadly
    assert told["deadly"] == sorted(f"{block}: its worker died 2 times" for block in deadly)
    assert told["kept"] == sorted([block.series, block.first, block.stop] for block in others)
    assert told["digest"] == play_league(file, tmp_path).digest


def test_a_bot_that_does_not_load_there(found: Found) -> None:
    told = found["mistakes"]
    assert told["load"] == f"UserError: {told['file']}:3: cannot be loaded: ValueError: not here"


def test_another_arena_there(found: Found) -> None:
    """The versions are compared before anything else that was sent is looked at."""
    said = found["mistakes"]["other"]
    assert said.startswith("UserError: the arena on ")
    assert f" is {build()}, and 0 (other) here: install the same on every node" in said


def test_no_cluster_there(found: Found) -> None:
    assert found["mistakes"]["nowhere"] == f"UserError: --address 127.0.0.1:1: nobody answers there; {STARTS}"


def test_ctrl_c(scenario: Callable[[str], Found]) -> None:
    told = scenario("of_the_command")["interrupted"]
    assert told["code"] == 1
    assert told["out"] == ""
    assert "unfinished: " in told["err"]
    assert "Traceback" not in told["err"]
    assert told["left"] == []
    assert told["family"] > 2


def test_nothing_is_imported_from_the_working_folder(scenario: Callable[[str], Found]) -> None:
    """A file there is called as a module that Ray's workers load late."""
    assert scenario("of_the_command")["imported"] is False


def test_the_commands_cluster_loses_its_head(scenario: Callable[[str], Found]) -> None:
    """Ray would end the run's own process then, or have it wait for a minute and end it without a word."""
    told = scenario("of_the_command")["headless"]
    assert told["code"] == 1
    *_, gone, unfinished = told["err"].splitlines()
    assert re.match(r"(a local|the) Ray cluster does not answer any more", gone)
    assert re.match(r"unfinished: \d+ of 600 games are kept in run", unfinished)
    assert "Traceback" not in told["err"]
    assert told["left"] == []


def test_the_command_is_killed(scenario: Callable[[str], Found]) -> None:
    """Its cluster goes with it, to the last process, and takes its files along; those beside it are stopped."""
    told = scenario("of_the_command")["killed"]
    assert scenario("of_the_command")["apart"] == {"spawn_main": 1, "ray_warden": 2}
    assert told["code"] == -9
    assert told["family"] > 2
    assert [name for name in told["left"] if not name.startswith("arena-run-")] == []


def test_the_command_goes_on(scenario: Callable[[str], Found]) -> None:
    told = scenario("of_the_command")
    counts = [count for ending in ("interrupted", "headless", "killed") for count in told[ending]["blocks"]]
    assert counts[0] == 0 < counts[1]
    assert counts == sorted(counts)
    assert counts[1:-1:2] == counts[2::2]  # what one leaves the next finds
    assert told["ended"]["code"] == 0, told["ended"]["err"]
    assert told["ended"]["out"].splitlines()[-1] == f"digest {told['digest']}"


def test_nothing_but_the_arenas_own_words_is_printed(scenario: Callable[[str], Found]) -> None:
    runs = [scenario("of_the_command")[name] for name in ("interrupted", "ended")]
    runs += [scenario("of_a_client")[name] for name in ("lost", "ended")]
    for told in runs:
        for line in told["err"].splitlines():
            known = ("  ", "small: ", "playing on ", "the Ray cluster ", "unfinished: ", "written to ")
            assert line.startswith(known) or " of 600 games, " in line, line


def test_a_client(scenario: Callable[[str], Found]) -> None:
    """Whoever comes by ``ray://`` plays the same, and is told in a line when nobody answers there any more."""
    told = scenario("of_a_client")
    lost, ended = told["lost"], told["ended"]
    gone = f"the Ray cluster {told['address']} does not answer any more"
    assert (lost["code"], lost["out"]) == (1, "")
    assert [line for line in lost["err"].splitlines() if line.startswith(("playing", "the Ray"))][-1].startswith(gone)
    assert "unfinished: " in lost["err"].splitlines()[-1]
    assert ended["code"] == 0, ended["err"]
    assert f"playing on the Ray cluster {told['address']} (" in ended["err"]
    assert " of them played before (run)" in ended["err"]
    assert ended["out"].splitlines()[-1] == f"digest {told['digest']}"


def test_nothing_is_left(found: Found) -> None:
    assert found["left"] == []
