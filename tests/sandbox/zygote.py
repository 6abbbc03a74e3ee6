"""A small clean process that forks children, boxes them, and has each do one thing.

One JSON object a line comes in: ``{"module", "name", "arguments", "layers", "box", "opened"}``. One goes out: what the
child returned or raised, how it ended, and how long entering took.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

from arena.sandbox import landlock, limits
from arena.sandbox.box import Box, enter

SECONDS = 60


def act(request: dict[str, Any], parent: int) -> dict[str, Any]:
    """Do one thing under the layers asked for, and return what came of it."""
    function = getattr(importlib.import_module(request["module"]), request["name"])
    settings = {
        key: tuple(map(Path, value)) if isinstance(value, list) else value for key, value in request["box"].items()
    }
    box, began = Box(**settings), time.perf_counter()
    if request["layers"] == "box":
        enter(box, parent=parent)
    elif request["layers"] == "landlock":
        limits.refuse_privileges()
        landlock.restrict(box.readable, box.executable)
    took = time.perf_counter() - began
    try:
        return {"returned": function(**request["arguments"]), "entering": took}
    except BaseException as error:
        return {"raised": type(error).__name__, "errno": getattr(error, "errno", None), "said": str(error)}


def child(request: dict[str, Any], out: int, parent: int) -> None:
    """Have no descriptor but the three, the second of which is the pipe; never return."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.closerange(3, 4096)
        if request["opened"] is not None:
            os.dup2(os.open(request["opened"], os.O_RDWR), request["arguments"]["descriptor"])
        print(json.dumps(act(request, parent)), flush=True)
        code = 0
    finally:
        os._exit(code)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Fork a child for a request, and return what it said and how it ended."""
    parent, (ours, theirs) = os.getpid(), os.pipe()
    pid = os.fork()
    if pid == 0:
        child(request, theirs, parent)
    os.close(theirs)
    said, until = b"", time.monotonic() + SECONDS
    while select.select([ours], [], [], max(0.0, until - time.monotonic()))[0]:
        got = os.read(ours, 1 << 16)
        if not got:
            break
        said += got
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(ours)
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    lines = said.decode().splitlines()
    outcome = json.loads(lines.pop()) if lines and lines[-1].startswith("{") else {}
    return {"ended": ended, "printed": lines, **outcome}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
