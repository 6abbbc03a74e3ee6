"""Runs leagues on Ray clusters, in a process of its own that everything dies with, and writes what came of them.

Called with a short folder for everything, and ``apart`` if this is a network and process namespace of its own. Writes
``found.json`` there: by scenario what it found, or the traceback that it ended in.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from multiprocessing import resource_tracker
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from gated_league import DEADLY, write_bots, write_league
from leagues import Console, block_ranges, bot, files_in, play_league, write_tournament
from processes import descendants, living
from ray.cluster_utils import Cluster

from arena import pipeline
from arena.records import LostBlock
from arena.store import Store
from arena.tournament import ray_foreman
from arena.tournament.crew import Crew
from arena.tournament.ray_address import why_not
from arena.tournament.ray_foreman import play_ray
from arena.tournament.ray_nodes import PATIENCE, Patience

WAIT_S = 60
BLOCK = 10
"""Mirrors a block: so many blocks that something can happen between them."""
SOON = Patience(times=1, least_s=2, unknown_s=2, answer_s=1)


class Run:
    """One league on one cluster.

    Args:
        folder: for its files.
        file: the tournament.
        address: of the cluster.
        block_size: mirrors a block.
    """

    def __init__(self, folder: Path, file: Path, address: str, block_size: int | None = BLOCK) -> None:
        self.folder, self.file, self.address, self.size = folder, file, address, block_size
        self.crews: list[Crew] = []
        self.came: list[str] = []
        self.lost: list[str] = []

    def play(
        self,
        *,
        stop_after: int | None = None,
        shuffled: int | None = None,
        tell: Callable[[Crew], None] = lambda crew: None,
        at: Callable[[], None] = lambda: None,
        patience: Patience = PATIENCE,
    ) -> None:
        """Play what is missing.

        Args:
            stop_after: how many blocks are enough.
            shuffled: a seed for the order of blocks; None for their own.
            tell: told of the crew.
            at: called after every block.
            patience: when a task is overdue.
        """

        def told(crew: Crew) -> None:
            self.crews.append(crew)
            tell(crew)

        tournament = pipeline.load(self.file)
        with Store(self.folder / "run") as store:
            plan = pipeline.plan(tournament, store, block_size=self.size)
            if shuffled is not None:
                blocks = list(plan.missing)
                random.Random(shuffled).shuffle(blocks)
                plan = replace(plan, missing=tuple(blocks))
            before = len(self.came)
            for result in pipeline.play(
                plan,
                store,
                backend="ray",
                workers=None,
                address=self.address,
                tell=told,
                patience=patience,
                stopped=lambda: len(self.came) - before == stop_after,
            ):
                self.came.append(f"{result.block.ruleset_hash} {result.block}")
                if isinstance(result, LostBlock):
                    self.lost.append(f"{result.block}: {result.reason.partition(', on ')[0]}")
                at()

    def found(self, **more: Any) -> dict[str, Any]:
        """Return what is told of the run, once it is played to its end."""
        tournament = pipeline.load(self.file)
        with Store(self.folder / "run") as store:
            plan = pipeline.plan(tournament, store, block_size=self.size)
            leagues = [] if plan.missing else pipeline.rate(plan, store)
        pipeline.publish(leagues, self.folder / "out")
        return {
            "digest": leagues[0].run_digest if leagues else "",
            "files": {name: content.decode() for name, content in files_in(self.folder / "out").items()},
            "tracebacks": {fault.agent: fault.traceback for league in leagues for fault in league.first_faults},
            "crews": [[crew.nodes, crew.workers] for crew in self.crews],
            "news": [crew.news for crew in self.crews if crew.news],
            "came": self.came,
            "lost": sorted(self.lost),
            "folder": str(self.folder),
            **more,
        }


class Stage:
    """The cluster that the scenarios share, one after the other.

    Args:
        folder: for everything.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.gates = folder, folder / "gates"
        self.gates.mkdir()
        self.cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **self._gated("head")}
        )
        self.address = str(self.cluster.address)

    def add(self, name: str) -> Any:
        """Add a node, whose gated bots wait for a file of its name."""
        return self.cluster.add_node(num_cpus=1, **self._gated(name))

    def _gated(self, name: str) -> dict[str, Any]:
        return {"env_vars": {"GATE": str(self.gates / name)}}

    def run(self, name: str) -> Run:
        """Return a run of the gated league."""
        folder = self.folder / name
        return Run(folder, write_league(folder), self.address)

    def seen(self) -> list[str]:
        """Return which nodes have played the gated bot since this was last asked."""
        found = sorted(self.gates.glob("*.reached"))
        for path in found:
            path.unlink()
        return [path.stem for path in found]


