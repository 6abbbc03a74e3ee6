"""Thinks in a thread of its own, also while others are asked."""

import threading


def think():
    while True:
        sum(range(1000))


def hold(turn):
    if threading.active_count() == 1:
        threading.Thread(target=think, daemon=True).start()
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
