"""``arena check``: bots that ship pass it, and each bot made to misbehave fails the check it was made for."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from checked import failed, files, findings, written
from leagues import BOTS, ROOT, Console
from positions import rules_of

from arena.agent.loader import load
from arena.agent.sources import bundled_folder, bundled_names, locate
from arena.agent.values import values
from arena.errors import UserError
from arena.game.new import Rules
from arena.records import Block, Entrant
from arena.rules.card import CardRules
from arena.rules.shipped import FOLDER, ruleset_ids
from arena.tournament.block import play_block
from arena.tournament.check_apart import check_apart
from arena.tournament.findings import TITLES, State
from arena.tournament.trials import Rulebook, Trial, play, positions

SOLVING = ("optimal", "duelist")
CHANGES = ("showdown+ante=0", "thirteen+five_is_full_house=true")
SOLVED_AT_ONCE = ("showdown", "thirteen", "two-stage")
"""Rulesets that are solved in a moment, variances too; see test_shipped_bots.py and test_array_bots.py for others."""


class Reduced(Rulebook):
    """All rulesets, and one change of each kind that is solved at once; see test_shipped_bots.py for others."""

    @cached_property
    def changed(self) -> list[Rules]:
        found = [rules for rules in super().changed if rules.ruleset.name in CHANGES]
        assert len(found) == len(CHANGES)
        return found


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return Reduced(files(*ruleset_ids()))


@pytest.fixture(scope="module")
def brief() -> Rulebook:
    return Reduced(files(*SOLVED_AT_ONCE))


@pytest.fixture(scope="module")
def two() -> Rulebook:
    return Rulebook(files("fifteen", "two-stage"))


@pytest.mark.parametrize("name", bundled_names())
def test_bots_that_ship_pass(name: str, request: pytest.FixtureRequest) -> None:
    """Games are solved, and kernels compiled, beforehand: on a busy machine a call is not waited for so long."""
    fixture, decisions = ("brief", 4_000) if name == "duelist" else ("rulebook", 20_000)
    book: Rulebook = request.getfixturevalue(fixture)
    first = rules_of(book.plain[0].ruleset.id)
    mirror = Block("", first.ruleset.hash, (Entrant(name, ""), Entrant("other", "")), 0, 1)
    bots = {name: load(locate(bundled_folder() / f"{name}.py")), "other": load(locate(bundled_folder() / "random.py"))}
    assert play_block(mirror, first, 1, bots).faults == ()
    for rules in [*book.plain, *book.changed] if name in SOLVING else ():
        if rules.ruleset.card:
            values(rules.ruleset).prepare(variances=name == "duelist")
    found = findings(bundled_folder() / f"{name}.py", book, tables=2)
    assert [str(finding.state) for finding in found] == ["ok"] * 6, [finding.details for finding in found]
    assert int(re.findall(r"[\d,]+", found[1].said)[0].replace(",", "")) > decisions


def test_every_option_is_tried_at_its_ends() -> None:
    tried = {rules.ruleset.name for rules in Rulebook(files("yahtzee", "showdown")).changed}
    for name in ("joker=free", "joker=none", "upper_bonus_at=0", "upper_bonus_at=1000", "rolls=2", "five_bonus=0"):
        assert f"yahtzee+{name}" in tried
    assert {"showdown+ante=0", "showdown+rounds=1", "showdown+tie_break=kickers"} <= tried
    assert "showdown+ends=last_standing+rounds=none+stack=3" in tried


def test_the_positions_are_nasty() -> None:
    rules = rules_of("yahtzee")
    assert isinstance(rules, CardRules)
    narrowed, last_row, holds = 0, set(), set()
    for cards, rolls in positions(rules):
        for card, roll in zip(cards, rolls, strict=True):
            legal, plain = rules.legal(card, roll), rules.open_mask(card.filled)
            narrowed += legal != plain
            holds.add(card.points[rules.row_ids["five_of_a_kind"]])
            if plain.bit_count() == 1:
                last_row.add(plain)
    assert narrowed > 50
    assert len(last_row) == 13
    assert holds == {None, 0, 50}


def test_nasty_dice_bring_fives_of_a_kind() -> None:
    opponent = load(locate(bundled_folder() / "random.py"))
    bot = load(locate(bundled_folder() / "greedy.py"))
    calls, faults = play(Trial(rules_of("yahtzee"), 2, 0, tuple(range(24)), "nasty"), bot, opponent, "scalar")
    assert faults == []
    dice = [str(call).partition("dice ")[2][:9].split() for call in calls.values()]
    assert {"".join(faces) for faces in dice if len(set(faces)) == 1} == {str(face) * 5 for face in range(1, 7)}
    assert sum(len(set(faces)) == 1 for faces in dice) > len(dice) / 2


# Bots made to fail


def test_what_does_not_load(two: Rulebook) -> None:
    [finding] = findings(BOTS / "check_loads.py", two)
    assert (finding.number, finding.state) == (1, State.FAILED)
    assert finding.details[0].endswith(
        "check_loads.py:3: cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    )
    assert finding.details[1] == "  line 3: import no_such_module_anywhere"


FAILURES = {
    "illegal": (2, r"choose_row in fifteen, .*: dice (\d)( \1){4}; card .*five_of_a_kind 50", "InvalidRow: "),
    "keeps": (2, r"hold in .*, roll \d: dice [1-5] 6 6 6 6; card ", r"InvalidHold: 'check_keeps' kept \(6, 6"),
    "raises": (2, r"hold in .*, seat 0 of 1, game 0, round 1, roll 1: ", "IndexError: tuple index out of range"),
    "chance": (3, r"hold in fifteen, seat 0 of 2, game \d", r"answered \(.*\); the second time: \("),
    "counts": (4, r"hold in .*: dice ", r"answered \(.*; after other games, with the tables in another order"),
    "idle": (4, r"the same games were played twice, and .* changing: len\(diary\) was \d+ and is \d+", None),
    "shares": (4, r"hold in .*round 1, roll 1: ", r"answered \(.*; after other games"),
    "slots": (4, r"hold_many in ", r"answered \(.*; after other games"),
    "forms": (5, r"hold in .*: dice 1 1 1 ", r"answered \(1, 1, 1, .*\); in array form: \(\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_each_fails_its_check(name: str, two: Rulebook) -> None:
    number, call, told = FAILURES[name]
    finding = failed(BOTS / f"check_{name}.py", two)
    assert finding.number == number, finding
    assert re.match(call, finding.details[0]), finding.details
    if told:
        assert re.match(told, finding.details[1]), finding.details


def test_a_bots_own_lines_are_shown_and_none_of_ours(two: Rulebook) -> None:
    lines = failed(BOTS / "check_raises.py", two).details
    assert lines[2] == "Traceback (most recent call last):"
    assert any("return turn.total >= turn.opponents[0].total" in line for line in lines)
    inner = [line for line in lines if line.startswith("  File ")]
    assert len(inner) == 2
    assert all("check_raises.py" in line for line in inner)


def test_what_differs_from_process_to_process() -> None:
    path, book = BOTS / "check_order.py", Rulebook(files("two-stage"))
    assert all(finding.state is not State.FAILED for finding in findings(path, book))
    [finding] = [one for one in check_apart(locate(path), book.files) if one.state is State.FAILED]
    assert finding.number == 3
    assert re.match(r"answered '\w+'; in another process: '\w+'", finding.details[1])


KEEPERS = {
    "known.setdefault(turn.dice, len(turn.dice))": None,
    "globals()['best'] = 5": None,
    "globals()['calls'] += 1": r"calls was \d+ and is \d+",
    "state['n'] = state.get('n', 0) + 1": r"state\['n'\] was \d+ and is \d+",
    "Memory.asked += 1": r"Memory\.asked was \d+ and is \d+",
    "memory.last.append(turn.roll)": r"len\(memory\.last\) was \d+ and is \d+",
    "coin.random()": r"coin was -?\d+ and is -?\d+",
}
KEEPER = """
import random

