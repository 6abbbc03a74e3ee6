"""Changes what a process has, at its first question of every game, and plays on: nobody else may notice."""

import builtins
import gc
import os
import random
import signal
import sys

import numpy as np


def seed_random(turn):
    random.seed(1)
    np.random.seed(1)


def forget_modules(turn):
    for name in ("json", "numpy", "arena.agent.serve", "arena.records"):
        sys.modules.pop(name, None)


def replace_modules(turn):
    sys.modules["json"] = sys.modules["struct"] = sys.modules["random"] = None


def replace_builtins(turn):
    builtins.print = builtins.open = builtins.input = None


def break_builtins(turn):
    builtins.len = builtins.enumerate = builtins.zip = None


def break_numpy(turn):
    np.array = np.zeros = np.full = np.flatnonzero = None


def numpy_errors(turn):
    np.seterr(all="raise")
    np.set_printoptions(precision=1)


def ignore_signals(turn):
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)


def alarm(turn):
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def recursion(turn):
    sys.setrecursionlimit(1 << 20)


def low_recursion(turn):
    sys.setrecursionlimit(5 + len(list(frames())))


def frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def environment(turn):
    os.environ.clear()
    os.environ["PYTHONPATH"] = os.environ["HOME"] = "/nowhere"
    os.putenv("LD_PRELOAD", "/nowhere.so")


def folder(turn):
    try:
        os.chdir("/")
    except OSError:
        pass
    try:
        os.rmdir(os.getcwd())
    except OSError:
        pass


def trace(turn):
    sys.settrace(lambda *_: None)
    sys.setprofile(lambda *_: None)


def no_gc(turn):
    gc.disable()
    gc.set_threshold(1)


def priority(turn):
    try:
        os.nice(19)
    except OSError:
        pass


def stdout(turn):
    sys.stdout.close()
    sys.stderr = None


def set_dice(turn):
    turn.dice = (6, 6, 6, 6, 6)


def set_card(turn):
    turn.card[turn.open_rows[0]] = 1000


def own_points(turn):
    """Gives itself points, on what it was told of the games."""
    for thing in gc.get_objects():
        if type(thing).__name__ == "CardTables":
            thing.cards.points[:, turn.seat] += 100


def own_numbers(turn):
    """Draws random numbers that are not its turn's."""
    for _ in range(100):
        turn.rng.random()


CHANGES = {name: thing for name, thing in list(globals().items()) if callable(thing)}


class Changes:
    def __init__(self, what):
        self.change = CHANGES[what]
        self.due = True

    def hold(self, turn):
        if self.due:
            self.due = False
            self.change(turn)
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
