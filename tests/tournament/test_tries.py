"""A block is lost at the second death that counts."""

from __future__ import annotations

from arena.records import Block, Entrant, LostBlock
from arena.tournament.tries import Tries

BLOCKS = [Block("s", "r", (Entrant("a", ""), Entrant("b", "")), first, first + 1) for first in range(2)]


def test_the_second_death() -> None:
    tries = Tries()
    assert [tries.died(block, "on a") for block in BLOCKS] == [None, None]
    assert tries.died(BLOCKS[1], "on a") == LostBlock(BLOCKS[1], "its worker died 2 times, on a")


def test_all_places_are_named() -> None:
    tries = Tries()
    tries.died(BLOCKS[0], "on a")
    assert tries.died(BLOCKS[0], "on b") == LostBlock(BLOCKS[0], "its worker died 2 times, on a and on b")


def test_deaths_that_were_not_the_blocks_fault() -> None:
    tries = Tries()
    tries.died(BLOCKS[0], "on a")
    tries.forgive("on a")
    assert tries.died(BLOCKS[0], "on b") is None
    assert tries.died(BLOCKS[0], "on b") == LostBlock(BLOCKS[0], "its worker died 2 times, on b")
