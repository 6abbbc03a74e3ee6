"""What a bot may answer, and what becomes of anything else."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from leagues import BOTS
from positions import card_game, faces, rules_of, showdown_game, view_of

from arena.agent.bot import Bot
from arena.agent.inline import Failure, InlineDriver
from arena.agent.loader import load
from arena.agent.sources import locate
from arena.dice.lattice import lattice
from arena.records import End

THIRTEEN = rules_of("thirteen")
YAHTZEE = rules_of("yahtzee")
spec = importlib.util.spec_from_file_location("tests_answers", BOTS / "answers.py")
assert spec
assert spec.loader
answers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(answers)

GOOD_HOLDS = {
    "list": "11",
    "backwards": "11234",
    "array": "11234",
    "empty_array": "",
    "iterated_array": "11234",
}
RAISING = {"unhashable": "no hash", "no_items": "no items", "no_length": "no length"}
BAD_HOLDS = set(answers.HOLDS) - set(GOOD_HOLDS) - set(RAISING)


def driver_of(bot: Any, rules: Any = THIRTEEN, tables: int = 1) -> InlineDriver:
    made = bot if isinstance(bot, Bot) else Bot("culprit", bot)
    return InlineDriver(made, view_of(rules, seats=1), tables)


def of_file(file: str, **params: Any) -> Bot:
    return load(locate(BOTS / file, name="culprit", params=params))


def answering(answer: Any) -> Any:
    def give(turn: Any) -> Any:
        return answer

    return SimpleNamespace(hold=give, choose_row=give)


def nested(depth: int) -> frozenset[Any]:
    """Return sets in one another."""
    return frozenset([nested(depth - 1)] if depth else [])


def failure(found: Any) -> Failure:
    (one,) = found
    assert isinstance(one, Failure), one
    return one


@pytest.mark.parametrize("answer", GOOD_HOLDS)
def test_dice_in_any_order_and_any_list(answer: str) -> None:
    driver = driver_of(of_file("answers.py", hold=answer))
    assert driver.hold([card_game(THIRTEEN, ["31142"])]) == [lattice().keep_ids[faces(GOOD_HOLDS[answer])]]


@pytest.mark.parametrize("answer", sorted(BAD_HOLDS))
def test_what_is_no_keep_of_the_roll(answer: str) -> None:
    found = failure(driver_of(of_file("answers.py", hold=answer)).hold([card_game(THIRTEEN, ["31142"])]))
    assert found.end is End.ILLEGAL_HOLD
    assert found.message.startswith("InvalidHold: 'culprit' kept ")
    assert found.message.endswith(" of roll 1: 1 1 2 3 4 in round 1")
    assert len(found.message) < 500
    assert found.traceback == ""


def test_how_an_illegal_hold_is_told() -> None:
    found = failure(driver_of(answering((5, 5, 6))).hold([card_game(THIRTEEN, ["55312"])]))
    assert found.message == "InvalidHold: 'culprit' kept (5, 5, 6) of roll 1: 1 2 3 5 5 in round 1"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (object(), "<object object>"),
        (iter(()), "<tuple_iterator object>"),
        ([print, object()], "[<built-in function print>, <object object>]"),
        ({object, "a", 2, None}, "{'a', 2, <class 'object'>, None}"),
        ({10, 9}, "{9, 10}"),
        ({*"hgfedcba"}, "{'a', 'b', 'c', 'd', 'e', 'f', ...}"),
        (
            set(map(frozenset, ["ab", "cd", "ef"])),
            "{frozenset({'a', 'b'}), frozenset({'c', 'd'}), frozenset({'e', 'f'})}",
        ),
        ({*range(1000), None}, "{...}"),
        (nested(200), "frozenset({" * 7 + "..." + "})" * 7),
        (f"{object()} " * 7, f"'{'<object object> ' * 7}'"),
        ("at 0x1F", "'at 0x1F'"),
        ([frozenset({len, 1}), set(), frozenset()], "[frozenset({1, <built-in function len>}), set(), frozenset()]"),
    ],
)
def test_what_differs_from_process_to_process_is_not_told(answer: object, told: str) -> None:
    found = failure(driver_of(answering(answer)).hold([card_game(THIRTEEN, ["55312"])]))
    assert found.message == f"InvalidHold: 'culprit' kept {told} of roll 1: 1 2 3 5 5 in round 1"


OWN = """\
class Thing:
    pass

class Own(Exception):
    pass

def hold(turn):
    if turn.dice[0] == 1:
        return [Thing(), Thing]
    raise Own(Thing())

def choose_row(turn):
    return turn.score(Thing())
