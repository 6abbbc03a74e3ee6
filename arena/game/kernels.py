"""The compiled kernels of the array game: every loop over tables that is run at every step.

Arrays are over tables; ``tables`` are the numbers of those a step is about. Where a bot answers, the answer is
checked here, and a bad one changes nothing but ``codes``, which tells the driver's caller what to charge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.jit import kernel

ILLEGAL_HOLD = 1
ILLEGAL_ROW = 2

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


@kernel
def open_to_roll(
    table: int, seat: int, roll: int, filled: Any, points: Any, played: Any,
    section_of: Any, section_turns: Any, in_order: bool, faces: Any, face_rows: Any, face_of_five: Any,
    joker: Any, legal: Any,
) -> bool:  # fmt: skip
    """Set which rows a roll may legally fill at one table; returns whether it is a joker that counts in full.

    Args:
        table: which table.
        seat: whose card.
        roll: the dice.
        filled: bool[n, seats, rows].
        points: int16[n, seats, rows].
        played: int8[n, seats, sections].
        section_of: int8[rows].
        section_turns: int8[sections].
        in_order: True if a section opens only when the one before it is played.
        faces: int8[rows], the face that a row collects, else 0.
        face_rows: int8[7], the row that collects a face, else -1.
        face_of_five: int8[rolls], the face of a five of a kind, else 0.
        joker: int32[3]: mode (0 none, 1 forced, 2 free), its row, the points it must hold or -1 for any.
        legal: bool[rows], set.
    """
    rows, sections = section_of.shape[0], section_turns.shape[0]
    last = sections
    if in_order:
        for section in range(sections):
            if played[table, seat, section] < section_turns[section]:
                last = section + 1
                break
    for row in range(rows):
        section = section_of[row]
        is_open = section < last and played[table, seat, section] < section_turns[section]
        legal[row] = is_open and not filled[table, seat, row]
    face = face_of_five[roll]
    if face == 0 or joker[0] == 0 or not filled[table, seat, joker[1]]:
        return False
    if joker[2] >= 0 and points[table, seat, joker[1]] != joker[2]:
        return False
    own = face_rows[face]
    in_full = bool(own < 0 or filled[table, seat, own])
    if joker[0] == 2:
        return in_full
    if own >= 0 and legal[own]:
        for row in range(rows):
            legal[row] = row == own
        return in_full
    any_below = False
    for row in range(rows):
        any_below |= legal[row] and faces[row] == 0
    if any_below:
        for row in range(rows):
            legal[row] &= faces[row] == 0
    return in_full


@kernel
def legal_rows(
    tables: Any, seat: int, roll_ids: Any, filled: Any, points: Any, played: Any,
    section_of: Any, section_turns: Any, in_order: bool, faces: Any, face_rows: Any, face_of_five: Any,
    joker: Any, legal: Any, pays_joker: Any,
) -> None:  # fmt: skip
    """Set which rows each table's roll may legally fill, and whether a joker counts in full.

    Args:
        tables: int32[m].
        seat: whose cards.
        roll_ids: int16[n].
        filled: as in `open_to_roll`, and so on to ``joker``.
        legal: bool[m, rows], set.
        pays_joker: bool[m], set.
    """
    for i in range(tables.shape[0]):
        table = tables[i]
        pays_joker[i] = open_to_roll(
            table, seat, roll_ids[table], filled, points, played,
            section_of, section_turns, in_order, faces, face_rows, face_of_five, joker, legal[i],
        )  # fmt: skip


@kernel
def best_gains(
    tables: Any, seat: int, first: int, filled: Any, points: Any, sums: Any, played: Any, earned: Any,
    pays: Any, joker_pays: Any, section_of: Any, section_turns: Any, in_order: bool, bonuses: Any,
    faces: Any, face_rows: Any, face_of_five: Any, joker: Any, five: Any, out: Any,
) -> None:  # fmt: skip
    """Set float64[m, rolls], the most that a turn earns by ending with each roll, at each table.

    Args:
        tables: int32[m].
        seat: whose cards.
        first: 1 if the roll is taken on the first throw, else 0.
        filled: as in `fill`, and so on to ``earned``.
        pays: as in `fill`; the rest as in `open_to_roll` and `fill`.
        out: set.
    """
    rows, rolls = section_of.shape[0], face_of_five.shape[0]
    plain = np.empty(rows, dtype=np.bool_)
    legal = np.empty(rows, dtype=np.bool_)
    bonus = np.empty(rows, dtype=np.int64)
    due_at = np.empty(rows, dtype=np.int64)
    for i in range(tables.shape[0]):
        table = tables[i]
        open_to_roll(
            table, seat, 1, filled, points, played,
            section_of, section_turns, in_order, faces, face_rows, face_of_five, joker, plain,
        )  # fmt: skip
        for row in range(rows):
            section = section_of[row]
            due = bonuses[section, 0] != 0 and not earned[table, seat, section]
            if due and bonuses[section, 2]:
                due = played[table, seat, section] + 1 >= section_turns[section]
            bonus[row] = bonuses[section, 0] if due else 0
            due_at[row] = bonuses[section, 1] - sums[table, seat, section]
        five_counts = five[1] >= 0 and filled[table, seat, five[1]] and points[table, seat, five[1]] == five[2]
        for roll in range(rolls):
            best = np.int64(-1 << 40)
            if face_of_five[roll]:
                in_full = open_to_roll(
                    table, seat, roll, filled, points, played,
                    section_of, section_turns, in_order, faces, face_rows, face_of_five, joker, legal,
                )  # fmt: skip
                for row in range(rows):
                    if legal[row]:
                        paid = np.int64(joker_pays[first, roll, row] if in_full else pays[first, roll, row])
                        gain = paid + (bonus[row] if paid >= due_at[row] else 0)
                        best = max(best, gain)
                if five_counts:
                    best += five[0]
            else:
                for row in range(rows):
                    if plain[row]:
                        paid = np.int64(pays[first, roll, row])
                        gain = paid + (bonus[row] if paid >= due_at[row] else 0)
                        best = max(best, gain)
            out[i, roll] = best


@kernel
def row_points(tables: Any, roll_ids: Any, throws: Any, pays: Any, joker_pays: Any, pays_joker: Any, out: Any) -> None:
    """Set int16[m, rows], what each row would pay for the dice now showing.

    Args:
        tables: int32[m].
        roll_ids: int16[n].
        throws: int8[n].
        pays: int16[2, rolls, rows], by first roll.
        joker_pays: the same for a joker.
        pays_joker: bool[m].
        out: set.
    """
    for i in range(tables.shape[0]):
        table = tables[i]
        first = 1 if throws[table] == 1 else 0
        roll = roll_ids[table]
        for row in range(out.shape[1]):
            out[i, row] = joker_pays[first, roll, row] if pays_joker[i] else pays[first, roll, row]


@kernel
def fill(
    tables: Any, seat: int, rows: Any, legal: Any, pays_joker: Any, roll_ids: Any, throws: Any,
    pays: Any, joker_pays: Any, section_of: Any, section_turns: Any, bonuses: Any, face_of_five: Any, five: Any,
    filled: Any, points: Any, sums: Any, played: Any, earned: Any, totals: Any, codes: Any,
) -> None:  # fmt: skip
    """Fill a row at each table, with all that follows from it.

    Args:
        tables: int32[m].
        seat: whose cards.
        rows: int8[m], row ids; below 0: minus an end code.
        legal: bool[m, rows].
        pays_joker: bool[m].
        roll_ids: int16[n].
        throws: int8[n].
        pays: int16[2, rolls, rows], by first roll.
        joker_pays: the same for a joker.
        section_of: int8[rows].
        section_turns: int8[sections].
        bonuses: int32[sections, 3]: points (0 for none), the sum that earns them, 1 if due only when complete.
        face_of_five: int8[rolls].
        five: int32[3]: points for a further five of a kind, the row to look at (or -1), what it must hold.
        filled: bool[n, seats, rows], changed, as all that follow.
        points: int16[n, seats, rows].
        sums: int32[n, seats, sections].
        played: int8[n, seats, sections].
        earned: bool[n, seats, sections].
        totals: int32[n, seats].
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
        gained = joker_pays[first, roll, row] if pays_joker[i] else pays[first, roll, row]
        total = np.int32(gained)
        if five[1] >= 0 and face_of_five[roll] and filled[table, seat, five[1]]:
            if points[table, seat, five[1]] == five[2]:
                total += five[0]
        section = section_of[row]
        filled[table, seat, row] = True
        points[table, seat, row] = gained
        sums[table, seat, section] += gained
        played[table, seat, section] += 1
        if (
            bonuses[section, 0]
            and not earned[table, seat, section]
            and sums[table, seat, section] >= bonuses[section, 1]
        ):
            if not bonuses[section, 2] or played[table, seat, section] >= section_turns[section]:
                earned[table, seat, section] = True
                total += bonuses[section, 0]
        totals[table, seat] += total


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
