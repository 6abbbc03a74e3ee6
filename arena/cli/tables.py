"""Tables on the terminal, plain text when piped."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.records import Crosstable, Standing, Timing
from arena.report.markdown import shares

MAX_NAME = 40
PIPED_WIDTH = 200


def console(*, stderr: bool = False) -> Console:
    """Return a console: as wide as the terminal, or wide enough for any table when piped."""
    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPED_WIDTH
    return made


def standings_table(title: str, standings: Sequence[Standing], timing: Mapping[str, Timing] | None = None) -> Table:
    """Return a leaderboard.

    Args:
        title: above the table.
        standings: best first.
        timing: by bot, for a column of time a decision.
    """
    has_money = any(line.settlement is not None for line in standings)
    table = Table(title=Text(title, style="bold"), title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("bot", overflow="ellipsis", max_width=MAX_NAME, no_wrap=True)
    for name in ("Elo", "95% interval", "games", "won/drawn/lost", "mean score"):
        table.add_column(name, justify="right", no_wrap=True)
    if has_money:
        table.add_column("settlement", justify="right", no_wrap=True)
    table.add_column("faults", justify="right")
    if timing:
        table.add_column("a decision", justify="right", no_wrap=True)
    for line in standings:
        mean = "" if line.mean_score is None else f"{line.mean_score:.2f}"
        cells = [
            *(str(line.rank), line.name, f"{line.elo:.1f}", f"{line.elo_low:.1f} to {line.elo_high:.1f}"),
            *(str(line.games), f"{line.wins}/{line.draws}/{line.losses}", mean),
        ]
        if has_money:
            cells.append("" if line.settlement is None else f"{line.settlement:+.3f}")
        cells.append(", ".join(f"{kind} {number}" for kind, number in line.faults_by_kind.items()) or "0")
        if timing:
            spent = timing.get(line.name, Timing())
            cells.append(f"{1e6 * spent.seconds / spent.decisions:.1f} us" if spent.decisions else "")
        table.add_row(*map(Text, cells))
    return table


def crosstable_table(standings: Sequence[Standing], crosstable: Crosstable) -> Table:
    """Return the share of points of each bot against each other, best first."""
    order = [line.name for line in standings]
    table = Table(title=Text("points of each against"), title_justify="left")
    table.add_column("", overflow="ellipsis", max_width=MAX_NAME, no_wrap=True)
    for name in order:
        table.add_column(Text(name), justify="right", overflow="ellipsis", max_width=16, no_wrap=True)
    won = shares(crosstable)
    for name in order:
        cells = (f"{won[name, other]:.1%}" if (name, other) in won else "" for other in order)
        table.add_row(Text(name), *cells)
    return table
