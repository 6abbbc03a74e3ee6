"""``arena run``: play a tournament, with live progress, and publish its leaderboards."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from arena.cli.out import OUT
from arena.errors import UserError, printable
from arena.tournament.backends import BACKENDS, DEFAULT_BACKEND, Backend

if TYPE_CHECKING:
    from rich.console import Console

    from arena.pipeline import Plan
    from arena.report.publish import League
    from arena.store import Store
    from arena.tournament.ray_address import Place


def _print_schema(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print the schema and end: no file is needed for that."""
    del parameter
    if wanted:
        from arena.tournament.file import tournament_schema

        click.echo(json.dumps(tournament_schema(), indent=2))
        context.exit()


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False, metavar="FILE")
@click.option("--backend", type=click.Choice(BACKENDS), default=DEFAULT_BACKEND, show_default=True)
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes; by default one a core.")
@click.option(
    "--address",
    metavar="auto|local|ray://HOST:PORT|HOST:PORT",
    help="The Ray cluster; by default one that runs here, else a local one.",
)
@click.option("--games", type=int, help="Games a pairing, instead of the file's.")
@click.option("--seed", type=int, help="The seed of all dice, instead of the file's.")
@click.option("--only", multiple=True, metavar="RULESET", help="Play only this ruleset; may be given several times.")
@click.option(
    "--option", "options", multiple=True, metavar="K=V", help="Change an option of every ruleset that has it."
)
@OUT
@click.option("--run-dir", type=click.Path(path_type=Path), help="The run's own folder; by default runs/NAME.")
@click.option("--fresh", is_flag=True, help="Set an earlier run of this name aside, and begin anew.")
@click.option("--list", "listing", is_flag=True, help="List the runs under runs, or in the folder --run-dir, and end.")
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of tournament files, and end.",
)
@click.pass_context
def run(
    context: click.Context,
    file: Path | None,
    backend: Backend,
    workers: int | None,
    address: str | None,
    games: int | None,
    seed: int | None,
    only: tuple[str, ...],
    options: tuple[str, ...],
    out: Path,
    run_dir: Path | None,
    fresh: bool,
    listing: bool,
) -> int:
    """Play the tournament in FILE, and publish a leaderboard for every ruleset.

    Every finished block of games is kept: after Ctrl-C the same command goes on from there, and a changed file plays
    only what it changes.
    """
    if listing:
        from arena.cli.run_list import list_runs

        _refuse_beside_list(context)
        list_runs(run_dir)
        return 0
    if file is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    from arena import pipeline
    from arena.agent.plugins import Plugins
    from arena.cli.runs import RUNS_FOLDER
    from arena.cli.tables import console
    from arena.report.publish import refuse_unpublishable
    from arena.rules.options import parse_options
    from arena.store import Store
    from arena.tournament.ray_address import DEFAULT_ADDRESS, place_of
    from arena.tournament.ray_cluster import need_ray

    if backend == "serial" and workers not in (None, 1):
        raise UserError("--workers: the serial backend has no workers; --backend processes has")
    place: Place | None = None
    if backend == "ray":
        need_ray()
        place = place_of(address or DEFAULT_ADDRESS)
    elif address is not None:
        raise UserError(f"--address: the {backend} backend has no cluster; --backend ray has")
    plugins = Plugins()
    tournament = pipeline.load(
        file, seed=seed, games=games, only=only, options=parse_options(options), plugins=plugins
    )
    if plugins.asked:
        for label, reason in plugins.broken.items():
            click.echo(f"  not entered, the plugin {label} is broken: {reason}", err=True)
    refuse_unpublishable([ruleset.name for ruleset in tournament.rulesets], out)
    folder = run_dir or Path(RUNS_FOLDER) / tournament.name
    _begin(folder, out, fresh=fresh)
    with Store(folder) as store, _stop_on_interrupt(backend) as stop:
        the_plan = pipeline.plan(tournament, store)
        _announce(the_plan, folder)
        how = _How(backend, workers or (None if backend == "ray" else _cores()), place)
        lost = _play(the_plan, store, how, stop, console(stderr=True))
        store.refuse_moved()
        unplayed = pipeline.plan(tournament, store).missing_games
        if unplayed:
            for reason in lost:
                click.echo(f"set aside: {reason}", err=True)
            click.echo(
                f"unfinished: {the_plan.games - unplayed:,} of {the_plan.games:,} games are kept in {folder}; "
                "the same command goes on from there",
                err=True,
            )
            return 1
        stop.kept = f"all games are kept in {folder}"
        leagues = pipeline.rate(the_plan, store)
        with stop.held():
            pipeline.publish(leagues, out)
            stop.kept += f", and the leaderboards in {out}"
    try:
        _tell(leagues, the_plan, out, folder)
    except KeyboardInterrupt:
        click.echo(f"stopped: {stop.kept}", err=True)
        return 1
    return 0


def _refuse_beside_list(context: click.Context) -> None:
    """Refuse whatever is about playing beside ``--list``."""
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in ("listing", "run_dir"):
            told = "FILE" if isinstance(parameter, click.Argument) else parameter.opts[0]
            raise UserError(f"--list: plays nothing, so {told} does not go with it; --run-dir does")


