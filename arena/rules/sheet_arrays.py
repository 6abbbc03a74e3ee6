"""What a card's sheet is to kernels, whoever compiles them: codes, and rows by face."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import FACES
from arena.rules.model import CardSheet, JokerMode

JOKER_CODES = {JokerMode.NONE: 0, JokerMode.FORCED: 1, JokerMode.FREE: 2}


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
