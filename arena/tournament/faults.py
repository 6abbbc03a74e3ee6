"""What goes wrong in a leg: every fault is counted by its end code, and the first few of a seat are told in detail."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.agent.inline import Failure
from arena.records import Fault


class Faults:
    """Collects the details of a leg's faults.

    Args:
        agents: names by seat.
        seating: the seating of the leg.
        first_dice_set: the dice set of table 0.
    """

    DETAILED = 16
    """Faults of one seat that are told in detail."""

    def __init__(self, agents: Sequence[str], seating: int, first_dice_set: int) -> None:
        self._agents, self._seating, self._first = agents, seating, first_dice_set
        self._seen = [0] * len(agents)
        self.found: list[Fault] = []

    def charge(self, seat: int, table: int, round_: int, roll: int, failure: Callable[[], Failure]) -> None:
        """Keep the record of a fault.

        Args:
            seat: who is charged.
            table: at which of the leg's tables.
            round_: the round, from 1.
            roll: the roll, from 1.
            failure: makes the details; called only while they are kept.
        """
        self._seen[seat] += 1
        if self._seen[seat] > self.DETAILED:
            return
        told = failure()
        self.found.append(
            Fault(
                agent=self._agents[seat],
                kind=told.end,
                dice_set=self._first + table,
                seating=self._seating,
                seat=seat,
                round=round_,
                roll=roll,
                message=told.message,
                traceback=told.traceback,
            )
        )
