"""The compiled kernels of the array games: cards and showdown, for many tables at once.

Arrays and answers are as in `arena.dice.kernels`, which throws the dice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.jit import kernel
from arena.records import End
from arena.rules.joker_kernels import narrow

ILLEGAL_ROW = int(End.ILLEGAL_ROW)


class Sheet(NamedTuple):
    """A card game's rules, for kernels.

    Attributes:
        pays: int16[2, rolls, rows], what a row pays, by first roll.
        joker_pays: the same for a joker.
        section_of: int8[rows].
        section_turns: int8[sections].
        in_order: bool[1], True if a section opens only when the one before it is played.
        bonuses: int32[sections, 3]: points (0 for none), the sum that earns them, 1 if due only when complete.
        faces: int8[rows], the face that a row collects, else 0.
        face_rows: int8[7], the row that collects a face, else -1.
        face_of_five: int8[rolls], the face of a five of a kind, else 0.
        joker: int32[3]: mode (0 none, 1 forced, 2 free), its row, the points it must hold or -1 for any.
        five: int32[3]: points for a further five of a kind, the row to look at (or -1), what it must hold.
    """

    pays: Any
    joker_pays: Any
    section_of: Any
    section_turns: Any
    in_order: Any
    bonuses: Any
    faces: Any
    face_rows: Any
    face_of_five: Any
    joker: Any
    five: Any


class Cards(NamedTuple):
    """The cards of all tables and seats.

    Attributes:
        filled: bool[n, seats, rows].
        points: int16[n, seats, rows], 0 while open.
        sums: int32[n, seats, sections].
        played: int8[n, seats, sections].
        earned: bool[n, seats, sections].
        totals: int32[n, seats].
    """

    filled: Any
    points: Any
    sums: Any
    played: Any
    earned: Any
    totals: Any


@kernel
def open_rows(sheet: Sheet, cards: Cards, table: int, seat: int, legal: Any) -> None:
    """Set the rows that an ordinary roll may fill at one table: bool[rows]."""
    sections = sheet.section_turns.shape[0]
    last = sections
    if sheet.in_order[0]:
        for section in range(sections):
            if cards.played[table, seat, section] < sheet.section_turns[section]:
                last = section + 1
                break
    for row in range(legal.shape[0]):
        section = sheet.section_of[row]
        is_open = section < last and cards.played[table, seat, section] < sheet.section_turns[section]
        legal[row] = is_open and not cards.filled[table, seat, row]


@kernel
def narrow_to_joker(sheet: Sheet, cards: Cards, table: int, seat: int, face: int, legal: Any) -> bool:
    """Narrow the open rows to those that five of a face may fill; returns whether it counts in full there."""
    joker = sheet.joker
    if joker[0] == 0 or not cards.filled[table, seat, joker[1]]:
        return False
    if joker[2] >= 0 and cards.points[table, seat, joker[1]] != joker[2]:
        return False
    own = sheet.face_rows[face]
    narrow(joker[0], own, sheet.faces, legal)
    return bool(own < 0 or cards.filled[table, seat, own])


@kernel
def legal_rows(sheet: Sheet, cards: Cards, tables: Any, seat: int, roll_ids: Any, legal: Any, pays_joker: Any) -> None:
    """Set which rows each table's roll may legally fill, and whether a joker counts in full.

    Args:
        sheet: the rules.
        cards: all cards.
        tables: int32[m].
        seat: whose cards.
        roll_ids: int16[n].
        legal: bool[m, rows], set.
        pays_joker: bool[m], set.
    """
    for i in range(tables.shape[0]):
        table = tables[i]
        open_rows(sheet, cards, table, seat, legal[i])
        face = sheet.face_of_five[roll_ids[table]]
        pays_joker[i] = face > 0 and narrow_to_joker(sheet, cards, table, seat, face, legal[i])


@kernel
def row_points(sheet: Sheet, tables: Any, roll_ids: Any, roll_numbers: Any, pays_joker: Any, out: Any) -> None:
    """Set int16[m, rows], what each row would pay for the dice now showing.

    Args:
        sheet: the rules.
        tables: int32[m].
        roll_ids: int16[n].
        roll_numbers: int8[n].
        pays_joker: bool[m].
        out: set.
    """
    for i in range(tables.shape[0]):
        table = tables[i]
        first = 1 if roll_numbers[table] == 1 else 0
        roll = roll_ids[table]
        for row in range(out.shape[1]):
            out[i, row] = sheet.joker_pays[first, roll, row] if pays_joker[i] else sheet.pays[first, roll, row]


@kernel
def five_counts(sheet: Sheet, cards: Cards, table: int, seat: int) -> bool:
    """Return True if a further five of a kind earns its points."""
    row = sheet.five[1]
    return bool(row >= 0 and cards.filled[table, seat, row] and cards.points[table, seat, row] == sheet.five[2])


@kernel
def bonus_of(points: int, at: int, complete: int, earned: bool, held: int, turns_left: int) -> tuple[int, int]:
    """Return a section's bonus that its next row may make due, 0 if none can, and the least points that do so.

    Takes numbers: to hand over rules and cards, each array counted, takes longer than all that is done here.

    Args:
        points: the bonus, 0 for none.
        at: the sum of rows that earns it.
        complete: 1 if it is due only with the section's last turn.
        earned: whether it is.
        held: the sum of the rows so far.
        turns_left: turns of the section still to come, this one included.
    """
    may = not earned and (complete == 0 or turns_left <= 1)
    return points if may else 0, at - held


@kernel
def row_gains(sheet: Sheet, cards: Cards, tables: Any, seat: int, roll_ids: Any, pays: Any, out: Any) -> None:
    """Set int32[m, rows], what the turn earns by ending now in each row, bonuses included.

    Args:
        sheet: the rules.
        cards: all cards.
        tables: int32[m].
        seat: whose cards.
        roll_ids: int16[n].
        pays: int16[m, rows], what each row would pay.
        out: set.
    """
    for i in range(tables.shape[0]):
        table = tables[i]
        further = sheet.face_of_five[roll_ids[table]] > 0 and five_counts(sheet, cards, table, seat)
        extra = sheet.five[0] if further else 0
        for row in range(out.shape[1]):
            section = sheet.section_of[row]
            turns_left = sheet.section_turns[section] - cards.played[table, seat, section]
            points, at, complete = sheet.bonuses[section]
            earned, held = cards.earned[table, seat, section], cards.sums[table, seat, section]
            bonus, least = bonus_of(points, at, complete, earned, held, turns_left)
            out[i, row] = pays[i, row] + extra + (bonus if bonus and pays[i, row] >= least else 0)


@kernel
def row_outcomes(sheet: Sheet, cards: Cards, tables: Any, seat: int, payments: Any, out: Any) -> None:
    """Set float64[m, rows, k], what the turn earns by filling each row with each of the points it can pay.

    Args:
        sheet: the rules.
        cards: all cards.
        tables: int32[m].
        seat: whose cards.
        payments: float64[rows, k]: see `arena.rules.gains.Gains`.
        out: set.
    """
    rows, many = payments.shape
    for i in range(tables.shape[0]):
        table = tables[i]
        for row in range(rows):
            section = sheet.section_of[row]
            turns_left = sheet.section_turns[section] - cards.played[table, seat, section]
            points, at, complete = sheet.bonuses[section]
            earned, held = cards.earned[table, seat, section], cards.sums[table, seat, section]
            bonus, least = bonus_of(points, at, complete, earned, held, turns_left)
            for level in range(many):
                gain = payments[row, level]
                out[i, row, level] = gain + bonus if bonus and gain >= least else gain


@kernel
def further_fives(sheet: Sheet, cards: Cards, tables: Any, seat: int, out: Any) -> None:
    """Set int32[m], the points that a further five of a kind would earn by itself."""
    for i in range(tables.shape[0]):
        out[i] = sheet.five[0] if five_counts(sheet, cards, tables[i], seat) else 0


@kernel
def fill(
    sheet: Sheet, cards: Cards, tables: Any, seat: int, rows: Any, legal: Any, pays_joker: Any,
    roll_ids: Any, roll_numbers: Any, codes: Any,
) -> None:  # fmt: skip
    """Fill a row at each table, with all that follows from it.

    Args:
        sheet: the rules.
        cards: all cards, changed.
        tables: int32[m].
        seat: whose cards.
        rows: int8[m], row ids; below 0: minus an end code.
        legal: bool[m, rows].
        pays_joker: bool[m].
        roll_ids: int16[n].
        roll_numbers: int8[n].
        codes: uint8[m], set: 0 or an end code.
    """
    for i in range(tables.shape[0]):
        table, row = tables[i], rows[i]
        if row < 0:
            codes[i] = -row
            continue
        if row >= legal.shape[1] or not legal[i, row]:
            codes[i] = ILLEGAL_ROW
            continue
        codes[i] = 0
        roll = roll_ids[table]
        first = 1 if roll_numbers[table] == 1 else 0
        gained = sheet.joker_pays[first, roll, row] if pays_joker[i] else sheet.pays[first, roll, row]
        total = np.int32(gained)
        if sheet.face_of_five[roll] and five_counts(sheet, cards, table, seat):
            total += sheet.five[0]
        section = sheet.section_of[row]
        turns_left = sheet.section_turns[section] - cards.played[table, seat, section]
        points, at, complete = sheet.bonuses[section]
        earned, held = cards.earned[table, seat, section], cards.sums[table, seat, section]
        bonus, least = bonus_of(points, at, complete, earned, held, turns_left)
        if bonus and gained >= least:
            cards.earned[table, seat, section] = True
            total += bonus
        cards.filled[table, seat, row] = True
        cards.points[table, seat, row] = gained
        cards.sums[table, seat, section] += gained
        cards.played[table, seat, section] += 1
        cards.totals[table, seat] += total


@kernel
def best_gains(
    sheet: Sheet, cards: Cards, tables: Any, seat: int, first: int, payments: Any, levels: Any, charges: Any, out: Any
) -> None:
    """Set float64[m, rolls], the most that a turn earns by ending with each roll, at each table.

    Args:
        sheet: the rules.
        cards: all cards.
        tables: int32[m].
        seat: whose cards.
        first: 1 if the roll is taken on the first throw, else 0.
        payments: float64[rows, k], the points that a row can pay: see `arena.rules.gains.Gains`.
        levels: int8[2, 2, rows, rolls], the place in it of what is paid, by joker and by first roll.
        charges: float64[m, rows, j], taken off what a row earns, by what it is paid; the last of fewer than k stands
            for the rest, and with j of 0 nothing is taken off.
        out: set.
    """
    rows, many = payments.shape
    rolls = sheet.face_of_five.shape[0]
    last = charges.shape[2] - 1
    plain = np.empty(rows, dtype=np.bool_)
    worth = np.empty(payments.shape)
    for i in range(tables.shape[0]):
        table = tables[i]
        open_rows(sheet, cards, table, seat, plain)
        best = out[i]
        best[:] = -np.inf
        for row in range(rows):
            if not plain[row]:
                continue
            section = sheet.section_of[row]
            turns_left = sheet.section_turns[section] - cards.played[table, seat, section]
            points, at, complete = sheet.bonuses[section]
            earned, held = cards.earned[table, seat, section], cards.sums[table, seat, section]
            bonus, least = bonus_of(points, at, complete, earned, held, turns_left)
            for level in range(many):
                gain = payments[row, level]
                if bonus and gain >= least:
                    gain += bonus
                if last >= 0:
                    gain -= charges[i, row, min(level, last)]
                worth[row, level] = gain
            places = levels[0, first, row]
            for roll in range(rolls):
                best[roll] = max(best[roll], worth[row, places[roll]])
        joker_may_be = sheet.joker[0] > 0 and cards.filled[table, seat, sheet.joker[1]]
        if joker_may_be or five_counts(sheet, cards, table, seat):
            best_fives(sheet, cards, table, seat, plain, worth, levels[:, first], best)


@kernel
def best_fives(
    sheet: Sheet, cards: Cards, table: int, seat: int, plain: Any, worth: Any, levels: Any, best: Any
) -> None:
    """Set the most that a turn earns by ending with five of a kind, at one table: see `best_gains`.

    Args:
        sheet: the rules.
        cards: all cards.
        table: which.
        seat: whose card.
        plain: bool[rows], the rows open to an ordinary roll.
        worth: float64[rows, k], what these rows earn, by what they are paid.
        levels: int8[2, rows, rolls], the place in it of what is paid, by joker.
        best: float64[rolls], set for fives of a kind.
    """
    counts = five_counts(sheet, cards, table, seat)
    legal = np.empty_like(plain)
    for roll in range(best.shape[0]):
        face = sheet.face_of_five[roll]
        if face == 0:
            continue
        legal[:] = plain
        in_full = 1 if narrow_to_joker(sheet, cards, table, seat, face, legal) else 0
        most = -np.inf
        for row in range(legal.shape[0]):
            if legal[row]:
                most = max(most, worth[row, levels[in_full, row, roll]])
        best[roll] = most + (sheet.five[0] if counts else 0)


@kernel
def show_down(tables: Any, hands: Any, ranks: Any, counted: bool, chips: Any, pot: Any) -> None:
    """Give each table's pot to its best hand; what does not divide stays, unless rounds are counted.

    Args:
        tables: int32[m].
        hands: int16[n, seats], roll ids, -1 for none.
        ranks: int16[rolls].
        counted: True if rounds are counted instead of chips.
        chips: int32[n, seats], changed.
        pot: int32[n], changed.
    """
    seats = hands.shape[1]
    for i in range(tables.shape[0]):
        table = tables[i]
        best, holders = -1, 0
        for seat in range(seats):
            rank = ranks[hands[table, seat]] if hands[table, seat] >= 0 else -1
            if rank > best:
                best, holders = rank, 1
            elif rank == best and rank >= 0:
                holders += 1
        if holders:
            share = pot[table] // holders
            pot[table] -= share * holders
            for seat in range(seats):
                if hands[table, seat] >= 0 and ranks[hands[table, seat]] == best:
                    chips[table, seat] += share
        if counted:
            pot[table] = 0