"""


def test_what_differs_from_copy_to_copy_is_not_told(tmp_path: Path) -> None:
    """A bot's own classes, in what it answers, in what it raises, and in what the arena raises over them."""
    told = []
    for number in range(2):
        path = tmp_path / str(number) / "own.py"
        path.parent.mkdir()
        path.write_text(OWN, encoding="utf-8")
        driver = driver_of(load(locate(path, name="culprit")))
        failures = [
            *driver.hold([card_game(THIRTEEN, ["55312"]), card_game(THIRTEEN, ["66666"])]),
            *driver.choose_row([card_game(THIRTEEN, ["55312"])]),
        ]
        assert all(isinstance(one, Failure) for one in failures)
        told.append([(one.message, one.answer, one.traceback.replace(str(path), "own.py")) for one in failures])
    assert told[0] == told[1]
    answered, raised, scored = told[0]
    assert answered[1] == "[<Thing object>, <class 'Thing'>]"
    assert raised[0] == "Own: <Thing object>"
    assert raised[2].endswith("\nOwn: <Thing object>\n")
    assert scored[0].startswith("ValueError: no row <Thing object> in thirteen")


@pytest.mark.parametrize("answer", RAISING)
def test_answers_that_fail_when_they_are_read(answer: str) -> None:
    found = failure(driver_of(of_file("answers.py", hold=answer)).hold([card_game(THIRTEEN, ["31142"])]))
    assert (found.end, found.message) == (End.EXCEPTION, f"RuntimeError: {RAISING[answer]}")


def test_a_lying_answer_gets_no_more_than_a_legal_keep() -> None:
    """It is equal to 6 6 6 6 6, which is illegal wherever these dice are not on the table."""
    games = [card_game(THIRTEEN, [dice], table=table) for table, dice in enumerate(["66666", "66665"])]
    taken, refused = driver_of(of_file("answers.py", hold="liar"), tables=2).hold(games)
    assert taken == lattice().keep_ids[6, 6, 6, 6, 6]
    assert failure([refused]).end is End.ILLEGAL_HOLD


@pytest.mark.parametrize("answer", sorted(answers.CHOICES))
def test_what_is_no_open_row(answer: str) -> None:
    rules = rules_of("school")
    game = card_game(rules, ["31142"] * 3)
    for row in (0, 1):
        game.hold(lattice().keep_ids[1, 1, 2, 3, 4])
        game.choose(row)
    game.hold(lattice().keep_ids[1, 1, 2, 3, 4])
    found = failure(driver_of(of_file("answers.py", choose_row=answer), rules).choose_row([game]))
    assert found.end is End.ILLEGAL_ROW
    assert found.message.startswith("InvalidRow: 'culprit' chose ")
    ending = " for roll 1: 1 1 2 3 4 in round 3; open: threes, fours, fives, sixes"
    assert found.message.endswith(ending)
    assert len(found.message) < 500


def test_how_an_illegal_row_is_told() -> None:
    rules = rules_of("two-stage")
    found = failure(driver_of(answering("pair"), rules).choose_row([card_game(rules, ["55312"])]))
    rows = "ones, twos, threes, fours, fives, sixes"
    assert found.message == f"InvalidRow: 'culprit' chose 'pair' for roll 1: 1 2 3 5 5 in round 1; open: {rows}"


@pytest.mark.parametrize(
    ("joker", "allowed"), [("forced", {"fives"}), ("free", {"fives", "chance"}), ("none", {"fives", "chance"})]
)
def test_a_row_that_the_joker_forbids(joker: str, allowed: set[str]) -> None:
    """A second five of a kind must go into the open row of its face, if the joker is forced."""
    rules = rules_of("yahtzee", joker=joker)
    game = card_game(rules, ["55555", "55555"])
    game.hold(lattice().keep_ids[5, 5, 5, 5, 5])
    game.choose(rules.row_ids["five_of_a_kind"])
    for row in ("fives", "chance", "five_of_a_kind"):
        (found,) = driver_of(answering(row), rules).choose_row([game])
        if row in allowed:
            assert found == rules.row_ids[row]
        else:
            assert isinstance(found, Failure)
            assert found.end is End.ILLEGAL_ROW


@pytest.mark.parametrize(
    ("error", "end"),
    [
        ("ValueError", End.EXCEPTION),
        ("AssertionError", End.EXCEPTION),
        ("StopIteration", End.EXCEPTION),
        ("UserWarning", End.EXCEPTION),
        ("SystemExit", End.EXCEPTION),
        ("KeyboardInterrupt", End.EXCEPTION),
        ("GeneratorExit", End.EXCEPTION),
        ("BaseException", End.EXCEPTION),
        ("RecursionError", End.EXCEPTION),
        ("TypeError", End.EXCEPTION),
        ("MemoryError", End.MEMORY),
    ],
)
def test_what_a_bot_raises(error: str, end: End) -> None:
    game = card_game(THIRTEEN, ["12345"])
    found = failure(driver_of(of_file("raises.py", at="hold", error=error)).hold([game]))
    assert (found.end, found.message) == (end, f"{error}: it would not hold")
    found = failure(driver_of(of_file("raises.py", at="choose_row", error=error)).choose_row([game]))
    assert (found.end, found.message) == (end, f"{error}: it would not choose")
    assert found.traceback.splitlines()[0] == "Traceback (most recent call last):"
    assert 'raise self.error("it would not choose")' in found.traceback
    assert "inline.py" not in found.traceback


