"""Leaderboards as Markdown pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arena.records import Crosstable, Standing
from arena.report.cells import CROSSTABLE_TITLE, cells, crosstable_cells, header
from arena.rules.model import Ruleset

BREAK = "<!-- -->"
SIGNS = re.compile(r"[\\`*_{}\[\]<>#|!~&]|:(?=[\w+-]+:)|@(?=\w)")
"""What would not be shown as it is written: Markdown's own signs, and where an emoji or a mention begins."""


def escape(text: str) -> str:
    """Return a name as Markdown shows it letter by letter, GitHub's included.

    GitHub makes emoji of ``:rocket:`` and mentions of ``@name`` once Markdown is read, so that a backslash does not
    help, and an empty comment does.
    """
    return SIGNS.sub(lambda sign: f"{sign[0]}{BREAK}" if sign[0] in ":@" else f"\\{sign[0]}", text)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return a table; columns after the first ``left`` are right-aligned."""
    marks = ["---" if column < left else "---:" for column in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, marks, *rows]) + "\n"


def standings_table(standings: Sequence[Standing]) -> str:
    """Return the standings as a table."""
    rows = [[row[0], escape(row[1]), *row[2:]] for row in cells(standings)]
    return _table(header(standings), rows, left=2)


def crosstable_table(standings: Sequence[Standing], crosstable: Crosstable) -> str:
    """Return the share of points of each bot (a draw is half) against each other, best first."""
    rows = [[escape(name), *cells] for name, *cells in crosstable_cells(standings, crosstable)]
    return _table([CROSSTABLE_TITLE, *(escape(line.name) for line in standings)], rows)


def seats_table(ruleset: Ruleset, crosstable: Crosstable) -> str:
    """Return how often the first seat won, beside what the ruleset's source counted, if it did."""
    first = sum(row.wins_first for row in crosstable)
    second = sum(row.losses_first for row in crosstable)
    drawn = sum(row.draws for row in crosstable)
    games = first + second + drawn
    shares = [f"{number / games:.2%}" if games else "" for number in (first, second, drawn)]
    rows = [["here", *shares, f"{games:,}"]]
    if ruleset.published:
        rows.append(["as published", *ruleset.published.shares, f"{ruleset.published.games:,}"])
    return _table(["", "first seat won", "second seat won", "drawn", "games"], rows)


def league_page(
    ruleset: Ruleset,
    standings: Sequence[Standing],
    crosstable: Crosstable,
    notes: Sequence[str],
    *,
    tournament: str,
    seats: int,
    seed: int,
    digest: str,
) -> str:
    """Return a ruleset's ``standings.md``."""
    parts = [
        f"# {escape(ruleset.name)}\n",
        f"{escape(ruleset.title)}. Source: {escape(ruleset.source)}.\n",
        standings_table(standings),
        *(f"- {escape(note)}" for note in notes),
        *([""] if notes else []),
        *(["## Against each other\n", crosstable_table(standings, crosstable)] if seats > 1 else []),
        *(["## By seat\n", seats_table(ruleset, crosstable)] if seats == 2 else []),
        f"Tournament {escape(tournament)}, seed {seed}, digest `{digest}`.",
    ]
    return "\n".join(parts) + "\n"


def overview_page(leagues: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the ``README.md`` that links every league of a folder.

    Args:
        leagues: the content of each ``standings.json``, by ruleset name.
    """
    rows = []
    for name, league in leagues.items():
        lines = league["standings"]
        out = sum(bool(line.get("disqualified")) for line in lines)
        leader = escape(lines[0]["name"]) if out < len(lines) else ""
        if leader and lines[0]["elo"] is not None:
            leader += f" ({lines[0]['elo']:.1f})"
        bots = f"{len(lines)}, {out} disqualified" if out else str(len(lines))
        link = f"[{escape(name)}]({name}/standings.md)"
        games = sum(line["games"] for line in lines) // league["seats"]
        rows.append([link, leader, bots, f"{games:,}", escape(league["tournament"])])
    return "# Leaderboards\n\n" + _table(["ruleset", "leader (Elo)", "bots", "games", "tournament"], rows, left=2)
