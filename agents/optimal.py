"""Plays for the greatest expected points of the whole game, exactly; in showdown for its share of the pot.

Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card.
"""

import numpy as np
import numpy.typing as npt

from arena import Ruleset, Turn, Turns, best_gains, best_keep, best_row, hand_stakes, row_outcomes, values


def prepare(ruleset: Ruleset) -> None:
    """Solve the ruleset, or load what was solved before."""
    if ruleset.card:
        values(ruleset).prepare()


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice that are worth most."""
    return best_keep(turn, *worth_of_rolls(turn))


def choose_row(turn: Turn) -> str:
    """Choose the row that is worth most, with all that can still come after it."""
    return best_row(turn, row_outcomes(turn) + values(turn.ruleset).after(turn))


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the dice that are worth most, in many turns."""
    return best_keep(turns, *worth_of_rolls(turns))


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that is worth most, in many turns."""
    return best_row(turns, row_outcomes(turns) + values(turns.ruleset).after(turns))


def worth_of_rolls(turn: Turn | Turns) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    """Return what ending the turn with each roll is worth, and with the first roll where that pays otherwise."""
    if not turn.ruleset.card:
        return hand_stakes(turn), None
    charges = -values(turn.ruleset).after(turn)
    first = any(row.doubles for row in turn.ruleset.card.rows) and np.max(turn.roll) == 1
    return best_gains(turn, charges=charges), best_gains(turn, charges=charges, first_roll=True) if first else None
