"""An address where no cluster is, is a line before Ray is asked, which would wait for minutes."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from leagues import Console, write_tournament

from arena.errors import UserError
from arena.tournament import ray_address, ray_foreman
from arena.tournament.ray_address import GONE_NEAR_S, GONE_S, STARTS, Place, Tie, place_of

SETTINGS = bytes.fromhex("000018 04 00 00000000")
"""What Ray's head says first."""
Speaker = Callable[[bytes], str]


@pytest.fixture
def speaker() -> Iterator[Speaker]:
    """Have somebody listen who says something, and then waits; returns where."""
    listeners: list[socket.socket] = []
    taken: list[socket.socket] = []

    def listen(said: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def take() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    taken.append(connection)
                    connection.sendall(said)

        threading.Thread(target=take, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield listen
    for one in (*listeners, *taken):
        one.close()


@pytest.fixture
def free() -> str:
    """Where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No cluster was started here; returns the file that would tell of it."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setattr(ray_address, "GREET_S", 0.2)
    (tmp_path / "ray").mkdir()
    return tmp_path / "ray" / "ray_current_cluster"


def refused(address: str) -> str:
    with pytest.raises(UserError) as told:
        place_of(address)
    return str(told.value)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_a_cluster(scheme: str, speaker: Speaker) -> None:
    address = scheme + speaker(SETTINGS)
    assert place_of(address) == Place(address, f"--address {address}")


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_nobody_there(scheme: str, free: str) -> None:
    assert refused(scheme + free) == f"--address {scheme}{free}: nobody answers there; {STARTS}"


@pytest.mark.parametrize("said", [b"", SETTINGS[:8], b"HTTP/1.1 400 Bad Request\r\n"])
def test_somebody_else_there(said: bytes, speaker: Speaker) -> None:
    address = speaker(said)
    assert (
        refused(address) == f"--address {address}: what listens there does not answer as a Ray cluster does; {STARTS}"
    )


def test_the_variable(speaker: Speaker, free: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = speaker(SETTINGS)
    monkeypatch.setenv("RAY_ADDRESS", address)
    assert place_of("auto") == Place(address, f"RAY_ADDRESS={address}")
    assert place_of("local") is None
    monkeypatch.setenv("RAY_ADDRESS", free)
    assert refused("auto") == f"RAY_ADDRESS={free}: nobody answers there; {STARTS}"
    monkeypatch.setenv("RAY_ADDRESS", "there")
    assert refused("auto") == "RAY_ADDRESS: 'there' is none of auto, local, ray://HOST:PORT and HOST:PORT"


@pytest.mark.parametrize("value", ["", "auto", "local"])
def test_a_variable_that_names_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", value)
    assert place_of("auto") is None


def test_one_that_was_started_here(nowhere: Path, speaker: Speaker, free: str) -> None:
    """It is passed over once it is gone."""
    address = speaker(SETTINGS)
    nowhere.write_text(address)
    assert place_of("auto") == Place(address, f"the cluster here, {address}")
    nowhere.write_text(free)
    assert place_of("auto") is None


@pytest.mark.parametrize("address", ["ray://", "auto"])
def test_a_run_asks_once(
    address: str, speaker: Speaker, nowhere: Path, arena: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Ray starts; here this process is connected already."""
    where, asked = speaker(SETTINGS), list[str]()
    real = ray_address.why_not

    def why_not(*how: Any) -> str | None:
        asked.append(how[0])
        return real(*how)

    monkeypatch.setattr(ray_address, "why_not", why_not)
    ray = SimpleNamespace(__spec__=object(), is_initialized=lambda: True, nodes=list)
    ray.get_runtime_context = lambda: SimpleNamespace(get_node_id=str, gcs_address=where)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(ray_foreman, "Foreman", lambda *how: SimpleNamespace(busy=False, close=lambda: None))
    if address == "auto":
        nowhere.write_text(where)
    else:
        where = address = f"{address}{where}"
    file = write_tournament(tmp_path / "league")
    run = arena("run", file, "--backend", "ray", "--address", address, cwd=tmp_path)
    assert "unfinished: 0 of " in run.err
    assert asked == [where]


@pytest.mark.parametrize(("near", "gone_s"), [(True, GONE_NEAR_S), (False, GONE_S)])
def test_one_that_is_gone(near: bool, gone_s: float, free: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it may be started anew more time passes than where it cannot be."""
    now = 0.0
    monkeypatch.setattr(ray_address, "monotonic", lambda: now)
    tie = Tie(free, near=near)
    now = 100  # nobody asked so long, as this process was stopped
    assert (tie.answers(), tie.gone) == (False, False)
    now += gone_s - 0.1
    assert (tie.answers(), tie.gone) == (False, False)
    now += 0.1
    assert (tie.answers(), tie.gone) == (False, True)


def test_one_that_answers_again(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(ray_address, "monotonic", lambda: now)
    tie = Tie(speaker(SETTINGS), near=False)
    now = 2 * GONE_S
    assert (tie.answers(), tie.gone) == (True, False)
    now += GONE_S - 1
    assert not tie.gone


def test_one_that_cannot_be_reached_in_time_is_not_gone_as_soon(free: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that does not even take a connection may be busy; one that refuses it has nobody there."""
    now = 0.0

    def too_late(*_: Any, **__: Any) -> None:
        raise TimeoutError("timed out")

    monkeypatch.setattr(ray_address, "monotonic", lambda: now)
    tie = Tie(free, near=True)
    with monkeypatch.context() as patched:
        patched.setattr(socket, "create_connection", too_late)
        assert not tie.answers()
        now = GONE_NEAR_S
        assert (tie.answers(), tie.gone) == (False, False)
        now = GONE_S
        assert (tie.answers(), tie.gone) == (False, True)
    now = GONE_NEAR_S
    assert (tie.answers(), tie.gone) == (False, True)


def test_one_that_is_slow_is_not_gone_as_soon(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(ray_address, "monotonic", lambda: now)
    tie = Tie(speaker(b""), near=True)
    assert not tie.answers()
    now = GONE_NEAR_S
    assert (tie.answers(), tie.gone) == (False, False)
    now = GONE_S
    assert tie.gone
