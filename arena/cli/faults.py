"""``arena faults``: what the bots of a run did wrong, and in which games."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from arena.errors import printable

if TYPE_CHECKING:
    from arena.known_run import KnownRun
    from arena.ratings.faults import FaultCounts
    from arena.records import End, Fault
    from arena.store import Results

Which = tuple[str, "End"]
"""A bot and a kind of fault."""


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--bot", "bots", multiple=True, help="Only faults of this bot; may be given several times.")
@click.option("--kind", "kinds", multiple=True, help="Only faults of this kind; may be given several times.")
@click.option(
    "--most", type=click.IntRange(0), default=3, show_default=True, help="Faults of a bot and kind told in detail."
)
def faults(run: str, bots: tuple[str, ...], kinds: tuple[str, ...], most: int) -> None:
    """List the faults of RUN: how many of each bot and kind, and the first of them in detail.

    RUN is a run's folder, or its name under runs.
    """
    from rich.table import Table
    from rich.text import Text

    from arena.cli.runs import refuse_unknown, run_folder
    from arena.cli.tables import console, print_table
    from arena.known_run import KnownRun
    from arena.records import FAULT_KINDS
    from arena.store import opened_results

    with opened_results(run_folder(run)) as results:
        known = KnownRun(results)
        results.refuse_unsound()
        refuse_unknown("--bot", bots, [entrant.name for entrant in known.manifest.entrants])
        refuse_unknown("--kind", kinds, [kind.label for kind in FAULT_KINDS], "a kind of fault")
        counts, details, games = _collected(known, results, most)
    wanted = [
        (agent, kind)
        for agent in counts.agents
        for kind in counts.of(agent)
        if agent in (bots or (agent,)) and kind.label in (kinds or (kind.label,))
    ]
    if games < known.manifest.games:
        click.echo(f"unfinished: {games:,} of {known.manifest.games:,} games are stored", err=True)
    if not wanted:
        click.echo(f"no faults{' of these' if bots or kinds else ''} in {games:,} games")
        return
    table = Table()
    for column in ("bot", "fault", "games"):
        table.add_column(column, justify="right" if column == "games" else "left")
    for agent, kind in wanted:
        table.add_row(*map(Text, (printable(agent), kind.label, f"{counts.of(agent)[kind]:,}")))
    print_table(console(), table)
    for agent, kind in wanted if most else ():
        number = counts.of(agent)[kind]
        click.echo(f"\n{printable(agent)}: {kind.label}, {number:,} game{'' if number == 1 else 's'}")
        for line in details[agent, kind].lines(number):
            click.echo(f"  {line}")
    if most:
        click.echo(f"\nany of these games: arena replay {shlex.quote(printable(run))} GAME")


@dataclass(slots=True)
class _Details:
    """What is told of the faults of one bot and kind.

    Attributes:
        first: the names of games and their faults, the first few.
        kept: how many the run has in detail.
    """

    first: list[tuple[str, Fault]] = field(default_factory=list)
    kept: int = 0

    def lines(self, number: int) -> Iterator[str]:
        """Return them as text, and what of so many is left out."""
        for game, fault in self.first:
            dice = ": " + " ".join(map(str, fault.dice)) if fault.dice else ""
            yield f"{shlex.quote(printable(game))}, round {fault.round}, roll {fault.roll}{dice}"
            yield f"  {printable(fault.message)}"
            if fault.answer:
                yield f"  answered {printable(fault.answer)}"
            yield from _quoted(fault.traceback)
            if fault.printed:
                yield "  had printed"
                yield from _quoted(fault.printed)
        shown = len(self.first)
        if shown < number:
            told = f", {self.kept - shown:,} of them in detail by --most {self.kept}" if shown < self.kept else ""
            yield f"{number - shown:,} more{told}"


def _quoted(text: str) -> Iterator[str]:
    """Return a bot's own text, each line of it marked, and none of it doing anything to a terminal."""
    return (f"  | {printable(line.expandtabs())}".rstrip() for line in text.splitlines())


def _collected(known: KnownRun, results: Results, most: int) -> tuple[FaultCounts, dict[Which, _Details], int]:
    """Return what is stored: how many faults there are, the first in detail, and the number of games."""
    from arena.manifest import game_name
    from arena.ratings.faults import FaultCounts

    counts, games = FaultCounts(), 0
    details: dict[Which, _Details] = {}
    for ruleset, whole in known.series():
        for result in results.results(whole):
            games += result.block.games
            counts.add(result)
            for fault in sorted(result.faults, key=lambda fault: (fault.dice_set, fault.seating)):
                told = details.setdefault((fault.agent, fault.kind), _Details())
                told.kept += 1
                if len(told.first) < most:
                    seated = [entrant.name for entrant in result.block.seated(fault.seating)]
                    told.first.append((game_name(ruleset.name, seated, fault.dice_set), fault))
    return counts, details, games
