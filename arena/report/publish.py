"""A league's files: standings for machines and for people, the crosstable, and a page that links them.

Files are written aside and then renamed, so that nobody ever reads half of one. They hold no times and no dates.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import UserError
from arena.records import Crosstable, End, Fault, Standing, Timing
from arena.report.crosstables import clusters_csv, crosstable_csv
from arena.report.markdown import league_page, overview_page
from arena.rules.model import Ruleset

SCHEMA = 1
STANDINGS_FILE = "standings.json"
CROSSTABLE_FILE = "crosstable.csv"
CLUSTERS_FILE = "clusters.csv"


@dataclass(frozen=True, slots=True)
class League:
    """One ruleset's leaderboard, and all that is published with it.

    Attributes:
        tournament: the tournament's name.
        ruleset: what was played.
        seats: agents at a table.
        seed: the tournament's seed.
        digest: sha256 over the ruleset's games.
        run_digest: sha256 over the whole run's.
        arena_version: of the program that rated.
        crosstable: the results.
        standings: best first.
        notes: whole sentences about the ratings.
        timing: time spent by each bot; shown on the terminal only.
        faults: of all games, also of those that do not count any more.
        first_faults: the first fault of every bot and kind; shown on the terminal only.
        resource_faults: faults that may differ from run to run.
    """

    tournament: str
    ruleset: Ruleset
    seats: int
    seed: int
    digest: str
    run_digest: str
    arena_version: str
    crosstable: Crosstable
    standings: tuple[Standing, ...]
    notes: tuple[str, ...]
    timing: Mapping[str, Timing]
    faults: Mapping[str, Mapping[End, int]]
    first_faults: tuple[Fault, ...]
    resource_faults: int


def standings_json(league: League) -> str:
    """Return a league as JSON."""
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "ruleset": league.ruleset.name,
        "ruleset_hash": league.ruleset.hash,
        "tournament": league.tournament,
        "seats": league.seats,
        "seed": league.seed,
        "digest": league.digest,
        "run_digest": league.run_digest,
        "arena_version": league.arena_version,
        "standings": [asdict(standing) for standing in league.standings],
        "notes": list(league.notes),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def publish_leagues(leagues: Sequence[League], out: Path) -> None:
    """Write each league's files in a folder named by its ruleset, and a ``README.md`` that links them.

    They are ``standings.json``, ``standings.md``, ``crosstable.csv`` (from two seats on) and ``clusters.csv`` (from
    three).

    Leagues of other rulesets that stand in the folder stay, and the page links them too.

    Raises:
        UserError: if a file cannot be written; then none is changed.
    """
    pages: dict[Path, str | None] = {}
    for league in leagues:
        folder = out / league.ruleset.name
        pages[folder / STANDINGS_FILE] = standings_json(league)
        pages[folder / "standings.md"] = league_page(
            league.ruleset,
            league.standings,
            league.crosstable,
            league.notes,
            tournament=league.tournament,
            seats=league.seats,
            seed=league.seed,
            digest=league.digest,
        )
        pages[folder / CROSSTABLE_FILE] = crosstable_csv(league.crosstable) if league.seats > 1 else None
        pages[folder / CLUSTERS_FILE] = clusters_csv(league.crosstable) if league.crosstable.clusters else None
    others = {name: content for name, content in published(out) if name not in {one.ruleset.name for one in leagues}}
    summary = {**others, **{league.ruleset.name: json.loads(standings_json(league)) for league in leagues}}
    pages[out / "README.md"] = overview_page(dict(sorted(summary.items())))
    _write(pages)


def published(out: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the leagues that stand in a folder: ruleset names and the content of their ``standings.json``.

    Raises:
        UserError: if a file cannot be read or is none of ours.
    """
    for path in sorted(out.glob(f"*/{STANDINGS_FILE}")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: cannot be read: {error}") from None
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise UserError(f"{path}: is no standings file of schema {SCHEMA}")
        yield path.parent.name, content


def _write(pages: Mapping[Path, str | None]) -> None:
    """Write all files aside, then rename them into place; remove those that are None."""
    aside: list[tuple[Path, Path]] = []
    made: list[Path] = []
    at = Path()
    try:
        for at, text in pages.items():
            if text is None:
                continue
            made += [folder for folder in (at.parent, *at.parent.parents) if not folder.exists()]
            at.parent.mkdir(parents=True, exist_ok=True)
            temporary = at.with_name(f".{at.name}.{os.getpid()}.new")
            aside.append((temporary, at))
            temporary.write_text(text, encoding="utf-8", newline="\n")
        for temporary, at in aside:
            temporary.replace(at)
        for at, text in pages.items():
            if text is None:
                at.unlink(missing_ok=True)
    except OSError as error:
        for temporary, _ in aside:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        for folder in sorted(made, reverse=True):  # what is inside before what it is in
            with suppress(OSError):  # it is not empty
                folder.rmdir()
        where = error.filename2 or error.filename or at
        raise UserError(f"{where}: cannot be written: {error.strerror or error}") from None
