"""``arena run --list``: the runs of a folder, how far each is and how large. Everything is read, nothing touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import click

from arena.cli.runs import RUNS_FOLDER, is_run, runs_in
from arena.errors import UserError, printable
from arena.known_run import KnownRun
from arena.run_folder import FILE_NAME, WAL_NAME, in_use
from arena.store import opened_results

NAMES_SHOWN = 3
UNITS = ("bytes", "kB", "MB", "GB", "TB")


def list_runs(folder: Path | None) -> None:
    """Print the runs of a folder as a table, and below, in a line each, what is none or cannot be read.

    Args:
        folder: holds runs, or is one; by default `RUNS_FOLDER`.

    Raises:
        UserError: if a folder that was named is not there.
    """
    from rich.table import Table
    from rich.text import Text

    from arena.cli.tables import console, print_table

    where = folder or Path(RUNS_FOLDER)
    if folder is not None and not folder.is_dir():
        raise UserError(f"{printable(str(folder))}: no such folder")
    runs = [where] if is_run(where) else runs_in(where) if where.is_dir() else []
    table, told = Table(), []
    for column in ("run", "rulesets", "bots", "games", "size", "last written", "state"):
        table.add_column(column, justify="right" if column in ("games", "size") else "left")
    for run in runs:
        cells, reason = _described(run)
        table.add_row(*map(Text, (printable(run.name), *cells)))
        told += [reason] if reason else []
    if runs:
        print_table(console(), table)
    else:
        told.append(f"{where}: no runs here; `arena run FILE` makes one")
    if where not in runs:
        told += [f"{printable(str(path))}: is no run's folder" for path in _others(where, runs)]
    for line in told:
        click.echo(line, err=True)


def _described(run: Path) -> tuple[list[str], str | None]:
    """Return the cells of a run but its name, and why it cannot be read if it cannot."""
    size, written = _weight(run)
    try:
        with opened_results(run) as results:
            known = KnownRun(results)
            played, manifest = known.played(), known.manifest
            if played < manifest.games:
                results.refuse_unsound()
    except UserError as error:
        return ["", "", "", size, written, "in use now" if in_use(run) else "unreadable"], str(error)
    cells = [
        _some([ruleset.name for ruleset in manifest.rulesets]),
        _some([entrant.name for entrant in manifest.entrants]),
        f"{played:,} of {manifest.games:,}",
    ]
    state = "in use now" if in_use(run) else "finished" if played == manifest.games else "unfinished"
    return [*cells, size, written, state], None


def _some(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - NAMES_SHOWN
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:NAMES_SHOWN])} and {more} more"


def _weight(run: Path) -> tuple[str, str]:
    """Return how large a run's files are together, and when one of its results was last written."""
    size, last = 0, 0.0
    try:
        for path in run.iterdir():
            found = path.stat()
            size += found.st_size
            if path.name in (FILE_NAME, WAL_NAME):
                last = max(last, found.st_mtime)
    except OSError:  # a file went meanwhile, as SQLite's own do
        pass
    return human_size(size), f"{datetime.fromtimestamp(last):%Y-%m-%d %H:%M}" if last else ""


def human_size(size: int) -> str:
    """Return a number of bytes as people read it, such as ``2.6 MB``."""
    number, unit = float(size), 0
    while number >= 1000 and unit + 1 < len(UNITS):
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {UNITS[unit]}" if unit else f"{size} {UNITS[0]}"


def _others(where: Path, runs: Sequence[Path]) -> Iterator[Path]:
    """Return what else stands in a folder of runs, hidden files apart."""
    if where.is_dir():
        yield from (path for path in sorted(where.iterdir()) if path not in runs and not path.name.startswith("."))
