"""What it costs to keep bots in the sandbox: a fresh process, a game of bots in array form, a game in scalar form.

Each is measured beside the same without, in turn; medians of several repeats. Processor time is that of the arena, of
the process that forks, and of the bots' processes together.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import NamedTuple

import numpy as np

from arena.agent.bot import Bot
from arena.agent.bot_process import BotProcess
from arena.agent.chronicle import Chronicle
from arena.agent.limits import Limits
from arena.agent.loader import load
from arena.agent.nursery import Nursery
from arena.agent.ref import AgentRef
from arena.agent.remote import Remote
from arena.agent.sources import bundled_folder, locate
from arena.agent.turn import SeatView
from arena.game.new import compile_rules
from arena.records import Block, Entrant
from arena.rules.shipped import shipped_ruleset
from arena.sandbox.box import missing
from arena.sandbox.clock import cpu_seconds
from arena.tournament.block import play_block
from arena.tournament.schedule import MOST_MIRRORS, MOST_MIRRORS_IN_ARRAYS

RULES = compile_rules(shipped_ruleset("thirteen"))
LIMITS = Limits(decision_ms=5000, start_s=60, wall_s=120)
PAUSE = 0.03
"""Seconds between fresh processes, in which the next one may be forked: they are needed as a block begins."""


class Cost(NamedTuple):
    """Microseconds a game: by the wall inline and apart, and of processor time."""

    wall: float
    wall_apart: float
    cpu: float
    cpu_apart: float


class _CountedNursery(Nursery):
    """Adds up the processor seconds of the processes that it buries."""

    spent = 0.0

    def dismiss(self, bot: BotProcess) -> None:
        self.spent += cpu_seconds(bot.process) or 0.0
        super().dismiss(bot)

    @property
    def cpu(self) -> float:
        assert self._zygote is not None
        return self.spent + (cpu_seconds(self._zygote.pid) or 0.0)


def _block(names: tuple[str, ...], mirrors: int) -> Block:
    return Block("", RULES.ruleset.hash, tuple(Entrant(name, "") for name in sorted(names)), 0, mirrors)


def fresh_processes(repeats: int, *, boxed: bool) -> tuple[float, float]:
    """Return milliseconds by the wall, and of the process's own time, from asking for a bot's process to its greeting.

    The process is told of a whole block's games, and loads ``greedy``.
    """
    ref = locate(bundled_folder() / "greedy.py")
    block = _block(("greedy", "random"), MOST_MIRRORS_IN_ARRAYS)
    walls, own = [], []
    with _CountedNursery() as nursery:
        for _ in range(repeats + 1):
            view = SeatView.of(RULES, block, 1, 0, 0)
            sleep(PAUSE)
            began = perf_counter()
            driver = Remote(ref, nursery, LIMITS, boxed=boxed).driver(view, block.mirrors, Chronicle())
            driver.greet()
            walls.append(1e3 * (perf_counter() - began))
            before = nursery.spent
            driver.close()
            own.append(1e3 * (nursery.spent - before))
    return statistics.median(walls[1:]), statistics.median(own[1:])


def _played(block: Block, seed: int, bots: Mapping[str, Bot | Remote]) -> tuple[float, float, object]:
    wall, cpu = perf_counter(), process_time()
    result = play_block(block, RULES, seed, bots)
    return perf_counter() - wall, process_time() - cpu, result.totals


def games(refs: tuple[AgentRef, AgentRef], mirrors: int, repeats: int) -> list[Cost]:
    """Return what a game costs inline and apart, by repeat; the games are the same."""
    block, costs = _block(tuple(ref.name for ref in refs), mirrors), []
    inline = {ref.name: load(ref) for ref in refs}
    with _CountedNursery() as nursery:
        apart = {ref.name: Remote(ref, nursery, LIMITS, boxed=True) for ref in refs}
        for seed in range(repeats + 1):
            wall, cpu, totals = _played(block, seed, inline)
            before = nursery.cpu if seed else 0.0
            wall_apart, cpu_apart, totals_apart = _played(block, seed, apart)
            np.testing.assert_array_equal(totals, totals_apart)
            cpu_apart += nursery.cpu - before
            costs.append(Cost(*(1e6 * spent / block.games for spent in (wall, wall_apart, cpu, cpu_apart))))
    return costs[1:]


@contextmanager
def _scalar_only(*names: str) -> Iterator[tuple[AgentRef, AgentRef]]:
    """Give two shipped bots without their array form."""
    with tempfile.TemporaryDirectory() as folder:
        refs = []
        for name in names:
            path = Path(folder) / f"{name}.py"
            path.write_text((bundled_folder() / path.name).read_text().replace("_many(", "_unused("))
            refs.append(locate(path))
        yield refs[0], refs[1]


def _line(what: str, costs: list[Cost], *, percent: bool) -> str:
    middle = Cost(*map(statistics.median, zip(*costs, strict=True)))
    more = [cost.wall_apart - cost.wall for cost in costs]
    told = f"{statistics.median(more):+.1f} us"
    if percent:
        told = f"{100 * statistics.median(cost.wall_apart / cost.wall - 1 for cost in costs):+.0f}%"
    walls, cpus = f"{middle.wall:.1f} | {middle.wall_apart:.1f}", f"{middle.cpu:.1f} | {middle.cpu_apart:.1f}"
    return f"| {what} | {walls} | **{told}** | {cpus} |"


def apart_page(repeats: int) -> list[str]:
    """Return the lines of the page."""
    if lacking := missing():
        return [f"Not measured: this machine has no {', no '.join(lacking)}."]
    boxed, own = fresh_processes(4 * repeats, boxed=True)
    plain, _ = fresh_processes(4 * repeats, boxed=False)
    arrays = locate(bundled_folder() / "greedy.py"), locate(bundled_folder() / "random.py")
    lines = [
        "| two-player games of `thirteen` | us a game inline | in the sandbox | more | CPU us a game inline |"
        " in the sandbox |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        _line("arrays: `greedy`, `random`", games(arrays, MOST_MIRRORS_IN_ARRAYS, repeats), percent=False),
    ]
    for names in (("greedy", "random"), ("greedy", "planner")):
        with _scalar_only(*names) as refs:
            costs = games(refs, MOST_MIRRORS, max(1, repeats // 4))
        lines.append(_line(f"scalar: `{names[0]}`, `{names[1]}`", costs, percent=True))
    return [
        *lines,
        "",
        f"A fresh process, from asking for it until its bot is loaded: {boxed:.1f} ms in the sandbox"
        f" (aim: 5 ms), {plain:.1f} ms without; {own:.1f} ms of its own processor time, most of it spent ahead.",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    print("\n".join(apart_page(parser.parse_args().repeats)))