def _begin(folder: Path, out: Path, *, fresh: bool) -> None:
    """Make way for a run that is to begin anew, or tell if one that was kept does so because its store is empty."""
    from arena.run_folder import FILE_NAME, is_emptied

    if fresh:
        _begin_anew(folder, out)
    elif is_emptied(folder):
        click.echo(f"{folder / FILE_NAME}: holds nothing any more, so that all is played anew", err=True)


def _begin_anew(folder: Path, out: Path) -> None:
    """Set a run's folder aside, unless the leaderboards are within it: those that were published would go with it."""
    from arena.run_folder import set_aside

    if out.exists() and Path(os.path.realpath(out)).is_relative_to(os.path.realpath(folder)):
        raise UserError(f"{out}: --fresh sets {folder} aside, and what is in it; choose another --out")
    if old := set_aside(folder):
        click.echo(f"the earlier run is now {old}", err=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Stop:
    """Set by Ctrl-C; asked by whoever plays.

    Attributes:
        asked: True once it came.
        kept: what is known to be kept, in words, when all games are played; empty before.
    """

    def __init__(self) -> None:
        self.asked = False
        self.kept = ""
        self._held = False

    def __call__(self) -> bool:
        return self.asked

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nothing end the process inside."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def ask(self, *, serial: bool) -> None:
        """Note that it came; the second time end the process, unless that is held."""
        if self.asked and not self._held:
            _write(f"stopped: {self.kept or 'finished blocks are kept'}; the same command goes on from there")
            os._exit(1)
        if not self.asked and self.kept:
            _write("all games are played, and the run is about to end; once more stops at once")
        elif not self.asked and serial:
            _write("stopping after this block; once more stops at once")
        self.asked = True


def _write(line: str) -> None:
    """Tell something from within a signal's handler, whatever is being written."""
    with suppress(OSError):
        os.write(2, f"\n{printable(line)}\n".encode())


@contextmanager
def _stop_on_interrupt(backend: Backend) -> Iterator[_Stop]:
    """Make Ctrl-C and SIGTERM stop the playing; a second one ends the process at once, which loses nothing stored."""
    stop = _Stop()

    def interrupted(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.ask(serial=backend == "serial")

    before = {number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _announce(the_plan: Plan, folder: Path) -> None:
    tournament = the_plan.tournament
    for ref in tournament.agents:
        told = f"loses every game, as it cannot be loaded: {ref.broken}" if ref.broken else f"{ref.where}, {ref.level}"
        click.echo(f"  {ref.name}: {told}", err=True)
    done = the_plan.games - the_plan.missing_games
    rulesets = ", ".join(ruleset.name for ruleset in tournament.rulesets)
    known = f", {done:,} of them played before ({folder})" if done else ""
    click.echo(f"{tournament.name}: {the_plan.games:,} games of {rulesets}{known}", err=True)


@dataclass(frozen=True, slots=True)
class _How:
    """Who plays."""

    backend: Backend
    workers: int | None
    address: Place | None


def _play(the_plan: Plan, store: Store, how: _How, stop: _Stop, screen: Console) -> list[str]:
    """Play what is missing under a progress bar; return what was set aside."""
    from arena import pipeline
    from arena.cli.progress import PlayProgress
    from arena.records import LostBlock

    lost = []
    with PlayProgress(the_plan, screen) as progress:
        playing = pipeline.play(the_plan, store, **asdict(how), stopped=stop, tell=progress.tell)
        for result in playing:
            if isinstance(result, LostBlock):
                lost.append(f"{result.block}: {result.reason}")
            else:
                progress.add(result)
    return lost


def _tell(leagues: list[League], the_plan: Plan, out: Path, folder: Path) -> None:
    """Print what came of a finished run."""
    from arena.cli.tables import console

    _show(leagues, out, console())
    _tell_of_faults(leagues, folder)
    if the_plan.tournament.seed is None:
        click.echo(f"seed {the_plan.seed}, drawn for this run")
    _show_digest(leagues)


def _show(leagues: list[League], out: Path, screen: Console) -> None:
    from arena.cli.tables import crosstable_table, print_table, standings_table

    for league in leagues:
        print_table(screen, standings_table(league.ruleset.name, league.standings, league.timing))
        if league.seats > 1:
            print_table(screen, crosstable_table(league.standings, league.crosstable))
        for note in league.notes:
            screen.print(f"  {note}", soft_wrap=True)
        for fault in league.first_faults:
            number = league.faults[fault.agent][fault.kind]
            where = f"dice set {fault.dice_set}, seat {fault.seat}, round {fault.round}, roll {fault.roll}"
            screen.print(
                f"  {fault.agent}: {fault.kind.label} in {number} games, first at {where}: {fault.message}",
                soft_wrap=True,
            )
        screen.print()
    click.echo(f"written to {out}", err=True)


def _tell_of_faults(leagues: list[League], folder: Path) -> None:
    number = sum(sum(kinds.values()) for league in leagues for kinds in league.faults.values())
    if number:
        told = f"{number:,} games were lost by a fault" if number > 1 else "a game was lost by a fault"
        click.echo(f"{told}: see arena faults {shlex.quote(printable(str(folder)))}", err=True)


def _show_digest(leagues: list[League]) -> None:
    faults = sum(league.resource_faults for league in leagues)
    warning = f" ({faults} resource faults: not reproducible)" if faults else ""
    click.echo(f"digest {leagues[0].run_digest}{warning}")
