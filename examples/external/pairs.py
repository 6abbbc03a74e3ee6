"""An external bot in Python: the standard library is all it needs. It answers a question in one line.

It keeps what shows most often, or in showdown what pairs, and fills the row that pays most beside what the row is
usually worth.
"""

import json
import sys
from typing import Any

USUAL = {"chance": 22, "ones": 2, "twos": 5, "threes": 8, "fours": 12, "fives": 15, "sixes": 19}
"""Points by row that are nothing special."""


def keep(turn: dict[str, Any]) -> list[int]:
    dice: list[int] = turn["dice"]
    counts = {face: dice.count(face) for face in dice}
    if turn["card"] and max(counts.values()) == 1:
        return dice[-1:]
    if turn["card"]:
        best = max(counts, key=lambda face: (counts[face], face))
        return [face for face in dice if face == best]
    return [face for face in dice if counts[face] > 1]


def row(turn: dict[str, Any]) -> str:
    rows: list[str] = turn["open_rows"]
    return max(rows, key=lambda name: turn["scores"][name] - USUAL.get(name, 10))


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer: dict[str, Any] = {"type": "hello", "stateless": True}
        elif message["type"] == "hold":
            answer = {"answers": [keep(turn) for turn in message["turns"]]}
        else:
            answer = {"answers": [row(turn) for turn in message["turns"]]}
        print(json.dumps(answer), flush=True)


main()
