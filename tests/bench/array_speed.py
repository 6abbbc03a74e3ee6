"""How fast bots in array form play, from the loaded file to the stored result, and what storing costs."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import yaml

from arena import pipeline
from arena.records import BlockResult
from arena.run_folder import FILE_NAME
from arena.store import Store
from tests.bench.compiled_loop import compiled_games_per_second
from tests.bench.rivals import rivals_per_second

SEED = 20260301


def _tournament(folder: Path, games: int, record: str) -> Path:
    content = {
        **{"name": "speed", "seed": SEED, "rulesets": ["thirteen"], "agents": ["random", "greedy"]},
        **{"games": games, "record": record},
    }
    path = folder / "speed.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def play(games: int, record: str) -> dict[str, float]:
    """Play ``random`` against ``greedy`` in this process; return CPU seconds, bytes a game, and peak memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "warm") as store:  # compiles, or loads what was compiled
            plan = pipeline.plan(pipeline.load(_tournament(folder, 64, record)), store)
            list(pipeline.play(plan, store, backend="serial"))
        with Store(folder / "run") as store:
            began = process_time()
            plan = pipeline.plan(pipeline.load(_tournament(folder, games, record)), store)
            results: list[BlockResult] = []
            for result in pipeline.play(plan, store, backend="serial"):
                if isinstance(result, BlockResult) and len(results) < 8:
                    results.append(result)
            played = process_time() - began
        size = sum(path.stat().st_size for path in (folder / "run").glob(f"{FILE_NAME}*"))
        with Store(folder / "again") as store:
            began = process_time()
            for result in results:
                store.put(result)
            storing = (process_time() - began) / sum(result.block.games for result in results)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"games": games, "seconds": played, "storing": storing, "bytes": size / games, "peak": peak}


def _in_process(games: int, record: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.array_speed", str(games), record]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def array_page(games: int, repeats: int) -> list[str]:
    """Return the lines of the page: games a CPU-second, the compiled limit beside them, and other programs."""
    runs, bare, limits = [], [], []
    for _ in range(repeats):
        runs.append(_in_process(games, "full"))
        bare.append(_in_process(games, "results"))
        limits.append(compiled_games_per_second(games))
    speed, bare_speed = (statistics.median(run["games"] / run["seconds"] for run in some) for some in (runs, bare))
    loss = statistics.median(1 - other["seconds"] / run["seconds"] for run, other in zip(runs, bare, strict=True))
    limit = statistics.median(limits)
    storing = statistics.median(run["storing"] * run["games"] / run["seconds"] for run in runs)
    small = _in_process(10_000, "full")
    lines = [
        "| what | games/s on one core | arena's ratio to it |",
        "| --- | ---: | ---: |",
        f"| the arena, `random` against `greedy` in array form | {speed:,.0f} | |",
        f"| the same with `record: results` | {bare_speed:,.0f} | {speed / bare_speed:.2f} |",
        f"| a compiled loop of the same games, without bots, checks and store | {limit:,.0f} | {speed / limit:.2f} |",
    ]
    for name, rate in rivals_per_second().items():
        shown = ("not to be had here", "") if rate is None else (f"{rate:,.0f}", f"{speed / rate:,.0f}")
        lines.append(f"| {name} | {shown[0]} | {shown[1]} |")
    large = runs[-1]  # the first may have compiled
    return [
        *lines,
        "",
        f"Storing takes {storing:.1%} of the time (aim: 15% at most). To keep every decision (`record: full`) takes"
        f" {loss:.1%} (aim: 10% at most), and the file {large['bytes'] / 2:.1f} bytes a seat (aim: 60 at most); with"
        f" `record: results` it has {bare[0]['bytes']:.1f} bytes a game (aim: 10 at most)."
        f" Peak memory: {small['peak']:.0f} MB for 10,000 games, {large['peak']:.0f} MB for {games:,}"
        f" (ratio {large['peak'] / small['peak']:.2f}, aim: 1.10 at most).",
    ]


if __name__ == "__main__":
    print(json.dumps(play(int(sys.argv[1]), sys.argv[2])))
