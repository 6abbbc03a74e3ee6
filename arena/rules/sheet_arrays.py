"""What sheets and cards are as arrays, to the array game, to the solver, and to bots."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import FACES
from arena.rules.model import CardSheet, JokerMode

JOKER_CODES = {JokerMode.NONE: 0, JokerMode.FORCED: 1, JokerMode.FREE: 2}

Cards: TypeAlias = tuple[npt.NDArray[np.bool_], npt.NDArray[np.int16], npt.NDArray[np.int32], npt.NDArray[np.bool_]]
"""Cards of n seats: filled[n, rows], points[n, rows], 0 while open, sums[n, sections], bonuses earned[n, sections]."""


def faces_of(sheet: CardSheet) -> npt.NDArray[np.int8]:
    """Return int8[rows], the face that a row collects, else 0."""
    return np.array([row.face for row in sheet.rows], dtype=np.int8)


def face_rows_of(sheet: CardSheet) -> npt.NDArray[np.int8]:
    """Return int8[7], by face from 1 the row that collects it, else -1."""
    rows = np.full(FACES + 1, -1, dtype=np.int8)
    for number, row in enumerate(sheet.rows):
        if row.face:
            rows[row.face] = number
    return rows
