"""Which blocks hold the hand that a bot dies on: see ``bots/dies.py``."""

from __future__ import annotations

from pathlib import Path

from arena import pipeline
from arena.dice.lattice import lattice
from arena.dice.stream import DiceStream
from arena.records import Block
from arena.store import Store

HAND = (1, 1, 2, 2, 3)


def first_hands(block: Block, seed: int) -> set[tuple[int, ...]]:
    """Return every hand that the first throws of a block's first round show."""
    names = [entrant.name for entrant in block.entrants]
    throws = DiceStream(seed, block.ruleset_hash, names, rolls=3).throws(1, block.first, block.stop)
    rolls = lattice()
    return {rolls.rolls[rolls.rerolled[0][number]] for number in throws[:, :, 0].ravel().tolist()}


def deadly_blocks(file: Path, folder: Path) -> tuple[list[Block], list[Block]]:
    """Return the blocks in which the bot dies, and the others."""
    tournament = pipeline.load(file)
    with Store(folder) as store:
        blocks = pipeline.plan(tournament, store).missing
    deadly = [
        block
        for block in blocks
        if "dies" in [entrant.name for entrant in block.entrants] and HAND in first_hands(block, tournament.seed)
    ]
    return deadly, [block for block in blocks if block not in deadly]
