"""The Ray cluster that blocks are played on: one that runs already, or one of this process's own."""

from __future__ import annotations

import importlib.util
import logging
import os
import secrets
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from arena.errors import UserError, one_line
from arena.tournament.offspring import environment
from arena.tournament.ray_address import CLIENT, Address, Place, Tie, place_of
from arena.tournament.ray_warden import Warden

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
MODE, TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
"""Variables of the environment: a cluster of our own takes nobody who has not its token, drawn for it alone."""
NEEDS_TOKEN = f"it needs another token than {TOKEN} or ~/.ray/auth_token gives, see `ray get-auth-token`"
PORTS = f"; {CLIENT}HOST:PORT is for the port of clients, 10001 as a rule, HOST:PORT for the head's own, as 6379"
CONNECTION_TRIES, AT_ONCE_S = 3, 20.0
"""Of a connection that the other end gives up within seconds: at the port of clients a process is started for everyone
who comes, and on a busy machine it may die before it says a word."""
LOST_LOGGER = "ray.util.client.logsclient"
"""It warns that Ray's client is connected no more, which is told by ourselves."""
NO_ANSWER = "does not answer any more"
"""What is told of a cluster that is gone."""
LONGEST_FOLDER = 30
"""Letters of the folder that Ray's is made in: a socket's path may have 107, and Ray takes about 70."""
INSTALL = "--backend ray: Ray is not installed: `pip install '.[ray]'` in the arena's folder brings it"


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
        address: ``auto`` for one that runs here, else a local one; ``local``, ``ray://host:port`` or ``host:port``;
            or what `place_of` has found for one of these, which is not asked once more.
        workers: processors of a local cluster; None for all.
        stopped: asked before a connection is tried again; True for no more.

    Attributes:
        ray: Ray's module.
        local: True if the cluster is this process's own and ends with it.
        name: what people are told.

    Raises:
        UserError: if Ray is not installed, or there is no such cluster.
    """

    def __init__(self, address: Address, workers: int | None, stopped: Callable[[], bool] = lambda: False) -> None:
        need_ray()
        self._stopped = stopped
        self._ties: list[Tie] = []
        with ExitStack() as opened, _signals_kept(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = "ray" not in sys.modules or not _imported().is_initialized()
            place = place_of(address) if isinstance(address, str) else address
            self.local = ours and place is None
            opened.enter_context(environment(self._settings() if ours else {}))
            self.ray = _imported()
            _read_settings()
            self.name = "a local Ray cluster" if self.local else f"the Ray cluster {_address(place)}"
            if self.local:
                folder = Path(tempfile.mkdtemp(prefix="arena-ray-", dir=_short_folder()))
                warden = opened.enter_context(Warden(folder, workers))
                opened.enter_context(self._connection(warden.address, "a local Ray cluster does not start"))
            elif ours and place:
                opened.enter_context(self._connection(place.address, f"{place.told}: no Ray cluster", PORTS))
            self._ties = self._tied_to(place)
            self._opened = opened.pop_all()

    def _tied_to(self, place: Place | None) -> list[Tie]:
        """Return without whom there is no cluster for this process: the head, and its own node."""
        if place and place.address.startswith(CLIENT):
            return [Tie(place.address, near=False)]
        here = self.ray.get_runtime_context()
        own = [node for node in self.ray.nodes() if node["NodeID"] == here.get_node_id()]
        nodes = [Tie(f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}", near=True) for node in own]
        return [Tie(here.gcs_address, near=self.local), *nodes]

    def answers(self) -> bool:
        """Return whether the cluster is there now; Ray itself waits for a minute, and then ends this process."""
        answers = [tie.answers() for tie in self._ties]  # each is asked every time
        return all(answers)

    @property
    def gone(self) -> bool:
        """True if it has not answered for so long that it will not any more."""
        return any(tie.gone for tie in self._ties)

    def _settings(self) -> dict[str, str]:
        """Return what Ray is to find in the environment."""
        settings = dict(QUIET)
        if MODE not in os.environ:
            if self.local:
                settings |= {MODE: "token", TOKEN: secrets.token_hex(32)}
            elif has_token():  # Ray's own commands start clusters that need it then
                settings |= {MODE: "token"}
        return {name: value for name, value in settings.items() if name not in os.environ}

    @contextmanager
    def _connection(self, address: str, what: str, hint: str = "") -> Iterator[None]:
        try:
            with _nothing_printed():
                self._connect(address)
            logging.getLogger(LOST_LOGGER).setLevel(logging.ERROR)
        except Exception as error:
            why = NEEDS_TOKEN if "AuthToken" in str(error.__cause__) else f"{_reason(error)}{hint}"
            raise UserError(f"{what}: {why}") from None
        try:
            yield
        finally:
            if not self.gone:  # else Ray may end this process here and now, and is left to do it at the end
                with _signals_kept():
                    self.ray.shutdown()

    def _connect(self, address: str, tries: int = CONNECTION_TRIES) -> None:
        began = monotonic()
        try:
            self.ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except ConnectionAbortedError:
            if tries == 1 or self._stopped() or monotonic() - began > AT_ONCE_S:
                raise
            self._connect(address, tries - 1)

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
        self._opened.close()


def has_token() -> bool:
    """Return True if this user has a token for Ray's clusters."""
    places = os.environ.get(f"{TOKEN}_PATH"), Path.home() / ".ray" / "auth_token"
    return TOKEN in os.environ or any(Path(place).is_file() for place in places if place)


