"""What the run's own process makes of what it hears from the one that speaks with Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import pytest

from arena.errors import ArenaError, DiskError, NoProcessError, UserError
from arena.records import Block, LostBlock
from arena.tournament import ray_apart
from arena.tournament.crew import Crew
from arena.tournament.ray_apart import _Beat, _Done, _end, _Failed, _heard
from arena.tournament.ray_cluster import NO_ANSWER

LOST = [LostBlock(Block("", "", (), number, number + 1), "for the test") for number in range(3)]


class Speaker:
    """The process, which is the test itself."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.exitcode = pipe, 1

    def join(self) -> None:
        """It has ended."""

    def kill(self) -> None:
        self.exitcode = -9
        self.pipe.close()


@pytest.fixture
def pipes() -> Iterator[tuple[Connection, Connection]]:
    ours, theirs = Pipe()
    with ours, theirs:
        yield ours, theirs


Hear = Callable[..., tuple[list[Any], list[Crew]]]


@pytest.fixture
def hear(pipes: tuple[Connection, Connection]) -> Hear:
    """Say things, and return what came of them."""

    def heard(*said: object, wanted: int = 9, ends: bool = False) -> tuple[list[Any], list[Crew]]:
        ours, theirs = pipes
        for one in said:
            theirs.send(one)
        if ends:
            theirs.close()
        told: list[Crew] = []
        return list(_heard(ours, Speaker(theirs), wanted, lambda: False, told.append)), told  # type: ignore[arg-type]

    return heard


def test_all_that_comes(hear: Hear) -> None:
    crew = Crew(1, 2, "playing")
    assert hear(crew, LOST[0], _Beat(), LOST[1], _Done(), LOST[2]) == (LOST[:2], [crew])


def test_all_that_is_wanted(hear: Hear) -> None:
    """Whatever becomes of it then: it takes leave of the cluster, or Ray ends it."""
    assert hear(LOST[0], LOST[1], wanted=2, ends=True) == (LOST[:2], [])


def test_one_that_is_ended(hear: Hear) -> None:
    found, [told] = hear(LOST[0], ends=True)
    assert found == LOST[:1]
    assert told.news == f"the Ray cluster {NO_ANSWER}: the process that speaks with it ended, with exit code 1"


def test_one_that_is_ended_after_it_said_why(hear: Hear) -> None:
    crew = Crew(1, 2, f"a cluster {NO_ANSWER}")
    assert hear(crew, ends=True) == ([], [crew])


def test_one_that_goes_silent(hear: Hear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_apart, "SILENT_S", 0.3)
    found, [_, told] = hear(Crew(1, 1), _Beat(), LOST[0])
    assert found == LOST[:1]
    assert "killed by SIGKILL" in told.news


def test_one_that_connects_may_be_silent(
    pipes: tuple[Connection, Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_apart, "SILENT_S", 0.0)
    ours, theirs = pipes
    theirs.send(_Beat())  # before it tries again
    looks = iter((False, False, False, False, True))
    assert not list(_heard(ours, Speaker(theirs), 9, lambda: next(looks), pytest.fail))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [UserError, DiskError, NoProcessError, ArenaError])
def test_what_it_raises(kind: type[ArenaError], hear: Hear) -> None:
    with pytest.raises(ArenaError, match="as it was said") as raised:
        hear(_Failed(kind, "as it was said"))
    assert type(raised.value) is kind


def test_what_it_says_while_it_goes_is_passed_over(pipes: tuple[Connection, Connection]) -> None:
    ours, theirs = pipes
    speaker = Speaker(theirs)
    for one in LOST:
        theirs.send(one)
    theirs.close()
    _end(ours, speaker)  # type: ignore[arg-type]
    assert speaker.exitcode == -9
    with pytest.raises(EOFError):
        ours.recv()
