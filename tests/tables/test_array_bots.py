"""Bots in array form: the same moves and the same random numbers as in scalar form, and faults like theirs."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from leagues import ROOT

from arena import ROLLS, Turn, Turns, best_gains, hand_ranks, lattice, row_gain
from arena.agent.bot import Bot
from arena.agent.loader import load
from arena.agent.sources import bundled_folder, bundled_names, locate
from arena.game.new import compile_rules
from arena.records import Block, BlockResult, End, Entrant
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.tournament.block import Engine, play_block

SHIPPED = {name: load(locate(bundled_folder() / f"{name}.py")) for name in bundled_names()}
BOTH_FORMS = [name for name, bot in SHIPPED.items() if bot.in_arrays and hasattr(bot.source, "hold")]
CHANGED: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ruleset_ids()),
    ("yahtzee", {"joker": "free", "upper_bonus_at": 40, "five_bonus": 0}),
    ("fifteen", {"joker": "none", "upper_bonus_at": 63, "five_is_full_house": True}),
    ("school", {"sections_in_order": False}),
    ("yatzy", {"rolls": 2, "five_is_full_house": True, "four_is_two_pairs": True}),
    ("showdown", {"tie_break": "kickers", "rolls": 2}),
]
NAMES = ["+".join([name, *(f"{key}={value}" for key, value in options.items())]) for name, options in CHANGED]


def play(
    bots: dict[str, Any],
    ruleset: str,
    options: dict[str, Any],
    *,
    mirrors: int,
    engine: Engine = "arrays",
    first: int = 0,
) -> BlockResult:
    rules = compile_rules(shipped_ruleset(ruleset, options))
    entrants = tuple(Entrant(name, "") for name in sorted(bots))
    loaded = {name: bot if isinstance(bot, Bot) else Bot(name, bot) for name, bot in bots.items()}
    return play_block(Block("", rules.ruleset.hash, entrants, first, first + mirrors), rules, 7, loaded, engine=engine)


def assert_equal(one: BlockResult, other: BlockResult) -> None:
    assert (one.totals == other.totals).all()
    assert (one.ends == other.ends).all()
    assert (one.winners == other.winners).all()


@pytest.mark.parametrize(("ruleset", "options"), CHANGED, ids=NAMES)
@pytest.mark.parametrize("name", BOTH_FORMS)
def test_both_forms_play_alike(name: str, ruleset: str, options: dict[str, Any]) -> None:
    other = "random" if name != "random" else "greedy"
    bots = {name: SHIPPED[name], other: SHIPPED[other]}
    assert_equal(play(bots, ruleset, options, mirrors=6), play(bots, ruleset, options, mirrors=6, engine="scalar"))


def test_a_scalar_bot_against_an_array_bot() -> None:
    greedy = SHIPPED["greedy"].source
    scalar = SimpleNamespace(hold=greedy.hold, choose_row=greedy.choose_row)
    mixed = {"greedy": scalar, "random": SHIPPED["random"]}
    both = {"greedy": SHIPPED["greedy"], "random": SHIPPED["random"]}
    for ruleset in ("yahtzee", "showdown"):
        assert_equal(play(mixed, ruleset, {}, mirrors=30), play(both, ruleset, {}, mirrors=30))


def test_no_result_depends_on_the_block() -> None:
    bots = {name: SHIPPED[name] for name in ("turn_optimal", "random")}
    whole = play(bots, "yahtzee", {}, mirrors=12)
    parts = [play(bots, "yahtzee", {}, mirrors=4, first=first) for first in (0, 4, 8)]
    assert (np.concatenate([part.totals for part in parts]) == whole.totals).all()


def test_turns_show_what_a_turn_shows() -> None:
    """A bot in both forms writes down what it sees; both lists are the same."""
    seen: dict[str, dict[tuple[int, ...], Any]] = {"scalar": {}, "arrays": {}}

    def look(turn: Turn, rows: tuple[str, ...]) -> list[Any]:
        facts: list[Any] = [turn.seat, turn.seats, turn.rolls_left, turn.dice, turn.total]
        facts += [opponent.total for opponent in turn.opponents]
        facts += [[turn.card[row] or 0 for row in rows], [row in turn.open_rows for row in rows]]
        facts += [
            [turn.score(row) for row in rows],
            [row_gain(turn, row) if row in turn.open_rows else None for row in rows],
        ]
        return [*facts, best_gains(turn).tolist(), turn.rng.random(), turn.rng.below(10), turn.rng.choice("abc")]

    def look_many(turns: Turns) -> list[list[Any]]:
        draws = turns.rng.random().tolist(), turns.rng.below(10).tolist(), turns.rng.choice(list("abc")).tolist()
        gains = np.where(turns.legal, turns.row_gains, 0)
        facts = []
        for n in range(len(turns)):
            one: list[Any] = [turns.seat, turns.seats, int(turns.rolls_left[n]), tuple(turns.dice[n].tolist())]
            one += [int(turns.totals[n, turns.seat]), int(turns.totals[n, 1 - turns.seat])]
            one += [turns.points[n, turns.seat].tolist(), turns.legal[n].tolist(), turns.row_points[n].tolist()]
            one += [
                [gain if ok else None for gain, ok in zip(gains[n].tolist(), turns.legal[n].tolist(), strict=True)]
            ]
            facts.append([*one, best_gains(turns)[n].tolist(), *(draw[n] for draw in draws)])
            assert turns.filled[n, turns.seat].sum() == turns.round - 1
            assert ROLLS[turns.roll_id[n]] == one[3]
        return facts

    class Scalar:
        games = 0

        def __init__(self) -> None:
            self.game, Scalar.games = Scalar.games, Scalar.games + 1

        def hold(self, turn: Turn) -> tuple[int, ...]:
            rows = tuple(turn.card)
            seen["scalar"][self.game, turn.seat, turn.round, turn.roll] = look(turn, rows)
            return turn.dice[:2] if turn.round % 2 else turn.dice

        def choose_row(self, turn: Turn) -> str:
            seen["scalar"][self.game, turn.seat, turn.round, 0] = look(turn, tuple(turn.card))
            return turn.open_rows[-1]

    class Arrays:
        legs = 0

        def __init__(self) -> None:
            self.leg, Arrays.legs = Arrays.legs, Arrays.legs + 1

        def hold_many(self, turns: Turns) -> Any:
            for slot, roll, facts in zip(turns.slot.tolist(), turns.roll.tolist(), look_many(turns), strict=True):
                seen["arrays"][self.leg * 5 + slot, turns.seat, turns.round, roll] = facts
            kept = np.zeros((len(turns), 5), dtype=np.bool_)
            kept[:, :2] = True
            return turns.keep_ids(kept | (turns.round % 2 == 0))

        def choose_row_many(self, turns: Turns) -> Any:
            for slot, facts in zip(turns.slot.tolist(), look_many(turns), strict=True):
                seen["arrays"][self.leg * 5 + slot, turns.seat, turns.round, 0] = facts
            return turns.legal.shape[1] - 1 - turns.legal[:, ::-1].argmax(axis=1)

    for form in (Scalar, Arrays):
        play({"looker": Bot("looker", form, per_game=True), "random": SHIPPED["random"]}, "yahtzee", {}, mirrors=5)
    assert len(seen["scalar"]) > 300
    assert seen["arrays"] == seen["scalar"]


def test_attributes_are_read_only_and_what_methods_return_is_not() -> None:
    asked: list[int] = []

    def choose_row_many(turns: Turns) -> Any:
        asked.append(len(turns))
        for name, array in inspect.getmembers(turns, lambda part: isinstance(part, np.ndarray)):
            if not name.startswith("_"):
                assert not array.flags.writeable, name
        for make in (lambda: turns.cards(0), lambda: (turns.row_outcomes(), turns.further_five())):
            before = [array.copy() for array in make()]
            for array in make():
                array[:] = 1
            for array, was in zip(make(), before, strict=True):
                np.testing.assert_array_equal(array, was)
        return SHIPPED["greedy"].source.choose_row_many(turns)

    bot = SimpleNamespace(hold_many=SHIPPED["greedy"].source.hold_many, choose_row_many=choose_row_many)
    play({"writer": Bot("writer", bot), "greedy": SHIPPED["greedy"]}, "yahtzee", {}, mirrors=2)
    assert asked


def test_turns_of_showdown() -> None:
    seen: list[tuple[int, list[list[int]], list[list[int]], list[int]]] = []

    def hold_many(turns: Turns) -> Any:
        seen.append((turns.seat, turns.hands.tolist(), turns.chips.tolist(), turns.pot.tolist()))
        assert turns.legal.shape == turns.row_points.shape == turns.row_gains.shape == (len(turns), 0)
        assert turns.points.shape == turns.filled.shape == (len(turns), 2, 0)
        assert (turns.totals == turns.chips).all()
        assert hand_ranks(turns).shape == (252,)
        with pytest.raises(ValueError, match="has no card"):
            best_gains(turns)
        return turns.roll_id + 210

    bot = SimpleNamespace(hold_many=hold_many, choose_row_many=hold_many)
    play({"looker": bot, "greedy": SHIPPED["greedy"]}, "showdown", {"rounds": 1}, mirrors=2)
    second, first = seen  # greedy comes first by name, and so in the first seating
    assert first == (0, [[-1, -1]] * 2, [[19, 19]] * 2, [2, 2])
    assert second[0] == 1
    assert all(hands[0] >= 0 and hands[1] == -1 for hands in second[1])


def answering(keeps: Any) -> SimpleNamespace:
    greedy = SHIPPED["greedy"].source
    return SimpleNamespace(hold_many=keeps, choose_row_many=greedy.choose_row_many)


@pytest.mark.parametrize(
    ("keeps", "end", "message"),
    [
        (lambda turns: None, End.ILLEGAL_HOLD, "'bad' answered hold_many with object[] for 6 turns"),
        (lambda turns: np.zeros(len(turns) + 1, int), End.ILLEGAL_HOLD, "with int64[7] for 6 turns"),
        (lambda turns: np.zeros(len(turns)), End.ILLEGAL_HOLD, "with float64[6] for 6 turns"),
        (lambda turns: np.full(len(turns), 2**40), End.ILLEGAL_HOLD, f"answered hold_many with {2**40} for roll 1"),
        (lambda turns: np.full(len(turns), -1), End.ILLEGAL_HOLD, "answered hold_many with -1 for roll 1"),
        (lambda turns: [462] * len(turns), End.ILLEGAL_HOLD, "answered hold_many with 462 for roll 1"),
        (lambda turns: 1 / 0, End.EXCEPTION, "ZeroDivisionError: division by zero"),
    ],
)
def test_bad_answers_cost_the_tables_that_were_asked(keeps: Any, end: End, message: str) -> None:
    result = play({"bad": answering(keeps), "greedy": SHIPPED["greedy"]}, "two-stage", {}, mirrors=6)
    assert (result.ends[:, 0] == [end, End.FINISHED]).all()
    assert (result.ends[:, 1] == [End.FINISHED, end]).all()
    assert (result.winners == [2, 1]).all()
    assert {fault.agent for fault in result.faults} == {"bad"}
    assert message in result.faults[0].message


def test_one_bad_answer_costs_one_game() -> None:
    def keeps(turns: Turns) -> Any:
        answer = turns.roll_id + 210
        answer[turns.slot == 2] = 462
        return answer

    result = play({"bad": answering(keeps), "greedy": SHIPPED["greedy"]}, "thirteen", {}, mirrors=5)
    out = np.zeros((5, 2, 2), dtype=np.uint8)
    out[2, 0, 0] = out[2, 1, 1] = End.ILLEGAL_HOLD
    assert (result.ends == out).all()
    clean = play({"bad": SHIPPED["greedy"], "greedy": SHIPPED["greedy"]}, "thirteen", {}, mirrors=5)
    others = np.arange(5) != 2
    assert (result.totals[others] == clean.totals[others]).all()
    assert result.faults[0].dice_set == 2


def test_an_array_class_has_one_instance_a_leg_and_seat() -> None:
    made: list[dict[str, int]] = []
    greedy = SHIPPED["greedy"].source

    class Counted:
        def __init__(self, **params: int) -> None:
            made.append(params)

        hold_many = staticmethod(greedy.hold_many)
        choose_row_many = staticmethod(greedy.choose_row_many)

    bots = {"counted": Bot("counted", Counted, per_game=True, params={"risk": 3}), "greedy": SHIPPED["greedy"]}
    play(bots, "two-stage", {}, mirrors=9)
    assert made == [{"risk": 3}] * 2


def test_a_class_that_cannot_be_made_loses_at_its_first_decision() -> None:
    class Broken:
        def __init__(self) -> None:
            raise RuntimeError("no luck")

        hold_many = choose_row_many = None

    bot = Bot("broken", Broken, per_game=True)
    assert not bot.in_arrays
    Broken.hold_many = Broken.choose_row_many = lambda self, turns: None  # type: ignore[assignment, method-assign]
    result = play({"broken": bot, "greedy": SHIPPED["greedy"]}, "two-stage", {}, mirrors=2)
    assert (result.ends[:, 0, 0] == End.START).all()
    assert "could not start: RuntimeError: no luck" in result.faults[0].message


def test_shipped_bots_say_what_they_are() -> None:
    for name in bundled_names():
        assert SHIPPED[name].description, ROOT / "agents" / name


def test_an_illegal_answer_is_told_with_the_dice_and_the_open_rows() -> None:
    greedy = SHIPPED["greedy"].source
    worst = SimpleNamespace(hold_many=lambda turns: np.full(len(turns), 461), choose_row_many=greedy.choose_row_many)
    result = play({"bad": worst, "greedy": SHIPPED["greedy"]}, "two-stage", {}, mirrors=1)
    assert result.faults[0].message == (
        "InvalidHold: 'bad' answered hold_many with 461, which is (6, 6, 6, 6, 6),"
        f" for roll 1: {dice_of(result.faults[0].message)} in round 1"
    )
    below = SimpleNamespace(hold_many=greedy.hold_many, choose_row_many=lambda turns: [turns.legal.shape[1] - 1])
    result = play({"bad": below, "greedy": SHIPPED["greedy"]}, "two-stage", {}, mirrors=1)
    assert result.faults[0].message == (
        "InvalidRow: 'bad' answered choose_row_many with 13, which is 'five_of_a_kind',"
        f" for roll 1: {dice_of(result.faults[0].message)} in round 1; open: ones, twos, threes, fours, fives, sixes"
    )


def dice_of(message: str) -> str:
    return message.partition("roll 1: ")[2].partition(" in ")[0]


CHANGES = [
    lambda turns: setattr(turns, "dice", None),
    lambda turns: setattr(turns, "_tables", None),
    lambda turns: setattr(turns, "seat", 1 - turns.seat),
    lambda turns: delattr(turns, "round"),
    lambda turns: setattr(turns.rules, "names", ()),
    lambda turns: setattr(turns.rules, "points", None),
    lambda turns: turns.rules.row_ids.clear(),
    lambda turns: setattr(turns.rules.gains, "payments", None),
    lambda turns: setattr(turns.ruleset, "rolls", 1),
    lambda turns: setattr(lattice(), "rolls", ()),
    lambda turns: lattice().keep_ids.clear(),
    *(
        lambda turns, name=name: getattr(turns, name).fill(1)
        for name in (
            *("slot", "roll", "rolls_left", "roll_id", "dice", "keepable", "legal", "row_points", "row_gains"),
            *("points", "filled", "totals", "hands", "chips", "pot"),
        )
    ),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_bot_tries_to_change_stays_and_costs_only_its_own_games(change: Any) -> None:
    tried: list[bool] = []

    def keeps(turns: Turns) -> Any:
        tried.append(True)
        with pytest.raises((AttributeError, TypeError, ValueError)):
            change(turns)
        return np.full(len(turns), 461)

    result = play({"bad": answering(keeps), "greedy": SHIPPED["greedy"]}, "two-stage", {}, mirrors=3)
    clean = play(
        {"bad": answering(lambda turns: np.full(len(turns), 461)), "greedy": SHIPPED["greedy"]},
        *("two-stage", {}),
        mirrors=3,
    )
    assert tried
    assert_equal(result, clean)
    assert [fault.message for fault in result.faults] == [fault.message for fault in clean.faults]
    assert {"illegal_hold"} == {fault.kind.label for fault in result.faults}


def test_what_stays_changed_behind_the_shield_is_never_read_by_the_game() -> None:
    """Who looks behind it can change what he was shown; the error is made of what the game knows."""

    def keeps(turns: Turns) -> Any:
        n = len(turns)
        turns.__dict__.update(dice=None, roll=None, roll_id=turns.roll_id + 1000, round="never", _tables=())
        return np.full(n, 461)

    result = play({"bad": answering(keeps), "greedy": SHIPPED["greedy"]}, "two-stage", {}, mirrors=3)
    assert "for roll 1: " in result.faults[0].message
    assert result.faults[0].message.endswith(" in round 1")
