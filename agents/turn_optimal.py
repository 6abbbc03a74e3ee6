"""Plays every turn for its greatest expected points, exactly; in showdown for the chance to win the round.

A turn's points are the row's, the bonus for a further five of a kind and a section bonus that the turn makes due.
Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns, best_gains, hand_ranks, keep_values, lattice, row_gain

TIE = 1e-9

Floats = npt.NDArray[np.float64]


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice with the greatest expected points at the end of the turn."""
    if turn.ruleset.card:
        at_last, at_first = best_gains(turn), best_gains(turn, first_roll=True)
    else:
        at_last = at_first = hand_shares(hand_ranks(turn).tobytes(), *to_beat(turn))
    dice = lattice(turn.ruleset.dice)
    keeps = list(dice.sub_keeps[turn.roll_id])
    worth = keep_values(at_last, turn.rolls_left, dice.dice)[keeps]
    worth[-1] = (at_first if turn.roll == 1 else at_last)[turn.roll_id]  # the last keeps all, and so stops
    best = np.flatnonzero(worth >= worth.max() - TIE)
    return dice.keeps[keeps[int(best[-1])]]


def choose_row(turn: Turn) -> str:
    """Choose the row that earns most now."""
    return max(turn.open_rows, key=lambda row: row_gain(turn, row))


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the dice with the greatest expected points at the end of the turn, in many turns."""
    rows, roll = np.arange(len(turns)), turns.roll_id
    at_last = best_gains(turns) if turns.ruleset.card else shares_many(turns)
    stops = at_last[rows, roll]
    if turns.ruleset.card and turns.roll[0] == 1 and any(row.doubles for row in turns.ruleset.card.rows):
        stops = best_gains(turns, first_roll=True)[rows, roll]
    dice = lattice(turns.ruleset.dice)
    worth = np.where(turns.keepable, keep_values(at_last, int(turns.rolls_left[0]), dice.dice), -np.inf)
    worth[rows, roll + dice.first_roll_keep] = stops
    best = worth >= worth.max(axis=1, keepdims=True) - TIE
    return np.asarray(worth.shape[1] - 1 - best[:, ::-1].argmax(axis=1), np.int16)


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that earns most now, in many turns."""
    earned = np.where(turns.legal, turns.row_gains, np.iinfo(np.int32).min)
    return np.asarray(earned.argmax(axis=1), np.int8)


def to_beat(turn: Turn) -> tuple[float, int]:
    """Return the rank of the best hand on the table, and how many hold it; without any, two noughts."""
    ranks = hand_ranks(turn)
    shown = [float(ranks[lattice().roll_ids[hand]]) for hand in turn.hands if hand is not None]
    return (max(shown), shown.count(max(shown))) if shown else (0.0, 0)


@lru_cache(maxsize=1 << 10)
def hand_shares(all_ranks: bytes, best: float, holders: int) -> Floats:
    """Return the share of the pot that each hand would win; with none to beat, its chance against one plain throw."""
    ranks = np.frombuffer(all_ranks)
    if holders:
        return np.where(ranks > best, 1.0, np.where(ranks == best, 1 / (1 + holders), 0.0))
    higher = (ranks[:, None] > ranks) + (ranks[:, None] == ranks) / 2
    return np.asarray(higher @ lattice().roll_probability())


def shares_many(turns: Turns) -> Floats:
    """Return the shares of every hand, in many turns."""
    ranks = hand_ranks(turns)
    shown = np.where(turns.hands >= 0, ranks[turns.hands], -1.0)
    best = shown.max(axis=1)
    holders = np.where(best < 0, 0, (shown == best[:, None]).sum(axis=1))
    keys, index = np.unique(np.stack([np.maximum(best, 0.0), holders]), axis=1, return_inverse=True)
    tables = [hand_shares(ranks.tobytes(), float(rank), int(held)) for rank, held in keys.T]
    return np.stack(tables)[index.ravel()]
