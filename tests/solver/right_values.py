# Reference figures: published optima, and figures given to this project with its task; each line names its source.
"""What the shipped games are worth under optimal play, and the standard deviation of a game's points."""

from __future__ import annotations

from typing import Any, NamedTuple

OURS = "reference figures of this project, given with its task in 2026"
WITH_FREE_JOKER = f"published optimum of solitaire Yahtzee, 254.5896; its further digits: {OURS}"
WITHOUT_JOKER = f"published optimum of solitaire Yahtzee without further points, 245.87; its further digits: {OURS}"


class RightValue(NamedTuple):
    """A ruleset with options changed; expected points, their standard deviation where it is known, and who says so."""

    ruleset: str
    options: dict[str, Any]
    value: float
    sd: float | None
    source: str


RIGHT_VALUES = [
    RightValue("thirteen", {}, 229.638500, 31.937, OURS),
    RightValue("yahtzee", {}, 254.587729, 59.6077, OURS),
    RightValue("yahtzee", {"joker": "free"}, 254.589609, 59.6116, WITH_FREE_JOKER),
    RightValue("yahtzee", {"joker": "none", "five_bonus": 0}, 245.870775, 39.8201, WITHOUT_JOKER),
    RightValue("yahtzee", {"joker": "free", "upper_bonus_at": 64}, 252.721112, None, OURS),
    RightValue("yatzy", {}, 248.439989, 38.4964, OURS),
    RightValue("yatzy", {"five_is_full_house": True}, 248.468091, None, OURS),
    RightValue("yatzy", {"four_is_two_pairs": True}, 248.644059, None, OURS),
]
WITHIN = 1e-6
"""Points; figures are printed to six digits."""
SD_WITHIN = 1e-3
"""Points; standard deviations depend on which of several equal decisions is taken, and programs differ in that."""
