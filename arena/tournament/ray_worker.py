"""The side of a Ray worker: a task plays several blocks; rules, bots and bots' processes are kept for the next one.

What comes in is looked at only after the versions were compared, as another arena could not read it.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import socket
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Literal

from arena.errors import DiskError, NoProcessError, StarterGoneError, UserError
from arena.held_folder import held_folder
from arena.records import Block, BlockResult
from arena.tournament.cargo import Cargo, Unloaded
from arena.tournament.node_folder import node_folder
from arena.tournament.work import Worker
from arena.version import VERSION

Said = Literal["played", "mistake", "unable", "failed"]
Reply = tuple[Said, Any]
"""``played``: a list of results, each with its seconds; ``mistake`` and ``failed``: a text; ``unable``: a shortage."""


@cache
def build() -> str:
    """Return what must be the same wherever blocks of a run are played: the version, and a hash of the source."""
    package = Path(__file__).parents[1]
    content = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        if not inside.parts[0].startswith("_bundled"):
            content.update(f"{inside.as_posix()}\0".encode() + path.read_bytes())
    return f"{VERSION} ({content.hexdigest()[:12]})"


class _Here:
    """What this worker has of the run that it plays for.

    Args:
        run: a name for the run.
        cargo: the job, and the bundles by name: references to what is in the object store.
    """

    def __init__(self, run: str, cargo: tuple[Any, Mapping[str, Any]]) -> None:
        import ray  # noqa: PLC0415 - an extra

        self.run = run
        packed, bundles = cargo
        sent: Cargo = pickle.loads(ray.get(packed))
        folder = sent.job.folder or node_folder()
        place = socket.gethostname()
        with ExitStack() as opened:
            inner = opened.enter_context(held_folder(folder, "worker-"))
            self.unloaded = Unloaded(
                sent, lambda name: bytes(ray.get(bundles[name])), folder, inner=inner, place=place
            )
            self._opened = opened.pop_all()
        self._worker: Worker | None = None

    def worker(self) -> Worker:
        """Return the worker, which is made at first."""
        if self._worker is None:
            worker = Worker(self.unloaded.job)
            self._opened.callback(worker.close)
            worker.warm_up()
            self._worker = worker
        return self._worker

    def play(self, blocks: Sequence[Block]) -> list[tuple[BlockResult, float]]:
        """Play blocks; returns results, each with the seconds it took."""
        worker = self.worker()
        played = []
        for block in blocks:
            began = time.perf_counter()
            result = worker.play(block)
            played.append((self.unloaded.sent(result), time.perf_counter() - began))
        return played

    def close(self) -> None:
        """End bots' processes, and remove what was unpacked for this worker alone."""
        self._opened.close()


class _Kept:
    """What a process keeps between tasks: at most one run."""

    here: _Here | None = None


def play_blocks(theirs: str, run: str, cargo: tuple[Any, Mapping[str, Any]], packed: bytes) -> Reply:
    """Play blocks in a Ray worker.

    Args:
        theirs: the arena's `build` where the run is.
        run: a name for the run.
        cargo: references to the job and to the bundles.
        packed: the blocks, pickled; none to make ready.
    """
    if theirs != build():
        where = socket.gethostname()
        return "mistake", f"the arena on {where} is {build()}, and {theirs} here: install the same on every node"
    here = _Kept.here
    try:
        if here is None or here.run != run:
            _settle_in()
            ended, _Kept.here, here = here, None, None
            if ended is not None:
                ended.close()
            _Kept.here = here = _Here(run, cargo)
        return "played", here.play(pickle.loads(packed))
    except StarterGoneError as error:
        if here is not None:  # its bots cannot be started any more; the next task begins with another
            _Kept.here = None
            here.close()
        return "unable", StarterGoneError(str(error))
    except (NoProcessError, DiskError) as error:
        return "unable", type(error)(str(error))  # without a traceback and what hangs on it
    except UserError as error:
        return "mistake", here.unloaded.told(str(error)) if here else str(error)
    except Exception:
        text = traceback.format_exc()
        return "failed", here.unloaded.told(text) if here else text


def answer() -> bool:
    """Show that a node is there."""
    return True


@cache
def _settle_in() -> None:
    """Make this process a quiet one, that leaves nothing behind when it may end by itself."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # a bot's prints would fill the cluster's logs
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for good
    atexit.register(lambda: _Kept.here.close() if _Kept.here else None)
