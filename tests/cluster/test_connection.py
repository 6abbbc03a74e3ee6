"""How a connection to a cluster is made that does not come about at once."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from arena.errors import UserError
from arena.tournament import ray_cluster
from arena.tournament.ray_address import Place
from arena.tournament.ray_cluster import CONNECTION_TRIES, Cluster

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
PLACE = Place("ray://127.0.0.1:10001", "--address ray://127.0.0.1:10001")
BROKEN_OFF = """Initialization failure from server:
Traceback (most recent call last):
  File "proxier.py", line 1, in Datapath
RuntimeError: Starting Ray client server failed.
"""


def with_answers(monkeypatch: pytest.MonkeyPatch, *answers: Exception | None) -> Sequence[Exception | None]:
    """Have Ray answer so, one time after the other; returns the answers that are left."""
    left = list(answers)

    def init(**settings: object) -> None:
        answer = left.pop(0)
        if answer is not None:
            raise answer

    ray = SimpleNamespace(init=init, is_initialized=lambda: False, shutdown=lambda: None)
    monkeypatch.setattr(ray_cluster, "_imported", lambda: ray)
    return left


def test_it_is_tried_again_where_the_other_end_gave_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [*[ConnectionAbortedError(BROKEN_OFF)] * (CONNECTION_TRIES - 1), None]
    left = with_answers(monkeypatch, *answers)
    with Cluster(PLACE, None) as cluster:
        assert cluster.name == "the Ray cluster ray://127.0.0.1:10001"
    assert not left


def test_it_is_given_up_with_the_last_words_of_the_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    left = with_answers(monkeypatch, *[ConnectionAbortedError(BROKEN_OFF)] * (CONNECTION_TRIES + 1))
    with pytest.raises(UserError) as told:
        Cluster(PLACE, None)
    why = "no Ray cluster: Initialization failure from server: RuntimeError: Starting Ray client server failed.;"
    assert str(told.value).startswith(f"{PLACE.told}: {why}")
    assert len(left) == 1


def test_it_is_given_up_once_the_run_is_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    left = with_answers(monkeypatch, ConnectionAbortedError(BROKEN_OFF), None)
    with pytest.raises(UserError, match="no Ray cluster: Initialization failure"):
        Cluster(PLACE, None, lambda: True)
    assert len(left) == 1


def test_it_is_given_up_where_that_took_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "AT_ONCE_S", -1.0)
    left = with_answers(monkeypatch, ConnectionAbortedError(BROKEN_OFF), None)
    with pytest.raises(UserError, match="no Ray cluster: Initialization failure"):
        Cluster(PLACE, None)
    assert len(left) == 1


def test_other_mistakes_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    left = with_answers(monkeypatch, ConnectionError("ray client connection timeout\nmore of it"), None)
    with pytest.raises(UserError, match="no Ray cluster: ray client connection timeout; ray://HOST:PORT is for"):
        Cluster(PLACE, None)
    assert len(left) == 1
