"""How fast rulesets are solved, beside another exact solver, and what tables and decisions cost."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.game.new import compile_rules
from arena.records import Block, Entrant
from arena.rules.card import CardRules
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.solver.advice import advise_card_keeps
from arena.solver.values import CardValues
from arena.tournament.block import play_block
from tests.bench.rivals import installed

CARD_GAMES = [name for name in ruleset_ids() if shipped_ruleset(name).card]
ROOT = Path(__file__).parents[2]

YATZY_SOLVER = """
import sys, time
import yatzy_solver
began = time.process_time()
yatzy_solver.Solver.build(yatzy_solver.Variant(sys.argv[1]))
print(time.process_time() - began)
"""
THEIRS = {"yahtzee": "american", "yatzy": "yatzy-scandinavian"}


def solved(ruleset_id: str, *arguments: str) -> dict[str, Any]:
    """Run ``arena solve`` in a process of its own, with no tables kept, and return what it tells."""
    command = [sys.executable, "-m", "arena", "solve", ruleset_id, "--no-cache", "--json", *arguments]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def theirs(variant: str) -> float | None:
    """Return the processor seconds that yatzy-solver takes, None where it cannot be installed."""
    python = installed("yatzy-solver")
    if python is None:
        return None
    ran = subprocess.run([python, "-c", YATZY_SOLVER, variant], check=True, capture_output=True, text=True)
    return float(ran.stdout)


def _one_and_two_threads(ruleset_id: str, repeats: int) -> float:
    """Return how many times as fast two threads are as one, by the wall clock, in turn."""
    rules = CardRules(shipped_ruleset(ruleset_id))
    ratios = []
    CardValues(rules, cached=False, threads=1).ready()
    for _ in range(repeats):
        times = {}
        for threads in (1, 2):
            values = CardValues(rules, cached=False, threads=threads)
            began = perf_counter()
            values.values  # noqa: B018 - solves
            times[threads] = perf_counter() - began - values.compile_seconds
        ratios.append(times[1] / times[2])
    return statistics.median(ratios)


def _decisions_per_second(form: str) -> float:
    """Return the decisions a CPU-second of `optimal` in thirteen, its table loaded."""
    bots = {name: load(locate(bundled_folder() / f"{name}.py")) for name in ("optimal", "greedy")}
    rules = compile_rules(shipped_ruleset("thirteen"))
    block = Block("", rules.ruleset.hash, (Entrant("greedy", ""), Entrant("optimal", "")), 0, 4096)
    if form == "scalar":
        block = Block("", rules.ruleset.hash, block.entrants, 0, 64)
    for seed in (1, 2):
        result = play_block(block, rules, seed, bots, engine="arrays" if form == "arrays" else "scalar")
    timing = result.timing["optimal"]
    return timing.decisions / timing.seconds


def _advice_ms(repeats: int) -> float:
    """Return the milliseconds of one answer of ``arena advise``, its table on disk, process start apart."""
    rules = CardRules(shipped_ruleset("yahtzee"))
    CardValues(rules).ready()
    times = []
    for _ in range(repeats):
        began = perf_counter()
        advise_card_keeps(CardValues(CardRules(shipped_ruleset("yahtzee"))), rules.empty, 100, 1)
        times.append(perf_counter() - began)
    return 1000 * statistics.median(times)


def solver_page(repeats: int) -> list[str]:
    """Return the lines of the page."""
    solved("two-stage", "--sd")  # compiles the kernels, which are the same for every game, into the cache
    lines = [
        "| ruleset | states | value, CPU-s | with `--sd` | yatzy-solver, CPU-s | ratio | peak memory, MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    from_cache = []
    for ruleset_id in CARD_GAMES:
        runs, others = [], []
        for _ in range(repeats):
            runs.append(solved(ruleset_id, "--threads", "1"))
            if ruleset_id in THEIRS and (other := theirs(THEIRS[ruleset_id])) is not None:
                others.append(other)
        from_cache += [run["compile_seconds"] for run in runs]
        seconds = statistics.median(run["cpu_seconds"] for run in runs)
        both = solved(ruleset_id, "--sd", "--threads", "1")
        rival = statistics.median(others) if others else None
        shown = ("", "") if rival is None else (f"{rival:.2f}", f"{rival / seconds:.0f}")
        lines.append(
            f"| {ruleset_id} | {runs[0]['states']:,} | {seconds:.2f} | {both['cpu_seconds']:.2f} | {shown[0]} |"
            f" {shown[1]} | {both['peak_memory_mb']:.0f} |"
        )
    return [
        *lines,
        "",
        f"Kernels come from the cache in {statistics.median(from_cache):.1f} s, once a process. Two threads are"
        f" {_one_and_two_threads('yahtzee', 2 * repeats + 1):.2f} times as fast as one (`yahtzee`, by the wall clock,"
        f" aim: 1.6). `optimal` makes {_decisions_per_second('arrays'):,.0f} decisions a second in array form and"
        f" {_decisions_per_second('scalar'):,.0f} in scalar form (`thirteen`). `arena advise` answers in"
        f" {_advice_ms(5):.0f} ms once the table exists (`yahtzee`, process start apart, aim: 100).",
    ]
