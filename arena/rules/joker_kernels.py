"""The compiled kernel of the joker's rule, for the array game and for the solver."""

from __future__ import annotations

from typing import Any

from arena.jit import kernel


@kernel
def narrow(mode: int, own: int, faces: Any, legal: Any) -> None:
    """Narrow the open rows to those that five of a kind may fill as a joker.

    Args:
        mode: of `arena.rules.sheet_arrays.JOKER_CODES`; 1 or 2.
        own: the row that collects its face, else -1.
        faces: int8[rows], the face that a row collects, else 0.
        legal: bool[rows], changed.

    Source:
        `arena.rules.card.CardRules.legal`.
    """
    if mode == 2:
        return
    rows = legal.shape[0]
    if own >= 0 and legal[own]:
        for row in range(rows):
            legal[row] = row == own
        return
    any_below = False
    for row in range(rows):
        any_below |= legal[row] and faces[row] == 0
    if any_below:
        for row in range(rows):
            legal[row] &= faces[row] == 0
