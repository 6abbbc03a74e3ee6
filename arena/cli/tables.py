"""Tables on the terminal, plain text when piped."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from arena.records import Crosstable, Standing, Timing
from arena.report.cells import CROSSTABLE_TITLE, cells, crosstable_cells, header

MAX_NAME = 40
MAX_NAME_ABOVE = 16
"""Columns of the terminal for a name: beside a row, and above a column of the crosstable."""
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
    short = shortened([line.name for line in standings], MAX_NAME)
    for number, name in enumerate([*header(standings), *(["a decision"] if timing else [])]):
        if number == 1:
            table.add_column(name, no_wrap=True)
        else:
            table.add_column(name, justify="right", no_wrap=name != "faults")
    for line, row in zip(standings, cells(standings), strict=True):
        row[1] = short[line.name]
        if timing:
            spent = timing.get(line.name, Timing())
            row.append(f"{1e6 * spent.seconds / spent.decisions:.1f} us" if spent.decisions else "")
        table.add_row(*map(Text, row))
    return table


def crosstable_table(standings: Sequence[Standing], crosstable: Crosstable) -> Table:
    """Return the share of points of each bot against each other, best first."""
    table = Table(title=Text(CROSSTABLE_TITLE), title_justify="left")
    table.add_column("", no_wrap=True)
    names = [line.name for line in standings]
    across, down = shortened(names, MAX_NAME_ABOVE), shortened(names, MAX_NAME)
    for name in names:
        table.add_column(Text(across[name]), justify="right", no_wrap=True)
    for name, *row in crosstable_cells(standings, crosstable):
        table.add_row(*map(Text, (down[name], *row)))
    return table


def shortened(names: Sequence[str], width: int) -> dict[str, str]:
    """Return names as they are shown: both ends of a long one, and a number between them where they are equal.

    Args:
        names: all that stand beside each other.
        width: columns of the terminal that one may take.
    """
    shown = {name: _ends(name, width, "…") for name in names}
    for name in names:
        same = sorted(other for other in names if shown[other] == shown[name])
        if len(same) > 1:
            shown.update({other: _ends(other, width, f"…{number}…") for number, other in enumerate(same, start=1)})
    return shown


def _ends(name: str, width: int, between: str) -> str:
    """Return both ends of a name that is wider than may be."""
    if cell_len(name) <= width:
        return name
    left = width - cell_len(between)
    head = _begin(name, left - left // 2)
    tail = _begin(name[::-1], left // 2)[::-1]
    while tail and unicodedata.category(tail[0]).startswith("M"):  # it would stand on what is between
        tail = tail[1:]
    return head + between + tail


def _begin(text: str, width: int) -> str:
    """Return as much of a text's beginning as there is room for."""
    while cell_len(text) > width:
        text = text[: min(len(text) - 1, max(width, 1))] if len(text) > width else text[:-1]
    return text
