"""Blocks whose bots are kept apart, and what is compared of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from leagues import BOTS

from arena.agent.bot import Bot
from arena.agent.bot_process import BotProcess
from arena.agent.chronicle import Chronicle
from arena.agent.limits import Limits
from arena.agent.line_speech import line_speech
from arena.agent.loader import load
from arena.agent.nursery import Nursery
from arena.agent.ref import AgentRef
from arena.agent.remote import Remote
from arena.agent.sources import bundled_folder, locate
from arena.agent.speech import FrameSpeech, Speech
from arena.agent.turn import SeatView
from arena.game.new import Rules, compile_rules
from arena.records import Block, BlockResult, Entrant
from arena.rules.shipped import shipped_ruleset
from arena.sandbox.box import missing
from arena.tournament.block import play_block

APART = BOTS / "apart"
SEED = 20_261_130
LACKING = missing()
WIDE = Limits(decision_ms=2000, start_s=30, wall_s=60)
"""For bots that do nothing wrong, on a machine that may be busy."""


@cache
def rules_of(ruleset: str) -> Rules:
    return compile_rules(shipped_ruleset(ruleset))


def shipped(name: str) -> AgentRef:
    return locate(bundled_folder() / f"{name}.py")


def misbehaved(file: str, name: str = "bad", **params: Any) -> AgentRef:
    return locate(APART / file, name=name, params=params)


def play(
    bots: Mapping[str, Bot | Remote], *, ruleset: str = "two-stage", mirrors: int = 3, first: int = 0, seed: int = SEED
) -> BlockResult:
    """Play a block in which each of these has a seat."""
    entrants = tuple(Entrant(name, "") for name in sorted(bots))
    rules = rules_of(ruleset)
    return play_block(Block("", rules.ruleset.hash, entrants, first, first + mirrors), rules, seed, bots)


def here(*refs: AgentRef) -> dict[str, Bot | Remote]:
    return {ref.name: load(ref) for ref in refs}


def apart(nursery: Nursery, *refs: AgentRef, boxed: bool = False, limits: Limits = WIDE) -> dict[str, Bot | Remote]:
    return {ref.name: Remote(ref, nursery, limits, boxed=boxed) for ref in refs}


def greeted(nursery: Nursery, ref: AgentRef, *, boxed: bool = False, ruleset: str = "two-stage") -> BotProcess:
    """Start a bot's process for a game, and wait until the bot is ready."""
    rules = rules_of(ruleset)
    block = Block("", rules.ruleset.hash, (Entrant("bad", ""), Entrant("greedy", "")), 0, 1)
    view = SeatView.of(rules, block, SEED, 0, 0)
    speech: Speech
    if ref.argv:
        speech = line_speech(ref, nursery, WIDE, view, 1, boxed=boxed)
    else:
        nursery.learn(rules.ruleset, ref)
        speech = FrameSpeech(ref, nursery, WIDE, view, 1, Chronicle(), boxed=boxed)
    process = speech.start()
    speech.greet(process)
    return process


def renamed(ref: AgentRef, name: str) -> AgentRef:
    return replace(ref, name=name)


def assert_equal(one: BlockResult, other: BlockResult) -> None:
    for part in ("totals", "ends", "winners"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part), err_msg=str(other.faults[:1]))


def seats_of(result: BlockResult, name: str) -> list[int]:
    """Where somebody sits, by seating."""
    return [
        [entrant.name for entrant in result.block.seated(seating)].index(name) for seating in range(result.block.seats)
    ]


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())
