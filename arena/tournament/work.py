"""What a worker needs to play any block of a run, and the worker's side of playing one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.agent.bot import Bot
from arena.agent.limits import Level, Limits
from arena.agent.loader import load
from arena.agent.ref import AgentRef
from arena.agent.remote import Remote
from arena.agent.sources import bundled_folder, locate
from arena.agent.spawned import new_nursery
from arena.game.new import Rules, compile_rules
from arena.records import Block, BlockResult, Entrant
from arena.rules.model import Ruleset
from arena.tournament.block import play_block

WARM_UP_BOTS = ("turn_optimal", "random")


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that blocks of a run share. It travels to workers: bots go as references, never as objects.

    Attributes:
        seed: the secret seed of all dice.
        rulesets: by content hash.
        agents: by name.
        folder: where bots are unpacked that are kept apart; whoever plays the run removes it.
        limits: what a bot may take that is kept apart.
        record: True to keep transcripts.
    """

    seed: int
    rulesets: Mapping[str, Ruleset]
    agents: Mapping[str, AgentRef]
    folder: Path | None = None
    limits: Limits = field(default_factory=Limits)
    record: bool = False


class Worker:
    """Plays blocks, one after the other; rules are compiled and bots loaded once.

    Args:
        job: the run.

    Raises:
        FileError: if a bot does not load.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._nursery = new_nursery(job.folder)
        self._bots: dict[str, Bot | Remote] = {name: self._bot(ref) for name, ref in job.agents.items()}
        self._rules: dict[str, Rules] = {}

    def _bot(self, ref: AgentRef) -> Bot | Remote:
        if ref.level == Level.INLINE or ref.broken:
            return load(ref)
        return Remote(ref, self._nursery, self._job.limits, boxed=ref.level == Level.SANDBOX)

    def close(self) -> None:
        """End the processes of bots."""
        self._nursery.close()

    def warm_up(self) -> None:
        """Play a mirror of shipped bots under a ruleset of each kind, so that compiling is not timed as any bot's."""
        bots = {name: load(locate(bundled_folder() / f"{name}.py")) for name in WARM_UP_BOTS}
        entrants = tuple(Entrant(name, "") for name in sorted(bots))
        kinds = {ruleset.card is None: ruleset for ruleset in self._job.rulesets.values() if ruleset.max_seats > 1}
        for ruleset in kinds.values():
            block, rules = Block("", ruleset.hash, entrants, 0, 1), self._compiled(ruleset.hash)
            play_block(block, rules, 0, bots, record=self._job.record)

    def play(self, block: Block) -> BlockResult:
        """Play a block."""
        rules = self._compiled(block.ruleset_hash)
        return play_block(block, rules, self._job.seed, self._bots, record=self._job.record)

    def _compiled(self, ruleset_hash: str) -> Rules:
        rules = self._rules.get(ruleset_hash)
        if rules is None:
            rules = self._rules[ruleset_hash] = compile_rules(self._job.rulesets[ruleset_hash])
        return rules
