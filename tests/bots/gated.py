"""Takes the first roll; on one hand says so and waits for a gate to open, if the environment names one."""

import os
import time
from pathlib import Path

HAND = (1, 1, 2, 2, 3)


def hold(turn):
    gate = os.environ.get("GATE")
    if gate and turn.round == 1 and turn.roll == 1 and turn.dice == HAND:
        Path(f"{gate}.{os.getpid()}").touch()
        while not Path(gate).exists():
            time.sleep(0.01)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
