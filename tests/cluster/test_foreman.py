"""What the foreman does about nodes and tasks, played against a script of what a cluster does."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from arena.errors import ArenaError, DiskError, NoProcessError, UserError
from arena.records import Block, BlockResult, Entrant, LostBlock
from arena.tournament import ray_foreman
from arena.tournament.crew import Crew
from arena.tournament.ray_cluster import Cluster
from arena.tournament.ray_foreman import MOST_LOST, Foreman, play_ray
from arena.tournament.ray_worker import answer
from arena.tournament.tries import MOST_IN_VAIN, TRIES
from arena.tournament.work import Job

BLOCKS = [Block("s", "r", (Entrant("a", ""), Entrant("b", "")), first, first + 1) for first in range(4)]


class GoneError(Exception):
    """A task that was lost with the way to its node."""


class CrashedError(Exception):
    """A task whose worker died."""


class Script:
    """Stands for Ray: nodes are as the test says, and tasks end as it says.

    Attributes:
        cpus: processors, by node.
        sent: tasks that were sent and have not ended, as ``(node, what)``, by number; what is ``answer``, ``ready`` or
            the blocks.
        ends: how they ended, by number: what they return, or raise.
        answers: whether the head does; no node can be asked for without.
        gone: whether it will not any more.
    """

    def __init__(self, **cpus: int) -> None:
        self.cpus = cpus
        self.sent: dict[int, tuple[str, Any]] = {}
        self.ends: dict[int, Any] = {}
        self.answers, self.gone = True, False
        self.exceptions = SimpleNamespace(
            RayTaskError=ZeroDivisionError,
            RayError=(GoneError, CrashedError),
            WorkerCrashedError=CrashedError,
            OutOfMemoryError=CrashedError,
        )
        self._number = 0

    def nodes(self) -> list[dict[str, Any]]:
        assert self.answers
        return [
            {"NodeID": name, "Alive": True, "NodeManagerHostname": name, "Resources": {"CPU": cpus} if cpus else {}}
            for name, cpus in self.cpus.items()
        ]

    def put(self, value: Any) -> Any:
        return value

    def remote(self, function: Any) -> Any:
        def options(node: str) -> Any:
            return SimpleNamespace(remote=lambda *args: self._send(node, function, args))

        return SimpleNamespace(options=options)

    def _send(self, node: str, function: Any, args: tuple[Any, ...]) -> int:
        self._number += 1
        self.sent[self._number] = node, "answer" if function is answer else pickle.loads(args[-1]) or "ready"
        return self._number

    def wait(self, refs: list[int], *, num_returns: int, timeout: float) -> tuple[list[int], list[int]]:
        del timeout
        return [ref for ref in refs if ref in self.ends][:num_returns], []

    def get(self, ref: int) -> Any:
        del self.sent[ref]
        end = self.ends.pop(ref)
        if isinstance(end, Exception):
            raise end
        return end

    def cancel(self, ref: int, *, force: bool) -> None:
        raise ConnectionError("the head is gone")

    def end(self, what: Any, how: Any, on: str = "") -> None:
        """Have the first task of a kind end, on a node or wherever it is."""
        self.ends[
            next(
                number
                for number, (node, sent) in self.sent.items()
                if sent == what and number not in self.ends and on in ("", node)
            )
        ] = how

    def lose(self, name: str) -> None:
        """Have a node be gone, with what it had."""
        del self.cpus[name]
        self.sent = {number: (node, what) for number, (node, what) in self.sent.items() if node != name}

    def where(self, what: Any) -> str:
        return next(node for node, sent in self.sent.values() if sent == what)

    def count(self, what: Any) -> int:
        return sum(sent == what for _, sent in self.sent.values())


class Connection:
    """Stands for the connection to a script."""

    name, local = "a script", False

    def __init__(self, script: Script) -> None:
        self.ray = script

    def on(self, node: str, *, num_cpus: int) -> dict[str, Any]:
        del num_cpus
        return {"node": node}

    def answers(self) -> bool:
        return self.ray.answers

    @property
    def gone(self) -> bool:
        return self.ray.gone


class Play:
    """A foreman on a script; every look at its nodes is due at once."""

    def __init__(self, script: Script, workers: int | None = None, blocks: Sequence[Block] = BLOCKS) -> None:
        self.crews: list[Crew] = []
        self.foreman = Foreman(cast(Cluster, Connection(script)), Job(1, {}, {}), blocks, workers, self.crews.append)

    def go_on(self, times: int = 1) -> list[Any]:
        return [result for _ in range(times) for result in self.foreman.results()]

    @property
    def news(self) -> list[str]:
        return [crew.news for crew in self.crews if crew.news]


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the foreman slept."""
    times: list[float] = []
    monkeypatch.setattr(ray_foreman, "sleep", times.append)
    monkeypatch.setattr(ray_foreman, "NODES_EVERY_S", 0.0)
    return times