known, state, best, calls, coin = {}, {}, None, 0, random.Random(1)


class Memory:
    asked = 0

    def __init__(self):
        self.last = []


memory = Memory()


def hold(turn):
    {line}
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.mark.parametrize("line", KEEPERS)
def test_what_a_module_may_keep(line: str, tmp_path: Path) -> None:
    told = KEEPERS[line]
    found = findings(written(tmp_path, KEEPER.replace("{line}", line)), Rulebook(files("two-stage")))
    if told is None:
        assert [str(finding.state) for finding in found] == ["ok"] * 6, found
    else:
        assert found[3].state is State.FAILED
        assert re.search(told, found[3].details[0]), found[3]


def test_state_of_an_array_class_belongs_to_its_slots(tmp_path: Path) -> None:
    text = """
        import numpy as np

        class Mine:
            def __init__(self):
                self.seen = np.zeros(4096, int)

            def hold_many(self, turns):
                self.seen[turns.slot] += turns.dice.sum(axis=1, dtype=int)
                return np.where({which} % 2 == 1, turns.roll_id + 210, 0)

            def choose_row_many(self, turns):
                return turns.legal.argmax(axis=1)
    """
    book = Rulebook(files("two-stage"))
    fine = written(tmp_path, text.replace("{which}", "self.seen[turns.slot]"))
    assert [str(finding.state) for finding in findings(fine, book)] == ["ok"] * 6
    crossed = written(tmp_path, text.replace("{which}", "(self.seen.sum() + turns.slot * 0)"))
    assert failed(crossed, book).number == 4