def two_nodes(stage: Stage) -> dict[str, Any]:
    """Stopped and gone on with, in another order of blocks; the bots' sources are gone once the playing has begun."""
    second = stage.add("second")
    for name in ("head", "second"):
        (stage.gates / name).touch()
    run = stage.run("two")
    run.play(stop_after=5, shuffled=1)
    begun = len(run.came)

    def hide(crew: Crew) -> None:
        shutil.rmtree(run.folder / "bots", ignore_errors=True)

    both: list[str] = []
    run.play(shuffled=2, tell=hide, at=lambda: both.extend(stage.seen()))
    hidden = not (run.folder / "bots").exists()
    write_bots(run.folder)
    stage.seen()
    (stage.gates / "second").unlink()
    stage.second = second
    return run.found(begun=begun, seen=sorted(set(both)), hidden=hidden)


AT_THE_GATE_S = 60
"""A node that is to be lost has begun a task by then."""


def lose_a_node(stage: Stage, name: str, node: str, lose: Callable[[], None], patience: Patience = PATIENCE) -> Run:
    """Play, and lose the second node once it has tasks that it cannot end; the first one begins only then."""
    (stage.gates / "head").unlink()
    stage.seen()
    run, gone = stage.run(name), False

    def open_when_both_are_ready(crew: Crew) -> None:
        if crew.workers == 2:
            (stage.gates / "head").touch()

    def lose_once() -> None:
        nonlocal gone
        if not gone:
            gone = True
            deadline = monotonic() + AT_THE_GATE_S
            while not (stage.gates / f"{node}.reached").exists() and monotonic() < deadline:
                sleep(0.02)
            lose()

    run.play(tell=open_when_both_are_ready, at=lose_once, patience=patience)
    return run


def killed_node(stage: Stage) -> dict[str, Any]:
    run = lose_a_node(stage, "killed", "second", lambda: stage.cluster.remove_node(stage.second, allow_graceful=False))
    return run.found()


def frozen_node(stage: Stage) -> dict[str, Any]:
    third = stage.add("third")
    raylet = third.all_processes["raylet"][0].process.pid
    frozen = [raylet, *descendants(raylet)]

    def freeze() -> None:
        frozen[:] = [raylet, *descendants(raylet)]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)

    run = lose_a_node(stage, "frozen", "third", freeze, SOON)
    states = {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in frozen}
    for pid in frozen:
        os.kill(pid, signal.SIGKILL)
    return run.found(states=sorted(states), at_the_gate=stage.seen())


def killed_workers(stage: Stage) -> dict[str, Any]:
    """A bot that kills its worker on one hand, and later does not any more."""
    orders = stage.folder / "orders"
    orders.write_text("kill")
    folder = stage.folder / "deadly"
    run = Run(folder, write_tournament(folder, **DEADLY), stage.address, None)
    run.play()
    kept, lost = block_ranges(folder / "run"), run.lost
    orders.write_text("live")
    run.lost = []
    run.play()
    return run.found(kept=sorted([series, *cut] for series, cuts in kept.items() for cut in cuts), deadly=sorted(lost))


