"""The zygote that forks boxed children, seen from the tests, and how they judge what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.sandbox.box import LIBRARIES

HERE = Path(__file__).parent
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
BASIS = [
    *map(str, LIBRARIES),
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")},
    str(HERE),
    str(HERE.parents[1] / "arena"),
]
"""What Python and its packages are made of, the arena, and these tests."""


@dataclass(frozen=True)
class Result:
    """What a child did: how it ended, what it returned or raised."""

    ended: int
    printed: list[str]
    returned: Any = None
    raised: str | None = None
    errno: int | None = None
    said: str = ""
    entering: float | None = None


def refused(result: Result, *errors: int) -> None:
    """Check that the kernel refused what was tried, and that the child lived on."""
    assert result.ended == 0, result
    assert result.raised is not None, result
    assert result.errno in errors, result


def succeeded(result: Result) -> None:
    """Check that the child did what was tried."""
    assert result.ended == 0, result
    assert result.raised is None, result


class Zygote:
    """Asks the zygote to have a child do one thing."""

    def __init__(self) -> None:
        environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONDONTWRITEBYTECODE": "1", "SECRET": "4711"}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "zygote.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # no file: a boxed process could not write to one
            env=environment,
            text=True,
        )

    def __call__(
        self,
        function: Any,
        *,
        layers: str = "box",
        box: dict[str, Any] | None = None,
        opened: str | None = None,
        **arguments: Any,
    ) -> Result:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        settings = {"readable": BASIS, **(box or {})}
        request = {
            "module": function.__module__,
            "name": function.__name__,
            "arguments": arguments,
            "layers": layers,
            "box": settings,
            "opened": opened,
        }
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return Result(**json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
