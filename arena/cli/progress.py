"""What is seen while a tournament is played: a bar, games a second, time left, provisional standings."""

from __future__ import annotations

from time import monotonic
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from arena import pipeline
from arena.cli.tables import standings_table
from arena.records import BlockResult
from arena.tournament.crew import Crew

STANDINGS_EVERY = 1.0
LINE_EVERY = 15.0
"""Seconds between provisional standings on a terminal, and between lines where there is none."""


class _Speed(ProgressColumn):
    """Games a second, over the last while."""

    def render(self, task: Task) -> Text:
        """Return the column's text."""
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "")


class PlayProgress:
    """Shows the playing of a plan.

    Args:
        the_plan: what is played.
        screen: where to; anything but a terminal gets a line now and then.
    """

    def __init__(self, the_plan: pipeline.Plan, screen: Console) -> None:
        self._plan, self._screen = the_plan, screen
        tournament = the_plan.tournament
        self._rulesets = {ruleset.hash: ruleset for ruleset in tournament.rulesets}
        self._tables = {ruleset.hash: pipeline.builder(tournament, ruleset) for ruleset in tournament.rulesets}
        self._played = the_plan.games - the_plan.missing_games
        self._progress = Progress(
            TextColumn("{task.description}"),
            TextColumn("{task.fields[crew]}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Speed(),
            TimeRemainingColumn(),
            console=screen,
        )
        self._task = self._progress.add_task("playing", total=the_plan.games, completed=self._played, crew="")
        self._live = Live(self._progress, console=screen, transient=True, auto_refresh=False)
        self._began = self._shown = monotonic()
        self._crew = ""

    def __enter__(self) -> PlayProgress:
        if self._screen.is_terminal and self._plan.missing:
            self._live.start()
            self._live.refresh()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live.is_started:
            self._live.stop()

    def tell(self, crew: Crew) -> None:
        """Show who plays, and what happened to one of them."""
        workers = f", {_number(crew.workers, 'worker')}" if crew.workers else ""
        self._crew = f"{_number(crew.nodes, 'node')}{workers}"
        self._progress.update(self._task, crew=self._crew)
        if crew.news:
            self._screen.print(f"{crew.news} ({self._crew})", soft_wrap=True, markup=False, highlight=False)
        if self._live.is_started:
            self._live.refresh()

    def add(self, result: BlockResult) -> None:
        """Count a block that was played."""
        games, ruleset_hash = result.block.games, result.block.ruleset_hash
        self._played += games
        self._progress.advance(self._task, games)
        self._tables[ruleset_hash].add(result)
        now = monotonic()
        if self._live.is_started:
            if now - self._shown >= STANDINGS_EVERY:
                self._shown = now
                ruleset = self._rulesets[ruleset_hash]
                self._progress.update(self._task, description=ruleset.name)
                lines = pipeline.provisional(self._tables[ruleset_hash].build(), ruleset, result.block.seats)
                self._live.update(Group(standings_table(f"{ruleset.name}, so far", lines), self._progress))
            self._live.refresh()
        elif now - self._shown >= LINE_EVERY:
            self._shown = now
            speed = (self._played - self._plan.games + self._plan.missing_games) / (now - self._began)
            crew = f", {self._crew}" if self._crew else ""
            self._screen.print(f"{self._played:,} of {self._plan.games:,} games, {speed:,.0f} games/s{crew}")


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
