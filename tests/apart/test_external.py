"""External bots that play: the examples, what bots are told, how they may answer, and who goes on after a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from external_bots import PYTHON, example, external
from kept_apart import apart, here, play, rules_of, shipped
from leagues import play_league, write_tournament
from pydantic import TypeAdapter

from arena.agent import lines
from arena.agent.birth import OUT_OF_MEMORY
from arena.agent.bot import Bot
from arena.agent.commands import locate_command
from arena.agent.limits import Limits
from arena.agent.loader import load
from arena.agent.nursery import Nursery
from arena.agent.protocol import MOST_TURNS, Hello, Question, turns_told
from arena.agent.ref import AgentRef
from arena.agent.remote import STARTS
from arena.agent.tables import ScalarAdapter, ShownCards
from arena.agent.turn import SeatView, Turn, new_turn
from arena.dice.lattice import lattice
from arena.dice.stream import derive_key
from arena.game.card_tables import CardTables
from arena.game.showdown_tables import ShowdownTables
from arena.records import Block, End, Entrant
from arena.rules.card import CardRules
from arena.rules.shipped import ruleset_ids
from arena.tournament.block import BlockDice
from arena.tournament.faults import Faults
from arena.tournament.tables_leg import play_tables
from tests.docs.pages import files_in, save
from tests.docs.protocol_page import SCHEMA, schema

LANGUAGES = ("python", "javascript", "c")
GREETING = """
import json, os, sys, time

def say(message):
    print(json.dumps(message), flush=True)

def answer(kind, turn):
    return turn["dice"] if kind == "hold" else turn["open_rows"][0]

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "hello", "stateless": %(stateless)s})
        continue
    answers = []
    for turn in message["turns"]:
        %(before)s
        answers.append(answer(message["type"], turn))
        if %(single)s:
            say({"answer": answers[-1]})
    if not %(single)s:
        say({"answers": answers})
