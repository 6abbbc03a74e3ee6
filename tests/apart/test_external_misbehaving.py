"""External bots that misbehave: what each is charged with, and that nobody else notices."""

from __future__ import annotations

import re
import select
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from external_bots import EXTERNAL, external
from kept_apart import WIDE, apart, assert_equal, here, play, shipped
from processes import living
from test_misbehaving import CRASH, HOLD, NONE, PROTOCOL, ROW, START, TIMEOUT, judge

from arena.agent.limits import Limits
from arena.agent.nursery import Nursery
from arena.records import BlockResult, End

NORMAL = Limits(decision_ms=1000, start_s=20, memory_mb=256, output_kb=16, wall_s=20)
HANGS = Limits(decision_ms=50, start_s=20, memory_mb=256, output_kb=16, wall_s=0.2)
"""For bots that are to be found out by time as they play; no false alarm can be seen in them."""
NEVER_READY = replace(HANGS, start_s=0.2)
"""The same of those that never say hello."""
SMALL = Limits(decision_ms=2000, start_s=20, memory_mb=32, output_kb=16, wall_s=20)


class Case(NamedTuple):
    """A deed, and the kind of fault of all its games; NONE if it changes nothing."""

    deed: str
    kind: End
    limits: Limits = NORMAL
    way: str = "batch"

    def __str__(self) -> str:
        return self.deed if self.way == "batch" else f"{self.deed}-{self.way}"


CASES = [
    *(Case(f"{deed}_at_once", START) for deed in ("exit", "kill", "crowd")),
    *(Case(f"{deed}_at_once", PROTOCOL) for deed in ("noise", "binary", "number", "other_hello", "other_version")),
    *(Case(f"{deed}_at_once", PROTOCOL) for deed in ("true_version", "odd_stateless", "fill", "close")),
    *(Case(f"{deed}_at_once", START, NEVER_READY) for deed in ("spin", "sleep", "half")),
    *(Case(deed, CRASH) for deed in ("exit", "kill", "real_time_signal", "raise", "half_a_line_and_exit")),
    *(Case(deed, CRASH) for deed in ("close_stdout_and_exit", "child_holds_stdout", "close_stdin", "crowd")),
    Case("allocate", CRASH, SMALL),
    *(Case(deed, PROTOCOL) for deed in ("noise", "empty_line", "binary", "oversized_line", "fill", "deeper", "nan")),
    *(Case(deed, PROTOCOL) for deed in ("a_list", "nothing_in_it", "none", "deep", "too_few", "too_many", "mixed")),
    *(Case(deed, PROTOCOL) for deed in ("none_at_all", "close_stdout")),
    *(Case(deed, TIMEOUT, HANGS) for deed in ("half_a_line", "spin", "sleep", "stop")),
    *(
        Case(deed, TIMEOUT, HANGS)
        for deed in ("dribble_and_spin", "dribble_and_sleep", "one_and_sleep", "one_and_half")
    ),
    *(Case(deed, NONE) for deed in ("nothing", "stderr", "close_stderr", "ignore_signals", "leave_a_child")),
    *(Case(deed, NONE) for deed in ("own_things",)),
    *(Case(f"hold_{what}", HOLD) for what in ("none", "text", "number", "object", "floats", "trues", "texts", "six")),
    *(Case(f"hold_{what}", HOLD) for what in ("not_held", "zero", "negative", "huge", "infinite", "nested")),
    *(
        Case(f"row_{what}", ROW)
        for what in ("none", "number", "unknown", "list", "long", "padded", "object", "closed")
    ),
    Case("all_in_answer", PROTOCOL),
    Case("twice", HOLD),  # what is too much is taken for the next answer
    *(Case(deed, NONE, way="single") for deed in ("nothing", "stderr")),
    *(Case(deed, PROTOCOL, way="single") for deed in ("noise", "deeper", "too_many", "fill")),
    *(Case(deed, TIMEOUT, HANGS, way="single") for deed in ("spin", "sleep", "half_a_line")),
    *(Case(deed, kind, way="single") for deed, kind in (("exit", CRASH), ("hold_huge", HOLD), ("row_none", ROW))),
]
ESCAPES = ("sockets", "write_files", "read_files", "run_others", "signal_parent")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_misbehaving(case: Case, boxed: bool, nursery: Nursery, honest: BlockResult, harmless: BlockResult) -> None:
    bad = external("misbehaves.py", case.deed, case.way)
    result = play({**apart(nursery, bad, boxed=boxed, limits=case.limits), **here(shipped("greedy"))})
    judge(result, case.kind, harmless)
    assert_equal(honest, play(apart(nursery, shipped("collector"), boxed=boxed, limits=WIDE)))


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (
            "half_at_once",
            "could not start: made no move in 2 s (start_s + wall_s): 13 bytes came without an end of line",
        ),
        (
            "sleep_at_once",
            "could not start: made no move in 2 s (start_s + wall_s): nothing came: is every line flushed?",
        ),
        ("half_a_line", "made no move in 1 s (wall_s): 31 bytes came without an end of line"),
        ("sleep", "made no move in 1 s (wall_s): nothing came: is every line flushed?"),
        ("one_and_sleep", "made no move in 1 s (wall_s): answered 1 of 3 turns"),
        (
            "one_and_half",
            "made no move in 1 s (wall_s): answered 1 of 3 turns, then 1 byte came without an end of line",
        ),
        ("spin", "took more than 150 ms of processor time"),
        ("too_few", "gave 1 answer to 3 turns"),
        ("none_at_all", "gave 0 answers to 3 turns"),
        ("all_in_answer", "gave a list of 3 answers as 'answer': write 'answers'"),
    ],
)
def test_what_is_told(deed: str, told: str, nursery: Nursery) -> None:
    """Of answers that come too late, or in another number: what of them came. By itself, as every leg waits."""
    quick = "made no move" in told
    limits = replace(NORMAL, decision_ms=50, start_s=1 if deed.endswith("_at_once") else 20, wall_s=1 if quick else 20)
    bad = external("misbehaves.py", deed, "batch")
    found = play(apart(nursery, bad, boxed=False, limits=limits), mirrors=3)
    assert {fault.message for fault in found.faults} == {f"'bad' {told}"}


