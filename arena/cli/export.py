"""``arena export``: the games of a run, a line each."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from arena.errors import UserError, not_taken, printable
from arena.report.formats import DEFAULT_FORMAT, FORMATS, GameFormat
from arena.run_folder import FILE_NAME


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--format", "form", type=click.Choice(FORMATS), default=DEFAULT_FORMAT, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="A file, instead of standard output.")
@click.option("--ruleset", "rulesets", multiple=True, help="Only this ruleset; may be given several times.")
@click.option("--bot", "bots", multiple=True, help="Only games of this bot; of several, the games between them.")
def export(run: str, form: GameFormat, out: Path | None, rulesets: tuple[str, ...], bots: tuple[str, ...]) -> None:
    """Write the games of RUN, a line each.

    RUN is a run's folder, or its name under runs. An unfinished run gives what it has so far.
    """
    from arena.cli.runs import refuse_unknown, run_folder
    from arena.known_run import KnownRun
    from arena.report.games import GameWriter
    from arena.store import opened_results

    with opened_results(run_folder(run)) as results:
        known = KnownRun(results)
        manifest = known.manifest
        results.refuse_unsound()
        refuse_unknown("--ruleset", rulesets, [ruleset.name for ruleset in manifest.rulesets])
        refuse_unknown("--bot", bots, [entrant.name for entrant in manifest.entrants])
        wanted = played = 0
        with _output(out, results.folder) as file:
            writer = GameWriter(file, form, manifest.seats)
            for ruleset, whole in known.series():
                if rulesets and ruleset.name not in rulesets:
                    continue
                names = {entrant.name for entrant in whole.entrants}
                if len(names & set(bots)) < min(len(set(bots)), manifest.seats):
                    continue
                wanted += whole.games
                for result in results.results(whole):
                    writer.write(ruleset.name, result)
                    played += result.block.games
    if played < wanted:
        click.echo(f"unfinished: {played:,} of {wanted:,} games are stored, and written", err=True)


@contextmanager
def _output(out: Path | None, run: Path) -> Iterator[TextIO]:
    """Open standard output, or a file that is written aside and renamed when it is whole.

    Raises:
        UserError: if the file cannot be written, or is one of the run's own; then what stood there stays.
    """
    from arena.report.placing import written_aside

    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # data, whatever the terminal speaks
        yield sys.stdout
        return
    shown = printable(str(out))
    path = Path(os.path.realpath(out))
    try:
        if path.is_symlink():
            raise UserError(f"{shown}: --out is a link that leads back to itself")
        if path.exists() and not path.is_file():
            raise UserError(f"{shown}: --out is no plain file")
        if any(folder.exists() and folder.samefile(run) for folder in path.parents) or _same(path, run / FILE_NAME):
            raise UserError(f"{shown}: --out is in the run's own folder, which holds its games; choose another place")
        with written_aside(path) as file:
            yield file
    except OSError as error:
        raise not_taken(f"{shown}: cannot be written", error) from None


def _same(one: Path, other: Path) -> bool:
    return one.exists() and one.samefile(other)
