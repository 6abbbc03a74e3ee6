"""What goes wrong in a leg: every fault is counted by its end code, and the first few of a seat are told in detail."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.agent.inline import Failure
from arena.dice.lattice import Faces, RollId
from arena.records import End, Fault


class Faults:
    """Collects the details of a leg's faults.

    Args:
        agents: names by seat.
        seating: the seating of the leg.
        first_dice_set: the dice set of table 0.
        rolls: the faces of every roll.
    """

    DETAILED = 16
    """Faults of one seat that are told in detail, beside the first of every kind."""

    def __init__(self, agents: Sequence[str], seating: int, first_dice_set: int, rolls: Sequence[Faces]) -> None:
        self._agents, self._seating, self._first, self._rolls = agents, seating, first_dice_set, rolls
        self._told = [0] * len(agents)
        self._kinds: set[tuple[int, End]] = set()
        self.found: list[Fault] = []

    def charge(
        self, seat: int, table: int, round_: int, roll: int, roll_id: RollId, kind: End, failure: Callable[[], Failure]
    ) -> None:
        """Keep the record of a fault.

        Args:
            seat: who is charged.
            table: at which of the leg's tables.
            round_: the round, from 1.
            roll: the roll, from 1.
            roll_id: the dice now showing.
            kind: the kind of fault.
            failure: makes the details; called only while they are kept.
        """
        if self._told[seat] >= self.DETAILED and (seat, kind) in self._kinds:
            return
        self._told[seat] += 1
        self._kinds.add((seat, kind))
        told = failure()
        self.found.append(
            Fault(
                agent=self._agents[seat],
                kind=kind,
                dice_set=self._first + table,
                seating=self._seating,
                seat=seat,
                round=round_,
                roll=roll,
                message=told.message,
                traceback=told.traceback,
                dice=self._rolls[roll_id],
                answer=told.answer,
                printed=told.printed,
            )
        )
