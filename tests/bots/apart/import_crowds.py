"""Has threads as it is loaded, more than any may."""

import threading
import time

threading.stack_size(1 << 16)
for _ in range(299):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
