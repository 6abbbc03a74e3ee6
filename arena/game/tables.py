"""What the array games share: the names of their arrays, and how dice are kept and rolled at many tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.dice import kernels
from arena.dice.arrays import DiceArrays

Tables: TypeAlias = npt.NDArray[np.int32]
Keeps: TypeAlias = npt.NDArray[np.int16]
Rows: TypeAlias = npt.NDArray[np.int8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.uint8]

RoundNumbers: TypeAlias = Callable[[int], Numbers]
"""From a round to int64[tables, seats, rolls], as `arena.dice.stream.DiceStream.throws` gives them."""


def keep_and_roll(
    dice: DiceArrays,
    tables: Tables,
    keeps: Keeps,
    numbers: Numbers,
    roll_ids: npt.NDArray[np.int16],
    roll_numbers: npt.NDArray[np.int8],
    noted: npt.NDArray[np.uint8],
) -> tuple[Tables, Codes]:
    """Keep dice and roll the others at some tables, in any game.

    Args:
        dice: rolls and keeps as arrays.
        tables: int32[m].
        keeps: int16[m], keep ids; below 0: minus an end code.
        numbers: int64[tables, rolls], what the dice are read from.
        roll_ids: int16[tables], changed.
        roll_numbers: int8[tables], changed.
        noted: uint8[tables], set to the place of each keep among those of its roll.

    Returns:
        The tables that rolled, int32, and uint8[m], 0 or an end code for every answer.
    """
    codes = np.empty(len(tables), dtype=np.uint8)
    rolling = np.empty(len(tables), dtype=np.int32)
    count = kernels.hold(
        *(tables, keeps, numbers, dice.rerolled, dice.starts, dice.sizes, dice.places),
        *(roll_ids, roll_numbers, noted, codes, rolling),
    )
    return rolling[:count], codes
