"""Loads here, and kills every worker process that loads it."""

import multiprocessing
import os

if multiprocessing.parent_process() is not None:
    os._exit(5)


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
