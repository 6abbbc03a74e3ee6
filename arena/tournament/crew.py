"""Who plays, told to whoever watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Crew:
    """Who plays now.

    Attributes:
        nodes: machines.
        workers: of these machines, those that are ready to play: as many blocks are played at the same time.
        news: what happened to one of them, in one line; else an empty string.
    """

    nodes: int
    workers: int
    news: str = ""


Tell = Callable[[Crew], None]
"""Told of the crew at first, and whenever it changes."""


def nobody(crew: Crew) -> None:
    """Tell nobody."""
    del crew
