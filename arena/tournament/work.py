"""What a worker needs to play any block of a run, and the worker's side of playing one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.ref import AgentRef
from arena.game.new import Rules, compile_rules
from arena.records import Block, BlockResult
from arena.rules.model import Ruleset
from arena.tournament.block import play_block


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that blocks of a run share. It travels to workers: bots go as references, never as objects.

    Attributes:
        seed: the secret seed of all dice.
        rulesets: by content hash.
        agents: by name.
    """

    seed: int
    rulesets: Mapping[str, Ruleset]
    agents: Mapping[str, AgentRef]


class Worker:
    """Plays blocks, one after the other; rules are compiled and bots loaded once.

    Args:
        job: the run.

    Raises:
        FileError: if a bot does not load.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._bots: dict[str, Bot] = {name: load(ref) for name, ref in job.agents.items()}
        self._rules: dict[str, Rules] = {}

    def play(self, block: Block) -> BlockResult:
        """Play a block."""
        rules = self._rules.get(block.ruleset_hash)
        if rules is None:
            rules = compile_rules(self._job.rulesets[block.ruleset_hash])
            self._rules[block.ruleset_hash] = rules
        return play_block(block, rules, self._job.seed, self._bots)
