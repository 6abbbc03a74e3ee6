"""The backend of a Ray cluster: hands out tasks of several blocks, and loses none to dead or silent nodes.

Tasks are given to nodes by name and never tried again by Ray itself, so that it is known here who has what. A task
that is overdue is given to another node as well. Results are taken by block, the first one of each: so delivery may
happen more than once.
"""

from __future__ import annotations

import pickle
import secrets
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from arena.errors import ArenaError, UserError
from arena.records import Block, BlockResult, LostBlock
from arena.tournament.cargo import load_cargo
from arena.tournament.crew import Crew, Tell, nobody
from arena.tournament.pace import Pace
from arena.tournament.ray_cluster import DEFAULT_ADDRESS, Cluster, hushed
from arena.tournament.ray_worker import answer, build, play_blocks
from arena.tournament.work import Job

TRIES = 2
AHEAD = 2
"""Tasks that a processor has: one that is played, one that waits."""
TASK_S = 1.5
"""Seconds that a task is meant to take."""
MOST_BLOCKS = 256
"""Blocks of a task."""
MOST_IN_VAIN = 100
"""Tasks one after the other that end by no fault of theirs, before it is said that nothing works."""
LOOK_UP_S = 0.1
NODES_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Patience:
    """When a task is overdue.

    Attributes:
        times: as often the time that was expected, counting what the node has before it.
        least_s: no sooner than after so many seconds.
        unknown_s: what is expected of tasks whose bots never played.
        answer_s: seconds that a node has to show that it is there.
    """

    times: float = 20
    least_s: float = 60
    unknown_s: float = 30
    answer_s: float = 15


PATIENCE = Patience()


@dataclass(slots=True, eq=False)
class _Node:
    """A node of the cluster.

    Attributes:
        id: Ray's.
        name: what people are told.
        slots: tasks that it plays at the same time.
        ready: True once a worker there has loaded its bots.
        doubted: True while it is not known to be there: it gets no tasks.
        failed_starts: workers that died before any was ready.
    """

    id: str
    name: str
    slots: int
    ready: bool = False
    doubted: bool = False
    failed_starts: int = 0


@dataclass(slots=True, eq=False)
class _Task:
    """A task that is under way.

    Attributes:
        node: who has it.
        blocks: what is played; none to make ready, or to show that the node is there.
        due: when it is overdue, by the monotonic clock.
        span: seconds from its beginning until then.
        probe: True if it only shows that the node is there.
        overdue: how often it was.
        copied: True once its blocks were given to somebody else.
    """

    node: _Node
    blocks: tuple[Block, ...]
    due: float
    span: float
    probe: bool = False
    overdue: int = 0
    copied: bool = False


@dataclass(slots=True)
class _Waiting:
    """Blocks that wait, in order; those that a worker died of wait apart, as each is played alone."""

    rest: deque[Block]
    alone: deque[Block] = field(default_factory=deque)