"""


def script(folder: Path, before: str, *, single: bool | str = False, stateless: bool = False) -> AgentRef:
    """Return a bot that stops at once and takes the first row, and does something before it decides a turn."""
    text = GREETING % {"before": before, "single": single, "stateless": stateless}
    (folder / "bot.py").write_text(text)
    return external("bot.py", beside=folder)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", ["two-stage", "school", "thirteen", "showdown"])
def test_examples(language: str, ruleset: str, boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    ref = locate_command(example(language, tmp_path), tmp_path)
    bots = {**apart(nursery, ref, boxed=boxed), **here(shipped("random"))}
    result = play(bots, ruleset=ruleset, mirrors=40)
    assert not result.faults
    assert not result.ends.any()
    assert result.timing[ref.name].decisions > 80
    bits = [1 << seat for seat in range(2)]
    [own] = [number for number, name in enumerate(sorted(bots)) if name == ref.name]
    won = sum(int((result.winners[:, seating] == bits[(own + seating) % 2]).sum()) for seating in range(2))
    assert won > 40, "no better than random"


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_the_bot_of_the_page(ruleset: str, nursery: Nursery, tmp_path: Path) -> None:
    save(files_in("docs/protocol.md"), tmp_path)
    bots = {**apart(nursery, external("bot.py", beside=tmp_path)), **here(shipped("random"))}
    result = play(bots, ruleset=ruleset, mirrors=4)
    assert not result.faults
    assert result.timing["bad"].decisions > 8


def test_a_bot_in_a_folder(boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    """Of several files: what it imports comes from its folder, and what it reads."""
    ref = script(tmp_path, "assert turn['round'] < int(open('mine/most.txt').read()); import odds; odds.look(turn)")
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / "bot.py").rename(mine / "__main__.py")
    (mine / "odds.py").write_text("def look(turn):\n    assert turn['dice']\n")
    (mine / "most.txt").write_text("3")
    ref = external("mine", beside=tmp_path)
    result = play({**apart(nursery, ref, boxed=boxed), **here(shipped("greedy"))})
    assert not result.faults


def test_a_league_of_the_examples(tmp_path: Path) -> None:
    """The same games without workers and with two, at the level that a file has by default."""
    commands = [example(language, tmp_path) for language in LANGUAGES]
    agents = ["greedy", *({"command": [*command]} for command in commands)]
    file = write_tournament(tmp_path, agents=agents, rulesets=["fifteen", "showdown"], games=16, isolation=None)
    one = play_league(file, tmp_path / "1", block_size=8)
    two = play_league(file, tmp_path / "2", backend="processes", workers=2, block_size=8)
    assert one.digest == two.digest
    assert one.files == two.files
    standings = json.loads(one.files["fifteen/standings.json"])["standings"]
    assert sorted(line["name"] for line in standings) == ["greedy", "pairs", "steady", "straights"]
    assert [line["faults"] for line in standings] == [0] * 4


class Told:
    """Asks a bot in scalar form, and compares what an external one would be told with what it sees."""

    def __init__(self, view: SeatView, adapter: ScalarAdapter) -> None:
        self._view, self._adapter, self.timing = view, adapter, adapter.timing
        self.compared = 0

    def hold(self, game: Any, tables: Any) -> Any:
        self._compare(game, tables, None)
        return self._adapter.hold(game, tables)

    def choose_row(self, game: Any, tables: Any, legal: Any) -> Any:
        self._compare(game, tables, legal)
        return self._adapter.choose_row(game, tables, legal)

    def failure(self, index: int, code: End) -> Any:
        return self._adapter.failure(index, code)

    def _compare(self, game: Any, tables: Any, legal: Any) -> None:
        told = turns_told(self._view, game, tables)
        assert len(told) == len(tables)
        for one, seen in zip(told, self._adapter._seen(game, tables), strict=True):
            fields = (self._view, seen.table, seen.round, seen.roll, seen.roll_id, legal is not None, seen.public)
            turn = new_turn(Turn, fields)
            assert {**one} == {
                "game": seen.table,
                **{name: getattr(turn, name) for name in ("round", "roll", "rolls_left", "total")},
                "dice": list(turn.dice),
                "card": dict(turn.card),
                "open_rows": list(turn.open_rows),
                "scores": {row: turn.score(row) for row in turn.open_rows},
                "opponents": [{**other._asdict(), "card": dict(other.card)} for other in turn.opponents],
                **(self._of_showdown(turn) if not isinstance(game, CardTables) else {}),
            }
            self.compared += 1

    @staticmethod
    def _of_showdown(turn: Turn) -> dict[str, Any]:
        hands = [None if hand is None else list(hand) for hand in turn.hands]
        return {"hands": hands, "chips": list(turn.chips), "pot": turn.pot}


class Leaves:
    """A bot that raises in the second round."""

    def hold(self, turn: Turn) -> tuple[int, ...]:
        return turn.dice if turn.round < 2 else (1 // 0,)

    def choose_row(self, turn: Turn) -> str:
        return max(turn.open_rows, key=turn.score)


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_what_is_told_is_what_a_bot_in_python_sees(ruleset: str) -> None:
    """At three seats, one of which goes out in the second round."""
    rules = rules_of(ruleset)
    block = Block("", rules.ruleset.hash, tuple(Entrant(name, "") for name in "abc"), 0, 12)
    dice = BlockDice(block, rules, 5)
    cards = ShownCards(rules, 12, 3) if isinstance(rules, CardRules) else None
    game: Any = (CardTables if isinstance(rules, CardRules) else ShowdownTables)(rules, 3, 12, dice.arrays)
    drivers = []
    for seat, bot in enumerate((load(shipped("collector")), Bot("b", Leaves()), load(shipped("greedy")))):
        view = SeatView.of(rules, block, 5, 0, seat)
        drivers.append(Told(view, ScalarAdapter(bot, view, 12, cards)))
    play_tables(game, drivers, Faults(list("abc"), 0, 0, lattice(rules.ruleset.dice).rolls), [cards] if cards else [])
    assert {End(int(end)) for end in game.ends[:, 1]} == {End.EXCEPTION}
    assert drivers[0].compared > 48
    assert drivers[1].compared > 12


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """All that is said to external bots."""
    found: list[Any] = []

    class Spied(lines.Lines):
        def say(self, message: Any) -> int:
            found.append(json.loads(json.dumps(message)))
            return super().say(message)

    monkeypatch.setattr("arena.agent.line_speech.Lines", Spied)
    return found


@pytest.mark.parametrize("ruleset", ["thirteen", "showdown"])
def test_messages_are_as_the_schema_says(
    ruleset: str, nursery: Nursery, tmp_path: Path, said: list[dict[str, Any]]
) -> None:
    ref = script(tmp_path, "pass")
    play({**apart(nursery, ref), **here(shipped("greedy"))}, ruleset=ruleset, mirrors=MOST_TURNS + 6)
    hellos = [message for message in said if message["type"] == "hello"]
    questions = [message for message in said if message["type"] != "hello"]
    assert len(hellos) == 2
    for message in hellos:
        TypeAdapter(Hello).validate_python(message, strict=True)
        assert message["games"] == len(set(message["seeds"])) == MOST_TURNS + 6
        assert all(len(seed) == 16 and int(seed, 16) >= 0 for seed in message["seeds"])
    for message in questions:
        TypeAdapter(Question).validate_python(message, strict=True)
    assert {len(message["turns"]) for message in questions} == {MOST_TURNS, 6}
    assert {message["type"] for message in questions} == (
        {"hold"} if ruleset == "showdown" else {"hold", "choose_row"}
    )
    assert not set(hellos[0]["seeds"]) & set(hellos[1]["seeds"])


def test_the_schema_is_of_these_messages() -> None:
    """If not: python -m tests.docs.protocol_page."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == json.loads(json.dumps(schema()))


