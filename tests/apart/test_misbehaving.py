"""Bots that misbehave in a process of their own: what each is charged with, and that nobody else notices."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kept_apart import APART, WIDE, apart, assert_equal, here, misbehaved, play, seats_of, shipped

from arena.agent.limits import Limits
from arena.agent.nursery import Nursery
from arena.agent.sources import locate
from arena.records import BlockResult, End
from arena.tournament.faults import Faults

NORMAL = Limits(decision_ms=1000, start_s=20, memory_mb=256, output_kb=16, wall_s=20)
HANGS = Limits(decision_ms=100, start_s=0.3, memory_mb=256, output_kb=16, wall_s=0.4)
"""For bots that are to be found out by time; no false alarm can be seen in them."""
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
    Case("import_exits.py", {}, CRASH),
    Case("import_kills.py", {}, CRASH),
    Case("import_spins.py", {}, START, HANGS),
    Case("import_sleeps.py", {}, START, HANGS),
    Case("import_fills.py", {}, START, SMALL),
    Case("import_noise.py", {}, PROTOCOL),
    Case("import_talks.py", {}, PROTOCOL),
    Case("import_claims.py", {}, START, HANGS),
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
    deed("segfault", CRASH),
    deed("abort", CRASH),
    deed("mark_and_exit", CRASH),
    deed("half_a_frame_and_exit", CRASH),
    deed("close_all", CRASH),
    deed("close_channel", CRASH),
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
    deed("oversized_frame", PROTOCOL, HANGS),
    deed("noise", PROTOCOL, HANGS),
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


@pytest.fixture(scope="module")
def honest() -> BlockResult:
    return play(here(shipped("collector"), shipped("greedy")))


@pytest.fixture(scope="module")
def harmless() -> BlockResult:
    return play(here(misbehaved("deeds.py", deed="nothing"), shipped("greedy")))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_misbehaving(case: Case, boxed: bool, nursery: Nursery, honest: BlockResult, harmless: BlockResult) -> None:
    bad = misbehaved(case.file, **case.params)
    result = play({**apart(nursery, bad, boxed=boxed, limits=case.limits), **here(shipped("greedy"))})
    judge(result, case.kind, harmless)
    others = {**apart(nursery, shipped("collector"), boxed=boxed, limits=WIDE), **here(shipped("greedy"))}
    assert_equal(honest, play(others))


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


@pytest.mark.usefixtures("sandbox")
def test_forking_without_end(nursery: Nursery, harmless: BlockResult) -> None:
    """Tried in the sandbox only, as it is the only thing that stops it."""
    bad = misbehaved("deeds.py", deed="fork_without_end")
    assert_equal(harmless, play({**apart(nursery, bad, boxed=True, limits=NORMAL), **here(shipped("greedy"))}))


@pytest.mark.usefixtures("sandbox")
def test_all_attempts_are_tried() -> None:
    """The list above, and what the bot knows."""
    source = (APART / "escapes.py").read_text()
    assert set(re.findall(r"^def (\w+)\(\):", source, re.MULTILINE)) == set(ESCAPES)


def judge(result: BlockResult, kind: End, harmless: BlockResult) -> None:
    """Check that every game of the bad one ended as it should."""
    if kind is NONE:
        assert_equal(harmless, result)
        return
    told = result.faults[:1]
    for seating, seat in enumerate(seats_of(result, "bad")):
        assert set(result.ends[:, seating, seat].tolist()) == {kind}, told
        assert set(result.ends[:, seating, 1 - seat].tolist()) == {NONE}, told
        assert set(result.winners[:, seating].tolist()) == {1 << 1 - seat}, told
        if kind is not ROW:
            assert not result.totals[:, seating, seat].any(), told
    charged = [(fault.dice_set, fault.seating) for fault in result.faults]
    assert len(charged) == len(set(charged)) == min(result.block.games, 2 * Faults.DETAILED)
    assert {(fault.agent, fault.kind) for fault in result.faults} == {("bad", kind)}
    assert all(fault.message.isprintable() and len(fault.message) < 1100 for fault in result.faults), told