@pytest.mark.parametrize("deed", ESCAPES)
@pytest.mark.usefixtures("sandbox")
def test_escapes(deed: str, nursery: Nursery, harmless: BlockResult, tmp_path: Path) -> None:
    """Each is refused in the sandbox: the bot would end itself, and plays on."""
    (tmp_path / "results.sqlite").write_text("a secret")
    secrets = [tmp_path, tmp_path / "results.sqlite", EXTERNAL, EXTERNAL / "misbehaves.py", Path(__file__)]
    bad = external("misbehaves.py", deed, "batch", *(f"+{path}" for path in secrets))
    assert_equal(harmless, play({**apart(nursery, bad, boxed=True, limits=NORMAL), **here(shipped("greedy"))}))


def test_every_deed_is_tried() -> None:
    """The lists above, and what the bot knows."""
    source = (EXTERNAL / "misbehaves.py").read_text()
    groups = re.findall(r"^[A-Z_]+ = \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL)
    deeds = {deed for group in groups for deed in re.findall(r'^    "(\w+)":', group, re.MULTILINE)}
    assert deeds | {"row_closed"} == {case.deed for case in CASES} | set(ESCAPES)


@pytest.mark.parametrize("deed", ["leave_a_child", "child_holds_stdout"])
def test_children_die_with_it(deed: str, tmp_path: Path) -> None:
    token = f"+{tmp_path}"
    with Nursery() as own:
        bad = external("misbehaves.py", deed, "batch", token)
        play({**apart(own, bad, boxed=False, limits=NORMAL), **here(shipped("greedy"))})
    assert not living(pids_with(token))


def pids_with(word: str) -> list[int]:
    """Return the processes whose command has a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            found += [int(folder.name)] if word.encode() in words else []
    return found


def test_its_words_are_seen(tmp_path: Path) -> None:
    """Or else the test before could not fail."""
    token = f"+{tmp_path}"
    with Nursery() as own:
        process = own.execute(external("misbehaves.py", "sleep_at_once", "batch", token), NORMAL, boxed=False)
        while pids_with(token) != [process.process]:
            assert not select.select([process.ended], [], [], 0.01)[0]
        own.bury(process)
    assert not pids_with(token)