# Bots in array form only


def test_a_bot_may_have_the_array_form_only() -> None:
    bot = load(locate(BOTS / "check_slots.py"))
    assert bot.in_arrays
    assert not bot.in_scalars
    block = Block("", rules_of("thirteen").ruleset.hash, (Entrant("check_slots", ""), Entrant("two", "")), 0, 2)
    bots = {"check_slots": bot, "two": bot}
    assert play_block(block, rules_of("thirteen"), 1, bots).faults == ()
    with pytest.raises(UserError, match="'check_slots' has no hold and choose_row, which the scalar engine asks"):
        play_block(block, rules_of("thirteen"), 1, bots, engine="scalar")


def test_half_a_form_is_none(tmp_path: Path) -> None:
    path = written(tmp_path, "def hold_many(turns):\n    return turns.roll_id\n")
    with pytest.raises(UserError, match="no bot here: it has no function choose_row_many, nor a class with them"):
        load(locate(path))


# The command


def test_the_command_prints_a_line_a_check(arena: Console) -> None:
    outcome = arena("check", "greedy", "--ruleset", "two-stage")
    assert (outcome.code, outcome.err) == (0, "")
    assert len(outcome.lines) == 6
    for number, (line, title) in enumerate(zip(outcome.lines, TITLES, strict=True), start=1):
        assert line.startswith(f"{number} {title} ... ok")
    assert outcome.lines[0] == "1 loads ... ok: bundled, functions, both forms"


def test_the_command_fails_with_1(arena: Console) -> None:
    outcome = arena("check", BOTS / "check_illegal.py", "--ruleset", "fifteen")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.lines[1] == "2 legal in every ruleset, on nasty hands ... FAILED: illegal_row"
    assert outcome.lines[2].startswith("    choose_row in fifteen, ")
    assert len(outcome.lines) == 8


def test_a_bot_that_ends_its_process(arena: Console, tmp_path: Path) -> None:
    outcome = arena("check", BOTS / "check_leaves.py", "--ruleset", "two-stage")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.lines[1:] == [
        f"2 {TITLES[1]} ... FAILED: it ended its process, with exit code 0",
        *(f"{number} {TITLES[number - 1]} ... not tried: it ended its process" for number in (3, 4, 5, 6)),
    ]
    says = "import os, sys\nprint('no data\\n\\x1b[2J', __file__, file=sys.stderr)\nos._exit(0)\n"
    path = written(tmp_path, says)
    outcome = arena("check", path, "--ruleset", "two-stage")
    assert outcome.code == 1
    assert outcome.lines[:3] == [
        "1 loads ... FAILED: it ended its process, with exit code 0",
        "    no data",
        rf"    \x1b[2J {path}",
    ]


