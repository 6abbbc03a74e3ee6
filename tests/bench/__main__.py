"""Measures speed and writes ``docs/performance.md``: one machine in one run, as ratios where two things compare."""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

from arena import pipeline
from arena.agent.bot import Bot
from arena.game.new import compile_rules
from arena.records import Block, Entrant
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.store import Store
from arena.tournament.backends import Backend
from arena.tournament.block import play_block
from arena.tournament.crew import Crew
from tests.bench.apart_speed import apart_page
from tests.bench.array_speed import array_page
from tests.bench.rerun import rerun_page
from tests.bench.solver_speed import solver_page

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "performance.md"
MIRRORS = 512

SCALAR_BOT = """
def hold(turn):
    return tuple(face for face in turn.dice if turn.dice.count(face) > 1)


def choose_row(turn):
    return max(turn.open_rows, key=turn.score)
"""


def engine_cost(repeats: int) -> list[str]:
    """Return, by ruleset, microseconds that the scalar engine takes a decision, the bot's own time taken off.

    The bot answers with a constant keep and the first open row; a call of its two functions is timed by itself.
    """

    def hold(turn: object) -> tuple[int, ...]:
        return ()

    def choose_row(turn: object) -> str:
        return turn.open_rows[0]  # type: ignore[attr-defined, no-any-return]

    source = SimpleNamespace(hold=hold, choose_row=choose_row)
    bots = {name: Bot(name, source) for name in "ab"}
    entrants = tuple(Entrant(name, "") for name in "ab")
    rows = []
    for ruleset_id in ruleset_ids():
        rules = compile_rules(shipped_ruleset(ruleset_id))
        block = Block("", rules.ruleset.hash, entrants, 0, MIRRORS)
        costs = []
        for seed in range(repeats):
            began = perf_counter()
            result = play_block(block, rules, seed, bots, record=True)
            spent = perf_counter() - began
            decisions = sum(timing.decisions for timing in result.timing.values())
            costs.append(1e6 * spent / decisions)
        speed = 1e6 * block.games / (statistics.median(costs) * decisions)
        own = _call_cost(lambda: hold(None))
        rows.append(f"| {ruleset_id} | {statistics.median(costs) - own:.2f} | {speed:,.0f} |")
    return [
        "| ruleset | us a decision | games/s |",
        "| --- | ---: | ---: |",
        *rows,
    ]


def _call_cost(call: Callable[[], object]) -> float:
    number = 200_000
    began = perf_counter()
    for _ in range(number):
        call()
    return 1e6 * (perf_counter() - began) / number


def worker_ratio(backend: Backend, games: int, repeats: int) -> list[str]:
    """Return the time of one worker against two, on the same league of two bots in scalar form.

    Args:
        backend: with `processes` start-up is included; with `ray` time begins when all workers are ready.
        games: of the league.
        repeats: leagues.
    """
    ratios, lines = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for bot in ("pairs", "triples"):
            (folder / f"{bot}.py").write_text(SCALAR_BOT, encoding="utf-8")
        agents = "[{path: pairs.py}, {path: triples.py}]"
        (folder / "league.yaml").write_text(
            f"name: ratio\nseed: 1\nrulesets: [thirteen]\nagents: {agents}\ngames: {games}\nisolation: inline\n",
            encoding="utf-8",
        )
        for repeat in range(repeats):
            times = {}
            for workers in (1, 2):
                with Store(folder / f"{repeat}-{workers}") as store:
                    plan = pipeline.plan(pipeline.load(folder / "league.yaml", seed=repeat), store)
                    clock = _Clock(workers)
                    how = {"workers": workers, "address": "local", "tell": clock.tell}
                    for _ in pipeline.play(plan, store, backend=backend, **how):
                        times[workers] = perf_counter() - clock.began
            ratios.append(times[1] / times[2])
            lines.append(f"| {games:,} | {times[1]:.2f} | {times[2]:.2f} | {ratios[-1]:.2f} |")
    lines.append(f"| median | | | {statistics.median(ratios):.2f} |")
    return ["| games | one worker, s | two workers, s | ratio |", "| ---: | ---: | ---: | ---: |", *lines]


