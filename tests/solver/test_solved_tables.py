"""Solved tables on disk: read back as they were, never trusted when they are not, and no trouble where none can be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_rulesets import GIVEN, rules_of_text

from arena.rules.card import CardRules
from arena.solver import tables
from arena.solver import values as values_module
from arena.solver.space import Space
from arena.solver.tables import HEAD, Kind
from arena.solver.values import CardValues

ROOT = Path(__file__).parents[2]
RULES = rules_of_text(GIVEN["forced"])
OTHER = rules_of_text({**GIVEN["forced"], "options": {**GIVEN["forced"]["options"], "rolls": 2}})
RIGHT = CardValues(RULES, cached=False)


class Count:
    """Counts how often a game is solved."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.calls, self._function = 0, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self._function(*args, **kwargs)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that does not exist yet."""
    monkeypatch.setattr(tables, "folder", lambda: tmp_path / "cache" / "values")
    return tmp_path / "cache" / "values"


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> Count:
    count = Count(values_module.solve)
    monkeypatch.setattr(values_module, "solve", count)
    return count


def both(rules: CardRules = RULES) -> tuple[bytes, bytes]:
    found = CardValues(rules)
    return found.values.tobytes(), found.moments.tobytes()


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="module", autouse=True)
def _solved() -> None:
    """Solve what is right, before any test counts: with nothing compiled yet that takes long."""
    RIGHT.ready(moments=True)


def expected() -> tuple[bytes, bytes]:
    return RIGHT.values.tobytes(), RIGHT.moments.tobytes()


NAMES = [f"{RULES.ruleset.hash}.moments", f"{RULES.ruleset.hash}.values"]


def test_solved_once_and_then_read(folder: Path, solves: Count) -> None:
    assert both() == expected()
    assert solves.calls == 2
    assert files(folder) == NAMES
    assert both() == expected()
    assert solves.calls == 2
    found = CardValues(RULES)
    assert isinstance(found.values, np.memmap)
    assert not found.values.flags.writeable
    assert not found.moments.flags.writeable
    assert (found.value, found.sd) == (RIGHT.value, RIGHT.sd)


def test_nothing_is_stored_if_nobody_wants_it(folder: Path, solves: Count) -> None:
    for _ in range(2):
        CardValues(RULES, cached=False).ready(moments=True)
    assert solves.calls == 4
    assert not folder.exists()


def test_every_ruleset_has_its_own(folder: Path, solves: Count) -> None:
    assert both() == expected()
    assert both(OTHER) != expected()
    assert len(files(folder)) == solves.calls == 4
    assert both() == expected()
    assert solves.calls == 4


def another_head(**changes: Any) -> Callable[[bytes], bytes]:
    return lambda whole: json.dumps({**json.loads(whole[:HEAD]), **changes}).encode().ljust(HEAD) + whole[HEAD:]


def one_bit(at: int) -> Callable[[bytes], bytes]:
    def damaged(whole: bytes) -> bytes:
        changed = bytearray(whole)
        changed[at] ^= 1
        return bytes(changed)

    return damaged


