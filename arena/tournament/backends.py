"""The names of the places where blocks are played."""

from __future__ import annotations

from typing import Literal, get_args

Backend = Literal["serial", "processes", "ray"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
DEFAULT_BACKEND: Backend = "processes"
