"""``arena solve``: the exact value of a ruleset."""

from __future__ import annotations

import json
import sys
import time
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from arena.cli.positions import OPTION, RULESET, ruleset_of
from arena.errors import UserError
from arena.rules.model import MAX_SEATS
from arena.solver.threads import DEFAULT

if TYPE_CHECKING:
    from arena.rules.model import Ruleset
    from arena.solver.values import CardValues

SEATS = 2
"""Seats at a showdown table, if nothing else is said."""
SAY_EVERY = 10.0
"""Seconds between lines where there is no terminal."""


@click.command()
@RULESET
@OPTION
@click.option("--sd", is_flag=True, help="Find the standard deviation too, in a second pass.")
@click.option("--seats", type=click.IntRange(2, MAX_SEATS), help=f"Seats that roll, in showdown (default {SEATS}).")
@click.option("--threads", type=click.IntRange(1, 64), help=f"How many work at a time (default: {DEFAULT}).")
@click.option("--no-cache", is_flag=True, help="Neither read nor store solved tables.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def solve(
    ruleset_id: str,
    options: tuple[str, ...],
    sd: bool,
    seats: int | None,
    threads: int | None,
    no_cache: bool,
    as_json: bool,
) -> None:
    """Find the expected points of optimal play, exactly; in showdown each seat's share of the pot.

    A solved table is stored under the user's cache folder and read the next time, also by bots.
    """
    ruleset = ruleset_of(ruleset_id, options)
    if ruleset.showdown and (sd or threads or no_cache):
        raise UserError(f"{ruleset.id} has shares and no table: --sd, --threads and --no-cache mean nothing there")
    if not ruleset.showdown and seats:
        raise UserError(f"{ruleset.id} is solved for one player: --seats is for showdown")
    if ruleset.showdown:
        answer = _shares(ruleset, seats or SEATS)
    else:
        answer = _value(ruleset, sd=sd, threads=threads, cached=not no_cache)
    if as_json:
        click.echo(json.dumps(answer))
        return
    for name, text in _lines(answer):
        click.echo(f"{name:10}{text}")


def _shares(ruleset: Ruleset, seats: int) -> dict[str, Any]:
    from arena.rules.hands import HandRules
    from arena.solver.showdown import ShowdownValues

    if seats > ruleset.max_seats:
        raise UserError(f"{ruleset.id} is played by {ruleset.max_seats} seats at most, not {seats}")
    start = time.process_time()
    shares = ShowdownValues(HandRules(ruleset), seats).shares
    return {
        "ruleset": ruleset.name,
        "hash": ruleset.hash,
        "seats": seats,
        "shares": shares.tolist(),
        "cpu_seconds": time.process_time() - start,
    }


def _value(ruleset: Ruleset, *, sd: bool, threads: int | None, cached: bool) -> dict[str, Any]:
    from arena.rules.card import CardRules
    from arena.solver.tables import path_of
    from arena.solver.values import CardValues

    screen = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(f"solving {ruleset.name}", total=None)
        values = CardValues(
            CardRules(ruleset),
            cached=cached,
            threads=threads,
            progress=lambda done, states: _show(progress, task, done, states),
        )
        answer: dict[str, Any] = {"ruleset": ruleset.name, "hash": ruleset.hash, "value": values.value}
        if sd:
            progress.reset(task, description=f"second moments of {ruleset.name}")
        answer["sd"] = values.sd if sd else None
    answer |= {
        "states": len(values.space),
        "cpu_seconds": values.cpu_seconds,
        "compile_seconds": values.compile_seconds,
        "peak_memory_mb": _peak_memory(),
        "table_bytes": values.values.nbytes + (values.moments.nbytes if sd else 0),
        "from": _origin(values, sd=sd),
        "table": None if values.origin["values"] == "solved" else str(path_of(values.space, "values")),
    }
    if cached and answer["from"] == "solved":
        click.echo(f"the table could not be stored in {path_of(values.space, 'values').parent}", err=True)
    return answer


def _show(progress: Progress, task: TaskID, done: int, states: int) -> None:
    """Show how far the solver is: on a bar, or in lines now and then where there is no terminal."""
    progress.update(task, completed=done, total=states)
    shown = progress.tasks[0]
    since = monotonic() - (shown.fields.get("said") or shown.start_time or 0)
    if progress.disable and since > SAY_EVERY:
        click.echo(f"{shown.description}: {done:,} of {states:,} states", err=True)
        progress.update(task, said=monotonic())


def _origin(values: CardValues, *, sd: bool) -> str:
    """Return where the tables came from: the last step if several were taken."""
    kinds = [values.origin["values"], *([values.origin["moments"]] if sd else [])]
    return next(word for word in ("solved", "stored", "read") if word in kinds)


def _peak_memory() -> float | None:
    """Return the most memory that this process held, in MB; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _lines(answer: dict[str, Any]) -> list[tuple[str, str]]:
    lines = [("ruleset", answer["ruleset"])]
    if "shares" in answer:
        lines += [(f"seat {seat}", f"{share:.6f}") for seat, share in enumerate(answer["shares"])]
        return [*lines, ("time", f"{answer['cpu_seconds']:.2f} CPU-seconds")]
    lines.append(("value", f"{answer['value']:.6f}"))
    if answer["sd"] is not None:
        lines.append(("sd", f"{answer['sd']:.4f}"))
    lines.append(("states", f"{answer['states']:,}"))
    compiled = f", compiled in {answer['compile_seconds']:.1f} s" if answer["compile_seconds"] else ""
    lines.append(("time", f"{answer['cpu_seconds']:.2f} CPU-seconds{compiled}"))
    if answer["peak_memory_mb"] is not None:
        lines.append(("memory", f"{answer['peak_memory_mb']:.0f} MB at most"))
    where = {"read": f", read from {answer['table']}", "stored": f", stored in {answer['table']}", "solved": ""}
    lines.append(("table", f"{answer['table_bytes'] / 1024:,.0f} KB{where[answer['from']]}"))
    return lines
