"""External bots for tests: how they are entered, and where they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from leagues import BOTS, ROOT

from arena.agent.commands import locate_command
from arena.agent.ref import AgentRef

EXTERNAL = BOTS / "external"
EXAMPLES = ROOT / "examples" / "external"
PYTHON = [sys.executable, "-IS"]


def external(*words: str, name: str = "bad", beside: Path = EXTERNAL) -> AgentRef:
    """Return a reference to a Python script with its words."""
    return locate_command([*PYTHON, *words], beside, name=name)


def example(language: str, folder: Path) -> Sequence[str]:
    """Return the command of an example, which is put into a folder; skip where its language is not to be had."""
    if language == "python":
        shutil.copy(EXAMPLES / "pairs.py", folder)
        return [*PYTHON, "pairs.py"]
    if language == "javascript":
        if shutil.which("node") is None:
            pytest.skip("node is not installed")
        shutil.copy(EXAMPLES / "straights.js", folder)
        return ["node", "straights.js"]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    flags = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", folder / "steady", EXAMPLES / "steady.c"], check=True)
    return ["./steady"]
