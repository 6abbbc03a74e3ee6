"""The formats of exported games, by name; apart from what writes them, so that the command line can list them."""

from __future__ import annotations

from typing import Literal, get_args

GameFormat = Literal["csv", "jsonl"]
FORMATS: tuple[GameFormat, ...] = get_args(GameFormat)
DEFAULT_FORMAT: GameFormat = "csv"
