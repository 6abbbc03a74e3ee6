"""``arena check``: try a bot before it plays."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arena.agent.plugins import Plugins
    from arena.agent.ref import AgentRef


@click.command()
@click.argument("path")
@click.option(
    "--ruleset",
    "rulesets",
    multiple=True,
    metavar="ID",
    help="Check under this ruleset, or this ruleset file, only; may be given several times.",
)
def check(path: str, rulesets: tuple[str, ...]) -> int:
    """Check the bot at PATH: a file, file.py:Class, a folder, or a name as in tournament files.

    Six checks, a line each: it loads; its answers are legal in every ruleset; it repeats under one seed; it keeps
    nothing from game to game; its two forms are equal; it is quick enough. Each ends at its first failure, with the
    call that shows it. Exit code 1 if one failed.
    """
    from arena.agent.limits import level_of
    from arena.agent.plugins import Plugins, ruleset_path
    from arena.rules.shipped import ruleset_ids
    from arena.tournament.check import State
    from arena.tournament.check_apart import check_apart

    plugins = Plugins()
    files = [ruleset_path(ruleset, plugins) for ruleset in dict.fromkeys(rulesets or ruleset_ids())]
    ref, failed = _ref(path, plugins), False
    ref = replace(ref, level=str(level_of(ref, None)))
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends both processes at once
    try:
        for finding in check_apart(ref, files):
            failed |= finding.state is State.FAILED
            click.echo(finding)
            for line in finding.details:
                click.echo(f"    {line}")
    finally:
        signal.signal(signal.SIGINT, before)
    return 1 if failed else 0


def _ref(path: str, plugins: Plugins) -> AgentRef:
    """Return a reference to what a path or a name means."""
    from arena.agent.sources import locate
    from arena.tournament.agents import named

    is_name = not any(sign in path for sign in "/\\:.") and not Path(path).exists()
    return named(path, Path.cwd(), plugins) if is_name else locate(Path(path))
