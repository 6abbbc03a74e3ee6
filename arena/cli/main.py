"""The command ``arena``: one module a command, imported when it is used, and one line for a user's mistake."""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import sys

import click

from arena.cli.groups import NearGroup
from arena.errors import DISK_ERRORS, DiskError, NoProcessError, UserError
from arena.version import VERSION

COMMANDS = {
    "advise": "Print what every decision in a position is worth.",
    "agents": "List the bots that can be entered by name.",
    "check": "Try a bot before it plays.",
    "export": "Write the games of a run, a line each.",
    "faults": "List what the bots of a run did wrong.",
    "leaderboard": "Print published standings.",
    "replay": "Print one game of a run, roll by roll.",
    "rules": "List rulesets, and show, score and compare by them.",
    "run": "Play a tournament and publish its leaderboards.",
    "solve": "Find the exact value of a ruleset.",
}


class LazyGroup(NearGroup):
    """A group that imports a command's module when the command is used, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Return a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"arena.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write the commands with their one line, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="arena")
def arena() -> None:
    """The arena where dice-poker bots compete."""


def main(args: list[str] | None = None) -> None:
    """Run the command line, and exit: 0 finished, 1 unfinished, 2 a user's mistake.

    Args:
        args: the arguments; by default those of the process.
    """
    atexit.register(gc.freeze)  # at its end Python would look for garbage in all that was loaded
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a bot's name may have letters that the terminal has not
            stream.reconfigure(errors="backslashreplace")
    try:
        code = arena.main(args=args, prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except UserError as error:
        _complain(str(error))
        code = 1 if isinstance(error, DiskError | NoProcessError) else 2
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        code = 2
    except click.ClickException as error:
        _complain(error.format_message())
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        code = 1
    except BrokenPipeError:  # the reader, such as `head`, has gone
        _drop_output()
        code = 1
    except OSError as error:
        if error.errno not in DISK_ERRORS or error.filename is not None:
            raise  # whatever else is written is told where it is written
        _drop_output()
        _complain(f"standard output cannot be written: {error.strerror}")
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _drop_output() -> None:
    """Let what is still to be written vanish: Python would try again at its end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    for line in text.splitlines() or [""]:
        click.echo(f"error: {line}", err=True)
