"""The compiled kernels of the array game: every loop over tables that is run at every step.

Arrays are over tables; ``tables`` are the numbers of those a step is about. Where a bot answers, the answer is
checked here, and a bad one changes nothing but ``codes``, which tells the driver's caller what to charge.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.jit import kernel

ILLEGAL_HOLD = 1
ILLEGAL_ROW = 2
IMPOSSIBLE = -np.inf

MIX_A = np.uint64(0xBF58476D1CE4E5B9)
MIX_B = np.uint64(0x94D049BB133111EB)
S27 = np.uint64(27)
S30 = np.uint64(30)
S31 = np.uint64(31)


@kernel
def throw_all(tables: Any, numbers: Any, first_rolls: Any, roll_ids: Any, throws: Any) -> None:
    """Throw all the dice of a turn: sets ``roll_ids`` and ``throws`` (rolls so far) of the tables."""
    for i in range(tables.shape[0]):
        table = tables[i]
        roll_ids[table] = first_rolls[numbers[table, 0]]
        throws[table] = 1


@kernel
def hold(
    tables: Any, keeps: Any, numbers: Any, rerolled: Any, starts: Any, sizes: Any, keepable: Any,
    roll_ids: Any, throws: Any, codes: Any, rolling: Any,
) -> int:  # fmt: skip
    """Keep dice and roll the others; returns how many tables of ``rolling`` are to hold again (before the limit).

    Args:
        tables: int32[m].
        keeps: int16[m], keep ids; below 0: minus an end code.
        numbers: int64[n, rolls], read by ``throws``.
        rerolled: int16[...], roll by keep and number, flat; a keep's part begins at ``starts`` and has ``sizes``.
        starts: int32[keeps].
        sizes: int32[keeps].
        keepable: bool[rolls, keeps].
        roll_ids: int16[n], changed.
        throws: int8[n], changed.
        codes: uint8[m], set: 0 or an end code.
        rolling: int32[m], set from the front: tables that rolled.
    """
    first_keep = keepable.shape[1] - keepable.shape[0]
    count = 0
    for i in range(tables.shape[0]):
        table, keep = tables[i], keeps[i]
        roll = roll_ids[table]
        if keep < 0:
            codes[i] = -keep
        elif keep >= keepable.shape[1] or not keepable[roll, keep]:
            codes[i] = ILLEGAL_HOLD
        else:
            codes[i] = 0
            if keep - first_keep != roll:
                number = numbers[table, throws[table]] % sizes[keep]
                roll_ids[table] = rerolled[starts[keep] + number]
                throws[table] += 1
                rolling[count] = table
                count += 1
    return count


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
    in_full = bool(own < 0 or cards.filled[table, seat, own])
    if joker[0] == 2:
        return in_full
    rows = legal.shape[0]
    if own >= 0 and legal[own]:
        for row in range(rows):
            legal[row] = row == own
        return in_full
    any_below = False
    for row in range(rows):
        any_below |= legal[row] and sheet.faces[row] == 0
    if any_below:
        for row in range(rows):
            legal[row] &= sheet.faces[row] == 0
    return in_full


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
def row_points(sheet: Sheet, tables: Any, roll_ids: Any, throws: Any, pays_joker: Any, out: Any) -> None:
    """Set int16[m, rows], what each row would pay for the dice now showing.

    Args:
        sheet: the rules.
        tables: int32[m].
        roll_ids: int16[n].
        throws: int8[n].
        pays_joker: bool[m].
        out: set.
    """
    for i in range(tables.shape[0]):
        table = tables[i]
        first = 1 if throws[table] == 1 else 0
        roll = roll_ids[table]
        for row in range(out.shape[1]):
            out[i, row] = sheet.joker_pays[first, roll, row] if pays_joker[i] else sheet.pays[first, roll, row]


@kernel
def five_counts(sheet: Sheet, cards: Cards, table: int, seat: int) -> bool:
    """Return True if a further five of a kind earns its points."""
    row = sheet.five[1]
    return bool(row >= 0 and cards.filled[table, seat, row] and cards.points[table, seat, row] == sheet.five[2])


@kernel
def fill(
    sheet: Sheet, cards: Cards, tables: Any, seat: int, rows: Any, legal: Any, pays_joker: Any,
    roll_ids: Any, throws: Any, codes: Any,
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
        throws: int8[n].
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
        first = 1 if throws[table] == 1 else 0
        gained = sheet.joker_pays[first, roll, row] if pays_joker[i] else sheet.pays[first, roll, row]
        total = np.int32(gained)
        if sheet.face_of_five[roll] and five_counts(sheet, cards, table, seat):
            total += sheet.five[0]
        section = sheet.section_of[row]
        cards.filled[table, seat, row] = True
        cards.points[table, seat, row] = gained
        cards.sums[table, seat, section] += gained
        cards.played[table, seat, section] += 1
        points, least, complete = sheet.bonuses[section]
        reached = points != 0 and not cards.earned[table, seat, section] and cards.sums[table, seat, section] >= least
        if reached and (not complete or cards.played[table, seat, section] >= sheet.section_turns[section]):
            cards.earned[table, seat, section] = True
            total += points
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
        best[:] = IMPOSSIBLE
        for row in range(rows):
            if not plain[row]:
                continue
            section = sheet.section_of[row]
            bonus, least, complete = sheet.bonuses[section]
            if cards.earned[table, seat, section]:
                bonus = 0
            if complete and cards.played[table, seat, section] + 1 < sheet.section_turns[section]:
                bonus = 0
            least -= cards.sums[table, seat, section]
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
        most = IMPOSSIBLE
        for row in range(legal.shape[0]):
            if legal[row]:
                most = max(most, worth[row, levels[in_full, row, roll]])
        best[roll] = most + (sheet.five[0] if counts else 0)


@kernel
def keep_values(roll_values: Any, rolls_left: int, with_face: Any, without_die: Any, out: Any) -> None:
    """Set float64[m, keeps], what each keep is worth while rolls are left: see `arena.agent.outlook.keep_values`.

    Goes down the lattice for the mean over the next die, and up for the best keep of each roll, as
    `arena.dice.lattice.Lattice` does, in the same order of operations.

    Args:
        roll_values: float64[m, rolls], what each roll is worth at the end of the turn.
        rolls_left: from 1.
        with_face: int16[keeps - rolls, 6], the keep with one die more, by face.
        without_die: int16[keeps, dice], the keep with one die less, by die; padded with the keep itself.
        out: set.
    """
    first = with_face.shape[0]
    keeps, dice = without_die.shape
    faces = with_face.shape[1]
    best = np.empty(keeps)
    for i in range(roll_values.shape[0]):
        for roll in range(keeps - first):
            out[i, first + roll] = roll_values[i, roll]
        for left in range(1, rolls_left + 1):
            if left > 1:
                for keep in range(keeps):
                    most = out[i, keep]
                    for die in range(dice):
                        most = max(most, best[without_die[keep, die]]) if without_die[keep, die] != keep else most
                    best[keep] = most
                for keep in range(first, keeps):
                    out[i, keep] = best[keep]
            for keep in range(first - 1, -1, -1):
                total = out[i, with_face[keep, 0]]
                for face in range(1, faces):
                    total += out[i, with_face[keep, face]]
                out[i, keep] = total / faces


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


@kernel
def mix64(words: Any) -> Any:
    """Return uint64[m], the hash of each word: see `arena.dice.rng.mix64`."""
    words = (words ^ (words >> S30)) * MIX_A
    words = (words ^ (words >> S27)) * MIX_B
    return words ^ (words >> S31)


@kernel
def game_keys(low: Any, high: Any, dice_sets: Any) -> Any:
    """Return uint64[n], the keys of games: see `arena.dice.rng.RngKey.for_game`.

    Args:
        low: uint64, the key's first word.
        high: uint64, its second.
        dice_sets: uint64[n].
    """
    return mix64(low ^ mix64(dice_sets + high))


@kernel
def draw_words(keys: Any, tables: Any, step: Any) -> Any:
    """Return uint64[m], the next word of the counter stream of each table's game.

    Args:
        keys: uint64[n], by game.
        tables: int32[m].
        step: uint64, what the counter adds to a key.
    """
    return mix64(keys[tables] + step)