class Foreman:
    """Hands blocks to the nodes of a cluster.

    Args:
        cluster: the connection.
        job: the run.
        blocks: what to play.
        workers: tasks that are played at the same time at most; None for one a processor.
        tell: is told who plays.
    """

    def __init__(self, cluster: Cluster, job: Job, blocks: Sequence[Block], workers: int | None, tell: Tell) -> None:
        self._cluster, self._ray, self._most, self._tell = cluster, cluster.ray, workers, tell
        self._run = secrets.token_hex(8)
        cargo, bundles = load_cargo(job)
        self._cargo = self._ray.put(pickle.dumps(cargo)), {name: self._ray.put(it) for name, it in bundles.items()}
        self._play = self._ray.remote(play_blocks)
        self._answer = self._ray.remote(answer)
        self._open = dict.fromkeys(blocks)
        self._waiting = _Waiting(deque(blocks))
        self._deaths: dict[Block, list[_Node]] = {}
        self._nodes: dict[str, _Node] = {}
        self._tasks: dict[Any, _Task] = {}
        self._pace, self._looked, self._in_vain = Pace(), 0.0, 0

    @property
    def busy(self) -> bool:
        """True while there are blocks without a result."""
        return bool(self._open)

    def results(self) -> Iterator[BlockResult | LostBlock]:
        """Wait a moment for tasks, and return what they bring.

        Raises:
            UserError: if a bot does not load, or a node has another arena.
            ArenaError: if workers die as they start.
        """
        now = monotonic()
        if now - self._looked >= NODES_EVERY_S:
            self._looked = now
            self._look_at_nodes()
        self._hand_out()
        done: list[Any] = []
        if self._tasks:
            done, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=LOOK_UP_S)
        if done:
            done, _ = self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=0)
        for ref in done:
            if task := self._tasks.pop(ref, None):
                yield from self._hear(ref, task)
        self._chase()

    def close(self) -> None:
        """Drop the tasks that are under way."""
        for ref in self._tasks:
            self._ray.cancel(ref, force=True)
        self._tasks.clear()

    # ---- nodes

    def _look_at_nodes(self) -> None:
        """Learn which nodes have come and gone; a new one makes ready first, in as many workers as it has slots."""
        living = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        gone = [self._nodes.pop(id_) for id_ in list(self._nodes) if id_ not in living]
        shares = _shares({id_: int(node["Resources"].get("CPU", 0)) for id_, node in living.items()}, self._most)
        new = []
        for id_, slots in shares.items():
            if id_ in self._nodes:
                self._nodes[id_].slots = slots
            elif slots:
                node = _Node(id_, f"{living[id_]['NodeManagerHostname']} ({id_[:8]})", slots)
                self._nodes[id_] = node
                new.append(node)
        for node in gone:
            for ref, task in [(ref, task) for ref, task in self._tasks.items() if task.node is node]:
                del self._tasks[ref]
                self._give_back(task)
            self._report(f"lost node {node.name}; what it had is played elsewhere")
        for node in new:
            for _ in range(node.slots):
                self._submit(node, ())
        if new:
            self._report("")

    def _report(self, news: str) -> None:
        nodes = self._nodes.values()
        self._tell(Crew(len(nodes), sum(node.slots for node in nodes), news))

    def _doubt(self, node: _Node, news: str = "") -> None:
        """Give a node no more until it shows that it is there."""
        if node.doubted:
            return
        node.doubted = True
        if news:
            self._report(news)
        ref = self._answer.options(**self._cluster.on(node.id, num_cpus=0)).remote()
        self._tasks[ref] = _Task(node, (), monotonic() + PATIENCE.answer_s, PATIENCE.answer_s, probe=True)
        for task in self._tasks.values():
            if task.node is node:
                task.due = min(task.due, monotonic() + PATIENCE.answer_s)

    # ---- handing out

    def _hand_out(self) -> None:
        """Give every node that is there as many tasks as it should have."""
        load = Counter(task.node.id for task in self._tasks.values() if not task.probe)
        slots = sum(node.slots for node in self._nodes.values())
        ahead = AHEAD if self._most is None else 1
        for number in range(ahead):
            for node in self._nodes.values():
                while node.ready and not node.doubted and load[node.id] < node.slots * (number + 1):
                    blocks = self._next_blocks(slots)
                    if not blocks:
                        return
                    self._submit(node, blocks)
                    load[node.id] += 1

    def _next_blocks(self, slots: int) -> tuple[Block, ...]:
        """Take blocks that wait and together make a task; fewer towards the end, so that all end together."""
        while self._waiting.alone:
            block = self._waiting.alone.popleft()
            if block in self._open:
                return (block,)
        waiting, sum_s = self._waiting.rest, 0.0
        taken: list[Block] = []
        goal = min(TASK_S, self._left_s() / (AHEAD * max(slots, 1)))
        while waiting and len(taken) < MOST_BLOCKS:
            if waiting[0] not in self._open:
                waiting.popleft()
                continue
            seconds = self._pace.seconds(waiting[0])
            if taken and (seconds is None or sum_s + seconds > goal):
                break
            taken.append(waiting.popleft())
            if seconds is None:  # so that it becomes known
                break
            sum_s += seconds
        return tuple(taken)

    def _left_s(self) -> float:
        """Return how many seconds of one worker all that waits will take, as far as is known."""
        return sum(self._pace.seconds(block) or TASK_S for block in self._waiting.rest)

    def _submit(self, node: _Node, blocks: tuple[Block, ...]) -> None:
        ref = self._play.options(**self._cluster.on(node.id, num_cpus=1)).remote(
            build(), self._run, self._cargo, pickle.dumps(blocks)
        )
        known = [self._pace.seconds(block) for block in blocks]
        seconds = sum(PATIENCE.unknown_s if one is None else one for one in known) if blocks else PATIENCE.unknown_s
        span = max(PATIENCE.least_s, PATIENCE.times * AHEAD * seconds)
        self._tasks[ref] = _Task(node, blocks, monotonic() + span, span)

    # ---- hearing

    def _hear(self, ref: Any, task: _Task) -> Iterator[BlockResult | LostBlock]:
        """Take what a task brings."""
        try:
            reply = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise _strange(error, task.node) from None
        except self._ray.exceptions.RayError as error:
            yield from self._bury(task, error)
            return
        if task.node.doubted:
            task.node.doubted = False
        if task.probe:
            return
        said, what = reply
        if said == "mistake":
            raise UserError(what)
        if said == "failed":
            raise ArenaError(f"a worker failed:\n{what}")
        task.node.ready, self._in_vain = True, 0
        for result, seconds in what:
            self._pace.learn(result, seconds)
            if result.block in self._open:
                del self._open[result.block]
                yield result

    def _bury(self, task: _Task, error: Exception) -> Iterator[LostBlock]:
        """Take a dead worker's blocks back, or set one aside; its node may be dead too, which shows later."""
        node, exceptions = task.node, self._ray.exceptions
        self._doubt(node)
        if task.probe:
            return
        if not isinstance(error, exceptions.WorkerCrashedError | exceptions.OutOfMemoryError):
            self._in_vain += 1
            if self._in_vain > MOST_IN_VAIN:
                raise ArenaError(f"the cluster plays nothing any more: {error}")
            self._give_back(task)
            return
        if not task.blocks:
            node.failed_starts += 1
            if not node.ready and node.failed_starts >= TRIES * node.slots:
                raise ArenaError(f"workers die as they start, on {node.name}")
            self._submit(node, ())
            return
        for block in task.blocks:
            deaths = self._deaths.setdefault(block, [])
            deaths.append(node)
            if block not in self._open:
                continue
            if sum(self._nodes.get(one.id) is one for one in deaths) < TRIES:
                self._waiting.alone.append(block)
            else:
                del self._open[block]
                yield LostBlock(block, f"its worker died {TRIES} times, on {node.name}")

    def _give_back(self, task: _Task) -> None:
        """Have a task's blocks played by somebody else."""
        if not task.copied:
            task.copied = True
            self._waiting.rest.extendleft(block for block in reversed(task.blocks) if block in self._open)

    def _chase(self) -> None:
        """Doubt the nodes of tasks that are overdue, and give those of silent nodes to others as well."""
        now = monotonic()
        for task in [task for task in self._tasks.values() if now > task.due]:
            task.overdue += 1
            if task.overdue == 1 and not task.node.doubted:
                self._doubt(task.node)
                task.due = now + PATIENCE.answer_s
                continue
            if task.node.doubted and not task.copied and task.blocks:
                self._report(f"node {task.node.name} does not answer; what it has is played elsewhere too")
            if task.node.doubted or task.overdue > TRIES:
                self._give_back(task)
            task.span *= 2
            task.due = now + task.span


