"""``arena agents``: list what can be entered by name, and what cannot and why."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
def agents() -> None:
    """List the bots that can be entered by name: those in ./agents, and those that ship with the arena."""
    from rich.table import Table  # noqa: PLC0415 - rich and numpy, which --help can do without
    from rich.text import Text  # noqa: PLC0415

    from arena.agent.loader import bots_in, bundled_folder, load, locate  # noqa: PLC0415
    from arena.cli.tables import console  # noqa: PLC0415
    from arena.errors import UserError  # noqa: PLC0415

    table = Table("name", "from", "description")
    found: dict[str, Path] = {}
    for folder in (bundled_folder(), Path("agents")):  # the nearer one wins
        found.update(bots_in(folder))
    for name, path in sorted(found.items()):
        where = str(path)
        try:
            ref = locate(path)
            where = ref.origin if ref.origin == "bundled" else where
            said = load(ref).description
        except UserError as error:
            said = f"broken: {error}"
        table.add_row(Text(name), Text(where), Text(said))
    console().print(table)
