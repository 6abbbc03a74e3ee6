# Published optima of others' programs, and this project's own reference figures, reached by separate programs.
"""What the shipped games are worth under optimal play, and the standard deviation of a game's points."""

from __future__ import annotations

from typing import Any, NamedTuple


class RightValue(NamedTuple):
    """A ruleset with options changed; expected points, and their standard deviation where it is known."""

    ruleset: str
    options: dict[str, Any]
    value: float
    sd: float | None


RIGHT_VALUES = [
    RightValue("thirteen", {}, 229.638500, 31.937),
    RightValue("yahtzee", {}, 254.587729, 59.6077),
    RightValue("yahtzee", {"joker": "free"}, 254.589609, 59.6116),
    RightValue("yahtzee", {"joker": "none", "five_bonus": 0}, 245.870775, 39.8201),
    RightValue("yahtzee", {"joker": "free", "upper_bonus_at": 64}, 252.721112, None),
    RightValue("yatzy", {}, 248.439989, 38.4964),
    RightValue("yatzy", {"five_is_full_house": True}, 248.468091, None),
    RightValue("yatzy", {"four_is_two_pairs": True}, 248.644059, None),
]
WITHIN = 1e-6
"""Points; figures are printed to six digits."""
SD_WITHIN = 1e-3
