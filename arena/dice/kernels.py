"""The compiled kernels of dice: throwing, holding, and random numbers for many at once.

Arrays are over tables; ``tables`` are the numbers of those a step is about. Where a bot answers, the answer is
checked here, and a bad one changes nothing but ``codes``, which tells the driver's caller what to charge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.jit import kernel
from arena.records import NO_MOVE, End

ILLEGAL_HOLD = int(End.ILLEGAL_HOLD)

MIX_A = np.uint64(0xBF58476D1CE4E5B9)
MIX_B = np.uint64(0x94D049BB133111EB)
S27 = np.uint64(27)
S30 = np.uint64(30)
S31 = np.uint64(31)


@kernel
def throw_all(tables: Any, numbers: Any, first_rolls: Any, roll_ids: Any, roll_numbers: Any) -> None:
    """Throw all the dice of a turn: sets ``roll_ids`` and ``roll_numbers`` of the tables."""
    for i in range(tables.shape[0]):
        table = tables[i]
        roll_ids[table] = first_rolls[numbers[table, 0]]
        roll_numbers[table] = 1


@kernel
def hold(
    tables: Any, keeps: Any, numbers: Any, rerolled: Any, starts: Any, sizes: Any, places: Any,
    roll_ids: Any, roll_numbers: Any, noted: Any, codes: Any, rolling: Any,
) -> int:  # fmt: skip
    """Keep dice and roll the others; returns how many tables of ``rolling`` are to hold again (before the limit).

    Args:
        tables: int32[m].
        keeps: int16[m], keep ids; below 0: minus an end code.
        numbers: int64[n, rolls], read by ``roll_numbers``.
        rerolled: int16[...], roll by keep and number, flat; a keep's part begins at ``starts`` and has ``sizes``.
        starts: int32[keeps].
        sizes: int32[keeps].
        places: uint8[rolls, keeps], of a keep among those of the roll, `NO_MOVE` if it is none.
        roll_ids: int16[n], changed.
        roll_numbers: int8[n], changed.
        noted: uint8[n], set to the place of what is kept.
        codes: uint8[m], set: 0 or an end code.
        rolling: int32[m], set from the front: tables that rolled.
    """
    first_keep = places.shape[1] - places.shape[0]
    count = 0
    for i in range(tables.shape[0]):
        table, keep = tables[i], keeps[i]
        roll = roll_ids[table]
        if keep < 0:
            codes[i] = -keep
        elif keep >= places.shape[1] or places[roll, keep] == NO_MOVE:
            codes[i] = ILLEGAL_HOLD
        else:
            codes[i] = 0
            noted[table] = places[roll, keep]
            if keep - first_keep != roll:
                number = numbers[table, roll_numbers[table]] % sizes[keep]
                roll_ids[table] = rerolled[starts[keep] + number]
                roll_numbers[table] += 1
                rolling[count] = table
                count += 1
    return count


@kernel
def mix64(words: Any) -> Any:
    """Return uint64[m], the hash of each word: see `arena.dice.rng.mix64`."""
    words = (words ^ (words >> S30)) * MIX_A
    words = (words ^ (words >> S27)) * MIX_B
    return words ^ (words >> S31)


@kernel
def game_keys(low: Any, high: Any, dice_sets: Any) -> Any:
    """Return uint64[n], the keys of games: see `arena.dice.rng.RngKey.for_game`.

    Args:
        low: uint64, the key's first word.
        high: uint64, its second.
        dice_sets: uint64[n].
    """
    return mix64(low ^ mix64(dice_sets + high))


@kernel
def draw_words(keys: Any, tables: Any, step: Any) -> Any:
    """Return uint64[m], the next word of the counter stream of each table's game.

    Args:
        keys: uint64[n], by game.
        tables: int32[m].
        step: uint64, what the counter adds to a key.
    """
    return mix64(keys[tables] + step)
