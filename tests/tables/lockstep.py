"""The scalar and the array game played by one and the same player, on rigged dice, to be compared game by game."""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt

from arena.dice.lattice import lattice
from arena.game.card_tables import CardTables
from arena.game.new import Rules, new_game
from arena.game.showdown_tables import ShowdownTables
from arena.records import FAULT_KINDS, End
from arena.rules.card import CardRules

NUMBERS = 6**5
FIVE_ALIKE = [sum(face * 6**die for die in range(5)) for face in range(6)]
FAULT_CHANCE = 0.01


class SharedDice:
    """Numbers for several tables, any, and often five of one face."""

    def __init__(self, seed: int, tables: int, seats: int, rolls: int) -> None:
        self._shape, self._seed = (tables, seats, rolls), seed
        self._rounds: dict[int, npt.NDArray[np.int64]] = {}

    def arrays(self, round_: int) -> npt.NDArray[np.int64]:
        if round_ not in self._rounds:
            rng = np.random.Generator(np.random.Philox([self._seed, round_]))
            plain = rng.integers(0, NUMBERS, self._shape)
            self._rounds[round_] = np.where(rng.random(self._shape) < 0.3, rng.choice(FIVE_ALIKE, self._shape), plain)
        return self._rounds[round_]

    def lists(self, round_: int) -> list[list[list[int]]]:
        return self.arrays(round_).tolist()  # type: ignore[no-any-return]


class Player:
    """Decides by hashing where it is asked, so that both games are given the same answers."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def _rng(self, *where: int) -> Random:
        return Random(f"{self._seed} {where}")

    def keep(self, table: int, seat: int, round_: int, roll: int, roll_id: int) -> int:
        """Return a keep id, or minus an end code."""
        rng = self._rng(table, seat, round_, roll)
        if rng.random() < FAULT_CHANCE:
            return -rng.choice(FAULT_KINDS)
        keeps = lattice().sub_keeps[roll_id]
        if rng.random() < 0.4:
            faces = lattice().rolls[roll_id]
            often = max(faces, key=faces.count)
            return lattice().keep_ids[(often,) * faces.count(often)]
        return rng.choice(keeps)

    def row(self, table: int, seat: int, round_: int, legal: list[int]) -> int:
        """Return a row id, or minus an end code."""
        rng = self._rng(table, seat, round_)
        return -rng.choice(FAULT_KINDS) if rng.random() < FAULT_CHANCE else rng.choice(legal)


Result = tuple[list[int], list[int]]


def play_scalar(rules: Rules, seats: int, tables: int, dice: SharedDice, player: Player) -> list[Result]:
    """Return totals and ends by table."""
    results = []
    for table in range(tables):
        game = new_game(rules, seats, table, dice.lists)
        while not game.over:
            seat, round_ = game.seat, game.round
            if game.asks_row:
                assert isinstance(rules, CardRules)
                mask = rules.legal(game.public[seat], game.roll_id)
                answer = player.row(table, seat, round_, [row for row in range(len(rules.names)) if mask >> row & 1])
            else:
                answer = player.keep(table, seat, round_, game.roll, game.roll_id)
            if answer < 0:
                game.fault(End(-answer))
            elif game.asks_row:
                game.choose(answer)
            else:
                game.hold(answer)
        results.append((game.totals(), [int(end) for end in game.ends]))
    return results


def play_arrays(rules: Rules, seats: int, tables: int, dice: SharedDice, player: Player) -> list[Result]:
    """Return totals and ends by table."""
    game: CardTables | ShowdownTables
    if isinstance(rules, CardRules):
        game = CardTables(rules, seats, tables, dice.arrays)
    else:
        game = ShowdownTables(rules, seats, tables, dice.arrays)
    for asked in game.turns():
        rolling = asked
        for roll in range(1, rules.ruleset.rolls):
            keeps = [
                player.keep(table, game.seat, game.round, roll, game.roll_ids[table]) for table in rolling.tolist()
            ]
            before = rolling
            rolling, codes = game.hold(before, np.array(keeps, dtype=np.int16))
            assert codes.tolist() == [max(-keep, 0) for keep in keeps]
            game.fault(before[codes > 0], codes[codes > 0])
        at_table = asked[game.ends[asked, game.seat] == End.FINISHED]
        if isinstance(game, ShowdownTables):
            game.finish_turns(at_table)
            continue
        legal, pays_joker = game.legal(at_table)
        rows = [
            player.row(table, game.seat, game.round, np.flatnonzero(legal[n]).tolist())
            for n, table in enumerate(at_table.tolist())
        ]
        codes = game.choose(at_table, np.array(rows, dtype=np.int8), legal, pays_joker)
        assert codes.tolist() == [max(-row, 0) for row in rows]
        game.fault(at_table[codes > 0], codes[codes > 0])
    return [(totals, ends) for totals, ends in zip(game.final_totals().tolist(), game.ends.tolist(), strict=True)]
