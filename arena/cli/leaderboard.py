"""``arena leaderboard``: print published standings."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.out import OUT
from arena.errors import UserError, nearest, one_of


@click.command()
@click.argument("ruleset", required=False)
@OUT
def leaderboard(ruleset: str | None, out: Path) -> None:
    """Print the published standings, of one RULESET or of all."""
    from arena.cli.tables import console, print_table, standings_table
    from arena.records import Standing
    from arena.report.publish import published

    leagues = dict(published(out))
    if not leagues:
        raise UserError(f"{out}: no leaderboard here; `arena run` publishes one")
    if ruleset is not None and ruleset not in leagues:
        raise UserError(f"{out}: no leaderboard of {ruleset!r}{nearest(ruleset, leagues)}; {one_of(leagues)}")
    screen = console()
    for name, league in leagues.items():
        if ruleset in (None, name):
            try:
                lines = [Standing(**line) for line in league["standings"]]
                title = f"{name}, {league['tournament']}"
            except (KeyError, TypeError) as error:
                raise UserError(f"{out / name}: the standings are damaged: {error}") from None
            print_table(screen, standings_table(title, lines))
            for note in league.get("notes", ()):
                screen.print(f"  {note}", soft_wrap=True)
