"""The cells of a leaderboard as text, the same on the terminal and on pages."""

from __future__ import annotations

from collections.abc import Sequence

from arena.records import Crosstable, Standing

CROSSTABLE_TITLE = "points of each against"


def header(standings: Sequence[Standing]) -> list[str]:
    """Return the column names: no Elo in solo games, a settlement where there is one."""
    names = ["rank", "bot"]
    if _rated(standings):
        names += ["Elo", "95% interval", "games", "won/drawn/lost", "mean score"]
    else:
        names += ["games", "mean score", "95% interval"]
    return [*names, *["settlement"] * _has_money(standings), "faults"]


def cells(standings: Sequence[Standing]) -> list[list[str]]:
    """Return the lines under `header`."""
    rated, has_money = _rated(standings), _has_money(standings)
    rows = []
    for line in standings:
        mean = "" if line.mean_score is None else f"{line.mean_score:.2f}"
        row = [str(line.rank), line.name]
        if rated and line.elo is not None and line.elo_low is not None and line.elo_high is not None:
            row += [f"{line.elo:.1f}", f"{line.elo_low:.1f} to {line.elo_high:.1f}"]
            row += [str(line.games), f"{line.wins}/{line.draws}/{line.losses}", mean]
        else:
            known = line.mean_low is not None and line.mean_high is not None
            row += [str(line.games), mean, f"{line.mean_low:.2f} to {line.mean_high:.2f}" if known else ""]
        if has_money:
            row.append("" if line.settlement is None else f"{line.settlement:+.3f}")
        faults = ", ".join(f"{number} {kind}" for kind, number in line.faults_by_kind.items()) or "0"
        row.append(f"{faults}; disqualified {line.disqualified}" if line.disqualified else faults)
        rows.append(row)
    return rows


def _rated(standings: Sequence[Standing]) -> bool:
    return any(line.elo is not None for line in standings)


def _has_money(standings: Sequence[Standing]) -> bool:
    return any(line.settlement is not None for line in standings)


def crosstable_cells(standings: Sequence[Standing], crosstable: Crosstable) -> list[list[str]]:
    """Return a line an agent, best first: its name, and its share of the points against each, in the same order."""
    order, won = [line.name for line in standings], shares(crosstable)
    return [[name, *(f"{won[name, other]:.1%}" if (name, other) in won else "" for other in order)] for name in order]


def shares(crosstable: Crosstable) -> dict[tuple[str, str], float]:
    """Return the share of points that each agent won of each it met, a draw being half a point."""
    won: dict[tuple[str, str], float] = {}
    games: dict[tuple[str, str], int] = {}
    for row in crosstable:
        for one, other, wins in (
            (row.first, row.second, row.wins_first),
            (row.second, row.first, row.losses_first),
        ):
            won[one, other] = won.get((one, other), 0) + wins + row.draws / 2
            games[one, other] = games.get((one, other), 0) + row.games
    return {pair: won[pair] / number for pair, number in games.items() if number}
