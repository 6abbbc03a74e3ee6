"""A league's files: standings for machines and for people, the crosstable, and a page that links them.

All files change together, or none; see `arena.report.placing`. They hold no times and no dates.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import UserError, not_taken
from arena.records import Crosstable, End, Fault, Standing, Timing
from arena.report.crosstables import clusters_csv, crosstable_csv
from arena.report.markdown import league_page, overview_page
from arena.report.placing import place_all, refuse_folders, refuse_unwritable
from arena.rules.model import Ruleset

SCHEMA = 1
STANDINGS_FILE = "standings.json"
PAGE_FILE = "standings.md"
CROSSTABLE_FILE = "crosstable.csv"
CLUSTERS_FILE = "clusters.csv"
OVERVIEW_FILE = "README.md"


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
        pages[folder / PAGE_FILE] = league_page(
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
    others = published(out, but={league.ruleset.name for league in leagues})
    summary = {**dict(others), **{league.ruleset.name: json.loads(standings_json(league)) for league in leagues}}
    pages[out / OVERVIEW_FILE] = overview_page(dict(sorted(summary.items())))
    place_all(pages)


def refuse_unpublishable(rulesets: Collection[str], out: Path) -> None:
    """Refuse a folder that cannot take the leagues of some rulesets, so that nobody plays for nothing.

    Args:
        rulesets: their names.
        out: the folder; it need not be there, and is not made.

    Raises:
        UserError: if `publish_leagues` could not write there, or what stands there of other rulesets cannot be read.
    """
    missing: list[Path] = []
    try:
        if out.exists() and not out.is_dir():
            raise UserError(f"{out}: --out is a folder, and this is a file")
        missing += [path for path in (out, *out.parents) if not path.exists()]
        out.mkdir(parents=True, exist_ok=True)
        folders = [out / name for name in rulesets]
        files = (STANDINGS_FILE, PAGE_FILE, CROSSTABLE_FILE, CLUSTERS_FILE)
        refuse_folders([out / OVERVIEW_FILE, *(folder / file for folder in folders for file in files)])
        for folder in (out, *(folder for folder in folders if folder.exists())):
            refuse_unwritable(folder)
        dict(published(out, but=rulesets))
    except OSError as error:
        raise not_taken(f"{out}: --out cannot be written", error) from None
    finally:
        for path in missing:
            with suppress(OSError):
                path.rmdir()


def published(out: Path, *, but: Collection[str] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the leagues that stand in a folder: ruleset names and the content of their ``standings.json``.

    Args:
        out: the folder.
        but: rulesets that are left out, unread.

    Raises:
        UserError: if a file cannot be read or is none of ours.
    """
    remedy = "remove it, or choose another --out"
    for path in sorted(out.glob(f"*/{STANDINGS_FILE}")):
        if path.parent.name in but:
            continue
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: cannot be read: {error}; {remedy}") from None
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise UserError(f"{path}: is no standings file of schema {SCHEMA}; {remedy}")
        try:
            overview_page({path.parent.name: content})
        except (KeyError, IndexError, TypeError, AttributeError, ValueError, ArithmeticError):
            raise UserError(f"{path}: the standings are damaged; {remedy}") from None
        yield path.parent.name, content
