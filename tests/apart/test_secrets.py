"""What a bot's process has and is told: nothing of the seed, of dice that are to come, of who else plays."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kept_apart import SEED, WIDE, apart, here, misbehaved, play, renamed, rules_of, shipped

from arena.agent import speech
from arena.agent.bot_process import BotProcess
from arena.agent.frames import Writer
from arena.agent.nursery import ENVIRONMENT, KEPT, Nursery
from arena.agent.sources import bundled_folder
from arena.dice.stream import DiceStream, derive_key

BIG_SEED = SEED << 90 | 0xFEDCBA9876543210


@pytest.mark.parametrize("ruleset", ["thirteen", "showdown"])
def test_what_is_sent(ruleset: str, nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: dict[str, list[bytes]] = {}
    send = speech.send

    def spied(process: BotProcess, frame: Writer) -> None:
        body = frame.bytes()
        sent.setdefault("inside", []).append(body)
        send(process, frame)

    monkeypatch.setattr(speech, "send", spied)
    rival = renamed(shipped("greedy"), "somebody else")
    play({**here(rival), **apart(nursery, shipped("random"))}, ruleset=ruleset, mirrors=4, seed=BIG_SEED)
    frames = b"".join(sent["inside"])
    assert len(sent["inside"]) > 20
    assert b"random" in frames
    assert b"somebody" not in frames
    assert b"greedy" not in frames
    hidden = [BIG_SEED.to_bytes(16, order) for order in ("little", "big")]
    hidden += [
        number.to_bytes(8, order)
        for number in (BIG_SEED & (1 << 64) - 1, BIG_SEED >> 64)
        for order in ("little", "big")
    ]
    hidden += [str(BIG_SEED).encode(), f"{BIG_SEED:x}".encode()]
    rules = rules_of(ruleset).ruleset
    names = ["random", "somebody else"]
    dice = DiceStream(BIG_SEED, rules.hash, names, rolls=rules.rolls, dice=rules.dice)
    hidden += [number.tobytes() for round_ in (1, 2) for number in dice.throws(round_, 0, 4).ravel() if number > 255]
    for label in (b"arena turn.rng", b"arena dice"):
        for seating in range(2):
            for seat in range(2):
                key = derive_key(label, BIG_SEED, rules.hash, names, seating, seat, names[0])
                hidden += [np.uint64(half).tobytes() for half in key]
    assert not [secret for secret in hidden if secret in frames]


def told(nursery: Nursery, boxed: bool) -> dict[str, object]:
    bots = {**here(shipped("greedy")), **apart(nursery, misbehaved("looks.py"), boxed=boxed, limits=WIDE)}
    fault = play(bots, mirrors=1).faults[0]
    found: dict[str, object] = json.loads(fault.printed.splitlines()[-1])
    return found


def test_what_a_process_has(boxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "4711")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    inherited = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(inherited, True)
    with Nursery() as nursery:
        play({**here(shipped("greedy")), **apart(nursery, misbehaved("hand_raises.py"), boxed=boxed)}, mirrors=1)
        found = told(nursery, boxed)
    os.close(inherited)
    environment = found["environment"]
    assert isinstance(environment, dict)
    assert set(environment) <= {*ENVIRONMENT, *KEPT, "LC_CTYPE", "PYTHONHASHSEED"}
    assert "4711" not in str(found)
    kinds = [stat.S_IFCHR, stat.S_IFIFO, stat.S_IFIFO, stat.S_IFSOCK]
    assert found["opened"] == [[number, kind] for number, kind in enumerate(kinds)]
    own = str(found["here"])
    assert found["cwd"] == str(Path(own).parent)
    modules = found["modules"]
    assert isinstance(modules, list)
    foreign = [file for file in modules if Path(file).parent != bundled_folder()]
    assert foreign == [own]


def test_only_its_own_source_is_in_its_folder(boxed: bool, nursery: Nursery) -> None:
    """Whatever lies beside its file."""
    ref = nursery.unpack(misbehaved("looks.py"))
    assert [path.name for path in ref.path.parent.iterdir()] == ["looks.py"]
    folder = nursery.unpack(misbehaved("shadows"))
    assert sorted(path.name for path in folder.path.parent.iterdir()) == ["shadows"]
    assert replace(folder, path=misbehaved("shadows").path) == misbehaved("shadows")
