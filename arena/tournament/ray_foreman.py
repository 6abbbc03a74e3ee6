"""The backend of a Ray cluster: hands out tasks of several blocks, and loses none to dead or silent nodes.

Tasks are given to nodes by name and never tried again by Ray itself, so that it is known here who has what. A task
that is overdue is given to another node as well. Results are taken by block, the first one of each: so delivery may
happen more than once.
"""

from __future__ import annotations

import pickle
import secrets
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic, sleep
from typing import Any

from arena.errors import ArenaError, StarterGoneError, UserError
from arena.records import Block, BlockResult, LostBlock
from arena.tournament.cargo import load_cargo
from arena.tournament.crew import Crew, Tell, nobody
from arena.tournament.pace import Pace
from arena.tournament.ray_address import DEFAULT_ADDRESS, Address
from arena.tournament.ray_cluster import NO_ANSWER, Cluster, hushed, is_lost
from arena.tournament.ray_nodes import PATIENCE, Node, Patience, Task, shares, short
from arena.tournament.ray_waiting import AHEAD, Waiting
from arena.tournament.ray_worker import answer, build, play_blocks
from arena.tournament.tries import MOST_IN_VAIN, TRIES, Tries
from arena.tournament.work import Job

MOST_LOST = 10
"""Tasks a slot, one after the other, that a node has lost through no fault of theirs before the run ends."""
LOOK_UP_S = 0.1
NODES_EVERY_S = 1.0


