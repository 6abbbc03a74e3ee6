"""A worker that dies costs its block one more try, then the block; never the run."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, ClassVar

import pytest
from deadly import HAND, deadly_blocks
from leagues import ROOT, Console, block_ranges, bot, play_league, write_tournament

from arena import pipeline
from arena.agent.standstill import Standstill
from arena.errors import NoProcessError, UserError
from arena.records import Block, BlockResult, LostBlock
from arena.store import Store
from arena.tournament import processes
from arena.tournament.work import Job, Worker

MIRRORS = 96
LEAGUE: dict[str, Any] = {
    "agents": ["collector", bot("dies.py", "dies", hand=HAND), "greedy"],
    "games": 2 * MIRRORS,
}


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that says how the bot dies."""
    path = tmp_path / "orders"
    monkeypatch.setenv("ORDERS", str(path))
    return path


def test_a_bot_that_kills_its_worker(orders: Path, tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, **LEAGUE)
    deadly, others = deadly_blocks(file, tmp_path / "run")
    assert deadly
    assert len(others) > len(deadly)
    kept = sum(block.games for block in others)
    orders.write_text("exit")
    command = ("run", file, "--run-dir", "run", "--out", "out", "--workers", 2)
    for _ in range(2):  # another run tries them again, and loses them again
        run = arena(*command, cwd=tmp_path)
        assert run.code == 1
        assert run.out == ""
        aside = [line for line in run.err.splitlines() if line.startswith("set aside: ")]
        told = [f"set aside: {block}: its worker died 2 times, with exit code 3" for block in deadly]
        assert sorted(aside) == sorted(told)
        assert f"unfinished: {kept} of {6 * MIRRORS} games are kept in run" in run.err
        assert "Traceback" not in run.err
        assert not (tmp_path / "out").exists()
        stored = {(series, *cut) for series, cuts in block_ranges(tmp_path / "run").items() for cut in cuts}
        assert stored == {(block.series, block.first, block.stop) for block in others}

    orders.write_text("live")
    run = arena(*command, cwd=tmp_path)
    assert run.code == 0, run.err
    assert f"{kept} of them played before" in run.err
    assert run.lines[-1] == f"digest {play_league(file, tmp_path / 'sane').digest}"


@pytest.mark.parametrize(("order", "told"), [("kill", "SIGKILL"), ("real-time", "signal 40")])
def test_a_bot_that_gets_its_worker_killed(order: str, told: str, orders: Path, tmp_path: Path) -> None:
    file = write_tournament(tmp_path, **LEAGUE)
    deadly, others = deadly_blocks(file, tmp_path / "run")
    orders.write_text(order)
    with Store(tmp_path / "run") as store:
        plan = pipeline.plan(pipeline.load(file), store)
        results = list(pipeline.play(plan, store, backend="processes", workers=1))
    lost = [result for result in results if isinstance(result, LostBlock)]
    assert lost == [LostBlock(block, f"its worker died 2 times, killed by {told}") for block in deadly]
    assert sorted(str(one.block) for one in results) == sorted(str(block) for block in deadly + others)


def test_a_worker_that_dies_once_costs_nothing(orders: Path, tmp_path: Path) -> None:
    """The block is tried again in a fresh worker; the bot here obeys its orders once, and rewrites them."""
    dying = tmp_path / "dies_once.py"
    dying.write_text(
        "import os\nfrom pathlib import Path\n"
        "def hold(turn):\n"
        "    orders = Path(os.environ['ORDERS'])\n"
        f"    if turn.dice == {HAND} and orders.exists():\n"
        "        orders.unlink()\n"
        "        os._exit(3)\n"
        "    return turn.dice\n"
        "def choose_row(turn):\n"
        "    return turn.open_rows[0]\n"
    )
    orders.touch()
    file = write_tournament(tmp_path, agents=["greedy", "collector", {"path": "dies_once.py"}], games=2 * MIRRORS)
    played = play_league(file, tmp_path, backend="processes", workers=2)
    assert not orders.exists()
    assert played.digest == play_league(file, tmp_path / "again").digest


def test_workers_that_die_as_they_start(tmp_path: Path, arena: Console) -> None:
    """They are not replaced for ever; the store stays usable."""
    file = write_tournament(tmp_path, agents=["greedy", bot("dies_in_worker.py", "dies")])
    run = arena.process("run", file, "--workers", "2", cwd=tmp_path)
    assert run.code == 1
    assert run.out == ""
    assert run.err.splitlines()[-1].endswith("workers die as they start, with exit code 5")
    assert not (tmp_path / "leaderboard").exists()
    with Store(tmp_path / "runs" / "small") as store:
        assert len(pipeline.plan(pipeline.load(file), store).missing) == 1


