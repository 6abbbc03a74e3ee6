"""The compiled limit: `random` against `greedy` as one compiled loop over games, with no bots, no checks, no store.

It plays the same game from the same tables as the arena, dice drawn word by word, and nothing else. What the arena
takes more goes to asking bots in array form, checking what they answer, and storing the results.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

from arena.dice.arrays import dice_arrays
from arena.game.card_tables import sheet_arrays
from arena.rules.card import CardRules
from arena.rules.shipped import shipped_ruleset

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit
def _mix(word: Any) -> Any:
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit
def _play(games: int, pays: Any, first_rolls: Any, rerolled: Any, starts: Any, sizes: Any, keep_of_mask: Any) -> int:
    """Play games; returns how many the first seat won."""
    rows, won, state = pays.shape[2], 0, np.uint64(1)
    filled = np.zeros((2, rows), dtype=np.bool_)
    for _ in range(games):
        filled[:] = False
        totals = np.zeros(2, dtype=np.int64)
        for turn in range(2 * rows):
            seat = turn % 2
            state += GOLDEN
            roll = first_rolls[_mix(state) % np.uint64(7776)]
            row = -1
            if seat == 0:
                for _roll in range(2):
                    state += GOLDEN
                    keep = keep_of_mask[roll, _mix(state) & np.uint64(31)]
                    state += GOLDEN
                    roll = rerolled[starts[keep] + np.int64(_mix(state) % np.uint64(sizes[keep]))]
                state += GOLDEN
                left = np.int64(_mix(state) % np.uint64(rows - turn // 2))
                for candidate in range(rows):
                    if not filled[seat, candidate]:
                        if left == 0:
                            row = candidate
                            break
                        left -= 1
            else:
                for candidate in range(rows):
                    if not filled[seat, candidate] and (row < 0 or pays[0, roll, candidate] > pays[0, roll, row]):
                        row = candidate
            filled[seat, row] = True
            totals[seat] += pays[0, roll, row]
        won += totals[0] > totals[1]
    return won


def compiled_games_per_second(games: int) -> float:
    """Return two-player games of ``thirteen`` a second."""
    dice, sheet = dice_arrays(), sheet_arrays(CardRules(shipped_ruleset("thirteen")))
    tables = (sheet.pays, dice.first_rolls, dice.rerolled, dice.starts, dice.sizes, dice.keep_of_mask)
    _play(10, *tables)
    began = perf_counter()
    _play(games, *tables)
    return games / (perf_counter() - began)
