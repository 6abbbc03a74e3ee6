"""Does it as it is loaded."""

import os
import struct
import time

text = b'{"broken": "\\u001b[2J\\ud800"}'
os.write(3, struct.pack("<II", len(text) + 4, len(text)) + text)
time.sleep(600)


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
