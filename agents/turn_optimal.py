"""Plays every turn for its greatest expected points, exactly; in showdown for the chance to win the round.

A turn's points are the row's, the bonus for a further five of a kind and a section bonus that the turn makes due.
Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena import Turn, best_gains, hand_ranks, lattice, row_gain

TIE = 1e-9


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice with the greatest expected points at the end of the turn."""
    if turn.open_rows:
        at_last, at_first = best_gains(turn), best_gains(turn, first_roll=True)
    else:
        at_last = at_first = hand_shares(hand_ranks(turn).tobytes(), ranks_to_beat(turn))
    dice = lattice(turn.ruleset.dice)
    keeps = list(dice.sub_keeps[turn.roll_id])
    worth = keep_values(dice.dice, turn.rolls_left, at_last.tobytes())[keeps]
    worth[-1] = (at_first if turn.roll == 1 else at_last)[turn.roll_id]  # the last keeps all, and so stops
    best = np.flatnonzero(worth >= worth.max() - TIE)
    return dice.keeps[keeps[int(best[-1])]]


def choose_row(turn: Turn) -> str:
    """Choose the row that earns most now."""
    return max(turn.open_rows, key=lambda row: row_gain(turn, row))


@lru_cache(maxsize=1 << 13)
def keep_values(dice: int, rolls_left: int, at_last: bytes) -> npt.NDArray[np.float64]:
    """Return what each keep is worth, given what each roll is worth at the end of the turn."""
    faces = lattice(dice)
    if rolls_left == 1:
        return faces.expected(np.frombuffer(at_last))
    later = keep_values(dice, rolls_left - 1, at_last)
    return faces.expected(faces.best(later)[faces.first_roll_keep :])


def ranks_to_beat(turn: Turn) -> tuple[float, ...]:
    """Return the ranks of the hands on the table that are equal to the best."""
    ranks = hand_ranks(turn)
    shown = [float(ranks[lattice().roll_ids[hand]]) for hand in turn.hands if hand is not None]
    return tuple(rank for rank in shown if rank == max(shown))


@lru_cache(maxsize=1 << 10)
def hand_shares(all_ranks: bytes, to_beat: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Return the share of the pot that each hand would win; with none to beat, its chance against one plain throw."""
    ranks = np.frombuffer(all_ranks)
    if to_beat:
        shared = 1 / (1 + len(to_beat))
        return np.where(ranks > to_beat[0], 1.0, np.where(ranks == to_beat[0], shared, 0.0))
    higher = (ranks[:, None] > ranks) + (ranks[:, None] == ranks) / 2
    return np.asarray(higher @ lattice().roll_probability())