def mistakes(stage: Stage) -> dict[str, Any]:
    """A bot that does not load in a worker, a worker of another arena, and no cluster."""
    folder = stage.folder / "mistakes"
    bad = folder / "in_worker.py"
    file = write_tournament(folder, agents=["greedy", {"name": "bad", "path": bad.name, "isolation": "inline"}])
    bad.write_text(
        "import os\n"
        "if 'GATE' in os.environ:\n"
        "    raise ValueError('not here')\n"
        "def hold(turn):\n"
        "    return turn.dice\n"
        "def choose_row(turn):\n"
        "    return turn.open_rows[0]\n"
    )
    said = {"file": str(bad), "load": _mistake(Run(folder, file, stage.address).play)}
    playing, pipeline.play_ray_apart = pipeline.play_ray_apart, play_ray  # here, where another arena can be played
    build, ray_foreman.build = ray_foreman.build, lambda: "0 (other)"
    said["other"] = _mistake(Run(folder, file, stage.address).play)
    ray_foreman.build, pipeline.play_ray_apart = build, playing
    said["nowhere"] = _mistake(Run(folder, file, "127.0.0.1:1").play)
    return said


def _mistake(call: Callable[[], object]) -> str:
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def of_the_command(stage: Stage) -> dict[str, Any]:
    """`arena run` on its own local cluster: stopped by Ctrl-C, left by its head, killed, then ended on the stage's."""
    folder = stage.folder / "command"
    temporary = stage.folder / "t"
    temporary.mkdir()
    gated = {**bot("gated.py", "z"), "isolation": "inline"}  # the last by name: blocks without it come first
    file = write_tournament(folder, agents=["collector", gated, "greedy"], rulesets=["two-stage"], games=200)
    gate = folder / "gate"
    imported = folder / "imported"
    (folder / "difflib.py").write_text(f"open({str(imported)!r}, 'w').close()\nraise SystemExit\n", encoding="utf-8")
    found: dict[str, Any] = {}
    arena = Console()
    command = ("run", file, "--backend", "ray", "--workers", "1", "--run-dir", "run", "--out", "out")

    def stored() -> int:
        return sum(map(len, block_ranges(folder / "run").values()))

    for ending in ("interrupted", "headless", "killed"):
        before = stored()
        with arena.start(
            *command,
            "--address",
            "local",
            cwd=folder,
            GATE=str(gate),
            TMPDIR=str(temporary),
            RAY_TMPDIR=str(temporary),
        ) as run:
            wait_until(lambda: stored() and list(folder.glob("gate.*")), run)
            family = descendants(run.pid)
            if ending == "interrupted":
                os.killpg(run.pid, signal.SIGINT)
            elif ending == "headless":
                kill(pid for pid in family if Path(f"/proc/{pid}/exe").resolve().name in HEAD)
            else:
                apart = {word: [pid for pid in family if word in command_of(pid)] for word in APART}
                found["apart"] = {word: len(pids) for word, pids in apart.items()}
                for pid in (pid for pids in apart.values() for pid in pids):  # as a bot at `process` can
                    os.kill(pid, signal.SIGSTOP)
                run.kill()
            out, err = run.communicate(timeout=2 * WAIT_S)
        wait_until(lambda family=family: not living(sorted(family)))
        for path in folder.glob("gate.*"):
            path.unlink()
        left = sorted(path.name for path in temporary.iterdir())
        found[ending] = {"code": run.returncode, "out": out, "err": err, "left": left, "family": len(family)}
        found[ending]["blocks"] = [before, stored()]
        shutil.rmtree(temporary)
        temporary.mkdir()
    gate.touch()
    ended = arena.process(*command, cwd=folder, GATE=str(gate))
    found["ended"] = {"code": ended.code, "out": ended.out, "err": ended.err}
    return {**found, "digest": play_league(file, folder / "here").digest, "imported": imported.exists()}


HEAD = "gcs_server", "raylet"
"""The programs without which there is no cluster."""
APART = "spawn_main", "ray_warden"
"""What stands in the commands of what speaks with Ray; of what keeps the cluster, and of what starts it."""
RAY_COULD_NOT_START = "Starting Ray client server failed"
TRIES_OF_A_SERVER = 5


