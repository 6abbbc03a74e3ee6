"""Transcripts: both games write the same, and it plays the stored game again; what is changed is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import KEEPS, ROLLS, Turn, Turns
from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.game.new import Rules, compile_rules
from arena.game.table import winners
from arena.game.transcript import BadTranscript, ReplayedTurn, replay
from arena.packing import packed_moves, unpacked_moves
from arena.records import NO_MOVE, Block, BlockResult, End, Entrant, UInt8
from arena.rules.card import CardRules
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.tournament.block import BlockDice, play_block

SEED = 11
SHIPPED = {name: load(locate(bundled_folder() / f"{name}.py")) for name in ("greedy", "random", "turn_optimal")}


def erring(share: float) -> Bot:
    """A bot that plays at random, and now and then answers what it may not, or raises."""

    def wrong(turn: Turn) -> bool:
        if turn.rng.random() >= share:
            return False
        if turn.rng.random() < 0.5:
            raise RuntimeError("no idea")
        return True

    def hold(turn: Turn) -> tuple[int, ...]:
        kept = tuple(die for die in turn.dice if turn.rng.random() < 0.5)
        return (7,) if wrong(turn) else kept

    def choose_row(turn: Turn) -> str:
        return "nowhere" if wrong(turn) else turn.rng.choice(turn.open_rows)

    return Bot("erring", SimpleNamespace(hold=hold, choose_row=choose_row))


class ErringMany:
    """Takes the first roll and the first row in array form, and now and then what it may not, or raises."""

    def hold_many(self, turns: Turns) -> Any:
        everything = turns.roll_id + len(KEEPS) - len(ROLLS)
        wrong = np.where(turns.rng.random() < 0.5, len(KEEPS), (everything - 1) % len(KEEPS))
        return np.where(turns.rng.random() < 0.02, wrong, everything)

    def choose_row_many(self, turns: Turns) -> Any:
        if turns.seat == 1 and turns.round == 2:
            raise RuntimeError("no idea")
        return np.where(turns.rng.random() < 0.02, 100, np.argmax(turns.legal, axis=1))


def played(rules: Rules, bots: dict[str, Bot], mirrors: int, seed: int = SEED, **how: Any) -> BlockResult:
    entrants = tuple(Entrant(name, "") for name in sorted(bots))
    return play_block(Block("", rules.ruleset.hash, entrants, 3, 3 + mirrors), rules, seed, bots, record=True, **how)


def replayed(rules: Rules, result: BlockResult, mirror: int, seating: int, seed: int = SEED) -> Iterator[ReplayedTurn]:
    """Replay one game of a block, from its moves."""
    block, moves = result.block, result.moves
    assert moves is not None
    alone = replace(block, first=block.first + mirror, stop=block.first + mirror + 1)
    totals = result.totals[mirror, seating].tolist()
    ends = [End(end) for end in result.ends[mirror, seating].tolist()]
    dice = BlockDice(alone, rules, seed)
    yield from replay(rules, dice.lists, moves[seating, ..., mirror], ends, totals)


def games(block: Block) -> list[tuple[int, int]]:
    return [(mirror, seating) for mirror in range(block.mirrors) for seating in range(block.seats)]


@pytest.mark.parametrize("ruleset_id", ruleset_ids())
@settings(max_examples=6)
@given(st.integers(1, 4), st.integers(0, 2**64), st.sampled_from([0.0, 0.02, 0.2]))
def test_a_transcript_plays_the_stored_game(ruleset_id: str, seats: int, seed: int, share: float) -> None:
    rules = compile_rules(shipped_ruleset(ruleset_id))
    seats = max(seats, rules.ruleset.min_seats)
    four = {"a": erring(share), "b": SHIPPED["random"], "c": erring(share), "d": SHIPPED["greedy"]}
    bots = dict(list(four.items())[:seats])
    one, other = (played(rules, bots, 5, seed, engine=engine) for engine in ("arrays", "scalar"))
    assert one.moves is not None
    np.testing.assert_array_equal(one.moves, other.moves)
    np.testing.assert_array_equal(unpacked_moves(packed_moves(one.moves), one.moves.shape), one.moves)
    for mirror, seating in games(one.block):
        assert_plays(rules, one, mirror, seating, seed)


def assert_plays(rules: Rules, result: BlockResult, mirror: int, seating: int, seed: int = SEED) -> None:
    """A transcript leads to the stored end, and every fault to where it is told of."""
    turns = list(replayed(rules, result, mirror, seating, seed))
    assert result.moves is not None
    out = {turn.seat: turn for turn in turns if turn.end is not End.FINISHED}
    ends = [End(end) for end in result.ends[mirror, seating].tolist()]
    assert [out[seat].end if seat in out else End.FINISHED for seat in range(len(ends))] == ends
    decided = (result.moves[seating, ..., mirror] != NO_MOVE).sum() + len(out)
    assert sum(len(turn.places) for turn in turns) == decided
    assert int(result.winners[mirror, seating]) == winners(result.totals[mirror, seating].tolist(), ends)
    for fault in result.faults:
        if (fault.dice_set - result.block.first, fault.seating) == (mirror, seating):
            turn = out[fault.seat]
            assert (turn.round, len(turn.rolls), turn.end) == (fault.round, fault.roll, fault.kind)


@pytest.mark.parametrize("ruleset_id", ruleset_ids())
def test_bots_in_array_form_are_replayed_to_their_faults(ruleset_id: str) -> None:
    rules = compile_rules(shipped_ruleset(ruleset_id))
    bots = {"a": Bot("a", ErringMany, per_game=True), "b": SHIPPED["random"], "c": Bot("c", ErringMany, per_game=True)}
    result = played(rules, bots, 20)
    for mirror, seating in games(result.block):
        assert_plays(rules, result, mirror, seating)
    kinds = {End.ILLEGAL_HOLD} if rules.ruleset.showdown else {End.ILLEGAL_HOLD, End.ILLEGAL_ROW, End.EXCEPTION}
    assert {fault.kind for fault in result.faults} >= kinds


def changed(moves: UInt8) -> Iterator[tuple[tuple[int, ...], int, UInt8]]:
    """Every decision of a game changed to its neighbours, taken away, or put where none was."""
    for place in np.ndindex(moves.shape):
        move = int(moves[place])
        for other in {move - 1, move + 1, NO_MOVE} - {-1, move} if move != NO_MOVE else {0, 1}:
            copy = moves.copy()
            copy[place] = other
            yield place, other, copy


@pytest.mark.parametrize("ruleset_id", ruleset_ids())
def test_a_changed_decision_is_found(ruleset_id: str) -> None:
    """All that is taken away or added is found, and every other row where all rows are filled.

    Of other keeps most are: the rest leads to the same end.
    """
    rules = compile_rules(shipped_ruleset(ruleset_id))
    result = played(rules, {"random": SHIPPED["random"], "turn_optimal": SHIPPED["turn_optimal"]}, 2)
    assert result.moves is not None
    number = untold = 0
    for mirror, seating in games(result.block):
        for place, other, moves in changed(result.moves[seating, ..., mirror]):
            every = result.moves.copy()
            every[seating, ..., mirror] = moves
            number += 1
            try:
                list(replayed(rules, replace(result, moves=every), mirror, seating))
            except BadTranscript:
                continue
            untold += 1
            before = int(result.moves[(seating, *place, mirror)])
            assert NO_MOVE not in (before, other), (place, before, other)
            if isinstance(rules, CardRules) and rules.turns == len(rules.names):
                assert place[2] < rules.ruleset.rolls - 1, (place, before, other)
    assert untold < number / 3
