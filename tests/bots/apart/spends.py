"""Spends some processor time, or memory, at every hold."""

import time


def spend(ms):
    began = time.thread_time()
    while time.thread_time() - began < ms / 1000:
        pass


class Scalar:
    def __init__(self, ms=0, mb=0, printed_kb=0):
        self.ms, self.mb, self.printed_kb = ms, mb, printed_kb

    def hold(self, turn):
        spend(self.ms)
        held = bytearray(self.mb << 20)
        for _ in range(self.printed_kb):
            print("x" * 1023)
        del held
        return ()

    def choose_row(self, turn):
        return turn.open_rows[0]


class Many:
    def __init__(self, ms):
        self.ms = ms

    def hold_many(self, turns):
        spend(self.ms)
        return turns.keep_ids(turns.slot * 0)

    def choose_row_many(self, turns):
        return turns.legal.argmax(axis=1)