def test_no_node_has_processors(slept: list[float]) -> None:
    script = Script(head=0)
    play = Play(script)
    play.go_on(3)
    assert play.news == ["playing on a script", "no node has processors; waiting for one"]
    assert slept == [ray_foreman.LOOK_UP_S] * 3
    script.cpus["second"] = 1
    play.go_on(2)
    assert script.count("ready") == 1
    assert len(slept) == 3


def test_all_nodes_with_processors_are_lost(slept: list[float]) -> None:
    script = Script(head=0, second=1)
    play = Play(script)
    play.go_on()
    script.lose("second")
    play.go_on(2)
    assert len(slept) == 2
    assert play.news[1:] == [
        "lost node second (second); what it had is played elsewhere",
        "no node has processors; waiting for one",
    ]


def test_a_lost_start_is_sent_again() -> None:
    """Once the node has shown that it is there."""
    script = Script(head=1)
    play = Play(script)
    play.go_on()
    script.end("ready", GoneError())
    play.go_on(2)
    assert [what for _, what in script.sent.values()] == ["answer"]
    script.end("answer", True)
    play.go_on(2)
    assert script.count("ready") == 1
    script.end("ready", ("played", []))
    play.go_on(2)
    assert script.count(tuple(BLOCKS[:1])) == 1


def test_starts_are_not_lost_for_ever() -> None:
    script = Script(head=1)
    play = Play(script)
    play.go_on()
    for _ in range(MOST_LOST):
        script.end("ready", GoneError())
        play.go_on()
        script.end("answer", True)
        play.go_on(2)
    script.end("ready", GoneError("no way"))
    with pytest.raises(ArenaError, match=r"node head \(head\) plays nothing: no way"):
        play.go_on()


def result_of(block: Block) -> BlockResult:
    return BlockResult(block, np.zeros((1, 2, 2), int), np.zeros((1, 2, 2), int), np.zeros((1, 2), int))


FULL = ("unable", DiskError("it is full"))
DEATHS = pytest.mark.parametrize(
    ("death", "kind", "told", "news"),
    [
        (CrashedError(), ArenaError, "workers die as they start, on {}", ""),
        (FULL, DiskError, "on {}: it is full", ", as it is full"),
    ],
    ids=["dead", "unable"],
)


@DEATHS
def test_workers_that_die_as_they_start(death: Any, kind: type[Exception], told: str, news: str) -> None:
    """They are not replaced for ever."""
    script = Script(head=1)
    play = Play(script)
    play.go_on()
    for _ in range(TRIES - 1):
        script.end("ready", death)
        play.go_on()
        if script.count("answer"):  # it is doubted
            script.end("answer", True)
        play.go_on(2)
    script.end("ready", death)
    with pytest.raises(kind) as end:
        play.go_on()
    assert str(end.value) == told.format("head (head)")


@DEATHS
def test_workers_that_die_as_they_start_on_one_node(death: Any, kind: type[Exception], told: str, news: str) -> None:
    """The other node plays; the run ends when that is lost."""
    script = Script(bad=1, good=1)
    play = Play(script)
    play.go_on()
    for _ in range(TRIES):
        script.end("ready", death, on="bad")
        play.go_on()
        if script.count("answer"):
            script.end("answer", True)
        play.go_on(2)
    assert play.news[1:] == [f"workers die as they start, on bad (bad){news}; others play"]
    script.end("ready", ("played", []))
    play.go_on(2)
    assert {node for node, _ in script.sent.values()} == {"good"}
    script.lose("good")
    with pytest.raises(kind) as end:
        play.go_on()
    assert str(end.value) == told.format("bad (bad)")


def test_a_shortage_that_lasts_ends_the_run() -> None:
    """It is not tried for every block anew; a result in between shows that it does not last."""
    blocks = [replace(BLOCKS[0], first=first, stop=first + 1) for first in range(4 * MOST_IN_VAIN)]
    script = Script(head=1)
    play = Play(script, blocks=blocks)
    play.go_on()
    script.end("ready", ("played", []))
    play.go_on(2)

    def end(how: Any) -> None:
        script.end(next(what for _, what in script.sent.values() if isinstance(what, tuple)), how)

    lacking = "unable", NoProcessError("none is left")
    for _ in range(MOST_IN_VAIN - 1):
        end(lacking)
        play.go_on(2)
    result = result_of(next(what for _, what in script.sent.values() if isinstance(what, tuple))[0])
    end(("played", [(result, 1.0)]))
    assert play.go_on() == [result]
    for _ in range(MOST_IN_VAIN - 1):
        end(lacking)
        play.go_on(2)
    end(lacking)
    with pytest.raises(NoProcessError, match=r"^on head \(head\): none is left$"):
        play.go_on()


def test_slots_that_are_added_make_ready_too() -> None:
    """With as many workers as are wanted, a node's share grows when another dies."""
    script = Script(head=2, second=1)
    play = Play(script, workers=2)
    play.go_on()
    for _ in range(2):
        script.end("ready", ("played", []))
        play.go_on()
    assert play.crews[-1].workers == 2
    script.lose("second")
    play.go_on(2)
    assert script.count("ready") == 1
    script.end("ready", ("played", []))
    play.go_on()
    assert (play.crews[-1].nodes, play.crews[-1].workers) == (1, 2)