class Foreman:
    """Hands blocks to the nodes of a cluster.

    Args:
        cluster: the connection.
        job: the run.
        blocks: what to play.
        workers: tasks that are played at the same time at most; None for one a processor.
        tell: is told who plays.
        patience: when a task is overdue.
    """

    def __init__(
        self,
        cluster: Cluster,
        job: Job,
        blocks: Sequence[Block],
        workers: int | None,
        tell: Tell,
        patience: Patience = PATIENCE,
    ) -> None:
        self._cluster, self._ray, self._most, self._tell = cluster, cluster.ray, workers, tell
        self._patience = patience
        self._run = secrets.token_hex(8)
        cargo, bundles = load_cargo(job)
        self._cargo = self._ray.put(pickle.dumps(cargo)), {name: self._ray.put(it) for name, it in bundles.items()}
        self._play = self._ray.remote(play_blocks)
        self._answer = self._ray.remote(answer)
        self._open = dict.fromkeys(blocks)
        self._waiting, self._tries = Waiting(blocks), Tries()
        self._nodes: dict[str, Node] = {}
        self._tasks: dict[Any, Task] = {}
        self._pace, self._looked, self._unknown, self._idle = Pace(), 0.0, True, False
        self._gone, self._in_vain = False, 0
        self._failed: ArenaError | None = None

    @property
    def busy(self) -> bool:
        """True while there are blocks without a result, and a cluster that may bring them."""
        return bool(self._open) and not self._gone

    def results(self) -> Iterator[BlockResult | LostBlock]:
        """Wait a moment for tasks, and return what they bring.

        Raises:
            UserError: if a bot does not load, a node has another arena, or a shortage of processes or disk lasts.
            ArenaError: if workers die as they start.
        """
        try:
            yield from self._results()
        except Exception as error:  # Ray has several for it
            if not is_lost(error):
                raise
            self._lose()

    def _results(self) -> Iterator[BlockResult | LostBlock]:
        now = monotonic()
        if now - self._looked >= NODES_EVERY_S:
            self._looked = now
            if self._is_there():
                self._look_at_nodes()
        if self._gone:
            return
        self._hand_out()
        done: list[Any] = []
        if self._tasks:
            done, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=LOOK_UP_S)
        else:  # nobody to play
            sleep(LOOK_UP_S)
        if done:
            done, _ = self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=0)
        for ref in done:
            if task := self._tasks.pop(ref, None):
                yield from self._hear(ref, task)
        self._chase()

    def close(self) -> None:
        """Drop the tasks that are under way, if the cluster is still there."""
        tasks, self._tasks = self._tasks, {}
        if self._gone:  # Ray would end this process
            return
        with suppress(Exception):  # of whatever kind: it would hide why the run ends
            for ref in tasks:
                self._ray.cancel(ref, force=True)

    # ---- nodes

    def _is_there(self) -> bool:
        """Return whether the cluster answers; once it is gone the run is over, before Ray ends this process."""
        if self._cluster.answers():
            return True
        if self._cluster.gone:
            self._lose()
        return False

    def _lose(self) -> None:
        """Know that the cluster is gone."""
        self._gone = True
        self._report(f"{self._cluster.name} {NO_ANSWER}")

    def _look_at_nodes(self) -> None:
        """Learn which nodes have come and gone, and how many slots each has."""
        living = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        gone = [self._nodes.pop(id_) for id_ in list(self._nodes) if id_ not in living]
        slots_of = shares({id_: int(node["Resources"].get("CPU", 0)) for id_, node in living.items()}, self._most)
        new = False
        for id_, slots in slots_of.items():
            if id_ in self._nodes:
                self._nodes[id_].slots = slots
            elif slots:
                self._nodes[id_] = Node(id_, f"{living[id_]['NodeManagerHostname']} ({short(id_)})", slots)
                new = True
        for node in gone:
            for ref, task in [(ref, task) for ref, task in self._tasks.items() if task.node is node]:
                del self._tasks[ref]
                self._give_back(task)
            self._tries.forgive(_on(node))
            self._report(f"lost node {node.name}; what it had is played elsewhere")
        self._need_a_node()
        probed = {task.node.id for task in self._tasks.values() if task.probe}
        for node in self._nodes.values():
            if node.doubted and node.id not in probed:  # the last one was lost
                self._probe(node)
        if self._unknown:
            self._report(f"playing on {self._cluster.name}")
            self._unknown = False
        elif new:
            self._report()
        idle = not any(node.slots for node in self._nodes.values())
        if idle and not self._idle:
            self._report("no node has processors; waiting for one")
        self._idle = idle

    def _report(self, news: str = "") -> None:
        nodes = self._nodes.values()
        self._tell(Crew(len(nodes), sum(node.workers for node in nodes), news))

    def _doubt(self, node: Node) -> None:
        """Give a node no more until it shows that it is there."""
        if node.doubted:
            return
        node.doubted = True
        self._probe(node)
        for task in self._tasks_of(node):
            task.due = min(task.due, monotonic() + self._patience.answer_s)

    def _probe(self, node: Node) -> None:
        """Send a task that takes no time and no processor."""
        seconds = self._patience.answer_s
        ref = self._answer.options(**self._cluster.on(node.id, num_cpus=0)).remote()
        self._tasks[ref] = Task(node, (), monotonic() + seconds, seconds, probe=True)

    def _tasks_of(self, node: Node) -> list[Task]:
        return [task for task in self._tasks.values() if task.node is node]

    # ---- handing out

    def _hand_out(self) -> None:
        """Give every node that is there as many tasks as it should have; at first one a slot to make ready."""
        starting = Counter(task.node.id for task in self._tasks.values() if task.starts)
        for node in self._nodes.values():
            if not node.doubted and not node.spent:
                for _ in range(node.slots - node.ready - starting[node.id]):
                    self._submit(node, ())
        load = Counter(task.node.id for task in self._tasks.values() if not task.probe)
        slots = sum(node.slots for node in self._nodes.values())
        ahead = AHEAD if self._most is None else 1
        for number in range(ahead):
            for node in self._nodes.values():
                while node.ready and not node.doubted and load[node.id] < node.slots * (number + 1):
                    blocks = self._waiting.take(self._open, self._pace, slots)
                    if not blocks:
                        return
                    self._submit(node, blocks)
                    load[node.id] += 1

    def _submit(self, node: Node, blocks: tuple[Block, ...]) -> None:
        ref = self._play.options(**self._cluster.on(node.id, num_cpus=1)).remote(
            build(), self._run, self._cargo, pickle.dumps(blocks)
        )
        span = self._patience.span([self._pace.seconds(block) for block in blocks] or [None])
        self._tasks[ref] = Task(node, blocks, monotonic() + span, span)

    # ---- hearing

    def _hear(self, ref: Any, task: Task) -> Iterator[BlockResult | LostBlock]:
        """Take what a task brings."""
        try:
            reply = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise _strange(error, task.node) from None
        except self._ray.exceptions.RayError as error:
            yield from self._bury(task, error)
            return
        node = task.node
        if task.probe:
            self._there(node)
            return
        said, what = reply
        if said == "mistake":
            raise UserError(what)
        if said == "failed":
            raise ArenaError(f"a worker failed:\n{what}")
        self._there(node)
        node.in_vain = 0
        if said == "unable":
            if task.starts:
                self._could_not_start(node, f", as {what}", type(what)(f"{_on(node)}: {what}"))
            else:
                yield from self._died(task.blocks, f"{_on(node)}, as {what}")
                self._fail(node, what)
            return
        if task.starts:
            before, node.ready, node.failed_starts = node.workers, node.ready + 1, 0
            if node.workers != before:
                self._report()
        for result, seconds in what:
            self._in_vain = 0
            self._pace.learn(result, seconds)
            if result.block in self._open:
                del self._open[result.block]
                yield result

    def _fail(self, node: Node, shortage: UserError) -> None:
        """Count a task that failed for want of processes or disk, and end the run if that lasts."""
        self._in_vain += not isinstance(shortage, StarterGoneError)  # which is by a bot, for all that is known
        if self._in_vain >= MOST_IN_VAIN * sum(one.slots for one in self._nodes.values()):
            raise type(shortage)(f"{_on(node)}: {shortage}")

    def _there(self, node: Node) -> None:
        """Know that a node is there, and tell so if that is new."""
        workers, news = node.workers, f"node {node.name} answers again" if node.silent else ""
        for task in self._tasks_of(node) if node.doubted else ():
            task.due = monotonic() + task.span
            if task.copied:
                task.copied = False
                self._waiting.withdraw(task.blocks)
        node.doubted = node.silent = False
        if node.workers != workers:
            self._report(news)

    def _bury(self, task: Task, error: Exception) -> Iterator[LostBlock]:
        """Take a dead worker's blocks back, or set one aside; its node may be dead too, which shows later."""
        node, exceptions = task.node, self._ray.exceptions
        self._doubt(node)
        if task.probe:
            return
        if not isinstance(error, exceptions.WorkerCrashedError | exceptions.OutOfMemoryError):
            self._looked = 0.0  # the node may be gone
            node.in_vain += 1
            if node.in_vain > MOST_LOST * node.slots:
                raise ArenaError(f"node {node.name} plays nothing: {error}")
            self._give_back(task)
            return
        if task.starts:
            self._could_not_start(node)
        yield from self._died(task.blocks, _on(node))

    def _could_not_start(self, node: Node, why: str = "", shortage: UserError | None = None) -> None:
        """Count a worker that did not become ready; a node that had enough of them is passed over."""
        node.failed_starts += 1
        told = f"workers die as they start, {_on(node)}{why}"
        self._failed = shortage or ArenaError(told)
        if node.failed:
            self._need_a_node()
            if node.failed_starts == TRIES * node.slots:
                self._report(f"{told}; others play")

    def _need_a_node(self) -> None:
        """End the run if workers do not start on any node that has processors."""
        nodes = [node for node in self._nodes.values() if node.slots]
        if self._failed and nodes and all(node.failed for node in nodes):
            raise self._failed

    def _died(self, blocks: Iterable[Block], how: str) -> Iterator[LostBlock]:
        """Have blocks played once more, each alone, or set them aside: their worker could not end them."""
        for block in blocks:
            lost = self._tries.died(block, how)
            if block not in self._open:
                continue
            if lost:
                del self._open[block]
                yield lost
            else:
                self._waiting.put_alone(block)

    def _give_back(self, task: Task) -> None:
        """Have a task's blocks played by somebody else."""
        if not task.copied:
            task.copied = True
            self._waiting.put_back(task.blocks)

    def _chase(self) -> None:
        """Doubt the nodes of tasks that are overdue, and give those of silent nodes to others as well."""
        now = monotonic()
        for task in [task for task in self._tasks.values() if now > task.due]:
            task.overdue += 1
            if task.overdue == 1 and not task.node.doubted:
                self._doubt(task.node)
                task.due = now + self._patience.answer_s
                continue
            if task.node.doubted and not task.node.silent:
                task.node.silent = True
                elsewhere = "; what it has is played elsewhere too" if len(self._nodes) > 1 else ""
                self._report(f"node {task.node.name} does not answer{elsewhere}")
            if task.node.doubted or task.overdue > TRIES:
                self._give_back(task)
            task.span *= 2
            task.due = now + task.span


