"""Tables on the terminal, plain text when piped."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from arena.records import Crosstable, Standing, Timing
from arena.report.cells import CROSSTABLE_TITLE, cells, crosstable_cells, header

MAX_NAME = 40
PIPED_WIDTH = 200
ANY_WIDTH = 10_000


def console(*, stderr: bool = False) -> Console:
    """Return a console: as wide as the terminal, or wide enough for any table when piped."""
    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPED_WIDTH
    return made


def print_table(screen: Console, table: Table) -> None:
    """Print a table whole: where it is wider than the screen, without its frame and in lines that run over."""
    width, unlimited = screen.width, screen.options.update(max_width=ANY_WIDTH)
    if Measurement.get(screen, unlimited, table).maximum > width:
        table.box = None
        screen.width = max(width, Measurement.get(screen, unlimited, table).maximum)
    screen.print(table)
    screen.width = width


def standings_table(title: str, standings: Sequence[Standing], timing: Mapping[str, Timing] | None = None) -> Table:
    """Return a leaderboard.

    Args:
        title: above the table.
        standings: best first.
        timing: by bot, for a column of time a decision.
    """
    table = Table(title=Text(title, style="bold"), title_justify="left")
    for number, name in enumerate([*header(standings), *(["a decision"] if timing else [])]):
        if number == 1:
            table.add_column(name, overflow="ellipsis", max_width=MAX_NAME, no_wrap=True)
        else:
            table.add_column(name, justify="right", no_wrap=name != "faults")
    for line, row in zip(standings, cells(standings), strict=True):
        if timing:
            spent = timing.get(line.name, Timing())
            row.append(f"{1e6 * spent.seconds / spent.decisions:.1f} us" if spent.decisions else "")
        table.add_row(*map(Text, row))
    return table


def crosstable_table(standings: Sequence[Standing], crosstable: Crosstable) -> Table:
    """Return the share of points of each bot against each other, best first."""
    table = Table(title=Text(CROSSTABLE_TITLE), title_justify="left")
    table.add_column("", overflow="ellipsis", max_width=MAX_NAME, no_wrap=True)
    for line in standings:
        table.add_column(Text(line.name), justify="right", overflow="ellipsis", max_width=16, no_wrap=True)
    for row in crosstable_cells(standings, crosstable):
        table.add_row(*map(Text, row))
    return table
