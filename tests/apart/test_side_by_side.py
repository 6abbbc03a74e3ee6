"""Which bots' processes live at the same time: of different blocks, never of two seatings of the same dice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from kept_apart import LACKING, SEED, WIDE, assert_equal, here, play, rules_of, shipped

from arena.agent.chronicle import Chronicle
from arena.agent.limits import Level
from arena.agent.nursery import Nursery
from arena.agent.remote import Remote, RemoteDriver
from arena.agent.turn import SeatView
from arena.records import Block, Entrant
from arena.tournament.block import play_in_turn, steps_of_block
from arena.tournament.work import BLOCKS_AT_ONCE, Job

needs_sandbox = pytest.mark.skipif(bool(LACKING), reason=f"no {LACKING}")
Seat = tuple[str, int]
"""Whose process it is, and where it sits."""


class Watched(Remote):
    """A bot of which it is noted whose processes live whenever one begins.

    Attributes:
        living: now.
        seen: at those moments.
    """

    living: ClassVar[list[Seat]] = []
    seen: ClassVar[list[list[Seat]]] = []

    def driver(self, view: SeatView, tables: int, chronicle: Chronicle) -> RemoteDriver:
        driver = Remote.driver(self, view, tables, chronicle)
        here, end = (self.ref.name, view.seat), driver.close
        self.living.append(here)
        self.seen.append(list(self.living))

        def close() -> None:
            end()
            self.living.remove(here)

        driver.close = close  # type: ignore[method-assign]
        return driver


@pytest.mark.parametrize("boxed", [False, pytest.param(True, marks=needs_sandbox)])
def test_seatings_of_the_same_dice_never_live_at_once(*, boxed: bool) -> None:
    rules = rules_of("two-stage")
    hands = ("collector", "greedy", "ladder"), ("chaser", "random")
    blocks = [Block("", rules.ruleset.hash, tuple(Entrant(name, "") for name in hand), 2, 5) for hand in hands]
    seatings = {
        (entrant.name, seat): (number, seating)
        for number, block in enumerate(blocks)
        for seating in range(block.seats)
        for seat, entrant in enumerate(block.seated(seating))
    }
    Watched.seen.clear()
    with Nursery() as nursery:
        bots = {name: Watched(shipped(name), nursery, WIDE, boxed) for hand in hands for name in hand}
        plays = [steps_of_block(block, rules, SEED, bots) for block in blocks]
        found = {result.block: result for result in play_in_turn(plays)}
    assert not Watched.living
    moments = [{seatings[seat] for seat in living} for living in Watched.seen]
    assert set().union(*moments) == set(seatings.values())
    for moment in moments:
        assert len({number for number, _ in moment}) == len(moment), "two seatings of one block"
    assert max(map(len, moments)) == len(blocks), "one block after the other"
    for hand, block in zip(hands, blocks, strict=True):
        assert_equal(play(here(*map(shipped, hand)), mirrors=3, first=2), found[block])


def block(first: int, *names: str) -> Block:
    return Block("", "", tuple(Entrant(name, "") for name in names), first, first + 1)


def test_blocks_are_played_side_by_side_where_bots_are_waited_for(tmp_path: Path) -> None:
    agents = {name: shipped(name) for name in ("chaser", "greedy", "random")}
    agents["random"] = replace(agents["random"], level=Level.PROCESS)
    job = Job(SEED, {}, agents, tmp_path)
    inline, waits = block(0, "chaser", "greedy"), [block(first, "greedy", "random") for first in range(5)]
    assert job.first_hand([]) == ()
    assert job.first_hand([inline, *waits]) == (inline,)
    assert job.first_hand(waits) == tuple(waits[:BLOCKS_AT_ONCE])
    assert job.first_hand([waits[0], inline]) == (waits[0], inline)
    assert job.first_hand(waits[:1]) == (waits[0],)
