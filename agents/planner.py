"""Charges each row its typical worth, so that good rows are not wasted on poor hands.

A turn is played as `turn_optimal` plays it, for its expected points, but of each row's points is taken what the row is
worth to the turns that follow, and to them is added what they bring a section bonus nearer. All of it is worked out of
the ruleset: nothing here knows a row by name. In showdown it plays for its share of the pot against the hands on the
table and the best that the seats still to roll may do.
Of keeps worth the same within 1e-9 it takes the last by keep id, so rather more dice; of rows the first on the card.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arena import Turn, Turns, best_gains, hand_ranks, keep_values, lattice, row_gain, row_payments, score_table

TIE = 1e-9
PAR = 0.6  # what a row of a section brings towards its bonus: three dice of five, as the rule sheets count it
TAIL = 3.0  # how slowly the chance of a bonus falls with the points that are wanting
SAMPLES = 1200  # sets of open rows that are looked at, shared among the rows
KNOWN = 1 << 12  # cards whose charges are kept, as they are asked for after every roll

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def hold(turn: Turn) -> tuple[int, ...]:
    """Keep the dice with the greatest expected worth at the end of the turn."""
    if turn.ruleset.card:
        plan, charges = plan_of(turn), charges_of(turn)
        at_last = at_first = best_gains(turn, charges=charges)
        if plan.doubles and turn.roll == 1:
            at_first = best_gains(turn, first_roll=True, charges=charges)
    else:
        at_last = at_first = shares(hand_ranks(turn).tobytes(), turn.ruleset.rolls, *to_beat(turn))
    dice = lattice(turn.ruleset.dice)
    keeps = list(dice.sub_keeps[turn.roll_id])
    worth = keep_values(at_last, turn.rolls_left, dice.dice)[keeps]
    worth[-1] = at_first[turn.roll_id]  # the last keeps all, and so stops
    best = np.flatnonzero(worth >= worth.max() - TIE)
    return dice.keeps[keeps[int(best[-1])]]


def choose_row(turn: Turn) -> str:
    """Choose the row that earns most now, less its charge."""
    names = list(turn.card)
    charges, payments = charges_of(turn), row_payments(turn)
    worth = []
    for name in turn.open_rows:
        row = names.index(name)
        level = min(int(np.searchsorted(payments[row], turn.score(name))), charges.shape[1] - 1)
        worth.append(row_gain(turn, name) - charges[row, level])
    return turn.open_rows[int(np.argmax(np.array(worth) >= max(worth) - TIE))]


def hold_many(turns: Turns) -> npt.NDArray[np.int16]:
    """Keep the dice with the greatest expected worth at the end of the turn, in many turns."""
    rows, roll = np.arange(len(turns)), turns.roll_id
    if turns.ruleset.card:
        plan = plan_of(turns)
        charges = plan.charges(turns.filled[:, turns.seat], turns.points[:, turns.seat])
        at_last = best_gains(turns, charges=charges)
        stops = at_last[rows, roll]
        if plan.doubles and turns.roll[0] == 1:
            stops = best_gains(turns, first_roll=True, charges=charges)[rows, roll]
    else:
        at_last = shares_many(turns)
        stops = at_last[rows, roll]
    dice = lattice(turns.ruleset.dice)
    worth = np.where(turns.keepable, keep_values(at_last, int(turns.rolls_left[0]), dice.dice), -np.inf)
    worth[rows, roll + dice.first_roll_keep] = stops
    best = worth >= worth.max(axis=1, keepdims=True) - TIE
    return np.asarray(worth.shape[1] - 1 - best[:, ::-1].argmax(axis=1), np.int16)


def choose_row_many(turns: Turns) -> npt.NDArray[np.int8]:
    """Choose the row that earns most now, less its charge, in many turns."""
    charges = plan_of(turns).charges(turns.filled[:, turns.seat], turns.points[:, turns.seat])
    last = charges.shape[2] - 1
    level = (row_payments(turns)[:, :last] < turns.row_points[:, :, None]).sum(axis=2)
    charged = np.take_along_axis(charges, level[:, :, None], axis=2)[:, :, 0]
    worth = np.where(turns.legal, turns.row_gains - charged, -np.inf)
    return np.asarray((worth >= worth.max(axis=1, keepdims=True) - TIE).argmax(axis=1), np.int8)


def charges_of(turn: Turn) -> Floats:
    """Return the charges of one turn, float64[rows, k]."""
    return plan_of(turn).charges_of(tuple(turn.card.values()))


# The plan of a ruleset


@dataclass(frozen=True)
class Group:
    """Rows that are open to the same turns.

    Attributes:
        rows: which.
        turns: how many turns fill them.
        worth: float64[turns, rows], what a row adds to the points to come, by how many turns are still to come.
    """

    rows: slice
    turns: int
    worth: Floats


class Plan:
    """What a ruleset says of the worth of its rows."""

    def __init__(self, turn: Turn | Turns) -> None:
        ruleset, table = turn.ruleset, score_table(turn)
        sheet = ruleset.card
        assert sheet is not None
        self.known: dict[tuple[int | None, ...], Floats] = {}
        self.doubles = any(row.doubles for row in sheet.rows)
        self.payments, self.five = row_payments(turn), sheet.five_bonus
        self.least, self.most = table[0].min(axis=1), table[0].max(axis=1)
        self.par = self.least + PAR * (self.most - self.least)
        self.variance = ((self.most - self.least) / ruleset.dice) ** 2  # give or take one die
        self.turns = sheet.turns
        ends = np.cumsum([len(section.rows) for section in sheet.sections]).tolist()
        parts = [slice(end - len(section.rows), end) for section, end in zip(sheet.sections, ends, strict=True)]
        valued = table.copy()
        self.bonuses: list[tuple[slice, int, Any]] = []
        for part, section in zip(parts, sheet.sections, strict=True):
            if section.bonus and (span := (self.most - self.least)[part].sum()):
                self.bonuses.append((part, section.turns, section.bonus))
                valued[:, part] += section.bonus.points / span * (table[:, part] - self.par[part][:, None])
        groups = [(slice(0, ends[-1]), sheet.turns)]
        if sheet.in_order:
            groups = [(part, section.turns) for part, section in zip(parts, sheet.sections, strict=True)]
        self.groups = [
            Group(rows, turns, worths(valued[:, rows], turns, ruleset.rolls, ruleset.dice)) for rows, turns in groups
        ]
        rows_told_apart = [row for part, _, _ in self.bonuses for row in range(part.start, part.stop)]
        if self.five:
            self.five_row = [row.name for row in sheet.rows].index(self.five.row)
            fives = np.array([float(len(set(roll)) == 1) for roll in lattice(ruleset.dice).rolls])
            self.further = self.five.points * keep_values(fives, ruleset.rolls, ruleset.dice)[0]
            rows_told_apart.append(self.five_row)
        self.levels = max([len(set(self.payments[row].tolist())) for row in rows_told_apart], default=1)

    def charges_of(self, card: tuple[int | None, ...]) -> Floats:
        """Return the charges of one card, given its points by row."""
        charges = self.known.get(card)
        if charges is None:
            if len(self.known) >= KNOWN:
                self.known.clear()
            filled = np.array([[points is not None for points in card]])
            charges = self.charges(filled, np.array([[points or 0 for points in card]], np.int16))[0]
            self.known[card] = charges
        return charges

    def charges(self, filled: Flags, points: npt.NDArray[np.int16]) -> Floats:
        """Return what it costs to use a row up, by what it is filled with.

        Args:
            filled: bool[n, rows], the own cards.
            points: int16[n, rows], 0 where a row is open.

        Returns:
            float64[n, rows, k] in the order of `row_payments`, the last standing for what follows.
        """
        charges = np.empty((*filled.shape, self.levels))
        for group in self.groups:
            after = group.turns - filled[:, group.rows].sum(axis=1) - 1
            charges[:, group.rows] = group.worth[np.maximum(after, 0)][:, :, None]
        for rows, turns, bonus in self.bonuses:
            total = points[:, rows].sum(axis=1, dtype=np.float64)
            charges[:, rows] -= self.prospects(rows, turns, bonus, filled[:, rows], total)
        if self.five:
            after = self.turns - filled.sum(axis=1) - 1
            counts = self.payments[self.five_row, : self.levels] == self.five.holds
            charges[:, self.five_row] -= np.where(counts, self.further * after[:, None], 0.0)
        return charges

    def prospects(self, rows: slice, turns: int, bonus: Any, filled: Flags, total: Floats) -> Floats:
        """Return how much a row brings a section's bonus nearer, in points, by what it is filled with.

        Where the turn itself makes the bonus due it is counted among the turn's gains, and not here.

        Args:
            rows: the section's.
            turns: how many turns fill them.
            bonus: what is earned for them.
            filled: bool[n, rows].
            total: float64[n], the points of the rows so far.

        Returns:
            float64[n, rows, k].
        """
        is_open, early = ~filled, bonus.due == "reached"
        left, number = turns - filled.sum(axis=1), is_open.sum(axis=1)
        par, variance, least, most = (
            np.where(is_open, one[rows], 0.0).sum(axis=1) for one in (self.par, self.variance, self.least, self.most)
        )

        def chance(total: Floats, part: Floats, par: Floats, variance: Floats, least: Floats, most: Floats) -> Floats:
            """Return the chance of the bonus, given what the rows still to be filled may bring."""
            wanting = bonus.at - total
            chance = reaching(wanting - part * par, part * variance)
            chance[wanting > most] = 0.0
            chance[wanting <= least] = 1.0
            return chance

        now = chance(total, left / np.maximum(number, 1), par, variance, least, most)
        after = total[:, None, None] + self.payments[rows, : self.levels]
        others = (
            np.where(is_open, whole[:, None] - one[rows], 0.0)[:, :, None]
            for whole, one in ((par, self.par), (variance, self.variance), (least, self.least), (most, self.most))
        )
        part = np.maximum(left - 1, 0) / np.maximum(number - 1, 1)
        then = chance(after, part[:, None, None], *others)
        then[(left <= 1)[:, None, None] | (early & (after >= bonus.at))] = 0.0
        brought = bonus.points * (then - now[:, None, None])
        brought[(left < 1) | (early & (total >= bonus.at))] = 0.0
        return np.asarray(brought)


def reaching(wanting: Floats, variance: Floats) -> Floats:
    """Return the chance of so many points more than par: from 1 to 0, and a half where half a point is wanting."""
    wanting = wanting - 0.5
    return np.asarray((1 - wanting / np.sqrt(TAIL * variance + wanting * wanting)) / 2)


plans: dict[str, Plan] = {}


def plan_of(turn: Turn | Turns) -> Plan:
    """Return the plan of the ruleset that is played: made once, and nothing but the ruleset decides it."""
    plan = plans.get(turn.ruleset.hash)
    if plan is None:
        plan = plans[turn.ruleset.hash] = Plan(turn)
    return plan


def worths(points: Floats, turns: int, rolls: int, dice: int) -> Floats:
    """Return what a row adds to the points to come by being open, by how many turns are to come.

    The recurrence: with t turns to come and the rows S open, the points to come are taken to be
    ``sum of worth[t - 1] over S + value of a turn in which row r is charged worth[t - 1, r]``. ``worth[t, r]`` is
    what that grows by if r is open too, in the mean over some sets of rows. Only differences between rows matter.

    Args:
        points: float64[2, rows, rolls], what rows pay for rolls, ordinarily and on the first roll.
        turns: how many turns fill the rows.
        rolls: throws a turn.
        dice: dice a throw.

    Returns:
        float64[turns, rows].
    """
    rows = points.shape[1]
    spare = rows - turns
    worth = np.zeros((turns, rows))

    def to_come(sets: Flags, turns_left: int) -> Floats:
        if turns_left == 0:
            return np.zeros(len(sets))
        charge = worth[turns_left - 1]
        pays = [np.where(sets[:, :, None], table - charge[:, None], -np.inf).max(axis=1) for table in points]
        return np.asarray(np.where(sets, charge, 0.0).sum(axis=1) + turn_values(pays[0], pays[1], rolls, dice))

    for left in range(1, turns):
        samples = 1 if left + spare == 1 else max(1, SAMPLES // rows**2)
        own = np.repeat(np.arange(rows), samples)
        words = np.random.Philox(key=left).random_raw(len(own) * rows).reshape(len(own), rows)
        words[np.arange(len(own)), own] = 0
        order = words.argsort(axis=1, kind="stable")
        sets = np.zeros(words.shape, np.bool_)
        np.put_along_axis(sets, order[:, : left + spare], True, axis=1)
        without = sets.copy()
        without[np.arange(len(own)), own] = False
        grown = to_come(sets, left) - to_come(without, left if spare else left - 1)
        worth[left] = grown.reshape(rows, samples).mean(axis=1)
        worth[left] -= worth[left].min()
    return worth


def turn_values(at_last: Floats, at_first: Floats, rolls: int, dice: int) -> Floats:
    """Return float64[n], what a turn is worth before it begins, given what each roll is worth at its end."""
    if rolls == 1:
        return keep_values(at_first, 1, dice)[:, 0]
    if np.array_equal(at_last, at_first):
        return keep_values(at_last, rolls, dice)[:, 0]
    of = lattice(dice)
    worth = keep_values(at_last, rolls - 1, dice)
    worth[:, of.first_roll_keep :] = at_first
    return keep_values(of.best(worth)[:, of.first_roll_keep :], 1, dice)[:, 0]


# Showdown


def to_beat(turn: Turn) -> tuple[float, int, int]:
    """Return the rank of the best hand on the table, how many hold it, and how many are still to roll after you."""
    ranks, ids = hand_ranks(turn), lattice(turn.ruleset.dice).roll_ids
    shown = [float(ranks[ids[hand]]) for hand in turn.hands if hand is not None]
    best = max(shown, default=-1.0)
    return best, shown.count(best), int(waiting(turn, turn.seats - 1 - len(shown), len(shown), turn.pot))


def waiting(turn: Turn | Turns, absent: Any, shown: Any, pot: Any) -> npt.NDArray[np.int64]:
    """Return how many seats are still to roll: those without a hand, but for seats that did not pay into the pot."""
    sheet = turn.ruleset.showdown
    assert sheet is not None
    return np.minimum(absent, pot // sheet.ante - shown - 1) if sheet.ante else np.asarray(absent)


@lru_cache(maxsize=1 << 12)
def shares(all_ranks: bytes, rolls: int, best: float, holders: int, after: int) -> Floats:
    """Return the share of the pot that each hand can expect.

    Seats still to roll are taken to play for beating just this hand: right for one of them, and near it for more.
    """
    ranks = np.frombuffer(all_ranks)
    alone, tied = (np.ones(len(ranks)) / holding for holding in (1, 1 + holders))
    for _ in range(after):
        alone *= 1 - beaten(all_ranks, rolls, 1)
        tied *= 1 - beaten(all_ranks, rolls, 1 + holders)
    return np.where(ranks > best, alone, np.where(ranks == best, tied, 0.0))


@lru_cache(maxsize=1 << 8)
def beaten(all_ranks: bytes, rolls: int, holders: int) -> Floats:
    """Return what share a seat can expect that rolls last against each hand, held by some seats."""
    ranks = np.frombuffer(all_ranks)
    levels, place = np.unique(ranks, return_inverse=True)
    goals = (ranks > levels[:, None]) + (ranks == levels[:, None]) / (1 + holders)
    return np.asarray(keep_values(goals, rolls)[:, 0][place])


def shares_many(turns: Turns) -> Floats:
    """Return the shares of every hand, in many turns."""
    ranks = hand_ranks(turns)
    is_shown = turns.hands >= 0
    shown = np.where(is_shown, ranks[turns.hands], -1.0)
    best, number = shown.max(axis=1), is_shown.sum(axis=1)
    holders = (is_shown & (shown == best[:, None])).sum(axis=1)
    after = waiting(turns, turns.seats - 1 - number, number, turns.pot)
    keys, index = np.unique(np.stack([best, holders, after]), axis=1, return_inverse=True)
    rolls, all_ranks = turns.ruleset.rolls, ranks.tobytes()
    tables = [shares(all_ranks, rolls, float(rank), int(holding), int(left)) for rank, holding, left in keys.T]
    return np.asarray(np.stack(tables)[index.ravel()])
