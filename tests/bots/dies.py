"""Ends the process that asks it, on one hand, if the environment names a file that says how."""

import os
import signal
from pathlib import Path


class Dies:
    """Dies on a hand.

    Args:
        hand: first roll of the first round.
    """

    def __init__(self, hand):
        self.last_hand = tuple(hand)

    def hold(self, turn):
        orders = os.environ.get("ORDERS")
        if orders and turn.round == 1 and turn.roll == 1 and turn.dice == self.last_hand:
            match Path(orders).read_text():
                case "exit":
                    os._exit(3)
                case "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "real-time":
                    os.kill(os.getpid(), 40)
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
