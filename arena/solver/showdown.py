"""Showdown solved: seat by seat from the last, each to the greatest expected share of the pot.

Who rolls sees the best hand so far and how many hold it, and knows that those who follow play the same way. Of keeps
worth the same within `TIE` the last by keep id is held, as in card games; shares of the other seats depend on that.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import Floats, lattice
from arena.dice.lattice_kernels import TIE
from arena.rules.hands import HandRules
from arena.rules.model import Ruleset


class ShowdownValues:
    """Shares of the pot under optimal play, for a number of seats that roll in a round.

    Args:
        rules: how hands compare.
        seats: how many roll, from 1.

    Attributes:
        rules: the same.
        seats: the same.
        shares: float64[seats], what each wins of a pot, in the order of rolling.
    """

    def __init__(self, rules: HandRules, seats: int) -> None:
        self.rules, self.seats = rules, seats
        self._ranks = np.array(rules.ranks)
        self._stakes: dict[tuple[int, int, int], Floats] = {}
        kinds = int(self._ranks.max()) + 1
        # By how many follow: the share of each holder of the best hand, float64[ranks, holders]; and the shares of
        # those who follow, float64[followers, ranks, holders].
        self._held = [np.repeat([[0.0, *(1 / held for held in range(1, seats + 1))]], kinds, axis=0)]
        self._later = [np.zeros((0, kinds, seats + 1))]
        for later in range(1, seats):
            self._step(later)
        first = self._channels(seats - 1, np.array([-1]), np.array([0]))
        self.shares: Floats = expected(first[:1], first, rules.ruleset.rolls)[:, 0]
        self.shares.flags.writeable = False

    def _channels(self, later: int, best: npt.NDArray[np.intp], held: npt.NDArray[np.intp]) -> Floats:
        """Return float64[1 + later, n, rolls], by hand: the share of who rolls it, and those of who follow."""
        ranks = self._ranks[None, :]
        above, level = ranks > best[:, None], ranks == best[:, None]
        at = (np.where(above | level, ranks, best[:, None]), np.where(above, 1, held[:, None] + level))
        own = np.where(above | level, self._held[later][at], 0.0)
        return np.concatenate([own[None], self._later[later][:, at[0], at[1]]])

    def _step(self, later: int) -> None:
        """Add what holds with one more seat to follow."""
        kinds, most = len(self._held[0]), self.seats - later
        best, held = (part.ravel() for part in np.meshgrid(np.arange(kinds), np.arange(1, most + 1), indexing="ij"))
        channels = self._channels(later - 1, best, held)
        ranks = self._ranks[None, :]
        kept = np.where(ranks < best[:, None], self._held[later - 1][best, held][:, None], 0.0)
        level = ranks == best[:, None]
        kept = np.where(level, self._held[later - 1][best, held + 1][:, None], kept)
        found = expected(channels[:1], np.concatenate([kept[None], channels]), self.rules.ruleset.rolls)
        held_share, shares = np.zeros((kinds, self.seats + 1)), np.zeros((later, kinds, self.seats + 1))
        held_share[best, held] = found[0]
        shares[:, best, held] = found[1:]
        self._held.append(held_share)
        self._later.append(shares)

    def stakes(self, later: int, best: int, held: int) -> Floats:
        """Return what ending with each hand is worth.

        Args:
            later: how many roll after this seat.
            best: the rank of the best hand so far, -1 if there is none.
            held: how many hold it.

        Returns:
            float64[rolls], the expected share of the pot, by roll id, read-only.
        """
        known = self._stakes.get((later, best, held))
        if known is None:
            known = self._channels(later, np.array([best]), np.array([held]))[0, 0].copy()
            known.flags.writeable = False
            self._stakes[later, best, held] = known
        return known


def expected(values: Floats, channels: Floats, rolls: int) -> Floats:
    """Return what is expected at the beginning of a turn that is played for ``values``.

    Args:
        values: float64[1, n, rolls], what ending with each roll is worth to the one who plays.
        channels: float64[c, n, rolls], anything else that depends on the last roll.
        rolls: throws a turn, at most.

    Returns:
        float64[c, n].
    """
    dice = lattice()
    of_roll, carried = values[0], channels
    for _ in range(rolls - 1):
        worth = dice.expected(of_roll)
        others = dice.expected(carried)
        worth[:, dice.first_roll_keep :], others[..., dice.first_roll_keep :] = values[0], channels
        of_roll = dice.best(worth)[:, dice.first_roll_keep :]
        carried = np.empty_like(channels)
        for roll, keeps in enumerate(dice.sub_keeps):
            good = worth[:, keeps] >= of_roll[:, roll, None] - TIE
            last = len(keeps) - 1 - good[:, ::-1].argmax(axis=1)
            carried[..., roll] = others[:, np.arange(len(last)), np.array(keeps)[last]]
    found: Floats = carried @ dice.roll_probability()
    return found


@lru_cache(maxsize=1 << 6)
def showdown_values(ruleset: Ruleset, seats: int) -> ShowdownValues:
    """Return the shares under a showdown ruleset; the same object every time for equal ones."""
    return ShowdownValues(HandRules(ruleset), seats)
