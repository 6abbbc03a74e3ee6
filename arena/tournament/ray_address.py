"""Where a Ray cluster is, and whether it answers: asked before Ray is, which waits for minutes and hears no Ctrl-C."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TypeAlias

from arena.errors import UserError, nearest, printable

AUTO, LOCAL, CLIENT = "auto", "local", "ray://"
DEFAULT_ADDRESS = AUTO
VARIABLE = "RAY_ADDRESS"
CONNECT_S = 2.0
GONE_S = 20.0
"""Seconds without an answer after which a cluster is gone; a head may be started anew meanwhile."""
GONE_NEAR_S = 2.0
"""The same where nobody listens any more, and nobody starts it anew."""
GREET_S = 5.0
"""Seconds that a head has for its first words when a run begins; it may be starting."""
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + b"\4" + bytes(5)
"""What a client of gRPC says first: the preface of HTTP/2, and settings, of which there are none."""
HEADER_BYTES, KIND, SETTINGS = 9, 3, 4
"""Of what is answered: a frame's header, in which the fourth byte tells its kind, and the kind that comes first."""
NOBODY = "nobody answers there"
SLOW = "nobody answers there in time"
STARTS = "`ray start --head` starts one, and `--address local` is the run's own"


class Place(NamedTuple):
    """A cluster that runs.

    Attributes:
        address: ``host:port`` or ``ray://host:port``.
        told: how people are told of it when it is none.
    """

    address: str
    told: str


Address: TypeAlias = str | Place | None
"""What is asked for, or where that is: what `place_of` takes, or has returned."""


def place_of(address: str) -> Place | None:
    """Return where the cluster is that is asked for, once it has answered; None for a local one.

    ``auto`` is the one that ``RAY_ADDRESS`` names, as everywhere with Ray, else the one that was started on this
    machine and still answers. Clusters of other runs are not found: they end with those.

    Args:
        address: ``auto``, ``local``, ``ray://host:port`` or ``host:port``.

    Raises:
        UserError: if it is none of these, or no cluster answers there.
    """
    if address != AUTO:
        return _named(address, "--address")
    if (named := os.environ.get(VARIABLE, AUTO)) not in ("", AUTO):
        return _named(named, VARIABLE)
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    try:
        here = (Path(folder) / "ray" / "ray_current_cluster").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return Place(here, f"the cluster here, {here}") if why_not(here, GREET_S) is None else None


def _named(address: str, by: str) -> Place | None:
    if address == LOCAL:
        return None
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    if not host or not port.isdecimal():
        near = nearest(address, (AUTO, LOCAL))
        raise UserError(f"{by}: {address!r} is none of {AUTO}, {LOCAL}, {CLIENT}HOST:PORT and HOST:PORT{near}")
    told = printable(f"{by}{'=' if by == VARIABLE else ' '}{address}")
    if why := why_not(address, GREET_S):
        raise UserError(f"{told}: {why}; {STARTS}")
    return Place(address, told)


def why_not(address: str, greet_s: float = CONNECT_S) -> str | None:
    """Return why what is at ``host:port`` is no cluster that works, None if it may be one.

    Args:
        address: with or without ``ray://``.
        greet_s: seconds that it has to answer once it is connected.
    """
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=CONNECT_S) as connection:
            if os.environ.get("RAY_USE_TLS", "").lower() in ("1", "true"):  # it would not take our words
                return None
            try:
                connection.settimeout(greet_s)
                connection.sendall(HELLO)
                with connection.makefile("rb") as stream:
                    said = stream.read(HEADER_BYTES)
            except OSError:
                said = b""
    except TimeoutError:  # it may be busy
        return SLOW
    except (OSError, ValueError, OverflowError):
        return NOBODY
    if len(said) == HEADER_BYTES and said[KIND] == SETTINGS:
        return None
    return "what listens there does not answer as a Ray cluster does"


class Tie:
    """Somebody without whom there is no cluster for this process.

    Args:
        address: where.
        near: True for a process of this machine that nobody starts anew.
    """

    def __init__(self, address: str, *, near: bool) -> None:
        self._address, self._near = address, near
        self._silent_since: float | None = None
        self._why: str | None = None

    def answers(self) -> bool:
        """Return whether there is an answer now."""
        self._why = why_not(self._address)
        if self._why is None:
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = monotonic()
        return self._why is None

    @property
    def gone(self) -> bool:
        """True if there was no answer for so long that none will come."""
        wait_s = GONE_NEAR_S if self._near and self._why == NOBODY else GONE_S
        return self._silent_since is not None and monotonic() - self._silent_since >= wait_s
