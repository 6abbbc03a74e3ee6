"""Bots that misbehave in a process of their own: what each is charged with, and that nobody else notices."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from kept_apart import APART, WIDE, apart, assert_equal, here, misbehaved, play, seats_of, shipped
from leagues import bot, play_league, write_tournament

from arena.agent.limits import Limits
from arena.agent.nursery import Nursery
from arena.agent.sources import locate
from arena.records import BlockResult, End
from arena.tournament.faults import Faults

NORMAL = Limits(decision_ms=1000, start_s=20, memory_mb=256, output_kb=16, wall_s=20)
HANGS = Limits(decision_ms=50, start_s=20, memory_mb=256, output_kb=16, wall_s=0.2)
"""For bots that are to be found out by time as they play; no false alarm can be seen in them."""
NEVER_READY = replace(HANGS, start_s=0.2)
"""The same of those that are never loaded."""
SMALL = Limits(decision_ms=1000, start_s=20, memory_mb=48, output_kb=16, wall_s=20)

NONE, HOLD, ROW, EXCEPTION = End.FINISHED, End.ILLEGAL_HOLD, End.ILLEGAL_ROW, End.EXCEPTION
TIMEOUT, CRASH, MEMORY, PROTOCOL, START = End.TIMEOUT, End.CRASH, End.MEMORY, End.PROTOCOL, End.START


class Case(NamedTuple):
    """A bot, and the kind of fault of all its games; NONE if what it does changes nothing."""

    file: str
    params: dict[str, Any]
    kind: End
    limits: Limits = NORMAL

    def __str__(self) -> str:
        return "-".join([self.file.partition(".")[0], *map(str, self.params.values())])


def deed(name: str, kind: End, limits: Limits = NORMAL) -> Case:
    return Case("deeds.py", {"deed": name}, kind, limits)


def state(name: str, kind: End = NONE) -> Case:
    return Case("state.py", {"what": name}, kind)


def holds(name: str, kind: End = HOLD) -> Case:
    return Case("answers.py:Answers", {"hold": name}, kind)


def rows(name: str, kind: End = ROW) -> Case:
    return Case("answers.py:Answers", {"row": name}, kind)


def arrays(name: str, kind: End, limits: Limits = NORMAL) -> Case:
    return Case("arrays.py", {"what": name}, kind, limits)


CASES = [
    # while it is loaded
    Case("import_raises.py", {}, START),
    Case("import_leaves.py", {}, START),
    Case("import_exits.py", {}, START),
    Case("import_kills.py", {}, START),
    Case("import_spins.py", {}, START, NEVER_READY),
    Case("import_sleeps.py", {}, START, NEVER_READY),
    Case("import_fills.py", {}, START, SMALL),
    Case("import_noise.py", {}, PROTOCOL),
    Case("import_talks.py", {}, PROTOCOL),
    Case("import_claims.py", {}, START, NEVER_READY),
    Case("import_crowds.py", {}, START),
    # time
    deed("spin", TIMEOUT, HANGS),
    deed("spin_deaf", TIMEOUT, HANGS),
    deed("sleep", TIMEOUT, HANGS),
    deed("stop", TIMEOUT, HANGS),
    deed("start_threads", TIMEOUT, HANGS),
    deed("mark_and_spin", TIMEOUT, HANGS),
    deed("half_a_frame", TIMEOUT, HANGS),
    # death
    deed("exit_", CRASH),
    deed("kill", CRASH),
    deed("real_time_signal", CRASH),
    deed("segfault", CRASH),
    deed("abort", CRASH),
    deed("mark_and_exit", CRASH),
    deed("half_a_frame_and_exit", CRASH),
    deed("close_all", CRASH),
    deed("close_channel", CRASH),
    # threads
    deed("crowd", CRASH),
    deed("crowd_and_sleep", CRASH),
    # memory
    deed("allocate", MEMORY, SMALL),
    deed("allocate_and_keep", MEMORY, SMALL),
    # exceptions
    deed("raise_", EXCEPTION),
    deed("raise_odd", EXCEPTION),
    deed("deep", EXCEPTION),
    deed("system_exit", EXCEPTION),
    deed("interrupt", EXCEPTION),
    deed("generator_exit", EXCEPTION),
    deed("control", EXCEPTION),
    # nonsense on the channel
    deed("oversized_frame", PROTOCOL),
    deed("noise", PROTOCOL),
    deed("noise_and_on", PROTOCOL),
    deed("empty_frame", PROTOCOL),
    deed("write_to_all", PROTOCOL),
    deed("json_list", PROTOCOL),
    deed("json_deep", PROTOCOL),
    deed("json_huge_key", PROTOCOL),
    deed("json_inf", PROTOCOL),
    deed("json_nested", PROTOCOL),
    deed("json_latin", PROTOCOL),
    deed("claim_crash", PROTOCOL),
    deed("minus_crash", PROTOCOL),
    deed("too_many", PROTOCOL),
    deed("beyond", HOLD),
    deed("die_leaving_a_child", CRASH),
    deed("die_leaving_a_program", CRASH),
    # nobody minds
    deed("nothing", NONE),
    deed("print_megabytes", NONE),
    deed("print_past_python", NONE),
    deed("close_output", NONE),
    deed("start_idle_threads", NONE, WIDE),
    deed("fork_some", NONE),
    deed("leave_a_child", NONE),
    deed("shrink_mark", NONE),
    # answers
    *map(holds, ("none", "text", "bytes", "float", "nan", "nans", "huge", "huge_faces", "six_dice", "not_held")),
    *map(holds, ("all_ones", "zero", "negative", "million", "generator", "dict_of_lists", "shifty", "itself")),
    holds("tricky"),
    *map(rows, ("none", "number", "nan", "unknown", "list", "huge_text", "tricky", "name", "control", "closed")),
    # answers in array form
    *(arrays(name, HOLD) for name in ("none", "short", "long", "floats", "nans", "objects")),
    *(arrays(name, HOLD) for name in ("minus_crash", "minus", "beyond")),
    *(arrays(name, EXCEPTION) for name in ("object", "raise", "writes")),
    *(arrays(name, CRASH) for name in ("exit", "kill")),
    arrays("unlocks", NONE),
    arrays("spin", TIMEOUT, HANGS),
    arrays("memory", MEMORY),
    # what a process has
    *map(state, ("seed_random", "forget_modules", "replace_modules", "replace_builtins", "numpy_errors")),
    *map(state, ("ignore_signals", "alarm", "recursion", "environment", "folder", "trace", "no_gc", "priority")),
    *map(state, ("stdout", "own_points", "own_numbers")),
    state("break_builtins", CRASH),
    state("break_numpy", CRASH),
    state("set_dice", EXCEPTION),
    state("set_card", EXCEPTION),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_misbehaving(case: Case, boxed: bool, nursery: Nursery, honest: BlockResult, harmless: BlockResult) -> None:
    bad = misbehaved(case.file, **case.params)
    result = play({**apart(nursery, bad, boxed=boxed, limits=case.limits), **here(shipped("greedy"))})
    judge(result, case.kind, harmless)
    assert_equal(honest, play(apart(nursery, shipped("collector"), boxed=boxed, limits=WIDE)))


@pytest.mark.parametrize(("name", "kind"), [("raise_", EXCEPTION), ("exit_", CRASH), ("sleep", TIMEOUT)])
def test_from_the_third_game_on(
    name: str, kind: End, boxed: bool, nursery: Nursery, honest: BlockResult, harmless: BlockResult
) -> None:
    """What raises loses that game; a class whose process ends, or is ended, all that were not finished."""
    bad = misbehaved("deeds.py", deed=name, from_game=2)
    limits = HANGS if kind is TIMEOUT else NORMAL
    result = play({**apart(nursery, bad, boxed=boxed, limits=limits), **here(shipped("greedy"))})
    games = [2] if kind is EXCEPTION else [0, 1, 2]
    for seating, seat in enumerate(seats_of(result, "bad")):
        assert np.flatnonzero(result.ends[:, seating, seat]).tolist() == games
        assert set(result.ends[games, seating, seat].tolist()) == {kind}
        assert not result.ends[:, seating, 1 - seat].any()
    fine = [game for game in range(3) if game not in games]
    np.testing.assert_array_equal(result.totals[fine], harmless.totals[fine])
    assert len(result.faults) == 2 * len(games)
    assert {(fault.agent, fault.kind) for fault in result.faults} == {("bad", kind)}
    assert_equal(honest, play(apart(nursery, shipped("collector"), boxed=boxed, limits=WIDE)))


def test_a_row_that_a_joker_forbids(boxed: bool, nursery: Nursery) -> None:
    """Open, and not for this hand: those games are lost, and all others are as if it were honest."""
    honest = misbehaved("answers.py:Joker", honest=True)
    fair = play(here(honest, shipped("greedy")), ruleset="yahtzee", mirrors=40)
    assert not fair.ends.any()
    bad = misbehaved("answers.py:Joker")
    found = play({**apart(nursery, bad, boxed=boxed), **here(shipped("greedy"))}, ruleset="yahtzee", mirrors=40)
    out = found.ends.any(axis=2)
    assert 3 < out.sum() < 40
    assert {(fault.agent, fault.kind) for fault in found.faults} == {("bad", ROW)}
    assert len(found.faults) == out.sum()
    assert all("InvalidRow: 'bad' chose" in fault.message for fault in found.faults)
    np.testing.assert_array_equal(found.totals[~out], fair.totals[~out])


@pytest.mark.parametrize("name", ["deep_in_c", "low_recursion"])
def test_python_itself_at_its_ends(name: str, boxed: bool, nursery: Nursery, harmless: BlockResult) -> None:
    """What comes of it is Python's matter; whatever it is, it is the bot's alone."""
    bad = misbehaved("deeds.py", deed=name) if name == "deep_in_c" else misbehaved("state.py", what=name)
    result = play({**apart(nursery, bad, boxed=boxed, limits=NORMAL), **here(shipped("greedy"))})
    kinds = {fault.kind for fault in result.faults}
    assert len(kinds) <= 1
    assert kinds <= {EXCEPTION, CRASH, MEMORY, PROTOCOL}
    judge(result, kinds.pop() if kinds else NONE, harmless)


LEAGUE = {
    "exits": bot("apart/import_exits.py", "exits"),
    "dies": bot("apart/deeds.py:Does", "dies", deed="kill"),
    "spins": bot("apart/deeds.py:Does", "spins", deed="spin_deaf"),
    "raises": bot("apart/deeds.py:Does", "raises", deed="raise_odd"),
    "fills": bot("apart/deeds.py:Does", "fills", deed="allocate"),
    "forges": bot("apart/deeds.py:Does", "forges", deed="noise_and_on"),
    "cheats": bot("apart/answers.py:Answers", "cheats", hold="six_dice"),
    "tricks": bot("apart/answers.py:Answers", "tricks", row="tricky"),
}
KINDS = {
    "exits": START,
    "dies": CRASH,
    "spins": TIMEOUT,
    "raises": EXCEPTION,
    "fills": MEMORY,
    "forges": PROTOCOL,
    "cheats": HOLD,
    "tricks": ROW,
}


def test_a_league_of_them(tmp_path: Path) -> None:
    """Two healthy bots among them play with each other as if nobody else were there, and each pays for itself.

    Everybody meets them, one whose process ends, and one whose process stays.
    """
    healthy = ["collector", bot("apart/several.py:Scalar", "several", risk=0.25)]
    rest: dict[str, Any] = {
        "isolation": "auto",
        "strict": False,
        "games": 4,
        "limits": {"decision_ms": 200, "memory_mb": 128, "start_s": 20, "wall_s": 20},
    }
    alone = play_league(write_tournament(tmp_path, "alone.yaml", agents=healthy, **rest), tmp_path / "alone")
    rest["schedule"] = {"gauntlet": ["collector", "several", "dies", "raises"]}
    everybody = write_tournament(tmp_path, "all.yaml", agents=[*healthy, *LEAGUE.values()], **rest)
    found = play_league(everybody, tmp_path / "all", backend="processes", workers=2)
    key = next(key for key in found.results if set(key[1:]) == {"collector", "several"})
    [ours], [theirs] = alone.results[key], found.results[key]
    assert_equal(ours, theirs)
    assert not theirs.ends.any()
    assert len(found.results) == 9 + 8 + 7 + 6
    for names, [result] in found.results.items():
        for number, name in enumerate(names[1:]):
            seats = [(seating, seats_of(result, name)[seating]) for seating in range(2)]
            ends = {int(end) for seating, seat in seats for end in result.ends[:, seating, seat]}
            assert ends == {KINDS.get(name, NONE)}, (names, number, result.faults[:1])
        charged = [(fault.agent, fault.dice_set, fault.seating) for fault in result.faults]
        assert len(charged) == len(set(charged))


def test_no_memory_left(boxed: bool, nursery: Nursery, honest: BlockResult, harmless: BlockResult) -> None:
    """Where nothing at all can be had any more, Python itself may fail, and not with its error for that."""
    bad = misbehaved("deeds.py", deed="allocate_to_the_last")
    result = play({**apart(nursery, bad, boxed=boxed, limits=SMALL), **here(shipped("greedy"))})
    kinds = {fault.kind for fault in result.faults}
    assert kinds <= {MEMORY, CRASH}
    judge(result, kinds.pop(), harmless)


ESCAPES = [
    "parents_memory",
    "parents_memory_by_call",
    "parents_environment",
    "parents_descriptors",
    "everybodys_environment",
    "passwords",
    "root_folder",
    "other_bots",
    "other_packages",
    "a_package",
    "python_itself",
    "packages_of_another",
    "results",
    "temporary",
    "write_beside",
    "write_itself",
    "write_temporary",
    "inet",
    "inet6",
    "udp",
    "unix",
    "socket_pair",
    "netlink",
    "signal_parent",
    "signal_all",
    "signal_first",
    "trace_parent",
    "trace_me",
    "io_uring",
    "memory_file",
    "namespace",
    "namespaces",
    "execute",
    "fork",
    "outlive",
    "more_memory",
    "dump",
    "write_open_descriptors",
    "terminal",
    "mark_of_others",
    "group",
    "chroot",
    "mount",
]


@pytest.mark.parametrize("attempt", ESCAPES)
@pytest.mark.usefixtures("sandbox")
def test_escapes(attempt: str, nursery: Nursery, harmless: BlockResult) -> None:
    """Each is refused in the sandbox: the bot would end itself, and plays on."""
    bad = misbehaved("escapes.py", what=attempt)
    assert_equal(harmless, play({**apart(nursery, bad, boxed=True, limits=NORMAL), **here(shipped("greedy"))}))


READS = """
import os