def crashed_on_the_first_of_two() -> tuple[Script, Play]:
    """A run of one block, whose worker has died."""
    script = Script(one=1, two=1)
    play = Play(script, blocks=BLOCKS[:1])
    play.go_on()
    for _ in range(2):
        script.end("ready", ("played", []))
    play.go_on(2)
    assert script.where(tuple(BLOCKS[:1])) == "one"
    script.end(tuple(BLOCKS[:1]), CrashedError())
    play.go_on()
    return script, play


def test_workers_that_die_on_two_nodes() -> None:
    script, play = crashed_on_the_first_of_two()
    play.go_on()
    script.end(tuple(BLOCKS[:1]), CrashedError())
    assert play.go_on() == [LostBlock(BLOCKS[0], "its worker died 2 times, on one (one) and on two (two)")]


def test_a_death_does_not_count_whose_node_is_gone_too() -> None:
    script, play = crashed_on_the_first_of_two()
    script.lose("one")
    play.go_on()
    script.end(tuple(BLOCKS[:1]), CrashedError())
    assert play.go_on() == []
    script.end("answer", True)
    play.go_on(2)
    script.end(tuple(BLOCKS[:1]), CrashedError())
    assert play.go_on() == [LostBlock(BLOCKS[0], "its worker died 2 times, on two (two)")]


def test_what_a_silent_node_has_is_its_own_again_once_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no other node, and it would be given a second time what it still has."""
    now = [0.0]
    monkeypatch.setattr(ray_foreman, "monotonic", lambda: now[0])
    script = Script(one=1)
    play = Play(script, blocks=BLOCKS[:1])
    play.go_on()
    script.end("ready", ("played", []))
    play.go_on(2)
    assert script.count(tuple(BLOCKS[:1])) == 1
    for _ in ("it is doubted", "it is silent"):
        now[0] += 1e6
        play.go_on()
    assert play.news[-1] == "node one (one) does not answer"
    script.end("answer", True)
    play.go_on(3)
    assert play.news[-1] == "node one (one) answers again"
    assert script.count(tuple(BLOCKS[:1])) == 1


def test_a_head_that_is_gone_does_not_hide_why_a_run_ends() -> None:
    play = Play(Script(head=1))
    play.go_on()
    play.foreman.close()


def test_a_head_that_is_gone_ends_the_run() -> None:
    """Not at once, as it may come back, and what is played meanwhile counts."""
    script = Script(head=1)
    play = Play(script)
    play.go_on()
    script.end("ready", ("played", []))
    play.go_on(2)
    script.answers = False
    result = result_of(BLOCKS[0])
    script.end(tuple(BLOCKS[:1]), ("played", [(result, 1.0)]))
    assert play.go_on() == [result]
    assert play.foreman.busy
    script.gone = True
    play.go_on()
    assert not play.foreman.busy
    assert play.news[1:] == ["a script does not answer any more"]
    script.cancel = pytest.fail  # type: ignore[method-assign]  # Ray would end the process
    play.foreman.close()


@pytest.mark.parametrize(("id_", "told"), [("0123456789abcdef", "01234567"), ("ffffffffffff0001", "ffff0001")])
def test_a_nodes_digits_tell_which_it_is(id_: str, told: str) -> None:
    play = Play(script := Script(**{id_: 1, "other": 1}))
    play.go_on()
    script.lose(id_)
    play.go_on()
    assert play.news[-1] == f"lost node {id_} ({told}); what it had is played elsewhere"


class InactiveRpcError(Exception):
    """What gRPC raises where Ray's client has lost its server."""

    __module__ = "grpc._channel"


@pytest.mark.parametrize("error", [ConnectionError("Client is shutting down."), InactiveRpcError()], ids=repr)
def test_a_client_that_has_lost_its_server(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is over, as it is when the head is gone."""
    script = Script(head=1)
    play = Play(script)
    play.go_on()

    def lost(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(script, "wait", lost)
    assert play.go_on() == []
    assert not play.foreman.busy
    assert play.news[1:] == ["a script does not answer any more"]
    play.foreman.close()


def test_a_client_that_loses_its_server_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it has sent what all tasks need."""
    script = Script(head=1)

    def lost(*_: Any) -> Any:
        raise ConnectionError("Client is shutting down.")

    monkeypatch.setattr(script, "put", lost)
    monkeypatch.setattr(ray_foreman, "Cluster", lambda *_: nullcontext(Connection(script)))
    with pytest.raises(UserError, match=r"^a script does not answer any more$"):
        next(play_ray(Job(1, {}, {}), BLOCKS, lambda: False))


def test_an_error_that_is_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(head=1)
    play = Play(script)
    play.go_on()

    def broken(*_: Any, **__: Any) -> Any:
        raise ValueError("a mistake of ours")

    monkeypatch.setattr(script, "wait", broken)
    with pytest.raises(ValueError, match="a mistake of ours"):
        play.go_on()
