"""``arena agents``: list what can be entered by name, and what cannot and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click


@click.command()
def agents() -> None:
    """List the bots that can be entered by name: those in ./agents, those that ship with the arena, and plugins'."""
    from rich.table import Table
    from rich.text import Text

    from arena.agent.limits import Limits, level_of
    from arena.agent.plugins import Plugins
    from arena.agent.probe import Prober
    from arena.agent.ref import AgentRef
    from arena.agent.sources import AGENTS_FOLDER, bots_in, bundled_folder, locate
    from arena.cli.tables import console
    from arena.errors import UserError

    def described(ref: AgentRef) -> str:
        try:
            return prober.known(replace(ref, level=str(level_of(ref, None)))).description
        except UserError as error:
            return f"broken: {error}"

    table = Table("name", "from", "description")
    plugins, found = Plugins(), dict[str, Path]()
    for folder in (bundled_folder(), Path(AGENTS_FOLDER)):  # the nearer one wins
        found.update(bots_in(folder))
    rows = []
    with Prober(Limits()) as prober:
        for name, path in found.items():
            try:
                ref = locate(path)
                rows.append((name, ref.origin if ref.origin == "bundled" else str(path), described(ref)))
            except UserError as error:
                rows.append((name, str(path), f"broken: {error}"))
        for plugin in plugins.working:
            where = f"plugin {plugin.label}"
            rows += [(name, where, described(ref)) for name, ref in plugin.bots.items() if name not in found]
    rows += [(label, "plugin", f"broken: {reason}") for label, reason in plugins.broken.items()]
    for row in sorted(rows):
        table.add_row(*map(Text, row))
    console().print(table)
