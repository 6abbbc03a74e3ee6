"""Takes its time over every decision."""

import time


class Sleeps:
    def __init__(self, seconds=0.02):
        self.seconds = seconds

    def hold(self, turn):
        time.sleep(self.seconds)
        return turn.dice

    def choose_row(self, turn):
        time.sleep(self.seconds)
        return turn.open_rows[0]
