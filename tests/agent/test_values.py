"""Exact values as bots are given them: seats that are out, turns of other games, and who follows in showdown."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from positions import card_turn, rules_of, showdown_turn, view_of

from arena import Turn, Turns, best_keep, hand_stakes, values
from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, locate
from arena.agent.turn import new_turn
from arena.agent.values import Values
from arena.game.card_tables import CardTables
from arena.game.new import compile_rules
from arena.game.showdown_game import Felt
from arena.game.showdown_tables import ShowdownTables
from arena.records import Block, BlockResult, End, Entrant
from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.model import OptionValue
from arena.rules.shipped import shipped_ruleset
from arena.solver.showdown import showdown_values
from arena.tournament.block import Engine, play_block

DUELIST = load(locate(bundled_folder() / "duelist.py"))
GREEDY = load(locate(bundled_folder() / "greedy.py"))


def no_dice(round_: int) -> Any:
    raise AssertionError(round_)


def fails_in(round_: int) -> Bot:
    """Return a bot that plays as greedy does and raises in a round, in both forms."""

    def hold(turn: Turn) -> Any:
        return GREEDY.source.hold(turn) if turn.round < round_ else 1 / 0

    def hold_many(turns: Turns) -> Any:
        return GREEDY.source.hold_many(turns) if turns.round < round_ else 1 / 0

    rows = GREEDY.source.choose_row, GREEDY.source.choose_row_many
    return Bot("fails", SimpleNamespace(hold=hold, choose_row=rows[0], hold_many=hold_many, choose_row_many=rows[1]))


def played(ruleset: str, bots: Sequence[Bot], engine: Engine, **options: OptionValue) -> BlockResult:
    rules = compile_rules(shipped_ruleset(ruleset, options))
    entrants = tuple(Entrant(bot.name, "") for bot in sorted(bots, key=lambda bot: bot.name))
    return play_block(
        Block("", rules.ruleset.hash, entrants, 0, 12), rules, 5, {b.name: b for b in bots}, engine=engine
    )


@pytest.mark.parametrize("round_", [1, 2])
@pytest.mark.parametrize("ruleset", ["two-stage", "thirteen", "yahtzee", "showdown"])
@pytest.mark.parametrize("third", [False, True])
def test_who_plays_against_a_seat_that_is_out_is_not_put_out(ruleset: str, round_: int, third: bool) -> None:
    bots = [DUELIST, fails_in(round_), *([GREEDY] if third else [])]
    arrays, scalar = (played(ruleset, bots, engine) for engine in ("arrays", "scalar"))
    np.testing.assert_array_equal(arrays.totals, scalar.totals)
    np.testing.assert_array_equal(arrays.ends, scalar.ends)
    for result in (arrays, scalar):
        assert {fault.agent for fault in result.faults} == {"fails"}
        assert (np.count_nonzero(result.ends, axis=-1) == 1).all()


@pytest.mark.parametrize("ruleset", ["two-stage", "thirteen"])
def test_alone_the_duelist_plays_for_points(ruleset: str) -> None:
    """It has won, and plays on as it would by itself."""
    against = played(ruleset, [DUELIST, fails_in(1)], "arrays")
    points = against.totals[against.ends == End.FINISHED]
    assert points.mean() > values(shipped_ruleset(ruleset)).value - 3 * values(shipped_ruleset(ruleset)).sd / 24**0.5


def test_alone_left_it_decides_as_alone_at_the_table() -> None:
    rules = rules_of("thirteen")
    assert isinstance(rules, CardRules)
    for dice in ("11256", "44416", "23456"):
        with_out = card_turn(rules, dice)
        view = view_of(rules)
        roll_id = with_out.roll_id
        turn = new_turn(Turn, (view, 0, 1, 1, roll_id, False, (rules.empty, rules.empty.closed())))
        alone = new_turn(Turn, (view_of(rules, seats=1), 0, 1, 1, roll_id, False, (rules.empty,)))
        assert DUELIST.source.hold(turn) == DUELIST.source.hold(alone)


@pytest.mark.parametrize("ruleset", ["two-stage", "thirteen", "yahtzee", "school"])
def test_a_seat_that_is_out_has_nothing_to_come(ruleset: str) -> None:
    rules = rules_of(ruleset)
    assert isinstance(rules, CardRules)
    table, view = values(rules.ruleset), view_of(rules, seats=3)
    public = (rules.empty, rules.empty.closed(), rules.empty)
    turn = new_turn(Turn, (view, 0, 1, 1, 0, False, public))
    assert [(other.seat, other.out) for other in turn.opponents] == [(1, True), (2, False)]
    game = CardTables(rules, 3, 2, no_dice)
    game.ends[:, 1] = End.TIMEOUT, End.FINISHED
    game.round, game.roll_numbers[:] = 1, 1
    turns = Turns(view, game, np.arange(2, dtype=np.int32))
    assert turns.out.tolist() == [[False, True, False], [False] * 3]
    full = table.value, table.sd**2
    for found, many, whole in zip(
        (table.to_come(turn), table.variance(turn)), (table.to_come(turns), table.variance(turns)), full, strict=True
    ):
        assert found.tolist() == pytest.approx([whole, 0, whole])
        assert found[1] == 0
        np.testing.assert_array_equal(many, [found, [found[0]] * 3])
    assert table.table.to_come(rules.empty.closed()) == table.table.variance(rules.empty.closed()) == 0


def test_values_are_of_one_ruleset() -> None:
    table = values(shipped_ruleset("thirteen"))
    other = rules_of("thirteen", rolls=2)
    same = rules_of("thirteen")
    for ask in (table.after, table.variance_after, table.to_come, table.variance):
        ask(card_turn(same, "12345"))
        for turn in (card_turn(other, "12345"), card_turn(rules_of("yahtzee"), "12345")):
            with pytest.raises(ValueError, match=f"^a turn of {turn.ruleset.name.replace('+', '.')} is given to the"):
                ask(turn)
        with pytest.raises(ValueError, match="a turn of showdown is given to the values of thirteen"):
            ask(showdown_turn(rules_of("showdown"), "12345"))


@pytest.mark.parametrize("ask", [values, Values])
def test_showdown_has_no_values(ask: Any) -> None:
    with pytest.raises(ValueError, match="showdown has no card; see hand_stakes"):
        ask(shipped_ruleset("showdown"))


def test_nothing_is_kept_after_the_last_roll() -> None:
    worth = np.zeros(252)
    with pytest.raises(ValueError, match="nothing is kept after roll 3, the last of thirteen"):
        best_keep(card_turn(rules_of("thirteen"), "12345", roll=3), worth)
    rules = rules_of("thirteen")
    assert isinstance(rules, CardRules)
    game = CardTables(rules, 1, 2, no_dice)
    game.round, game.roll_numbers[:] = 1, (1, 2)
    turns = Turns(view_of(rules, seats=1), game, np.arange(2, dtype=np.int32))
    with pytest.raises(ValueError, match=r"best_keep takes positions on one roll, not on \[1, 2\]"):
        best_keep(turns, np.zeros((2, 252)))


LAST_STANDING: dict[str, Any] = {"ends": "last_standing", "rounds": None}


def follow(
    *, seat: int, shown: Sequence[int], chips: Sequence[int], pot: int, out: Sequence[int] = (), **options: Any
) -> int | None:
    """Return how many follow by what `hand_stakes` says, in both forms.

    Args:
        seat: who is asked.
        shown: who shows a hand: no pair, the lowest.
        chips: by seat.
        pot: chips in it.
        out: who is out.
        options: the ruleset's.
    """
    rules = rules_of("showdown", **options)
    assert isinstance(rules, HandRules)
    lowest = rules.ranks.index(0)
    hands = tuple(lowest if other in shown else None for other in range(len(chips)))
    view = view_of(rules, seat=seat, seats=len(chips))
    public = Felt(hands, tuple(chips), pot, sum(1 << other for other in out))
    found = hand_stakes(new_turn(Turn, (view, 0, 1, 1, 100, False, public)))
    game = ShowdownTables(rules, len(chips), 1, no_dice)
    game.hands[0] = [lowest if other in shown else -1 for other in range(len(chips))]
    game.chips[0], game.pot[0], game.round = chips, pot, 1
    game.ends[0, list(out)] = End.CRASH
    np.testing.assert_array_equal(hand_stakes(Turns(view, game, np.zeros(1, dtype=np.int32))), [found])
    solved = showdown_values(rules.ruleset, len(chips))
    fits = [
        later
        for later in range(len(chips) - len(shown))
        if np.array_equal(solved.stakes(later, 0 if shown else -1, len(shown)), found)
    ]
    return fits[0] if len(fits) == 1 else None


def test_all_follow_who_have_not_shown() -> None:
    assert follow(seat=0, shown=[], chips=[19, 19], pot=2) == 1
    assert follow(seat=1, shown=[0], chips=[19, 19], pot=2) == 0
    assert follow(seat=2, shown=[], chips=[19] * 4, pot=4) == 3
    assert follow(seat=0, shown=[2, 3], chips=[19] * 4, pot=4) == 1


def test_who_is_out_does_not_follow() -> None:
    assert follow(seat=1, shown=[], chips=[19, 19], pot=2, out=[0]) == 0
    assert follow(seat=1, shown=[0], chips=[19] * 4, pot=4, out=[2]) == 1
    assert follow(seat=1, shown=[0], chips=[0] * 4, pot=240, out=[2], ante=0) == 1


def test_who_had_his_turn_and_shows_nothing_does_not_follow() -> None:
    """Seat 2 began; seat 3 is out of chips; seat 1 follows seat 0."""
    assert follow(seat=0, shown=[2], chips=[19, 19, 19, 0], pot=3, **LAST_STANDING) == 1


def test_chips_carried_over_are_no_other_seat() -> None:
    assert follow(seat=0, shown=[], chips=[10, 10, 38], pot=5, out=[2], **LAST_STANDING) == 1
    assert follow(seat=0, shown=[], chips=[19, 19, 19], pot=5) == 2


def test_who_has_no_chips_left_may_have_paid_his_last() -> None:
    assert follow(seat=0, shown=[], chips=[19, 0, 19], pot=3, **LAST_STANDING) == 2
    assert follow(seat=0, shown=[], chips=[19, 0, 39], pot=2, **LAST_STANDING) == 1
    assert follow(seat=0, shown=[], chips=[19, 3, 19], pot=14, ante=7, **LAST_STANDING) == 1
    assert follow(seat=0, shown=[], chips=[1, 0, 0], pot=3) == 2  # else the game were over
