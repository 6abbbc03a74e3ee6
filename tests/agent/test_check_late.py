"""``arena check`` of bots that hang, or answer late."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from checked import failed, files, findings, written
from leagues import BOTS, Console

from arena.agent import check as witness
from arena.agent.sources import bundled_folder
from arena.tournament import check as checks
from arena.tournament import check_apart as apart
from arena.tournament.findings import TITLES, State
from arena.tournament.trials import Rulebook


def test_a_bot_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "PATIENCE", 0.2)
    monkeypatch.setattr(witness, "EACH", 0.0)
    monkeypatch.setattr(witness, "AGAIN", 0.05)
    found = findings(BOTS / "check_hangs.py", Rulebook(files("thirteen")))
    assert found[1].state is State.FAILED
    assert found[1].details[1].startswith("TimeoutError: no answer within")
    assert any("while turn.round == 3:" in line or "pass" in line for line in found[1].details)
    assert [str(finding) for finding in found[2:]] == [
        f"{number} {TITLES[number - 1]} ... not tried: no answer" for number in (3, 4, 5, 6)
    ]


SPIN, SLEEP, STUBBORN, DEAF = (
    "while True: pass",
    "__import__('time').sleep(10**6)",
    "exec('import time\\nwhile True:\\n  try:\\n    time.sleep(10**6)\\n  except BaseException: pass')",
    "exec('import signal, time\\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\\ntime.sleep(10**6)')",
)
"""What hangs: the last two raise nothing, and the last cannot even be interrupted. Only the first takes time."""
ANSWERS = """
    def hold(turn):
        return turn.dice

    def choose_row(turn):
        return turn.open_rows[0]
"""


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"START": 0.6, "PATIENCE": 0.2, "EACH": 0.0, "AGAIN": 0.05}.items():
        monkeypatch.setattr(witness, name, seconds)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("hangs", [SPIN, SLEEP])
@pytest.mark.parametrize(
    "text", ["    {hangs}\n", "    class Mine:\n        def __init__(self):\n            {hangs}\n"]
)
def test_a_bot_that_hangs_while_it_is_loaded(text: str, hangs: str, tmp_path: Path) -> None:
    methods = textwrap.indent(ANSWERS.replace("(turn)", "(self, turn)"), "    ")
    path = written(tmp_path, text.replace("{hangs}", hangs) + (methods if "class" in text else ANSWERS))
    [finding] = findings(path, Rulebook(files("two-stage")))
    assert (finding.number, finding.state) == (1, State.FAILED)
    told, line = finding.details
    assert re.match(rf"{re.escape(str(path))}:\d+: .*: TimeoutError: no answer within 1 seconds$", told)
    assert line.endswith(hangs)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("hangs", [SPIN, SLEEP])
@pytest.mark.parametrize("arrays", [True, False])
def test_a_bot_that_hangs_in_prepare(arrays: bool, hangs: str, tmp_path: Path) -> None:
    prepare = f"    def prepare(ruleset):\n        {hangs}\n"
    many = ANSWERS.replace("(turn)", "_many(turns)") if arrays else ""
    found = findings(written(tmp_path, prepare + ANSWERS + many), Rulebook(files("two-stage")))
    assert [str(finding) for finding in found[1:]] == [
        f"2 {TITLES[1]} ... FAILED: start",
        *(f"{number} {TITLES[number - 1]} ... not tried: no answer" for number in (3, 4, 5, 6)),
    ]
    assert found[1].details[1] == "StartError: could not start: TimeoutError: no answer within 1 seconds"
    assert any(hangs in line for line in found[1].details)


@pytest.mark.usefixtures("hasty")
def test_a_bot_that_hangs_when_it_is_loaded_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOADED", "")
    again = f"    import os\n    if os.environ['LOADED']:\n        {SPIN}\n    os.environ['LOADED'] = 'once'\n"
    found = findings(written(tmp_path, again + ANSWERS), Rulebook(files("two-stage")))
    assert [str(finding.state) for finding in found] == ["ok", "ok", "FAILED", *["not tried"] * 3]
    assert re.match(r"loaded once more: .*mine\.py:3: .*: TimeoutError: no answer within", found[2].details[0])


@pytest.mark.parametrize("hangs", [STUBBORN, DEAF])
@pytest.mark.parametrize("number", [1, 2])
def test_a_bot_that_cannot_be_interrupted(
    number: int, hangs: str, arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that it is checked in is ended."""
    monkeypatch.setattr(apart, "QUIET_S", 2.0)
    text = f"    {hangs}\n" if number == 1 else f"    def prepare(ruleset):\n        {hangs}\n"
    outcome = arena("check", written(tmp_path, text + ANSWERS), "--ruleset", "two-stage")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.lines[number - 1 :] == [
        f"{number} {TITLES[number - 1]} ... FAILED: no answer within 2 seconds",
        *(f"{later} {TITLES[later - 1]} ... not tried: no answer within 2 seconds" for later in range(number + 1, 7)),
    ]


def test_a_bot_that_hangs_in_the_other_process(
    arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "QUIET_S", 2.0)
    text = f"    import os\n    if os.environ['PYTHONHASHSEED'] == '1':\n        {DEAF}\n"
    outcome = arena("check", written(tmp_path, text + ANSWERS), "--ruleset", "two-stage")
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.lines[2:4] == [
        f"3 {TITLES[2]} ... FAILED",
        "    in another process: no answer within 2 seconds",
    ]


def test_a_slow_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LIMIT_MS", 15.0)
    finding = failed(BOTS / "check_slow.py", Rulebook(files("two-stage")), tables=2)
    assert finding.number == 6
    assert re.match(r"\d+\.\d ms in the mean, the slowest \d+\.\d ms; the limit is 15 ms", finding.said)
    assert re.match(r"hold in two-stage, seat 0 of 2, game 0, round 2, roll 1: ", finding.details[0])


def test_a_slow_bot_in_array_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "LIMIT_MS", 0.0001)
    finding = failed(bundled_folder() / "ladder.py", Rulebook(files("two-stage")), tables=2)
    assert finding.number == 6
    assert re.match(r"(hold|choose_row)_many in ", finding.details[0])


def test_a_bot_that_is_too_slow_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"LIMIT_MS": 15.0, "SECONDS": 0.2, "BUDGET": 1.0, "SLOW_BUDGET": 0.5}.items():
        monkeypatch.setattr(checks, name, seconds)
    found = findings(BOTS / "check_sleeps.py", Rulebook(files("two-stage", "fifteen")))
    assert [str(finding.state) for finding in found] == ["ok", "ok", *["not tried"] * 3, "FAILED"]
    assert re.fullmatch(r"\d+ decisions; cut short after 1 seconds, \d of \d+ parts tried", found[1].said)
    assert {finding.said for finding in found[2:5]} == {"too slow"}
    assert found[5].said.endswith("the limit is 15 ms")


def test_a_slow_bot_is_tried_less(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"SECONDS": 0.2, "BUDGET": 1.0}.items():
        monkeypatch.setattr(checks, name, seconds)
    found = findings(BOTS / "check_sleeps.py", Rulebook(files("two-stage", "fifteen")), again=True)
    assert [str(finding.state) for finding in found] == ["ok"] * 6, found
    assert "; cut short after 1 seconds, " in found[1].said
    assert re.search(r"in another process; cut short, [12] of 6 sets of games$", found[2].said)
