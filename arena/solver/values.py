"""What a card game's positions are worth under optimal play, read from solved tables."""

from __future__ import annotations

import threading
import time
from functools import cached_property
from math import sqrt
from typing import Literal, TypeAlias

import numpy as np

from arena.dice.lattice import Floats
from arena.rules.card import Card, CardRules
from arena.rules.sheet_arrays import Cards
from arena.solver import lookup_kernels, tables
from arena.solver.kernels import Plan, Scratch
from arena.solver.plan import plan_of, scratch_of
from arena.solver.solve import Progress, compile_kernels, solve
from arena.solver.space import Ints, Space
from arena.solver.tables import Kind
from arena.solver.threads import default_threads

Origin: TypeAlias = Literal["read", "solved", "stored"]
"""Read from disk; solved; solved and stored on disk."""


class CardValues:
    """The value of every position of a card game; tables are read, or solved and stored, when they are asked for.

    Args:
        rules: the card's rules.
        cached: False to read and to store no tables on disk.
        threads: how many solve at a time; None for `default_threads`.
        progress: told of states done while a table is solved.

    Attributes:
        rules: the same.
        space: the game's states.
        origin: where each table came from, once it was asked for.
        cpu_seconds: processor time of all threads so far, compiling apart.
        compile_seconds: seconds that compiling took.

    Raises:
        UserError: if the game has more states than are worked through.
    """

    def __init__(
        self,
        rules: CardRules,
        *,
        cached: bool = True,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        start = time.process_time()
        self.rules, self.space = rules, Space(rules)
        self.cpu_seconds, self.compile_seconds = time.process_time() - start, 0.0
        self._cached, self._progress = cached, progress
        self._threads = threads or default_threads()
        self.origin: dict[Kind, Origin] = {}
        self._by_thread = threading.local()

    def _table(self, kind: Kind) -> Floats:
        moments_of = self.values if kind == "moments" else None
        start = time.process_time()
        table = tables.load(self.space, kind) if self._cached else None
        self.origin[kind] = "read"
        if table is None:
            self.compile_seconds += compile_kernels(self.space, moments=kind == "moments")
            start = time.process_time()
            table = solve(self.space, moments_of=moments_of, threads=self._threads, progress=self._progress)
            stored = self._cached and tables.store(self.space, kind, table)
            self.origin[kind] = "stored" if stored else "solved"
            table.flags.writeable = False
        self.cpu_seconds += time.process_time() - start
        return table

    @cached_property
    def values(self) -> Floats:
        """float64[states], expected points still to come, by state."""
        return self._table("values")

    @cached_property
    def moments(self) -> Floats:
        """float64[states], the expected square of the points still to come, in points squared, by state."""
        return self._table("moments")

    def ready(self, *, moments: bool = False) -> None:
        """Load or solve the tables, and compile what reads them."""
        self.after(self.moments if moments else self.values, self.cards_of(self.rules.empty))
        self.states(self.cards_of(self.rules.empty))

    @property
    def value(self) -> float:
        """Expected points of a game."""
        return float(self.values[0])

    @property
    def sd(self) -> float:
        """Standard deviation of a game's points."""
        return sqrt(max(0.0, float(self.moments[0]) - self.value**2))

    def to_come(self, card: Card) -> float:
        """Return the expected points still to come for a card at the beginning of a turn."""
        return float(self.values[self.space.state(card)])

    def variance(self, card: Card) -> float:
        """Return the variance of the points still to come, in points squared."""
        state = self.space.state(card)
        return max(0.0, float(self.moments[state] - self.values[state] ** 2))

    @cached_property
    def _index(self) -> lookup_kernels.Index:
        return lookup_kernels.Index(
            levels=np.array([*self.space.levels], dtype=np.int64),
            sections=np.array([sums.section for sums in self.space.sums], dtype=np.int32),
            watches=np.array(self.space.watches, dtype=np.int32).reshape(-1, 2),
        )

    @cached_property
    def _plan(self) -> Plan:
        return plan_of(self.space)

    def _scratch(self) -> Scratch:
        """Return what this thread works in: kernels let other threads run meanwhile."""
        scratch: Scratch | None = getattr(self._by_thread, "scratch", None)
        if scratch is None:
            scratch = self._by_thread.scratch = scratch_of(self._plan)
        return scratch

    def states(self, cards: Cards) -> Ints:
        """Return int64[n], the states of many cards."""
        out = np.empty(len(cards[0]), dtype=np.int64)
        lookup_kernels.find_states(self._plan, self._index, *cards, out)
        return out

    def after(self, table: Floats, cards: Cards) -> Floats:
        """Return what a table says of many cards after each row is filled with each of its points.

        Args:
            table: ``values`` or ``moments``.
            cards: at the beginning of a turn.

        Returns:
            float64[n, rows, k], points in the order of `arena.rules.gains.Gains.payments`; 0 where a row is not open.
        """
        out = np.empty((len(cards[0]), *self._plan.payments.shape))
        lookup_kernels.read_after(self._plan, self._scratch(), self._index, table, *cards, out)
        return out

    def cards_of(self, card: Card) -> Cards:
        """Return one card as arrays."""
        sections = range(len(card.sums))
        return (
            np.array([[points is not None for points in card.points]]),
            np.array([[points or 0 for points in card.points]], dtype=np.int16),
            np.array([card.sums], dtype=np.int32),
            np.array([[bool(card.earned >> section & 1) for section in sections]]),
        )
