"""A good tournament file, and how a bad one is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from leagues import Console

GOOD = """\
name: small
seed: 7
rulesets: [two-stage]
agents: [greedy, random]
games: 8
"""


def refused(arena: Console, folder: Path, content: str | bytes) -> str:
    """Return how a tournament file is refused, without its name; nothing may be in its folder but what was before."""
    (folder / "t.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    before = everything_in(folder)
    told = arena("run", "t.yaml", cwd=folder).mistake
    assert everything_in(folder) == before
    return told.removeprefix("t.yaml:")


def everything_in(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def changed(**keys: Any) -> str:
    """Return the good file with some keys changed or added, and those that are None left out; one key a line."""
    lines = []
    for key, value in {**yaml.safe_load(GOOD), **keys}.items():
        text = yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n")
        lines += [f"{key}: {text}"] if value is not None else []
    return "".join(lines)