def _shares(processors: dict[str, int], most: int | None) -> dict[str, int]:
    """Return how many tasks each node plays at the same time: one a processor, evenly cut if fewer are wanted."""
    if most is None:
        return processors
    shares = dict.fromkeys(processors, 0)
    while sum(shares.values()) < most:
        free = [id_ for id_ in shares if shares[id_] < processors[id_]]
        if not free:
            break
        shares[min(free, key=lambda id_: shares[id_])] += 1
    return shares


def _strange(error: Exception, node: _Node) -> ArenaError:
    """Return what it means that a task could not even begin."""
    if "No module named 'arena" in str(error):
        return UserError(f"the arena is not installed on {node.name}, or is another: install the same on every node")
    return ArenaError(f"a worker failed on {node.name}:\n{error}")


def play_ray(
    job: Job,
    blocks: Sequence[Block],
    stopped: Callable[[], bool],
    *,
    workers: int | None = None,
    address: str = DEFAULT_ADDRESS,
    tell: Tell = nobody,
) -> Generator[BlockResult | LostBlock, None, None]:
    """Play blocks on a Ray cluster.

    Args:
        job: the run.
        blocks: what to play; the order in which results come is not theirs.
        stopped: asked several times a second; True ends the playing, and unfinished blocks are dropped.
        workers: blocks that are played at the same time at most; None for one a processor.
        address: of the cluster, see `Cluster`.
        tell: is told who plays.

    Yields:
        A result a block, or the block that was set aside.

    Raises:
        UserError: if there is no cluster, a node has another arena, or a bot does not load there.
        ArenaError: if workers die before they play anything.
    """
    with hushed(), Cluster(address, workers) as cluster:
        there = job if cluster.local else replace(job, folder=None)  # other machines have no such folder
        foreman = Foreman(cluster, there, blocks, workers, tell)
        try:
            while foreman.busy and not stopped():
                yield from foreman.results()
        finally:
            foreman.close()