def hold(turn):
    try:
        open({path!r}).read()
    except PermissionError:
        return turn.dice
    os._exit(7)


def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.mark.parametrize("place", ["neighbour", "own"])
@pytest.mark.usefixtures("sandbox")
def test_a_neighbour_whose_place_is_known(place: str, nursery: Nursery, harmless: BlockResult, tmp_path: Path) -> None:
    """Both are unpacked side by side; each reads its own folder alone."""
    neighbour = nursery.unpack(misbehaved("hand_raises.py")).path
    file = tmp_path / "bad.py"
    file.write_text(READS.format(path=str(neighbour)) if place == "neighbour" else READS.format(path="bad.py"))
    result = play({**apart(nursery, locate(file), boxed=True, limits=NORMAL), **here(shipped("greedy"))})
    if place == "neighbour":
        assert_equal(harmless, result)
    else:
        judge(result, CRASH, harmless)


SEES = """
import os


def hold(turn):
    if os.stat("/proc/{process}/task").st_nlink < 3:
        os._exit(7)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
"""


@pytest.mark.usefixtures("sandbox")
def test_what_is_known_to_be_seen(nursery: Nursery, harmless: BlockResult, tmp_path: Path) -> None:
    """How many threads another process has, by which bots can signal to each other: docs/security.md says so."""
    file = tmp_path / "bad.py"
    file.write_text(SEES.format(process=os.getpid()))
    bad = locate(file)
    assert_equal(harmless, play({**apart(nursery, bad, boxed=True, limits=NORMAL), **here(shipped("greedy"))}))


