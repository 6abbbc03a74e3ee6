"""A bot that ends or stops what starts bots costs its own blocks, never the run; what others play is kept."""

from __future__ import annotations

import pickle
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from leagues import Console, block_ranges, play_league, write_tournament

from arena import pipeline
from arena.agent import nursery, standstill
from arena.agent.zygote import GONE
from arena.errors import StarterGoneError
from arena.records import Block
from arena.store import Store
from arena.tournament import ray_worker
from arena.tournament.cargo import load_cargo
from arena.tournament.ray_worker import build, play_blocks
from arena.tournament.work import Job

BOT = """
import os, signal
from pathlib import Path

def hold(turn):
    if Path({orders!r}).exists():
        os.kill({whom}, signal.{sign})
        signal.pause()
    return turn.dice

def choose_row(turn):
    return turn.open_rows[0]
"""

LEAGUE: dict[str, Any] = {
    "agents": ["greedy", *({"path": name, "isolation": "process"} for name in ("ends.py", "usual.py"))],
    "games": 4,
}


STARTER, WORKER = "os.getppid()", "int(Path(f'/proc/{os.getppid()}/stat').read_text().rpartition(')')[2].split()[1])"


def write_bot(path: Path, orders: Path = Path("/nowhere"), *, whom: str = STARTER, sign: str = "SIGKILL") -> None:
    path.write_text(BOT.format(orders=str(orders), whom=whom, sign=sign))


def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it be known at once, in this process, when another stands still."""
    monkeypatch.setattr(standstill, "STANDING_S", 0.2)
    monkeypatch.setattr(nursery, "LOOK_S", 0.1)


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """The bot does what it should not while this file is there."""
    (tmp_path / "orders").touch()
    return tmp_path / "orders"


@pytest.fixture
def file(orders: Path, tmp_path: Path) -> Path:
    """A tournament of one such bot and two others, of which one needs processes too."""
    write_bot(tmp_path / "ends.py", orders)
    write_bot(tmp_path / "usual.py")
    return write_tournament(tmp_path, **LEAGUE)


@pytest.fixture
def blocks(file: Path, tmp_path: Path) -> dict[str, Block]:
    """The tournament's blocks, by who plays."""
    with Store(tmp_path / "other") as store:
        missing = pipeline.plan(pipeline.load(file), store).missing
    return {" - ".join(entrant.name for entrant in block.entrants): block for block in missing}


def stored(run_dir: Path) -> set[str]:
    return set(block_ranges(run_dir))


@pytest.mark.parametrize(
    ("whom", "sign", "why"),
    [
        (STARTER, "SIGKILL", f"as {GONE}"),
        (WORKER, "SIGSTOP", "as it was stopped for 5 seconds"),
    ],
    ids=["starter ended", "worker stopped"],
)
def test_in_workers(
    whom: str,
    sign: str,
    why: str,
    file: Path,
    orders: Path,
    blocks: dict[str, Block],
    arena: Console,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its block is tried once more, then set aside."""
    soon(monkeypatch)
    write_bot(tmp_path / "ends.py", orders, whom=whom, sign=sign)
    write_tournament(tmp_path, **LEAGUE, schedule={"gauntlet": ["greedy"]})
    command = ("run", file, "--run-dir", "run", "--workers", 1)
    run = arena(*command, cwd=tmp_path)
    assert run.code == 1
    assert "Traceback" not in run.err + capfd.readouterr().err  # of the command, and of its workers
    aside = {line for line in run.err.splitlines() if line.startswith("set aside: ")}
    assert aside == {f"set aside: {blocks['ends - greedy']}: its worker died 2 times, {why}"}
    assert stored(tmp_path / "run") == {blocks["greedy - usual"].series}
    orders.unlink()
    run = arena(*command[:-2], "--backend", "serial", cwd=tmp_path)
    assert run.code == 0, run.err
    assert run.lines[-1] == f"digest {play_league(file, tmp_path / 'sane').digest}"


@pytest.mark.parametrize("sign", ["SIGKILL", "SIGSTOP"])
def test_without_workers(
    sign: str,
    file: Path,
    orders: Path,
    blocks: dict[str, Block],
    arena: Console,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run ends with a line that says when, and goes on from what is kept."""
    soon(monkeypatch)
    write_bot(tmp_path / "ends.py", orders, sign=sign)
    orders.unlink()
    command = ("run", file, "--run-dir", "run", "--backend", "serial")
    run = arena(*command, "--games", 2, cwd=tmp_path)
    assert run.code == 0, run.err
    kept = block_ranges(tmp_path / "run")
    orders.touch()
    run = arena(*command, cwd=tmp_path)
    assert run.code == 1
    assert run.out == ""
    first = next(block for names, block in blocks.items() if "ends" in names)
    told = [line for line in run.err.splitlines() if line.startswith("error: ")]
    assert told == [f"error: {first.entrants[0].name} - {first.entrants[1].name}, dice sets 1 to 1: {GONE}"]
    assert "Traceback" not in run.err
    assert block_ranges(tmp_path / "run") == kept


def test_in_a_worker_of_ray(
    file: Path, blocks: dict[str, Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no failure of the worker's, and another block that comes there is played."""
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(get=lambda ref: ref))
    monkeypatch.setattr(ray_worker, "_settle_in", lambda: None)
    folder = tmp_path / "node"
    folder.mkdir()
    tournament = pipeline.load(file)
    cargo, bundles = load_cargo(
        Job(
            tournament.seed or 0,
            {ruleset.hash: ruleset for ruleset in tournament.rulesets},
            {ref.name: ref for ref in tournament.agents},
            folder,
            tournament.limits,
        )
    )

    def told(names: str) -> tuple[str, object]:
        return play_blocks(build(), "run", (pickle.dumps(cargo), bundles), pickle.dumps([blocks[names]]))

    try:
        for names in ("ends - greedy", "ends - usual"):
            said, why = told(names)
            assert (said, type(why), str(why)) == ("unable", StarterGoneError, GONE)
            said, played = told("greedy - usual")
            assert said == "played", played
    finally:
        if ray_worker._Kept.here is not None:
            ray_worker._Kept.here.close()
            ray_worker._Kept.here = None
    assert not list(folder.glob("worker-*"))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_while_it_is_loaded(
    sign: signal.Signals, arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it is known who does it, and it loses its games as others do that cannot be loaded."""
    soon(monkeypatch)
    bots = tmp_path / "bots"
    bots.mkdir()
    write_bot(bots / "usual.py")
    (bots / "ends.py").write_text(f"import os\nos.kill(os.getppid(), {sign:d})\n" + (bots / "usual.py").read_text())
    how = {"isolation": "process", "games": 2, "agents": ["greedy", {"glob": "bots/*"}]}
    file = write_tournament(tmp_path, **how)
    refused = arena("run", file, cwd=tmp_path)
    assert refused.code == 2
    assert refused.err.splitlines()[-1].endswith(f"ends.py: cannot be loaded: {GONE}")
    run = arena("run", write_tournament(tmp_path, **how, strict=False), "--backend", "serial", cwd=tmp_path)
    assert run.code == 0, run
    told = arena("faults", "small", "--bot", "ends", cwd=tmp_path)
    assert GONE in told.out
    assert "start" in told.out
    assert arena("faults", "small", "--bot", "usual", cwd=tmp_path).lines == ["no faults of these in 6 games"]
