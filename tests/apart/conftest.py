"""One nursery for all tests that need no other, and the two levels at which bots are kept apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from kept_apart import LACKING

from arena.agent.nursery import Nursery

if not sys.platform.startswith("linux"):
    collect_ignore_glob = ["test_*"]  # limits, clocks and the sandbox are Linux's


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as made:
        yield made


@pytest.fixture(params=["process", "sandbox"])
def boxed(request: pytest.FixtureRequest) -> bool:
    """True for the sandbox."""
    if request.param == "sandbox":
        need_sandbox()
    return bool(request.param == "sandbox")


@pytest.fixture
def sandbox() -> None:
    need_sandbox()


def need_sandbox() -> None:
    if LACKING:
        pytest.skip(f"this machine has no {', no '.join(LACKING)}")
