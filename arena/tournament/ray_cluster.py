"""The Ray cluster that blocks are played on: one that runs already, or one of this process's own."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import UserError

AUTO, LOCAL, CLIENT = "auto", "local", "ray://"
DEFAULT_ADDRESS = AUTO
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
}
STORE_BYTES = 256 << 20
"""Of the object store of a cluster of our own: a task's results are a few megabytes at most."""
LONGEST_FOLDER = 30
"""Letters of the folder that Ray's is made in: a socket's path may have 107, and Ray takes about 70."""
CONNECT_S = 2.0
INSTALL = "--backend ray: Ray is not installed: pip install 'dicepoker-arena[ray]' brings it"


def need_ray() -> None:
    """Refuse to go on without Ray.

    Raises:
        UserError: if it is not installed.
    """
    if importlib.util.find_spec("ray") is None:
        raise UserError(INSTALL)


class Cluster:
    """A connection to a cluster; a context manager.

    A process that is connected already stays so, to the same cluster.

    Args:
        address: ``auto`` for one that runs here, else a local one; ``local``, ``ray://host:port`` or ``host:port``.
        workers: processors of a local cluster; None for all.

    Attributes:
        ray: Ray's module.
        local: True if the cluster is this process's own and ends with it.

    Raises:
        UserError: if Ray is not installed, or there is no such cluster.
    """

    def __init__(self, address: str, workers: int | None) -> None:
        need_ray()
        os.environ.update({name: value for name, value in QUIET.items() if name not in os.environ})
        self._folder: Path | None = None
        with _signals_kept(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.ray = _imported()
            except ImportError as error:
                raise UserError(f"--backend ray: Ray cannot be imported: {error}") from None
            self._ours = not self.ray.is_initialized()
            found = running() if address == AUTO else address
            self.local = self._ours and found in (None, LOCAL)
            if self._ours:
                self._connect(None if self.local else found, workers)

    def _connect(self, address: str | None, workers: int | None) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if address is None:
            self._folder = Path(tempfile.mkdtemp(prefix="arena-ray-", dir=_short_folder()))
            options |= {
                "address": LOCAL,
                "num_cpus": workers,
                "include_dashboard": False,
                "object_store_memory": STORE_BYTES,
                "_temp_dir": str(self._folder),
            }
        else:
            options["address"] = address
        try:
            self.ray.init(**options)
        except Exception as error:
            self.close()
            what = "a local Ray cluster does not start" if address is None else f"--address {address}: no Ray cluster"
            raise UserError(f"{what}: {_first_line(error)}") from None

    def on(self, node: str, *, num_cpus: int) -> dict[str, Any]:
        """Return the options of a task for one node, which Ray never tries again.

        Args:
            node: its id.
            num_cpus: processors that the task takes.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415 - an extra

        where = NodeAffinitySchedulingStrategy(node, soft=False)
        return {"num_cpus": num_cpus, "max_retries": 0, "scheduling_strategy": where}

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; a cluster of our own ends."""
        if self._ours:
            with _signals_kept():
                self.ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def running() -> str | None:
    """Return the address of the cluster that was started on this machine and still answers, None without one.

    ``RAY_ADDRESS`` comes first, as everywhere with Ray. Clusters of other runs are not found: they end with those.
    """
    if named := os.environ.get("RAY_ADDRESS"):
        return named
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    try:
        address = (Path(folder) / "ray" / "ray_current_cluster").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return address if answers(address) else None


def answers(address: str) -> bool:
    """Return True if somebody listens at ``host:port``."""
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=CONNECT_S):
            return True
    except (OSError, ValueError):
        return False


@contextmanager
def hushed() -> Iterator[None]:
    """Keep what Ray's own threads print about workers and nodes off the terminal: it is told by ourselves."""
    before = sys.stderr, sys.stdout
    sys.stderr, sys.stdout = _Hushed(sys.stderr), _Hushed(sys.stdout)
    try:
        yield
    finally:
        sys.stderr, sys.stdout = before


class _Hushed:
    """A stream that takes nothing from Ray's threads."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, unless it is Ray's."""
        if threading.current_thread().name.startswith("ray_"):
            return len(text)
        return int(self._stream.write(text))


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep the handlers of signals, which Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


def _imported() -> Any:
    import ray  # noqa: PLC0415 - an extra, and a third of a second

    return ray


def _short_folder() -> Path:
    found = [Path(tempfile.gettempdir()), Path("/tmp")]
    return next((path for path in found if len(str(path)) <= LONGEST_FOLDER), found[0])


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