@contextmanager
def _nothing_printed() -> Iterator[None]:
    """Keep what Ray's own libraries print about networks off the terminal."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


@contextmanager
def hushed() -> Iterator[None]:
    """Keep what Ray's own threads print about workers and nodes off the terminal: it is told by ourselves."""
    before = sys.stderr, sys.stdout, threading.excepthook
    told = threading.excepthook

    def ended(how: threading.ExceptHookArgs) -> None:
        if not _is_rays(how.exc_traceback):
            told(how)

    sys.stderr, sys.stdout, threading.excepthook = _Hushed(sys.stderr), _Hushed(sys.stdout), ended
    try:
        yield
    finally:
        sys.stderr, sys.stdout, threading.excepthook = before


def _is_rays(trace: TracebackType | None) -> bool:
    """Return whether an exception came through Ray's own functions, or those of gRPC."""
    frames = [frame for frame, _ in traceback.walk_tb(trace)]
    return any(str(frame.f_globals.get("__name__")).partition(".")[0] in ("ray", "grpc") for frame in frames)


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
    """Import Ray.

    Raises:
        UserError: if that fails.
    """
    try:
        import ray  # noqa: PLC0415 - an extra, and a third of a second
    except Exception as error:  # a broken one raises what it likes
        raise UserError(f"--backend ray: Ray cannot be imported: {one_line(error)}") from None
    return ray


def _read_settings() -> None:
    """Have Ray read again from the environment whether a token is needed, where it can be told to."""
    with suppress(ImportError, AttributeError):
        from ray._raylet import AuthenticationTokenLoader, Config  # noqa: PLC0415 - an extra

        Config.initialize("")
        AuthenticationTokenLoader.instance().reset_cache()


def is_lost(error: Exception) -> bool:
    """Return whether an error of Ray's means that it has lost the cluster."""
    if isinstance(error, OSError) and not isinstance(error, ConnectionError):  # of a pipe that is broken, for one
        return _is_rays(error.__traceback__)
    return isinstance(error, ConnectionError) or type(error).__module__.partition(".")[0] == "grpc"


def _address(place: Place | None) -> str:
    return place.address if place else "of this process"


def _short_folder() -> Path:
    found = [Path(tempfile.gettempdir()), Path("/tmp")]
    return next((path for path in found if len(str(path)) <= LONGEST_FOLDER), found[0])


def _reason(error: BaseException) -> str:
    """Return what an error says first, and where that only leads to what comes after, what it says last."""
    first, *others = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return f"{first} {others[-1]}" if first.endswith(":") and others else first
