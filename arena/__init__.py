"""The arena where dice-poker bots compete: what the author of a bot needs.

Names are loaded when they are first used, so that a command line that needs none of them starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from arena.version import VERSION

if TYPE_CHECKING:
    from arena.agent.bot import Agent
    from arena.agent.hooks import hookimpl
    from arena.agent.outlook import (
        best_gains,
        best_keep,
        best_row,
        further_five,
        hand_ranks,
        keep_values,
        row_gain,
        row_outcomes,
        row_payments,
        score_table,
    )
    from arena.agent.turn import Opponent, Turn
    from arena.agent.turns import Turns
    from arena.agent.values import Values, hand_stakes, values
    from arena.dice.lattice import KEEPS, ROLLS, lattice
    from arena.dice.rng import Rng
    from arena.rules.model import Ruleset

__version__ = VERSION

__all__ = [
    "KEEPS",
    "ROLLS",
    "Agent",
    "Opponent",
    "Rng",
    "Ruleset",
    "Turn",
    "Turns",
    "Values",
    "best_gains",
    "best_keep",
    "best_row",
    "further_five",
    "hand_ranks",
    "hand_stakes",
    "hookimpl",
    "keep_values",
    "lattice",
    "row_gain",
    "row_outcomes",
    "row_payments",
    "score_table",
    "values",
]

_HOMES = {
    "KEEPS": "arena.dice.lattice",
    "ROLLS": "arena.dice.lattice",
    "Agent": "arena.agent.bot",
    "Opponent": "arena.agent.turn",
    "Rng": "arena.dice.rng",
    "Ruleset": "arena.rules.model",
    "Turn": "arena.agent.turn",
    "Turns": "arena.agent.turns",
    "Values": "arena.agent.values",
    "best_gains": "arena.agent.outlook",
    "best_keep": "arena.agent.outlook",
    "best_row": "arena.agent.outlook",
    "further_five": "arena.agent.outlook",
    "hand_ranks": "arena.agent.outlook",
    "hand_stakes": "arena.agent.values",
    "hookimpl": "arena.agent.hooks",
    "keep_values": "arena.agent.outlook",
    "lattice": "arena.dice.lattice",
    "row_gain": "arena.agent.outlook",
    "row_outcomes": "arena.agent.outlook",
    "row_payments": "arena.agent.outlook",
    "score_table": "arena.agent.outlook",
    "values": "arena.agent.values",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
