"""Starts a local Ray cluster, and ends with all of it when whoever asked for it is gone, whatever ended them.

Ray ties two of its processes to the one that started them; others live on for minutes, or for good. Here all become
the warden's own when they are orphaned, and are killed when its input closes. It is asked by `Warden`, and has a child
that starts the cluster: whoever has done that is ended by Ray itself when the cluster's head dies.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from arena.agent.ends import end_in_time
from arena.errors import UserError, one_line
from arena.sandbox.limits import adopt_orphans, tie_to_parent

STORE_BYTES = 256 << 20
"""Of the cluster's object store: a task's results are a few megabytes at most."""
START_S = 180.0
END_S = 20.0
LONGEST = 80
"""Letters that are told of what it should not have said."""
SITES = ("site-packages", "dist-packages")
MODULE = "arena.tournament.ray_warden"
STARTER = "starter"
"""The last argument of the process that starts the cluster."""
ADOPTS = sys.platform.startswith("linux")


class Warden:
    """Whoever keeps a local cluster; a context manager.

    Args:
        folder: for the cluster's files; it is removed at the end.
        workers: processors of the cluster; None for all.
        start_s: seconds that it has to start.

    Attributes:
        address: of the cluster.

    Raises:
        UserError: if the cluster does not start.
    """

    def __init__(self, folder: Path, workers: int | None, *, start_s: float = START_S) -> None:
        package = Path(__file__).parents[2]
        environment = dict(os.environ)
        if package.name not in SITES:  # a checkout, which workers must find too
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(package), environment.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE, str(folder), json.dumps(workers)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C is not its matter
        )
        try:
            self.address = self._address(start_s)
        except BaseException:
            self.close()
            raise

    def _address(self, start_s: float) -> str:
        stream, lines = self._process.stdout, Queue[str]()
        assert stream is not None
        threading.Thread(target=lambda: lines.put(stream.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=start_s)
            said = json.loads(line) if line else {"error": f"ended with exit code {self._process.wait()}"}
            error = said.get("error") or ("" if "address" in said else f"it said {line[:LONGEST]!r}")
        except Empty:
            error = f"not within {start_s:g} seconds"
        except (ValueError, AttributeError):
            error = f"it said {line[:LONGEST]!r}"
        if error:
            raise UserError(f"a local Ray cluster does not start: {error}")
        return str(said["address"])

    def __enter__(self) -> Warden:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the cluster, and wait until it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        end_in_time(self._process, END_S)
        self._process.stdout.close()


def main(folder: str, workers: str) -> None:
    """Have a child start the cluster, and end all of it with the input, or with that child.

    Args:
        folder: for its files.
        workers: processors, in JSON.
    """
    if ADOPTS:
        tie_to_parent(None, signal.SIGCONT)  # so that it finds its input closed where a bot has stopped it
        adopt_orphans()
    starter = subprocess.Popen([sys.executable, "-P", "-m", MODULE, folder, workers, STARTER], stdin=subprocess.PIPE)
    os.dup2(2, 1)  # so that what is said ends with the child
    ended = threading.Event()

    def wait_for_input() -> None:
        sys.stdin.buffer.read()
        ended.set()

    def wait_for_starter() -> None:
        starter.wait()
        ended.set()

    for waiting in (wait_for_input, wait_for_starter):
        threading.Thread(target=waiting, daemon=True).start()
    ended.wait()
    code = starter.returncode or 0
    if ADOPTS:
        _end_all()
    else:
        assert starter.stdin is not None
        starter.stdin.close()
        starter.wait()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(code if code >= 0 else 128 - code)


def start(folder: str, workers: str) -> None:
    """Start the cluster, say its address, and be there for it until the input ends.

    Args:
        folder: for its files.
        workers: processors, in JSON.
    """
    said, sys.stdout = sys.stdout, sys.stderr
    with suppress(OSError):  # nobody waits for it any more
        said.write(json.dumps(_started(folder, json.loads(workers))) + "\n")
        said.flush()
    sys.stdin.buffer.read()
    import ray  # noqa: PLC0415 - an extra

    ray.shutdown()


def _started(folder: str, workers: int | None) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    try:
        import ray  # noqa: PLC0415 - an extra

        context = ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=STORE_BYTES,
            _temp_dir=folder,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        return {"address": context.address_info["gcs_address"]}
    except Exception as error:
        return {"error": one_line(error)}


def _end_all() -> None:
    """Kill all descendants; those that are orphaned by that become children."""
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        for pid in _children(os.getpid()):
            for inner in _below(pid):
                with suppress(OSError):
                    os.kill(inner, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def _below(pid: int) -> list[int]:
    """Return a process and all its descendants, parents first."""
    return [pid, *(inner for child in _children(pid) for inner in _below(child))]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):  # it has ended meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


if __name__ == "__main__":
    if sys.argv[-1] == STARTER:
        start(*sys.argv[1:-1])
    else:
        main(*sys.argv[1:])
