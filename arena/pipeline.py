"""The whole program as five calls: load, plan, play, rate, publish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

from arena.held_folder import held_folder
from arena.manifest import Manifest
from arena.ratings.crosstable import CrosstableBuilder
from arena.ratings.digest import RulesetDigest, run_digest
from arena.ratings.disqualify import Disqualifier
from arena.ratings.elo import rate as rate_crosstable
from arena.ratings.faults import FaultCounts
from arena.ratings.joined import joined
from arena.records import Block, BlockResult, Crosstable, End, Fault, LostBlock, Standing, Timing
from arena.report.publish import League, publish_leagues
from arena.report.standings import standings
from arena.rules.model import Ruleset
from arena.store import Results, Store
from arena.tournament.backends import DEFAULT_BACKEND, Backend
from arena.tournament.crew import Tell, nobody
from arena.tournament.file import Tournament, load_tournament
from arena.tournament.processes import play_processes
from arena.tournament.ray_address import DEFAULT_ADDRESS, Address
from arena.tournament.ray_apart import play_ray_apart
from arena.tournament.ray_nodes import PATIENCE, Patience
from arena.tournament.schedule import Series, missing_blocks, pairings, plan_series
from arena.tournament.schedule import block_size as default_block_size
from arena.tournament.serial import play_serial
from arena.tournament.work import Job
from arena.version import VERSION

RESOURCE_FAULTS = (End.TIMEOUT, End.MEMORY, End.CRASH, End.PROTOCOL)
"""Faults that may differ from run to run; of `End.START` see `_start_was_lost`."""


load = load_tournament
"""The first of the five calls: see `arena.tournament.file.load_tournament`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a tournament is made of.

    Attributes:
        tournament: what was loaded.
        seed: of all dice: the tournament's, or the one that was drawn for the run.
        series: every pairing under every ruleset.
        missing: blocks that are not stored yet, in order.
    """

    tournament: Tournament
    seed: int
    series: tuple[Series, ...]
    missing: tuple[Block, ...]

    @property
    def games(self) -> int:
        """Games of the whole tournament."""
        return sum(one.mirrors for one in self.series) * self.tournament.seats

    @property
    def missing_games(self) -> int:
        """Games that are not stored yet."""
        return sum(block.games for block in self.missing)

    def whole(self, ruleset: Ruleset) -> list[Block]:
        """Return all that is wanted under a ruleset, a block a pairing."""
        return [one.block(0, one.mirrors) for one in self.series if one.ruleset_hash == ruleset.hash]


def plan(tournament: Tournament, store: Store, *, block_size: int | None = None) -> Plan:
    """Return the games of a tournament, and which of them are still to be played.

    A seed that is to be drawn is drawn now, if the run has none yet.

    Args:
        tournament: from `load`.
        store: results that are known.
        block_size: mirrors a block; no result depends on it.

    Raises:
        UserError: if the store cannot be read, or the drawn seed not be kept.
    """
    hashes = [ruleset.hash for ruleset in tournament.rulesets]
    entrants = [ref.entrant for ref in tournament.agents]
    names = [entrant.name for entrant in entrants]
    seed = store.draw_seed() if tournament.seed is None else tournament.seed
    tables = pairings(names, tournament.seats, seed=seed, gauntlet=tournament.gauntlet)
    place = {name: number for number, name in enumerate(names)}
    manifest = Manifest(
        tournament=tournament.name,
        file=str(tournament.file),
        seed=tournament.seed,
        seats=tournament.seats,
        mirrors=tournament.games // tournament.seats,
        rulesets=tournament.rulesets,
        entrants=tuple(entrants),
        pairings=tuple(tuple(place[name] for name in table) for table in tables),
    )
    if (described := manifest.to_json()) != store.manifest():
        store.describe(described)
    series = plan_series(seed, hashes, entrants, tables, tournament.games)
    in_arrays = {ref.name for ref in tournament.agents if ref.in_arrays}

    def size_of(one: Series) -> int:
        return block_size or default_block_size(series, one, in_arrays)

    return Plan(tournament, seed, tuple(series), tuple(missing_blocks(series, store.known, size_of)))


def play(
    the_plan: Plan,
    store: Store,
    *,
    backend: Backend = DEFAULT_BACKEND,
    workers: int | None = 1,
    stopped: Callable[[], bool] = lambda: False,
    address: Address = DEFAULT_ADDRESS,
    tell: Tell = nobody,
    patience: Patience = PATIENCE,
) -> Iterator[BlockResult | LostBlock]:
    """Play what is missing; every block is stored before it is yielded.

    Before, what is stored of the tournament is looked through: damage is told then, and not when all is played.

    Args:
        the_plan: from `plan`.
        store: takes the results.
        backend: where blocks are played.
        workers: how many play at the same time, for backends that have some; None for as many as Ray's cluster has.
        stopped: True ends the playing; what is stored stays.
        address: of Ray's cluster, see `arena.tournament.ray_cluster.Cluster`.
        tell: is told who plays, by the backend of several machines.
        patience: when one of these is asked whether it is there.

    Yields:
        Every block that is stored now, or lost, in the order in which they end.

    Raises:
        UserError: if the store is damaged, a result cannot be stored, a bot cannot be loaded any more, or there is no
            cluster.
        ArenaError: if workers do not start.
    """
    tournament = the_plan.tournament
    if not the_plan.missing:
        return
    _look_through(the_plan, store, stopped)
    # A worker that is killed cannot remove what it unpacked, so the folder is this process's; and if this one is
    # killed, the next run's.
    with held_folder(Path(gettempdir()), "arena-run-") as folder:
        job = Job(
            the_plan.seed,
            {ruleset.hash: ruleset for ruleset in tournament.rulesets},
            {ref.name: ref for ref in tournament.agents},
            folder,
            tournament.limits,
            tournament.record == "full",
        )
        if backend == "serial":
            playing = play_serial(job, the_plan.missing, stopped)
        elif backend == "processes":
            playing = play_processes(job, the_plan.missing, stopped, workers or 1)
        else:
            playing = play_ray_apart(
                job, the_plan.missing, stopped, workers=workers, address=address, tell=tell, patience=patience
            )
        with closing(playing) as results:
            for result in results:
                if isinstance(result, BlockResult):
                    store.refuse_moved()
                    store.put(result)
                yield result


def _look_through(the_plan: Plan, store: Results, stopped: Callable[[], bool]) -> None:
    """Read what is stored of a tournament, as rating does, and keep nothing of it.

    Raises:
        UserError: if the store is damaged.
    """
    for one in the_plan.series:
        for _ in store.results(one.block(0, one.mirrors)):
            if stopped():
                return


def builder(tournament: Tournament, ruleset: Ruleset) -> CrosstableBuilder:
    """Return an empty crosstable of a ruleset, for results in any order."""
    return CrosstableBuilder(ruleset, [ref.name for ref in tournament.agents])


def provisional(crosstable: Crosstable, ruleset: Ruleset, seats: int) -> tuple[Standing, ...]:
    """Return the standings of results so far."""
    return standings(ruleset, crosstable, rate_crosstable(crosstable), seats)


def rate(the_plan: Plan, store: Results) -> list[League]:
    """Return the league of every ruleset, from what is stored; the whole tournament must be.

    Args:
        the_plan: from `plan`.
        store: has all results.
    """
    tournament = the_plan.tournament
    rated = [_rated(the_plan, ruleset, store) for ruleset in tournament.rulesets]
    whole_run = run_digest({league.ruleset.name: league.digest for league in rated})
    return [replace(league, run_digest=whole_run) for league in rated]


def _rated(the_plan: Plan, ruleset: Ruleset, store: Results) -> League:
    """Return the league of a ruleset, without the digest of the whole run."""
    tournament = the_plan.tournament
    table, digest = builder(tournament, ruleset), RulesetDigest(ruleset.hash)
    out, faults = Disqualifier(tournament.disqualify_after), FaultCounts()
    timing = {ref.name: Timing() for ref in tournament.agents}
    first_faults: dict[tuple[str, End], Fault] = {}
    broken = {ref.name for ref in tournament.agents if ref.broken}
    lost_starts: set[str] = set()
    for whole in the_plan.whole(ruleset):
        for result in joined(store.results(whole)):
            digest.add(result)
            faults.add(result)
            if (counting := out.counting(result)) is not None:
                table.add(counting)
            for fault in result.faults:
                first_faults.setdefault((fault.agent, fault.kind), fault)
                if fault.agent not in broken and _start_was_lost(fault):
                    lost_starts.add(fault.agent)
            for name, spent in result.timing.items():
                timing[name] += spent
    crosstable = table.build()
    ratings = rate_crosstable(crosstable)
    by_agent = {name: faults.of(name) for name in faults.agents}
    return League(
        tournament=tournament.name,
        ruleset=ruleset,
        seats=tournament.seats,
        seed=the_plan.seed,
        digest=digest.hexdigest(),
        run_digest="",
        arena_version=VERSION,
        crosstable=crosstable,
        standings=standings(ruleset, crosstable, ratings, tournament.seats, out.reasons()),
        notes=(*(ratings.notes if tournament.seats > 1 else ()), *out.notes()),
        timing=timing,
        faults=by_agent,
        first_faults=tuple(first_faults[key] for key in sorted(first_faults)),
        resource_faults=sum(kinds.get(end, 0) for kinds in by_agent.values() for end in RESOURCE_FAULTS)
        + sum(by_agent[name][End.START] for name in lost_starts),
    )


def _start_was_lost(fault: Fault) -> bool:
    """Return whether a bot that can be loaded did not start for want of time, or as its process died.

    What a bot raises as it starts has a traceback, and comes again in every run.
    """
    return fault.kind is End.START and not fault.traceback


def publish(leagues: Sequence[League], out: Path) -> None:
    """Write every league's files under a folder; see `arena.report.publish.publish_leagues`.

    Raises:
        UserError: if the folder cannot be written.
    """
    publish_leagues(leagues, out)