MEDDLERS = {
    "import os\nos.write(3, bytes(4))\n": 1,
    "import os\nos.write(3, b'{')\nos._exit(1)\n": 1,
    "import os, json\nsaid = json.dumps({'finding': [6, 'ok', '', []]}).encode()\n"
    "os.write(3, b''.join(len(part).to_bytes(4, 'little') for part in (said + b'....', said)) + said)\n": 1,
    "import os\n\n\ndef hold(turn):\n    os.write(3, b'x' * 99)\n\n\ndef choose_row(turn):\n    pass\n": 2,
}


@pytest.mark.parametrize("text", MEDDLERS)
def test_a_bot_that_meddles_with_what_is_told(text: str, arena: Console, tmp_path: Path) -> None:
    outcome = arena("check", written(tmp_path, text), "--ruleset", "two-stage")
    assert (outcome.code, outcome.err) == (1, ""), outcome
    number = MEDDLERS[text]
    failing = outcome.lines[number - 1]
    assert failing.startswith(f"{number} {TITLES[number - 1]} ... FAILED: it "), outcome
    assert len(outcome.lines) == 6


def test_what_a_bot_says_does_nothing_to_the_terminal(arena: Console, tmp_path: Path) -> None:
    text = "def hold(turn):\n    raise ValueError('\\x1b[31mred')\n\n\ndef choose_row(turn):\n    pass\n"
    outcome = arena("check", written(tmp_path, text), "--ruleset", "two-stage")
    assert outcome.code == 1
    assert "\x1b" not in outcome.out
    assert r"ValueError: \x1b[31mred" in outcome.out


@pytest.mark.parametrize("does", ["raise ValueError('a\\tb')", "print('a\\tb', flush=True)\n    os._exit(0)"])
def test_tabs_are_spaces(does: str, arena: Console, tmp_path: Path) -> None:
    """In an error, and in what was printed."""
    text = f"import os\n\n\ndef hold(turn):\n    {does}\n\n\ndef choose_row(turn):\n    pass\n"
    outcome = arena("check", written(tmp_path, text), "--ruleset", "two-stage")
    assert outcome.code == 1
    said = "ValueError: a\tb" if "raise" in does else "a\tb"
    assert f"    {said.expandtabs()}" in outcome.lines


def test_a_bot_of_a_file_with_several(arena: Console) -> None:
    assert arena("check", f"{BOTS / 'two_bots.py'}:Meek", "--ruleset", "two-stage").code == 0


def test_a_ruleset_of_ones_own(arena: Console, tmp_path: Path) -> None:
    text = (FOLDER / "two-stage.yaml").read_text(encoding="utf-8").replace("id: two-stage", "id: mine")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    outcome = arena("check", "random", "--ruleset", tmp_path / "mine.yaml")
    assert outcome.code == 0, outcome


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["nobody_at_all.py"], "nobody_at_all.py: no such file or folder"),
        (["gredy"], "no agent 'gredy', did you mean 'greedy'?"),
        (["greedy", "--ruleset", "yahtze"], "unknown ruleset 'yahtze', did you mean 'yahtzee'?"),
        ([f"{BOTS / 'two_bots.py'}:Meeks"], f"{BOTS / 'two_bots.py'}: no bot class 'Meeks', did you mean 'Meek'?"),
        ([BOTS / "two_bots.py"], f"{BOTS / 'two_bots.py'}: has several bots; name one of two_bots.py:Bold, two_"),
        (["tournaments/quick.yaml"], f"{ROOT}/tournaments/quick.yaml: is no Python file: its name must end in .py"),
        ([], "Missing argument 'PATH'."),
    ],
)
def test_mistakes(args: list[Any], told: str, arena: Console) -> None:
    assert arena("check", *args).mistake.startswith(told)
