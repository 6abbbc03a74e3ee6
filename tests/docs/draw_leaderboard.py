"""Draws ``docs/leaderboard.svg``: the README's own tournament, played, as ``arena leaderboard`` shows it.

Run it as ``python tests/docs/draw_leaderboard.py``, after a change to the README's bot or to what a leaderboard shows.
"""

import io
import re
import tempfile
from pathlib import Path

from pages import ROOT, files_in, save
from rich.console import Console

from arena.cli.main import main
from arena.cli.tables import standings_table
from arena.records import Standing
from arena.report.publish import published

PICTURE = ROOT / "docs" / "leaderboard.svg"
WIDTH = 100


def play_readme(folder: Path) -> list[Standing]:
    """Save what the README shows, play its tournament, and return the leaderboard."""
    save(files_in("README.md"), folder)
    places = ["--out", str(folder / "out"), "--run-dir", str(folder / "run")]
    try:
        main(["run", str(folder / "first.yaml"), "--backend", "serial", *places])
    except SystemExit as ending:
        if ending.code != 0:
            raise
    [(_, league)] = published(folder / "out")
    return [Standing(**line) for line in league["standings"]]


def draw(standings: list[Standing]) -> str:
    """Return a picture of a leaderboard that fetches nothing: without the fonts and addresses that rich puts in."""
    screen = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False, markup=False)
    screen.print(standings_table("yahtzee", standings))
    picture = screen.export_svg(title="arena run first.yaml", unique_id="leaderboard")
    picture = re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    picture = re.sub(r"\s*<!--.*?-->", "", picture, flags=re.DOTALL)
    return "\n".join(line.rstrip() for line in picture.splitlines() if line.strip()) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PICTURE.write_text(draw(play_readme(Path(made))), encoding="utf-8", newline="\n")
