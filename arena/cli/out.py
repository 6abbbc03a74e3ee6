"""The option that several commands share: the folder of the leaderboards."""

from __future__ import annotations

from pathlib import Path

import click

OUT = click.option(
    "--out", type=click.Path(path_type=Path), default="leaderboard", show_default=True, help="Leaderboards."
)
