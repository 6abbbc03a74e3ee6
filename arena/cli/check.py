"""``arena check``: try a bot before it plays."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import UserError, printable

if TYPE_CHECKING:
    from arena.agent.plugins import Plugins
    from arena.agent.ref import AgentRef
    from arena.tournament.findings import Finding


@click.command()
@click.argument("path", required=False)
@click.option("--command", metavar="WORDS", help="Check an external bot in place of PATH, such as 'node bot.js'.")
@click.option(
    "--ruleset",
    "rulesets",
    multiple=True,
    metavar="ID",
    help="Check under this ruleset, or this ruleset file, only; may be given several times.",
)
def check(path: str | None, command: str | None, rulesets: tuple[str, ...]) -> int:
    """Check the bot at PATH: a file, file.py:Class, a folder, or a name as in tournament files.

    Or the external bot that a command starts.

    Six checks, a line each: it loads; its answers are legal in every ruleset; it repeats under one seed; it keeps
    nothing from game to game; its two forms are equal; it is quick enough. Each ends at its first failure, with the
    call that shows it. Exit code 1 if one failed.
    """
    from arena.agent.limits import level_of
    from arena.agent.plugins import Plugins, ruleset_path
    from arena.rules.shipped import ruleset_ids

    if path is None and command is None:
        raise UserError("Missing argument 'PATH'.")
    if path is not None and command is not None:
        raise UserError("PATH and --command: one of them is enough")
    plugins = Plugins()
    files = [ruleset_path(ruleset, plugins) for ruleset in dict.fromkeys(rulesets or ruleset_ids())]
    if command is not None:
        return _tell(_checked(command, files))
    assert path is not None
    ref = _ref(path, plugins)
    from arena.tournament.check_apart import check_apart

    return _tell(check_apart(replace(ref, level=str(level_of(ref, None))), files))


def _tell(findings: Generator[Finding, None, None]) -> int:
    """Print what came of checks, and return the exit code; after Ctrl-C nothing is left of them."""
    from arena.tournament.findings import State

    failed = False
    try:
        with closing(findings):
            for finding in findings:
                failed |= finding.state is State.FAILED
                click.echo(finding)
                for line in finding.details:
                    click.echo(f"    {printable(line.expandtabs())}".rstrip())
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
        return 1
    return 1 if failed else 0


def _checked(command: str, files: Sequence[Path]) -> Generator[Finding, None, None]:
    """Check an external bot, whose files are relative to the working directory."""
    import os
    import shlex

    from arena.agent.commands import locate_command
    from arena.agent.limits import level_of
    from arena.tournament.check_command import check_command
    from arena.tournament.trials import Rulebook

    if not hasattr(os, "fork"):
        raise UserError("--command: external bots are not to be had on this system")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"--command: {error}: {command}") from None
    if not words or not words[0]:
        raise UserError("--command: the first word names a program, and there is none")
    try:
        ref = locate_command(words, Path.cwd())
    except UserError as error:
        raise UserError(f"--command: {error}") from None
    return check_command(replace(ref, level=str(level_of(ref, None))), Rulebook(files))


def _ref(path: str, plugins: Plugins) -> AgentRef:
    """Return a reference to what a path or a name means."""
    from arena.agent.sources import locate
    from arena.tournament.agents import named

    is_name = not any(sign in path for sign in "/\\:.") and not Path(path).exists()
    return named(path, Path.cwd(), plugins) if is_name else locate(Path(path))
