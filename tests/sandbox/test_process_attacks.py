"""What a bot may try on other processes and by network fails in the box, and the same succeeds outside of it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from errno import EACCES, EINVAL, ENOSYS, EPERM
from pathlib import Path
from typing import Any

import attacks_on_processes as processes
import pytest
from boxed import Zygote, refused, succeeded
from raw_calls import number_of

Attack = Callable[..., Any]

YAMA = Path("/proc/sys/kernel/yama/ptrace_scope").exists()


def named(attack: Attack) -> str:
    return str(attack.__name__)


ON_THE_PARENT: list[Attack] = [
    processes.signal_parent,
    processes.signal_everyone,
    processes.signal_group,
    processes.signal_thread,
    processes.signal_thread_of_group,
    processes.signal_with_value,
    processes.signal_by_descriptor,
    processes.signal_by_pipe,
    processes.pin_parent,
    processes.limit_parent,
    processes.ask_limits_of_parent,
    processes.slow_parent,
    processes.write_memory,
]
BY_TRACING: list[Attack] = [processes.attach, processes.read_memory]


@pytest.mark.parametrize("attack", BY_TRACING, ids=named)
def test_trace_the_parent(zygote: Zygote, attack: Attack) -> None:
    refused(zygote(attack), EPERM)
    outside = zygote(attack, layers="none")
    assert outside.raised is None or YAMA, outside  # where Yama is at work, only children may be traced


@pytest.mark.parametrize("attack", ON_THE_PARENT, ids=named)
def test_reach_the_parent(zygote: Zygote, attack: Attack) -> None:
    refused(zygote(attack), EPERM)
    succeeded(zygote(attack, layers="none"))


def test_see_what_time_the_parent_uses(zygote: Zygote) -> None:
    refused(zygote(processes.clock_of_parent), EPERM)
    succeeded(zygote(processes.clock_of_parent, layers="none"))


def test_be_traced(zygote: Zygote) -> None:
    refused(zygote(processes.be_traced), EPERM)


LANDLOCK_ALONE: list[Attack] = [
    processes.signal_parent,
    processes.signal_thread,
    processes.signal_with_value,
    processes.attach,
    processes.read_memory,
]


@pytest.mark.parametrize("attack", LANDLOCK_ALONE, ids=named)
def test_landlock_alone_keeps_from_the_parent(zygote: Zygote, attack: Attack, landlock: int) -> None:
    if landlock < 6 and "signal" in named(attack):
        pytest.skip(f"version {landlock} of Landlock does not judge signals")
    refused(zygote(attack, layers="landlock"), EPERM)


FORKS: list[Attack] = [
    processes.fork,
    processes.fork_by_number,
    processes.clone,
    processes.run_program,
    processes.spawn,
]


@pytest.mark.parametrize("attack", FORKS, ids=named)
@pytest.mark.parametrize("may_exec", [False, True])
def test_make_a_process(zygote: Zygote, attack: Attack, may_exec: bool) -> None:
    if attack is processes.fork_by_number and number_of("fork") is None:
        pytest.skip("no fork on this architecture")
    refused(zygote(attack, box={"may_exec": may_exec}), EPERM)
    succeeded(zygote(attack, layers="none"))


def test_make_a_process_with_shared_memory(zygote: Zygote) -> None:
    refused(zygote(processes.clone_sharing_memory), EPERM)
    if number_of("vfork") is not None:
        refused(zygote(processes.vfork), EPERM)


def test_make_a_process_by_structure(zygote: Zygote) -> None:
    refused(zygote(processes.clone_by_structure), ENOSYS)
    succeeded(zygote(processes.clone_by_structure, layers="none"))


def test_make_a_thread_in_a_namespace(zygote: Zygote) -> None:
    refused(zygote(processes.clone_thread_with_namespace), EPERM)
    refused(zygote(processes.clone_thread_with_namespace, layers="none"), EINVAL)


@pytest.mark.parametrize("attack", [processes.execute, processes.execute_by_number], ids=named)
def test_execute(zygote: Zygote, attack: Attack) -> None:
    refused(zygote(attack), EPERM)
    succeeded(zygote(attack, layers="none"))


def test_execute_what_is_only_readable(zygote: Zygote) -> None:
    refused(zygote(processes.execute, box={"may_exec": True}), EACCES)


@pytest.fixture(scope="module")
def listeners(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """One that listens by TCP, UDP, a unix socket with a path and one without."""
    path, hidden = str(tmp_path_factory.mktemp("unix") / "socket"), f"\0arena-{os.getpid()}"
    with ExitStack() as stack:
        tcp, udp, named_unix, hidden_unix = (
            stack.enter_context(socket.socket(family, kind))
            for family, kind in (
                (socket.AF_INET, socket.SOCK_STREAM),
                (socket.AF_INET, socket.SOCK_DGRAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
            )
        )
        addresses: list[Any] = [("127.0.0.1", 0), ("127.0.0.1", 0), path, hidden]
        for made, address in zip((tcp, udp, named_unix, hidden_unix), addresses, strict=True):
            made.bind(address)
            if made is not udp:
                made.listen(20)
        yield {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "path": path, "hidden": hidden}


NETWORK: list[tuple[Attack, str | None]] = [
    (processes.connect, "tcp"),
    (processes.listen, None),
    (processes.send_datagram, "udp"),
    (processes.connect_unix, "path"),
    (processes.connect_unix, "hidden"),
    (processes.make_pair, None),
    (processes.talk_to_kernel, None),
]


def address(attack: Attack, to: str | None, listeners: dict[str, Any]) -> dict[str, Any]:
    if to is None:
        return {}
    return {"address" if attack is processes.connect_unix else "port": listeners[to]}


@pytest.mark.parametrize(("attack", "to"), NETWORK)
def test_speak(zygote: Zygote, listeners: dict[str, Any], attack: Attack, to: str | None) -> None:
    refused(zygote(attack, **address(attack, to, listeners)), EPERM)
    succeeded(zygote(attack, layers="none", **address(attack, to, listeners)))


@pytest.mark.parametrize(
    ("attack", "to", "since", "error"),
    [
        (processes.connect, "tcp", 4, EACCES),
        (processes.listen, None, 4, EACCES),
        (processes.connect_unix, "hidden", 6, EPERM),
    ],
)
def test_landlock_alone_refuses_to_speak(
    zygote: Zygote,
    listeners: dict[str, Any],
    landlock: int,
    attack: Attack,
    to: str | None,
    since: int,
    error: int,
) -> None:
    if landlock < since:
        pytest.skip(f"version {landlock} of Landlock does not judge it")
    refused(zygote(attack, layers="landlock", **address(attack, to, listeners)), error)
