"""One nursery for all tests that need no other, and the two levels at which bots are kept apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from kept_apart import LACKING, here, misbehaved, play, shipped

from arena.agent.nursery import Nursery
from arena.records import BlockResult

if not sys.platform.startswith("linux"):
    collect_ignore_glob = ["test_*"]  # limits, clocks and the sandbox are Linux's


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as made:
        yield made


@pytest.fixture(scope="module")
def honest() -> BlockResult:
    """What one that does nothing wrong plays inline, by itself: one leg, and so one process where it is apart."""
    return play(here(shipped("collector")))


@pytest.fixture(scope="module")
def harmless() -> BlockResult:
    """What the bot of the deeds plays inline without one; external bots play the same without theirs."""
    return play(here(misbehaved("deeds.py", deed="nothing"), shipped("greedy")))


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
