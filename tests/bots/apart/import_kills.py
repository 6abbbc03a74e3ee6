"""Does it as it is loaded."""

import os, signal

os.kill(os.getpid(), signal.SIGKILL)


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
