"""The filter's program, run here by hand, decides for both architectures as its table says."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from errno import EPERM
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_calls import REFUSED

from arena.sandbox import seccomp
from arena.sandbox.numbers import ARCHITECTURES, FREE, JUDGED, NEWEST, NUMBERS, OWN, TOO_NEW, X32, Machine, on
from arena.sandbox.seccomp import ALLOW, REFUSE, UNKNOWN, conditions, of_process, pack, program, template

PID = 4711
MACHINES: tuple[Machine, ...] = get_args(Machine)
WORDS = st.integers(0, (1 << 64) - 1)


def decide(packed: bytes, word: int, number: int, arguments: tuple[int, ...] = (0,) * 6) -> int:
    """Run a filter as the kernel does, on what it is given of a call."""
    data = struct.pack("=IIQ6Q", number, word, 0, *arguments)
    instructions, place, held = list(struct.iter_unpack("=HBBI", packed)), 0, 0
    while True:
        operation, if_true, if_false, operand = instructions[place]
        place += 1
        if operation == seccomp.RETURN:
            return int(operand)
        if operation == seccomp.LOAD:
            held = struct.unpack_from("=I", data, operand)[0]
        elif operation == seccomp.AND:
            held &= operand
        else:
            true = {
                seccomp.EQUAL: held == operand,
                seccomp.AT_LEAST: held >= operand,
                seccomp.ABOVE: held > operand,
            }[operation]
            place += if_true if true else if_false


def built(machine: Machine, *, may_exec: bool = False, data: bool = False) -> bytes:
    return pack(program(machine, conditions(PID, may_exec=may_exec, memory="data" if data else "address_space")))


PACKED = {machine: built(machine) for machine in MACHINES}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number(machine: Machine) -> None:
    free = {on(machine, pair) for pair in FREE.values()}
    judged = {on(machine, pair) for pair in JUDGED.values()}
    new = {on(machine, pair) for pair in TOO_NEW.values()}
    for number in range(1000):
        found = decide(PACKED[machine], ARCHITECTURES[machine], number)
        if number in free:
            assert found == ALLOW, number
        elif number in new or number > NEWEST:
            assert found == UNKNOWN, number
        elif number not in judged:
            assert found == REFUSE, number


@pytest.mark.parametrize("machine", MACHINES)
@given(number=st.integers(0, 0xFFFFFFFF), word=st.integers(0, 0xFFFFFFFF), arguments=st.tuples(*[WORDS] * 6))
def test_other_conventions(machine: Machine, number: int, word: int, arguments: tuple[int, ...]) -> None:
    if word != ARCHITECTURES[machine]:
        assert decide(PACKED[machine], word, number, arguments) == REFUSE
    if machine == "x86_64":
        assert decide(PACKED[machine], ARCHITECTURES[machine], number | X32, arguments) == REFUSE


def judge(machine: Machine, name: str, *arguments: int, packed: bytes | None = None) -> bool:
    number = on(machine, JUDGED[name])
    assert number is not None
    given = (*arguments, *[0] * (6 - len(arguments)))
    found = decide(packed or PACKED[machine], ARCHITECTURES[machine], number, given)
    assert found in (ALLOW, REFUSE)
    return found == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_judged_calls(machine: Machine) -> None:
    threads, forks, user = 0x3D0F00, 17, 0x10000000
    assert judge(machine, "clone", threads)
    assert not judge(machine, "clone", forks)
    assert not judge(machine, "clone", threads | user)
    assert not judge(machine, "clone", threads & ~0x10000)
    assert judge(machine, "openat", 0, 1, 0o2000000)
    for flags in (1, 2, 3, 0o100, 0o1000, 0o20000000, 0o2000001):
        assert not judge(machine, "openat", 0, 1, flags)
    for name in ("kill", "tgkill"):
        assert judge(machine, name, PID, 9, 9)
        assert not judge(machine, name, PID + 1, PID)
        assert not judge(machine, name, 0)
        assert not judge(machine, name, 0xFFFFFFFF)
    assert judge(machine, "prlimit64", 0, 7, 0, 1)
    assert not judge(machine, "prlimit64", 0, 7, 1 << 32, 1)
    assert not judge(machine, "prlimit64", 0, 7, 1, 1)
    assert not judge(machine, "prlimit64", 1, 7, 0, 1)
    assert judge(machine, "fcntl", 0, 3)
    assert not judge(machine, "fcntl", 0, 8)
    assert judge(machine, "preadv2", 3, 4096, 1, 0, 0, 0)
    for flag in (1, 8, 0x80):
        assert not judge(machine, "preadv2", 3, 4096, 1, 0, 0, flag)
    for advice in (4, 8, 14, 15):
        assert judge(machine, "madvise", 4096, 4096, advice)
    for advice in (9, 12, 20, 21, 25, 100, 101):
        assert not judge(machine, "madvise", 4096, 4096, advice)
    assert judge(machine, "clock_gettime", 1)
    assert not judge(machine, "clock_gettime", (1 << 64) - 6)


@pytest.mark.parametrize("machine", MACHINES)
def test_parameters(machine: Machine) -> None:
    executing, data = built(machine, may_exec=True), built(machine, data=True)
    for name in ("execve", "execveat"):
        assert judge(machine, name, packed=executing)
        assert not judge(machine, name)
    private, shared, both, down = 0x22, 0x01, 0x21, 0x122
    for flags in (private, shared, both, down):
        assert judge(machine, "mmap", 0, 4096, 3, flags)
        assert judge(machine, "mmap", 0, 4096, 3, flags, packed=data) == (flags in (private, shared))


@pytest.mark.parametrize("machine", MACHINES)
@given(pid=st.integers(1, 1 << 22))
def test_a_template_is_completed(machine: Machine, pid: int) -> None:
    made = pack(program(machine, conditions(pid, may_exec=False, memory="address_space")))
    assert of_process(template(machine, memory="address_space"), pid) == made


@pytest.mark.parametrize("machine", MACHINES)
def test_size(machine: Machine) -> None:
    """The kernel takes 4096 instructions, and no jump over more than 255."""
    assert len(built(machine, may_exec=True, data=True)) // 8 < 400


def test_groups_share_nothing() -> None:
    groups = (FREE, JUDGED, TOO_NEW, OWN)
    assert len(NUMBERS) == sum(map(len, groups))
    for machine in MACHINES:
        numbers = [number for pair in (NUMBERS | REFUSED).values() if (number := on(machine, pair)) is not None]
        assert len(numbers) == len(set(numbers))
        assert not set(REFUSED) & set(FREE | JUDGED)


HEADERS = {"x86_64": "asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}
WANTED = ("NEW_STAT", "SET_GET_RLIMIT", "SYS_CLONE3", "MEMFD_SECRET", "RENAMEAT")


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_headers(machine: Machine) -> None:
    compiler, folders = shutil.which("cc"), list(Path("/usr/include").glob("x86_64-linux-gnu"))
    if compiler is None or (machine == "x86_64" and not folders):
        pytest.skip("no compiler and headers to compare with")
    wanted = [f"-D__ARCH_WANT_{name}" for name in WANTED if machine == "aarch64"]
    command = [compiler, "-E", "-dM", *wanted, "-include", HEADERS[machine], "-x", "c", "/dev/null"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip("no headers to compare with")
    words = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\w+)", made.stdout))
    found = {name: words.get(value.removeprefix("__NR3264_"), value) for name, value in words.items()}
    compared = 0
    for name, pair in (NUMBERS | REFUSED).items():
        if name in found and found[name].isdigit():
            assert on(machine, pair) == int(found[name]), name
            compared += 1
    assert compared > 100


def test_errors() -> None:
    assert REFUSE & 0xFFFF == EPERM