def test_seeds_are_the_keys_of_random_numbers(nursery: Nursery, tmp_path: Path, said: list[dict[str, Any]]) -> None:
    """And so a bot's own, the same when it is played again."""
    bots = {**apart(nursery, script(tmp_path, "pass")), **here(shipped("greedy"))}
    play(bots, mirrors=3, seed=99)
    play(bots, mirrors=1, first=2, seed=99)
    rules = rules_of("two-stage")
    block = Block("", rules.ruleset.hash, (Entrant("bad", ""), Entrant("greedy", "")), 0, 3)
    keys = []
    for seating in range(2):
        names = [entrant.name for entrant in block.seated(seating)]
        key, _ = SeatView.of(rules, block, 99, seating, names.index("bad")).key
        keys.append([f"{key.for_game(dice_set):016x}" for dice_set in range(3)])
    seeds = [message["seeds"] for message in said if message["type"] == "hello"]
    assert seeds == [*keys, keys[0][2:], keys[1][2:]]


def test_parameters_are_handed_over(nursery: Nursery, tmp_path: Path, said: list[dict[str, Any]]) -> None:
    script(tmp_path, "pass")
    ref = locate_command([*PYTHON, "bot.py"], tmp_path, params={"risk": 0.2, "names": ["a", None]})
    play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=1)
    assert said[0]["params"] == {"risk": 0.2, "names": ["a", None]}


@pytest.mark.parametrize("single", [False, True])
def test_every_turn_has_its_own_time(single: bool, nursery: Nursery, tmp_path: Path) -> None:
    """Twelve turns together take longer than one may."""
    burn = "began = time.process_time()\n        while time.process_time() < began + 0.02: pass"
    limits = Limits(decision_ms=100, start_s=30, wall_s=60)
    ref = script(tmp_path, burn, single=single)
    result = play({**apart(nursery, ref, limits=limits), **here(shipped("greedy"))}, mirrors=12)
    assert not result.faults


def test_one_that_remembers_nothing_goes_on(boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    """Its death costs the game that it was deciding, turn by turn."""
    dies = "if turn['game'] in (1, 3) and turn['round'] == 2: os._exit(3)"
    fine = play({**apart(nursery, script(tmp_path, "pass"), boxed=boxed), **here(shipped("greedy"))}, mirrors=6)
    ref = script(tmp_path, dies, single=True, stateless=True)
    result = play({**apart(nursery, ref, boxed=boxed), **here(shipped("greedy"))}, mirrors=6)
    assert {(fault.kind, fault.dice_set, fault.round) for fault in result.faults} == {
        (End.CRASH, 1, 2),
        (End.CRASH, 3, 2),
    }
    assert len(result.faults) == 4
    others = [0, 2, 4, 5]
    np.testing.assert_array_equal(result.totals[others], fine.totals[others])
    assert not result.ends[others].any()


@pytest.mark.parametrize("single", [False, True])
def test_a_death_before_the_first_answer_costs_one_game(single: bool, nursery: Nursery, tmp_path: Path) -> None:
    """Whichever way it would have answered: that is not known yet."""
    dies = "if turn['game'] == 0 and turn['round'] == 1: os._exit(3)"
    ref = script(tmp_path, dies, single=single, stateless=True)
    result = play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=6)
    assert (result.ends == End.CRASH).any(axis=(1, 2)).tolist() == [True, *[False] * 5]
    assert {(fault.kind, fault.dice_set, fault.round) for fault in result.faults} == {(End.CRASH, 0, 1)}


