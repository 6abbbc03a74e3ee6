"""One zygote for all tests of the box."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from boxed import Zygote

from arena.sandbox.box import missing
from arena.sandbox.landlock import version

LACKING = missing()


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    if LACKING:
        pytest.skip(f"this machine has no {', no '.join(LACKING)}")
    made = Zygote()
    yield made
    made.close()


@pytest.fixture(scope="session")
def landlock(zygote: Zygote) -> int:
    """The version of this kernel's Landlock."""
    return version()
