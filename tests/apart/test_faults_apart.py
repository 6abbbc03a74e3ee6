"""What is kept of a fault that happened in a bot's own process is what would be kept of it here."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from kept_apart import BOTS, apart, assert_equal, here, misbehaved, play, shipped

from arena.agent.nursery import Nursery
from arena.agent.sources import locate
from arena.records import End


@pytest.mark.parametrize("kind", ["Kinds", "Chained", "Unready"])
def test_as_if_it_were_here(kind: str, boxed: bool, nursery: Nursery) -> None:
    """Kinds, dice, answers, messages and the bot's own lines, of which the paths are those of its own files."""
    bad, good = locate(BOTS / f"kinds.py:{kind}", name="bad"), here(shipped("greedy"))
    inside = play({**good, **here(bad)}, mirrors=100)
    outside = play({**good, **apart(nursery, bad, boxed=boxed)}, mirrors=100)
    assert_equal(inside, outside)
    assert outside.faults == inside.faults
    lines = [line for fault in outside.faults for line in re.findall('File "(.*?)"', fault.traceback)]
    assert set(lines) == {str(BOTS / "kinds.py")}


FAR = """
import numpy as np


def hold_many(turns):
    return np.full(len(turns), {hold}, dtype=np.int64)


def choose_row_many(turns):
    return np.full(len(turns), {row}, dtype=np.int64)
"""


@pytest.mark.parametrize(("hold", "row", "told"), [(-1, 0, -1), (1 << 40, 0, 1 << 40), (0, 300, 300), (0, -7, -7)])
def test_numbers_that_nothing_has_are_told_as_they_were(
    hold: int, row: int, told: int, boxed: bool, nursery: Nursery, tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_text(FAR.format(hold=hold, row=row))
    bad, good = locate(tmp_path / "bad.py"), here(shipped("greedy"))
    inside = play({**good, **here(bad)})
    outside = play({**good, **apart(nursery, bad, boxed=boxed)})
    assert_equal(inside, outside)
    assert outside.faults == inside.faults
    assert {fault.answer for fault in outside.faults} == {str(told)}
    for fault in outside.faults:
        assert f" with {told} for " in fault.message


def test_lines_of_a_bots_folder(nursery: Nursery, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "agent.py").write_text(
        "from helper import hold\n\n\ndef choose_row(turn):\n    return turn.open_rows[0]\n"
    )
    (folder / "helper.py").write_text("def hold(turn):\n    raise ValueError(__file__)\n")
    result = play({**here(shipped("greedy")), **apart(nursery, locate(folder))}, mirrors=1)
    for fault in result.faults:
        assert fault.message == f"ValueError: {folder}/helper.py"
        assert re.findall('File "(.*?)"', fault.traceback) == [str(folder / "helper.py")]


TELLS = """\
import sys
from pathlib import Path

class Thing:
    pass

def hold(turn):
    print(__name__, repr(Thing).split()[1], __file__, file=sys.stderr)
    return {Thing, Path(__file__), __file__, __name__}

def choose_row(turn):
    return turn.open_rows[0]
"""


def test_names_are_the_bots_own(boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    """In what it answers and in what it prints: not those of the copy that is run."""
    path = tmp_path / "tells.py"
    path.write_text(TELLS, encoding="utf-8")
    result = play({**here(shipped("greedy")), **apart(nursery, locate(path), boxed=boxed)}, mirrors=1)
    answer = f"{{'{path}', 'bot', <class 'Thing'>, PosixPath('{path}')}}"
    for fault in result.faults:
        assert fault.message.startswith(f"InvalidHold: 'tells' kept {answer} of roll 1: ")
        assert fault.answer == answer
        assert set(fault.printed.splitlines()) == {f"bot 'Thing'> {path}"}
    assert result.faults


def test_what_had_been_printed_by_then(boxed: bool, nursery: Nursery) -> None:
    """Of a bot that lives on, as of one that ends."""
    living = play({**here(shipped("greedy")), **apart(nursery, misbehaved("talks.py"), boxed=boxed)})
    assert {fault.kind for fault in living.faults} == {End.ILLEGAL_HOLD}
    for fault in living.faults:
        lines = fault.printed.splitlines()
        assert f"thinking about {fault.dice}\x1b[2J" in lines
        assert lines[-1] == "to stderr"
        assert fault.traceback == ""
        assert fault.answer == repr("\x1b[31m[red]all")
    here_too = play({**here(shipped("greedy")), **here(misbehaved("talks.py"))})
    assert [replace(fault, printed="") for fault in living.faults] == list(here_too.faults)


def test_printed_and_raised(boxed: bool, nursery: Nursery) -> None:
    result = play(
        {**here(shipped("greedy")), **apart(nursery, misbehaved("says_and_raises.py"), boxed=boxed)}, mirrors=1
    )
    for fault in result.faults:
        assert fault.printed == "I am lost"
        assert fault.traceback.splitlines()[-1] == fault.message == "LookupError: here"