def test_one_way_for_a_turn_and_another_for_several(nursery: Nursery, tmp_path: Path) -> None:
    """One that answers a single turn as such has the time of all turns for a line with all answers."""
    burn = "began = time.process_time()\n        while time.process_time() < began + 0.02: pass"
    ref = script(tmp_path, burn, single="len(message['turns']) == 1", stateless=True)
    limits = Limits(decision_ms=100, start_s=30, wall_s=60)
    result = play({**apart(nursery, ref, limits=limits), **here(shipped("greedy"))}, mirrors=12)
    assert not result.faults


def test_it_is_not_started_without_end(nursery: Nursery, tmp_path: Path) -> None:
    ref = script(tmp_path, "os._exit(3)", single=True, stateless=True)
    result = play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=6)
    assert {fault.kind for fault in result.faults} == {End.CRASH}
    assert len(result.faults) == result.block.games
    assert STARTS < 6


def test_a_batch_is_lost_as_a_whole(nursery: Nursery, tmp_path: Path) -> None:
    dies = "if turn['game'] == 1 and turn['round'] == 2: os._exit(3)"
    ref = script(tmp_path, dies, stateless=True)
    result = play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=MOST_TURNS + 6)
    lost = (result.ends == End.CRASH).any(axis=2)
    assert lost[:MOST_TURNS].all()
    assert not lost[MOST_TURNS:].any()


def test_one_that_remembers_loses_its_games(nursery: Nursery, tmp_path: Path) -> None:
    dies = "if turn['game'] == 1 and turn['round'] == 2: os._exit(3)"
    result = play({**apart(nursery, script(tmp_path, dies, single=True)), **here(shipped("greedy"))}, mirrors=6)
    assert (result.ends == End.CRASH).any(axis=2).all()


def test_what_it_printed_is_told(nursery: Nursery, tmp_path: Path) -> None:
    ref = script(tmp_path, "print('no idea', file=sys.stderr); sys.exit(5)")
    fault = play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=1).faults[0]
    assert fault.message == "'bad': its process ended, with exit code 5"
    assert fault.printed == "no idea"


def test_an_exit_code_means_nothing(boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    """Also the one by which the arena's own program says that there is no memory left."""
    ref = script(tmp_path, f"sys.exit({OUT_OF_MEMORY})")
    fault = play({**apart(nursery, ref, boxed=boxed), **here(shipped("greedy"))}, mirrors=1).faults[0]
    assert fault.kind is End.CRASH
    assert fault.message.endswith(f"its process ended, with exit code {OUT_OF_MEMORY}")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("[9] if kind == 'hold' else ''", "InvalidHold: 'bad' kept [9] of roll 1: "),
        ("turn['dice'] if kind == 'hold' else 'chanse'", "InvalidRow: 'bad' chose 'chanse' for roll 1: "),
    ],
)
def test_illegal_answers_are_told(answer: str, told: str, nursery: Nursery, tmp_path: Path) -> None:
    ref = script(tmp_path, "pass")
    text = (tmp_path / "bot.py").read_text()
    plain = 'return turn["dice"] if kind == "hold" else turn["open_rows"][0]'
    assert plain in text
    (tmp_path / "bot.py").write_text(text.replace(plain, f"return {answer}"))
    ref = external("bot.py", beside=tmp_path)
    fault = play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=1).faults[0]
    assert fault.message.startswith(told)
    assert "in round 1" in fault.message


def test_nothing_secret_is_told(nursery: Nursery, tmp_path: Path, said: list[dict[str, Any]]) -> None:
    seed = 0x1234567890ABCDEF << 60 | 0x777
    ref = script(tmp_path, "pass")
    play({**apart(nursery, ref), **here(shipped("greedy"))}, mirrors=2, seed=seed)
    everything = json.dumps(said)
    assert "greedy" not in everything
    rules = rules_of("two-stage").ruleset
    hidden = [seed]
    for label in (b"arena turn.rng", b"arena dice"):
        for seating in range(2):
            for seat in range(2):
                hidden += derive_key(label, seed, rules.hash, ["bad", "greedy"], seating, seat, "bad")
    for number in hidden:
        assert str(number) not in everything
        assert f"{number:x}" not in everything