def _on(node: Node) -> str:
    """Return what is told of where a worker died."""
    return f"on {node.name}"


def _strange(error: Exception, node: Node) -> ArenaError:
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
    address: Address = DEFAULT_ADDRESS,
    tell: Tell = nobody,
    patience: Patience = PATIENCE,
) -> Generator[BlockResult | LostBlock, None, None]:
    """Play blocks on a Ray cluster.

    Args:
        job: the run.
        blocks: what to play; the order in which results come is not theirs.
        stopped: asked several times a second; True ends the playing, and unfinished blocks are dropped.
        workers: blocks that are played at the same time at most; None for one a processor.
        address: of the cluster, see `Cluster`.
        tell: is told who plays.
        patience: when a task is overdue.

    Yields:
        A result a block, or the block that was set aside.

    Raises:
        UserError: if there is no cluster, a node has another arena, or a bot does not load there.
        ArenaError: if workers die before they play anything.
    """
    with hushed(), Cluster(address, workers, stopped) as cluster:
        there = job if cluster.local else replace(job, folder=None)  # other machines have no such folder
        try:
            foreman = Foreman(cluster, there, blocks, workers, tell, patience)
        except Exception as error:
            if not is_lost(error):
                raise
            raise UserError(f"{cluster.name} {NO_ANSWER}") from None
        try:
            while foreman.busy and not stopped():
                yield from foreman.results()
        finally:
            foreman.close()
