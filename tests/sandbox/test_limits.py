"""Limits hold in the box and cannot be raised there."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from errno import EMFILE, ENOMEM, EPERM
from typing import Any

import attacks_on_processes as processes
import pytest
from boxed import Zygote, refused, succeeded


@pytest.mark.parametrize("attack", [processes.take, processes.take_in_thread])
@pytest.mark.parametrize("memory", ["address_space", "data"])
def test_memory(zygote: Zygote, attack: Callable[..., Any], memory: str) -> None:
    box = {"memory_mb": 512, "memory": memory}
    result = zygote(attack, box=box, megabytes=600)
    assert (result.ended, result.raised) == (0, "MemoryError")
    assert zygote(attack, box=box, megabytes=100).returned == 100 << 20
    assert zygote(attack, layers="none", megabytes=600).returned == 600 << 20


@pytest.mark.parametrize("attack", [processes.take_shared, processes.take_downwards])
def test_memory_that_is_no_data(zygote: Zygote, attack: Callable[..., Any]) -> None:
    refused(zygote(attack, box={"memory": "data", "memory_mb": 512}, megabytes=600), EPERM)
    refused(zygote(attack, box={"memory_mb": 512}, megabytes=600), ENOMEM)
    succeeded(zygote(attack, layers="none", megabytes=600))


def test_processor_time(zygote: Zygote) -> None:
    assert zygote(processes.burn, box={"cpu_seconds": 1}, seconds=3).ended == -signal.SIGXCPU
    succeeded(zygote(processes.burn, layers="none", seconds=1.2))


def test_processor_time_of_one_who_does_not_listen(zygote: Zygote) -> None:
    assert zygote(processes.burn_deaf, box={"cpu_seconds": 1}, seconds=4).ended == -signal.SIGKILL


def test_open_files(zygote: Zygote) -> None:
    refused(zygote(processes.open_many, box={"open_files": 16}, count=16), EMFILE)
    assert zygote(processes.open_many, layers="none", count=16).returned == 16


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE"])
def test_limits_cannot_be_set(zygote: Zygote, name: str) -> None:
    result = zygote(processes.raise_limit, name=name)
    assert result.raised in ("PermissionError", "ValueError"), result  # how the module tells EPERM
    succeeded(zygote(processes.raise_limit, layers="none", name=name))


@pytest.mark.parametrize(
    "attack", [processes.raise_limit_by_number, processes.outlive_parent, processes.open_up, processes.move_pipe_size]
)
def test_settings_cannot_be_undone(zygote: Zygote, attack: Callable[..., Any]) -> None:
    refused(zygote(attack), EPERM)
    succeeded(zygote(attack, layers="none"))


def test_typing_into_the_terminal(zygote: Zygote) -> None:
    refused(zygote(processes.type_into_terminal), EPERM)


def test_what_is_set(zygote: Zygote) -> None:
    found = zygote(processes.state, box={"memory_mb": 700, "cpu_seconds": 7, "open_files": 20}).returned
    assert found["RLIMIT_AS"] == [700 << 20] * 2
    assert found["RLIMIT_CPU"] == [7, 8]
    assert found["RLIMIT_NOFILE"] == [20, 20]
    assert found["RLIMIT_CORE"] == found["RLIMIT_FSIZE"] == [0, 0]
    assert found["RLIMIT_NPROC"][0] == found["RLIMIT_NPROC"][1] > 0
    assert found["capabilities"] & ~(0b110 if os.geteuid() == 0 else 0) == 0
