"""As gated.py, but waits in the second seat only: the first seating of its block is played then."""

import os
import time
from pathlib import Path

HAND = (1, 1, 2, 2, 3)


def hold(turn):
    gate = os.environ.get("GATE")
    if gate and turn.seat == 1 and turn.round == 1 and turn.roll == 1 and turn.dice == HAND:
        Path(f"{gate}.{os.getpid()}").touch()
        while not Path(gate).exists():
            time.sleep(0.01)
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
