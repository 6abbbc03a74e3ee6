"""What a bot's process left behind, made fit for its author: the line that tells most, and paths of the bot's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from arena.agent.bot_process import TAIL
from arena.agent.bundle import in_home
from arena.agent.modules import in_public
from arena.agent.ref import AgentRef
from arena.errors import one_line

MOST_TOLD = 500
"""Letters of a line that are told in an error."""
ERROR = re.compile(
    r"(?:Uncaught )?[\w$.:]*(?:Error|Exception|Exit|Interrupt)(?: \[\w+\])?(?::|$)"  # Python, JavaScript, Ruby, Lua
    r"|(?:fatal )?error(?:\[\w+\])?:"  # compilers and interpreters
    r"|panic: |thread '.*' panicked at |Exception in thread "  # Go, Rust, Java
)
"""How a line begins that names an error."""
TRACEBACK = "Traceback (most recent call last):"


def telling(printed: str) -> str:
    """Return the line of what was printed that tells most: the last that names an error, else the last; cut to size.

    After the error itself many languages print where it was raised, and some their version.
    """
    lines = [line for line in printed.splitlines() if line.strip()]
    last = next((number for number in reversed(range(len(lines))) if ERROR.match(lines[number])), -1)
    if TRACEBACK in lines[last:]:  # of a later error, by another name: it ends with that
        last = -1
    return one_line(lines[last])[:MOST_TOLD] if lines else ""


def with_tail(told: str, printed: str) -> str:
    """Return what is told of a process's end, and the line that tells most of what it printed."""
    line = telling(printed)
    return f"{told}: {line}" if line else told


def places(ref: AgentRef, home: Path) -> dict[str, str]:
    """Return the paths of a bot's copy, and what each is told as: the bot's own.

    Args:
        ref: the bot.
        home: the folder that it is unpacked in.
    """
    copy = in_home(ref, home)
    pairs = [(new.path, part.path) for new, part in zip(copy.parts, ref.parts, strict=True) if part.inside]
    pairs += [] if ref.argv else [(copy.path, ref.path)]
    if not ref.module or ref.root is not None:
        pairs.append((home, ref.root or ref.path.parent))
    # The system's folder for temporary files may be a link, and programs tell where they are without links.
    return {str(path): str(own) for there, own in pairs for path in (there, home.resolve() / there.relative_to(home))}


def in_place(text: str, renamed: Mapping[str, str]) -> str:
    """Return a text with a bot's own paths for those of its copy; see `places`."""
    for copy in sorted(renamed, key=len, reverse=True):  # one may be a part of another
        text = text.replace(copy, renamed[copy])
    return text


def tail_in_place(printed: str, renamed: Mapping[str, str]) -> str:
    """Return the last of what was printed, with a bot's own paths and names; longer ones make it no longer."""
    return in_place(in_public(printed), renamed)[-TAIL:]