def table_of(rules: CardRules, kind: Kind) -> bytes:
    """Return a good file of another game or kind."""
    found = CardValues(rules)
    found.ready(moments=True)
    return tables.path_of(found.space, kind).read_bytes()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a bit of the first number": one_bit(HEAD),
    "a bit in the middle": lambda whole: one_bit((HEAD + len(whole)) // 2)(whole),
    "a bit of the last number": one_bit(-1),
    "a bit of the head": one_bit(20),
    "cut within the head": lambda whole: whole[: HEAD // 2],
    "cut after the head": lambda whole: whole[:HEAD],
    "cut by a number": lambda whole: whole[:-8],
    "cut within a number": lambda whole: whole[:-3],
    "a number too many": lambda whole: whole + bytes(8),
    "empty": lambda _: b"",
    "foreign text": lambda _: b"hello\n",
    "foreign bytes": lambda _: bytes(range(256)) * 9,
    "a list in the head": lambda whole: b"[]".ljust(HEAD) + whole[HEAD:],
    "other format": another_head(format=tables.FORMAT + 1),
    "other layout": another_head(layout="0" * 64),
    "other states": another_head(states=1),
    "other kind": another_head(kind="squares"),
    "other ruleset": another_head(ruleset=OTHER.ruleset.hash),
    "a word too many": another_head(more=1),
    "another game's file": lambda _: table_of(OTHER, "values"),
    "another kind's file": lambda _: table_of(RULES, "moments"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_file_is_solved_again(folder: Path, solves: Count, damage: str) -> None:
    assert both() == expected()
    path = folder / NAMES[1]
    good = path.read_bytes()
    bad = DAMAGES[damage](good)
    assert bad != good
    path.write_bytes(bad)
    assert tables.load(Space(RULES), "values") is None
    before = solves.calls
    assert both() == expected()
    assert solves.calls == before + 1
    assert path.read_bytes() == good
    assert both() == expected()
    assert solves.calls == before + 1


def test_another_layout_of_the_states(folder: Path, solves: Count) -> None:
    """A program that numbers states in another way finds nothing in this one's file."""
    assert both() == expected()
    other = Space(RULES)
    other.low = other.low + 1
    assert tables.load(other, "values") is None
    assert tables.load(Space(RULES), "values") is not None


def test_another_meaning_of_the_numbers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of another format finds nothing in this one's file."""
    assert both() == expected()
    with monkeypatch.context() as patch:
        patch.setattr(tables, "FORMAT", tables.FORMAT + 1)
        assert tables.load(Space(RULES), "values") is None
    assert tables.load(Space(RULES), "values") is not None


@pytest.mark.parametrize("where", ["a file for the folder", "a file above it", "a folder for the file"])
def test_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, solves: Count, where: str
) -> None:
    blocked = tmp_path / "blocked"
    if where == "a folder for the file":
        for name in NAMES:
            (blocked / name).mkdir(parents=True)
    else:
        blocked.write_bytes(b"")
    monkeypatch.setattr(tables, "folder", lambda: blocked / "values" if where == "a file above it" else blocked)
    for times in (1, 2):
        assert both() == expected()
        assert solves.calls == 2 * times
    if where == "a folder for the file":
        assert files(blocked) == NAMES
    else:
        assert blocked.read_bytes() == b""


SOLVE = """
import sys
from pathlib import Path
from small_rulesets import GIVEN, rules_of_text
from arena.solver import tables
from arena.solver.values import CardValues
tables.folder = lambda: Path(sys.argv[1])
found = CardValues(rules_of_text(GIVEN["forced"]))
print("ready", flush=True)
input()
print(found.value.hex(), found.sd.hex(), flush=True)
"""


def started(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    """Start a process that can import the arena and these tests."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "solver")])
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_at_once(folder: Path, solves: Count) -> None:
    """Both find no file, solve, and write; one good file of each kind is left."""
    processes = [started(SOLVE, folder) for _ in range(2)]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out.split()) == (0, [RIGHT.value.hex(), RIGHT.sd.hex()]), err
    assert files(folder) == NAMES
    assert both() == expected()
    assert solves.calls == 0


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's way to say where caches are")
def test_tables_are_stored_in_the_users_cache(tmp_path: Path) -> None:
    process = started("from arena.solver import tables\nprint(tables.folder())", XDG_CACHE_HOME=str(tmp_path))
    out, err = process.communicate(timeout=120)
    assert Path(out.strip()) == tmp_path / "dicepoker-arena" / "values", err
    assert not Path(out.strip()).exists()


def test_a_write_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        assert not tables.store(Space(RULES), "values", RIGHT.values)
    assert files(folder) == []
    assert tables.store(Space(RULES), "values", RIGHT.values)
    assert files(folder) == NAMES[1:]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_a_write_that_is_broken_off_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """As by Ctrl-C."""

    def broken_off(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", broken_off)
        with pytest.raises(error):
            tables.store(Space(RULES), "values", RIGHT.values)
    assert files(folder) == []


def test_what_a_killed_process_left_is_removed_after_a_day(folder: Path) -> None:
    folder.mkdir(parents=True)
    old, new, other = (folder / name for name in (f"{tables.ASIDE}old", f"{tables.ASIDE}new", "old.values"))
    for path in (old, new, other):
        path.write_bytes(b"half")
    a_day_ago = time.time() - tables.STALE - 60
    os.utime(old, (a_day_ago, a_day_ago))
    os.utime(other, (a_day_ago, a_day_ago))
    assert tables.store(Space(RULES), "values", RIGHT.values)
    assert files(folder) == sorted([new.name, other.name, NAMES[1]])


def test_many_threads_read_at_once() -> None:
    """Each has a place of its own to work in, as the kernel runs without the interpreter's lock."""
    cards = [RULES.empty]
    for name in RULES.names:
        cards += [RULES.place(card, RULES.row_ids[name], int(RULES.gains.payments[RULES.row_ids[name]][-1]))
                  for card in cards if RULES.open_mask(card.filled) >> RULES.row_ids[name] & 1]  # fmt: skip
    parts = [RIGHT.cards_of(card) for card in cards]
    batches = [
        tuple(np.concatenate([part[field]] * 4000) for field in range(4)) for part in (parts[0], parts[1], parts[2])
    ]
    expected = [RIGHT.after(RIGHT.values, batch) for batch in batches]  # type: ignore[arg-type]
    with ThreadPoolExecutor(3) as pool:
        for _ in range(20):
            found = list(pool.map(lambda batch: RIGHT.after(RIGHT.values, batch), batches))
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other)
