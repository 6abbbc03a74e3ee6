"""The tests' own console does not wait for a command that never ends."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from leagues import Console, write_tournament

SLEEPS = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def hold(turn):
    while True:
        signal.pause()
def choose_row(turn):
    return turn.open_rows[0]
"""


class Impatient(Console):
    seconds = 1.0


def test_a_command_that_never_ends(tmp_path: Path) -> None:
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    file = write_tournament(tmp_path, agents=["greedy", {"path": "sleeps.py"}])
    with pytest.raises(subprocess.TimeoutExpired):
        Impatient().process("run", file, "--backend", "serial", cwd=tmp_path)
