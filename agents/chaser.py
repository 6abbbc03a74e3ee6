"""Plays for big scores when it is behind and for sure points when ahead, the more the nearer the end.

What a roll earns beyond a turn for its row alone is bent up or down: behind, a small chance of much counts for more.
Of keeps worth the same within 1e-9 it takes the last by keep id; of rows the first on the card.
"""

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns, best_gains, hand_ranks, keep_values, lattice, row_gain, score_table

TIE = 1e-9
SWING = 12.0  # points that a turn may well gain on the others
BEND = 0.5  # at most so much more, or less, a hundred points are worth

Floats = npt.NDArray[np.float64]


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice whose bent worth at the end of the turn is greatest."""
    bend = lean(turn, np.array([[other.total for other in turn.opponents] or [turn.total]]), np.array([turn.total]))
    if turn.ruleset.card:
        first, off = turn.roll == 1, usual(turn)
        at_last, at_first = (bent(best_gains(turn, first_roll=it, charges=off), bend) for it in (False, first))
    else:
        hands = np.array([[-1 if hand is None else lattice().roll_ids[hand] for hand in turn.hands]])
        at_last = at_first = shares(hand_ranks(turn), hands, bend)
    dice, roll = lattice(turn.ruleset.dice), np.array([turn.roll_id])
    may = np.isin(np.arange(len(dice.keeps)), dice.sub_keeps[turn.roll_id])[None]
    return dice.keeps[int(best_keep(at_last, turn.rolls_left, dice.dice, may, roll, at_first[:, roll[0]])[0])]


def choose_row(turn: Turn) -> str:
    """Choose the row that earns most beyond what it usually brings."""
    usually = dict(zip(turn.card, usual(turn)[:, 0].tolist(), strict=True))
    worth = np.array([row_gain(turn, row) - usually[row] for row in turn.open_rows])
    return turn.open_rows[int(np.argmax(worth >= worth.max() - TIE))]


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the dice whose bent worth at the end of the turn is greatest, in many turns."""
    others = np.delete(turns.totals, turns.seat, axis=1) if turns.seats > 1 else turns.totals
    bend, roll = lean(turns, others, turns.totals[:, turns.seat]), turns.roll_id
    if turns.ruleset.card:
        off, first = np.repeat(usual(turns)[None], len(turns), axis=0), bool(turns.roll[0] == 1)
        at_last, at_first = (bent(best_gains(turns, first_roll=it, charges=off), bend) for it in (False, first))
    else:
        at_last = at_first = shares(hand_ranks(turns), turns.hands, bend)
    left, stops = int(turns.rolls_left[0]), at_first[np.arange(len(turns)), roll]
    return best_keep(at_last, left, turns.ruleset.dice, turns.keepable, roll, stops)


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that earns most beyond what it usually brings, in many turns."""
    worth = np.where(turns.legal, turns.row_gains - usual(turns)[:, 0], -np.inf)
    return np.asarray((worth >= worth.max(axis=1, keepdims=True) - TIE).argmax(axis=1), np.int8)


known: dict[str, Floats] = {}  # what `usual` found, by the hash of the ruleset


def usual(turn: Turn | Turns) -> Floats:
    """Return float64[rows, 1], what a turn for each row alone would bring; nothing where not all rows are filled."""
    of = turn.ruleset
    if of.hash not in known:
        counts = [[s.turns == len(s.rows)] for s in (of.card.sections if of.card else ()) for _ in s.rows]
        known[of.hash] = np.asarray(keep_values(score_table(turn)[0], of.rolls, of.dice)[:, :1] * counts)
    return known[of.hash]


def lean(turn: Turn | Turns, others: npt.NDArray[np.integer], own: npt.NDArray[np.integer]) -> Floats:
    """Return float64[n, 1], from -1 far ahead to 1 far behind, given the totals of the others and the own."""
    card, showdown = turn.ruleset.card, turn.ruleset.showdown
    turns = card.turns if card else (showdown.rounds if showdown else None) or turn.round
    stake = SWING if card else max(showdown.ante if showdown else 0, 1)
    behind = (others.max(axis=1) - own) / (stake * max(turns - turn.round + 1, 1))
    return np.asarray(np.clip(behind, -1.0, 1.0))[:, None]


def bent(worth: Floats, bend: Floats) -> Floats:
    """Return float64[n, rolls], worth that grows faster (bend above 0) or more slowly (below 0) than the points."""
    return np.asarray(worth * (1 + BEND * bend * np.clip(worth, -100.0, 100.0) / 100))


def shares(ranks: Floats, hands: npt.NDArray[np.integer], bend: Floats) -> Floats:
    """Return float64[n, rolls], what each hand is worth in showdown: behind, a hand that ties counts for less."""
    best = np.where(hands >= 0, ranks[hands], -1.0).max(axis=1)[:, None]
    below = ((ranks[:, None] > ranks) @ lattice().roll_probability())[None]
    return np.where(best < 0, bent(100 * below, bend), (ranks > best) + (ranks == best) * (1 - bend) / 2)


def best_keep(
    at_last: Floats, left: int, dice: int, may: npt.NDArray[np.bool_], roll: npt.NDArray[np.integer], stops: Floats
) -> npt.NDArray[np.int16]:
    """Return int16[n], the best keeps."""
    worth = np.where(may, keep_values(at_last, left, dice), -np.inf)
    worth[np.arange(len(roll)), roll + lattice(dice).first_roll_keep] = stops
    best = worth >= worth.max(axis=1, keepdims=True) - TIE
    return np.asarray(worth.shape[1] - 1 - best[:, ::-1].argmax(axis=1), np.int16)