def of_a_client(stage: Stage) -> dict[str, Any]:
    """`arena run` with an address of ``ray://``: the other end is lost in the midst of it, and then it goes on."""
    folder = stage.folder / "client"
    gated = {**bot("gated.py", "z"), "isolation": "inline"}  # the last by name: blocks without it come first
    file = write_tournament(folder, agents=["collector", gated, "greedy"], rulesets=["two-stage"], games=200)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"ray://127.0.0.1:{port}"
    server = [sys.executable, "-m", "ray.util.client.server", "--mode", "proxy", "--host", "127.0.0.1", "--port", port]
    (stage.gates / "head").unlink()
    stage.seen()
    found: dict[str, Any] = {}
    arena = Console()
    command = ("run", file, "--backend", "ray", "--address", address, "--run-dir", "run", "--out", "out")

    def play(until: Callable[[], Any]) -> dict[str, Any]:
        """Play until something is so, when the other end is lost, or to the end."""
        with subprocess.Popen(
            [*server, "--address", stage.address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GRPC_ENABLE_FORK_SUPPORT": "0"},
        ) as serving:
            wait_until(lambda: why_not(address) is None)
            with arena.start(*command, cwd=folder, RAY_CLIENT_RECONNECT_GRACE_PERIOD="1") as run:
                wait_until(lambda: run.poll() is not None or until())
                if run.poll() is None:
                    kill([serving.pid, *descendants(serving.pid)])
                out, err = run.communicate(timeout=WAIT_S)
            kill([serving.pid, *descendants(serving.pid)])
        return {"code": run.returncode, "out": out, "err": err}

    def both_ends_start(until: Callable[[], Any]) -> dict[str, Any]:
        """Play again where the other end could not start what answers a client: a machine may be that busy."""
        for _ in range(TRIES_OF_A_SERVER):
            told = play(until)
            if RAY_COULD_NOT_START not in told["err"]:
                break
        return told

    found["lost"] = both_ends_start(lambda: block_ranges(folder / "run") and list(stage.gates.glob("head.*")))
    (stage.gates / "head").touch()
    found["ended"] = both_ends_start(lambda: False)
    return {**found, "address": address, "digest": play_league(file, folder / "here").digest}


def command_of(pid: int) -> str:
    """Return a process's command; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_until(condition: Callable[[], Any], run: Any = None) -> None:
    deadline = monotonic() + WAIT_S
    while not condition():
        assert monotonic() < deadline, "it never came"
        assert run is None or run.poll() is None, run.communicate()
        time.sleep(0.01)


def loopback_up() -> None:
    """Switch the loopback of a new network namespace on."""
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sH", b"lo", 0).ljust(40, b"\0")
        [flags] = struct.unpack_from("H", fcntl.ioctl(any_socket, get_flags, asked), 16)
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH", b"lo", flags | up).ljust(40, b"\0"))


SCENARIOS = (two_nodes, killed_node, frozen_node, killed_workers, mistakes, of_the_command, of_a_client)


def main() -> None:
    folder, apart = Path(sys.argv[1]), sys.argv[2:] == ["apart"]
    if apart:
        loopback_up()
    os.environ["RAY_TMPDIR"] = str(folder)
    os.environ["ORDERS"] = str(folder / "orders")
    (folder / "orders").write_text("live")
    found: dict[str, Any] = {}
    began = monotonic()
    stage = Stage(folder)
    for scenario in SCENARIOS:
        try:
            found[scenario.__name__] = scenario(stage)
        except BaseException:
            found[scenario.__name__] = {"broken": traceback.format_exc()}
            for name in ("head", "second", "third"):  # what is still held back would hold the next one back
                (stage.gates / name).touch()
        found[scenario.__name__]["seconds"], began = monotonic() - began, monotonic()
    stage.cluster.shutdown()
    ours = {"1", str(resource_tracker._resource_tracker._pid)}  # who keeps this one's semaphores ends with it
    found["left"] = (
        living([int(path.name) for path in Path("/proc").glob("[0-9]*") if path.name not in ours]) if apart else []
    )
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