def test_a_bot_that_changes_while_it_plays_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "mine.py"
    bad.write_text("def hold(turn):\n    return turn.dice\ndef choose_row(turn):\n    return turn.open_rows[0]\n")
    tournament = pipeline.load(write_tournament(tmp_path, agents=["greedy", {"path": "mine.py"}]))
    bad.write_text(bad.read_text() + "\n")
    with Store(tmp_path / "run") as store:
        plan = pipeline.plan(tournament, store)
        with pytest.raises(UserError, match=r"mine\.py: changed while the tournament was running"):
            list(pipeline.play(plan, store, backend="processes", workers=1))


def test_stopping_ends_the_playing_and_keeps_what_is_stored(tmp_path: Path) -> None:
    tournament = pipeline.load(write_tournament(tmp_path, **LEAGUE))
    for backend in ("serial", "processes"):
        with Store(tmp_path / backend) as store:
            plan = pipeline.plan(tournament, store)
            heard: list[BlockResult | LostBlock] = []
            playing = pipeline.play(plan, store, backend=backend, workers=1, stopped=lambda: len(heard) >= 2)  # noqa: B023 - called within the loop
            for result in playing:
                heard.append(result)
            assert 2 <= len(heard) < len(plan.missing)
            missing = pipeline.plan(tournament, store).missing
            assert len(missing) == len(plan.missing) - len(heard)


class Scripted:
    """A worker that the test speaks for; there is no room for a third one."""

    made: ClassVar[list[Scripted]] = []

    def __init__(self, job: Job) -> None:
        if len(self.made) == 2:
            raise NoProcessError("no room")
        self.pipe, self.theirs = Pipe()
        self.block: Block | None = None
        self.ready, self.unable = False, None
        self.standstill = Standstill(os.getpid())
        self.made.append(self)

    def give(self, block: Block) -> None:
        self.block = block

    def hear(self) -> Any:
        try:
            return self.pipe.recv()
        except EOFError:
            return None

    def stop(self) -> str:
        self.pipe.close()
        return "by the test"


def test_a_block_that_comes_back_goes_to_who_is_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is no room for another worker in the dead one's place."""
    monkeypatch.setattr(processes, "_Worker", Scripted)
    monkeypatch.setattr(Scripted, "made", [])
    names = "greedy", "ladder", "random"
    tournament = pipeline.load(write_tournament(tmp_path, agents=list(names), schedule={"gauntlet": ["random"]}))
    with Store(tmp_path / "run") as store:
        blocks = pipeline.plan(tournament, store).missing
    refs = {ref.name: ref for ref in tournament.agents}
    job = Job(1, {ruleset.hash: ruleset for ruleset in tournament.rulesets}, refs, tmp_path)
    supervisor = processes.Supervisor(job, blocks, 2)
    assert list(supervisor.results()) == []
    one, other = Scripted.made
    for worker, block in zip(Scripted.made, blocks, strict=True):
        worker.theirs.send(processes._Ready())
        assert list(supervisor.results()) == []
        assert worker.block == block
    with closing(Worker(job)) as plays:
        one.theirs.send(plays.play(blocks[0]))
    assert [result.block for result in supervisor.results()] == [blocks[0]]
    assert one.block is None
    other.theirs.close()
    for _ in ("it is buried", "its block is given"):
        assert list(supervisor.results()) == []
        assert supervisor.busy
    assert one.block == blocks[1]
    for worker in Scripted.made:
        worker.theirs.close()
        worker.pipe.close()


FIRST_WORKER = """
import signal
import subprocess
import sys
from pathlib import Path
from arena.tournament import processes
from arena.tournament.work import Job

if __name__ == "__main__":
    for _ in range(2):
        worker = processes._Worker(Job(1, {}, {}))
        lines = Path(f"/proc/{worker.process.pid}/status").read_text().splitlines()
        masks = dict(line.split(":") for line in lines if line.startswith(("SigBlk", "SigIgn")))
        print([bool(int(mask, 16) & 1 << signal.SIGINT - 1) for mask in masks.values()])
        worker.stop()
    print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes in /proc")
def test_workers_hear_no_ctrl_c_from_their_first_moment_on(tmp_path: Path) -> None:
    """The first one of a process too; whoever starts them hears it again afterwards."""
    program = tmp_path / "first.py"
    program.write_text(FIRST_WORKER)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True, cwd=ROOT)
    *workers, mask = done.stdout.splitlines()
    assert len(workers) == 2
    assert all("True" in worker for worker in workers)
    assert mask == "set()"