class _Clock:
    """Begins when it is made, and again when as many workers are ready as were asked for.

    Args:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        self._workers, self.began = workers, perf_counter()
        self._ready = False

    def tell(self, crew: Crew) -> None:
        """Hear of the workers."""
        if crew.workers == self._workers and not self._ready:
            self._ready, self.began = True, perf_counter()


def help_time(repeats: int) -> list[str]:
    """Return how long ``arena --help`` takes, beside Python doing nothing, in turn."""
    commands = {
        "arena --help": [str(Path(sys.executable).parent / "arena"), "--help"],
        "python -c ''": [sys.executable, "-c", ""],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            began = perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(perf_counter() - began)
    rows = [f"| `{name}` | {1000 * statistics.median(spent):.0f} |" for name, spent in times.items()]
    return ["| command | median ms |", "| --- | ---: |", *rows]


def main() -> None:
    """Measure everything, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats, and the page is printed, not written")
    quick = parser.parse_args().quick
    parts = [
        "# Performance",
        "Written by `make bench`. Times are of one shared machine and noisy: read the ratios.",
        f"Machine: {platform.machine()}, {platform.system()}, Python {platform.python_version()}, two cores.",
        "## Scalar engine",
        "What the engine adds to a bot's own time (aim: 2 us a decision): blocks of 1,024 games, two bots that keep no"
        " dice and fill the first open row, median of several blocks, the bots' own call taken off.",
        "\n".join(engine_cost(3 if quick else 15)),
        "## Bots in array form",
        "Two-player games of `thirteen`, from the loaded file to the stored result, in one process, compiling"
        " apart (aim: 150,000 games a CPU-second, better 250,000). What the rest of the compiled loop's speed goes"
        " to: asking bots for arrays, checking every answer, cards for every table, Philox dice, storing.",
        "\n".join(array_page(100_000 if quick else 1_000_000, 1 if quick else 3)),
        "## Bots kept apart",
        "Bots in the `sandbox` beside the same bots inline, at the default size of blocks, one worker (aims: at most"
        " 25 us a game more for bots in array form, better 10; at most 10% for bots in scalar form). A worker's bots"
        " run beside it, so with an idle core they may be done sooner than inline; processor time tells what it takes"
        " in all, of the arena and of the bots.",
        "\n".join(apart_page(3 if quick else 20)),
        "## Solver",
        "The value pass alone, in one thread, planning included, compiling apart (aims: `yahtzee` 0.9 CPU-seconds,"
        " better 0.5; `yatzy` 2.2, better 1.2; `fifteen` 4; with `--sd` `yahtzee` 8, `yatzy` 25; peak memory 400 MB)."
        " Beside it yatzy-solver from PyPI, a compiled exact solver, in turn.",
        "\n".join(solver_page(1 if quick else 3)),
        "## Two workers against one",
        "Two bots in scalar form, inline, `thirteen`, from the first worker's start to the last stored block"
        " (aim: 1.8 times as fast).",
        "\n".join(worker_ratio("processes", 10_000 if quick else 60_000, 1 if quick else 3)),
        "On a local Ray cluster, from the moment when its workers are ready (aim: the same).",
        "\n".join(worker_ratio("ray", 10_000 if quick else 60_000, 1 if quick else 3)),
        "## A finished league, run again",
        "`random` against `greedy`, `thirteen`: the whole command, from its start to the printed digest"
        " (aim: 2 s for a million games).",
        "\n".join(rerun_page(100_000 if quick else 1_000_000, 1 if quick else 5)),
        "## Start",
        "\n".join(help_time(3 if quick else 21)),
    ]
    text = "\n\n".join(parts) + "\n"
    if quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