def test_a_bot_may_not_pretend_to_be_the_arena() -> None:
    """An `InvalidHold` that a bot raises while it is asked for a row is a fault of that bot all the same."""
    from arena.errors import InvalidHold  # noqa: PLC0415 - as the bot would

    def lie(turn: Any) -> None:
        raise InvalidHold("'somebody else' did it")

    found = failure(driver_of(SimpleNamespace(hold=lie, choose_row=lie)).choose_row([card_game(THIRTEEN, ["12345"])]))
    assert found.end in (End.EXCEPTION, End.ILLEGAL_ROW)


def test_endless_recursion() -> None:
    game = card_game(THIRTEEN, ["12345"])
    for ask in (driver_of(of_file("endless.py")).hold, driver_of(of_file("endless.py")).choose_row):
        found = failure(ask([game]))
        assert found.end is End.EXCEPTION
        assert found.message.startswith("RecursionError: maximum recursion depth exceeded")
        assert len(found.traceback) <= 4000


def test_exceptions_that_cannot_be_told() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise KeyboardInterrupt

    def hold(turn: Any) -> None:
        raise MuteError

    found = failure(driver_of(SimpleNamespace(hold=hold, choose_row=hold)).hold([card_game(THIRTEEN, ["12345"])]))
    assert (found.end, found.message) == (End.EXCEPTION, "MuteError")


def test_long_messages_of_many_lines_become_one() -> None:
    def hold(turn: Any) -> None:
        raise ValueError("a\nb\n" + 1000 * "long ")

    found = failure(driver_of(SimpleNamespace(hold=hold, choose_row=hold)).hold([card_game(THIRTEEN, ["12345"])]))
    assert found.message.startswith("ValueError: a b long long")
    assert "\n" not in found.message
    assert len(found.message) == 500


def test_a_class_that_cannot_be_made_for_a_game() -> None:
    made = []

    class Third:
        def __init__(self) -> None:
            made.append(self)
            if len(made) == 3:
                raise OSError("out of order")

        def hold(self, turn: Any) -> Any:
            return turn.dice

        def choose_row(self, turn: Any) -> Any:
            return turn.open_rows[0]

    driver = driver_of(Bot("culprit", Third, per_game=True), tables=4)
    assert len(made) == 4
    games = [card_game(THIRTEEN, ["12345"], table=table) for table in range(4)]
    for found in (driver.hold(games), driver.choose_row(games)):
        failed = found.pop(2)
        assert isinstance(failed, Failure)
        assert failed.end is End.START
        assert failed.message.endswith("could not start: OSError: out of order")
        assert 'raise OSError("out of order")' in failed.traceback
        assert not any(isinstance(answer, Failure) for answer in found)


def test_one_failure_does_not_touch_the_other_games() -> None:
    driver = driver_of(of_file("raises.py", at="hand", hand=[1, 2, 3, 4, 5]), tables=3)
    games = [card_game(THIRTEEN, [dice], table=table) for table, dice in enumerate(["66666", "54321", "11111"])]
    first, second, third = driver.hold(games)
    assert failure([second]).end is End.EXCEPTION
    assert (first, third) == (lattice().keep_ids[6, 6, 6, 6, 6], lattice().keep_ids[1, 1, 1, 1, 1])
    assert driver.timing.decisions == 3


def test_showdown_asks_for_dice_only() -> None:
    rules = rules_of("showdown")
    game = showdown_game(rules, "12345")
    assert not game.asks_row
    assert driver_of(of_file("answers.py", hold="list"), rules).hold([game]) == [lattice().keep_ids[1, 2]]


def test_a_class_has_an_instance_for_every_game_and_a_module_has_none() -> None:
    class Counts:
        def __init__(self) -> None:
            self.asked = 0

        def hold(self, turn: Any) -> Any:
            self.asked += 1
            return (turn.dice[0],) if self.asked == 1 else turn.dice

        choose_row = hold

    games = [card_game(THIRTEEN, ["12345"], table=table) for table in range(3)]
    apart = driver_of(Bot("culprit", Counts, per_game=True), tables=3).hold(games)
    together = driver_of(Bot("culprit", Counts()), tables=3).hold(games)
    one, five = lattice().keep_ids[(1,)], lattice().keep_ids[1, 2, 3, 4, 5]
    assert apart == [one, one, one]
    assert together == [one, five, five]