@pytest.mark.usefixtures("sandbox")
def test_forking_without_end(nursery: Nursery, harmless: BlockResult) -> None:
    """Tried in the sandbox only, as it is the only thing that stops it."""
    bad = misbehaved("deeds.py", deed="fork_without_end")
    assert_equal(harmless, play({**apart(nursery, bad, boxed=True, limits=NORMAL), **here(shipped("greedy"))}))


OUTSIDE = """
import importlib.util, os, sys
import numpy
spec = importlib.util.spec_from_file_location("escapes", sys.argv[1])
escapes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(escapes)
os.dup2(1, 9)  # a descriptor that is left open
if os.fork():
    os.wait()
    os._exit(0)
try:
    escapes.TRIES[sys.argv[2]]()
except (OSError, ValueError) as error:
    print("refused", error, flush=True)
else:
    print("succeeded", flush=True)
"""
HARMFUL = {"mount"}
"""What is never tried outside: a user who may do it would."""
PRIVILEGED = {"terminal", "io_uring", "namespace", "namespaces", "chroot", "signal_first", "trace_parent", "inet6"}
"""What succeeds outside only for some users, and on some machines."""


@pytest.mark.parametrize("attempt", [attempt for attempt in ESCAPES if attempt not in HARMFUL])
def test_escapes_succeed_outside(attempt: str, tmp_path: Path) -> None:
    """Else that they fail in the sandbox would say nothing."""
    folder = tmp_path / "unpacked" / "bot"
    folder.mkdir(parents=True)
    shutil.copy(APART / "escapes.py", folder)
    with subprocess.Popen(
        [sys.executable, "-c", OUTSIDE, str(folder / "escapes.py"), attempt],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:  # one that may be stopped and signalled
        assert parent.stdout is not None
        said = parent.stdout.readline()
        os.killpg(parent.pid, signal.SIGKILL)
    Path(f"/tmp/apart-left-{parent.pid}").unlink(missing_ok=attempt != "write_temporary")
    if attempt == "execute":
        assert said == "", "another program took its place, and said nothing"
    elif attempt in PRIVILEGED and said.startswith("refused"):
        pytest.skip(f"nor may this user outside: {said}")
    else:
        assert said.endswith("succeeded\n")


@pytest.mark.usefixtures("sandbox")
def test_all_attempts_are_tried() -> None:
    """The list above, and what the bot knows."""
    source = (APART / "escapes.py").read_text()
    assert set(re.findall(r"^def (\w+)\(\):", source, re.MULTILINE)) == set(ESCAPES)


def judge(result: BlockResult, kind: End, harmless: BlockResult) -> None:
    """Check that every game of the bad one, by itself or with one other, ended as it should."""
    if kind is NONE:
        assert_equal(harmless, result)
        return
    told = result.faults[:1]
    for seating, seat in enumerate(seats_of(result, "bad")):
        assert set(result.ends[:, seating, seat].tolist()) == {kind}, told
        if result.block.seats > 1:
            assert set(result.ends[:, seating, 1 - seat].tolist()) == {NONE}, told
            assert set(result.winners[:, seating].tolist()) == {1 << 1 - seat}, told
        if kind is not ROW:
            assert not result.totals[:, seating, seat].any(), told
    charged = [(fault.dice_set, fault.seating) for fault in result.faults]
    assert len(charged) == len(set(charged)) == min(result.block.games, result.block.seats * Faults.DETAILED)
    assert {(fault.agent, fault.kind) for fault in result.faults} == {("bad", kind)}
    assert all(fault.message.isprintable() and len(fault.message) < 1100 for fault in result.faults), told
