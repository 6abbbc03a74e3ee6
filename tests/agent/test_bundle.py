"""A bot's source travels as bytes: the same bytes for the same source, and the same source from the bytes."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.agent.bundle import digest, pack, unchanged, unpack, unpacked
from arena.agent.commands import locate_command
from arena.agent.loader import load
from arena.agent.ref import source_hash
from arena.agent.sources import locate, locate_class

BOT = "def hold(turn):\n    return turn.dice\ndef choose_row(turn):\n    return turn.open_rows[0]\n"
CLASS = (
    "class Bot:\n    def hold(self, turn):\n        return turn.dice\n"
    "    def choose_row(self, turn):\n        return turn.open_rows[0]\n"
)


@pytest.fixture
def cellar(tmp_path: Path) -> Path:
    """Where bundles are unpacked."""
    folder = tmp_path / "cellar"
    folder.mkdir()
    return folder


@pytest.fixture
def folder_bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bots" / "deep"
    (folder / "inner").mkdir(parents=True)
    (folder / "agent.py").write_text(BOT)
    (folder / "inner" / "weights.bin").write_bytes(bytes(range(256)))
    (folder / "odd \\ name:*.txt").write_text("odd")
    (folder / ".hidden").write_text("no part of it")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "agent.pyc").write_bytes(b"stale")
    return folder


def test_a_file(tmp_path: Path, cellar: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BOT)
    ref = locate(file)
    bundle = pack(ref)
    copy = unpack(ref, bundle, cellar)
    assert copy == replace(ref, path=cellar / digest(bundle) / "mine.py")
    assert copy.path.read_text() == BOT
    assert copy.entrant == ref.entrant
    file.unlink()
    assert load(copy).name == "mine"


def test_a_folder(folder_bot: Path, cellar: Path) -> None:
    ref = locate(folder_bot)
    copy = unpack(ref, pack(ref), cellar)
    inside = {path.relative_to(copy.path).as_posix() for path in copy.path.rglob("*") if path.is_file()}
    assert inside == {"agent.py", "inner/weights.bin", "odd \\ name:*.txt"}
    assert source_hash(copy.path) == ref.source_hash
    assert load(copy).name == "deep"


def test_a_name_that_is_no_text(tmp_path: Path, cellar: Path) -> None:
    odd = tmp_path / "b\udcff.py"
    odd.write_text(BOT)
    ref = locate(odd, name="odd")
    assert unpack(ref, pack(ref), cellar).path.name == "b\udcff.py"


def test_a_class_of_a_package_beside_the_file(tmp_path: Path, cellar: Path) -> None:
    (tmp_path / "space" / "pkg").mkdir(parents=True)
    (tmp_path / "space" / "pkg" / "__init__.py").touch()
    (tmp_path / "space" / "pkg" / "mod.py").write_text(CLASS)
    ref = locate_class("space.pkg.mod:Bot", tmp_path)
    copy = unpack(ref, pack(ref), cellar)
    assert copy.root is not None
    assert copy.root.parent == cellar
    assert load(copy).name == "Bot"


def test_bytes_depend_on_the_source_alone(tmp_path: Path) -> None:
    bundles = []
    for place, time in (("a", 1_000_000_000), ("b", 1_500_000_000)):
        (tmp_path / place).mkdir()
        file = tmp_path / place / "mine.py"
        file.write_text(BOT)
        os.utime(file, (time, time))
        bundles.append(pack(locate(file)))
    assert bundles[0] == bundles[1]
    file.write_text(BOT + "\n")
    assert digest(pack(locate(file))) != digest(bundles[0])


def test_it_is_unpacked_once(folder_bot: Path, cellar: Path) -> None:
    ref = locate(folder_bot)
    bundle = pack(ref)
    assert unpacked(ref, digest(bundle), cellar) is None
    first = unpack(ref, bundle, cellar)
    before = (first.path / "agent.py").stat().st_mtime_ns
    assert unpack(ref, bundle, cellar) == first == unpacked(ref, digest(bundle), cellar)
    assert (first.path / "agent.py").stat().st_mtime_ns == before
    assert [path.name for path in cellar.iterdir()] == [digest(bundle)]


def test_what_was_tampered_with_is_unpacked_anew(folder_bot: Path, cellar: Path) -> None:
    ref = locate(folder_bot)
    bundle = pack(ref)
    (unpack(ref, bundle, cellar).path / "agent.py").write_text("stolen")
    assert unpacked(ref, digest(bundle), cellar) is None
    copy = unpack(ref, bundle, cellar)
    assert (copy.path / "agent.py").read_text() == BOT
    assert [path.name for path in cellar.iterdir()] == [digest(bundle)]


def test_an_external_bot(tmp_path: Path, cellar: Path) -> None:
    """The files that its command names travel, with their rights; the program that it does not bring stays."""
    folder = tmp_path / "league"
    (folder / "bots" / "data").mkdir(parents=True)
    (folder / "bots" / "run").write_text("#!/bin/sh\n")
    (folder / "bots" / "run").chmod(0o755)
    (folder / "bots" / "data" / "table.txt").write_text("1 2 3")
    (tmp_path / "outside.txt").write_text("outside")
    ref = locate_command(["./bots/run", "bots/data", "../outside.txt", "word"], folder)
    copy = unpack(ref, pack(ref), cellar)
    shutil.rmtree(folder)
    assert copy.entrant == ref.entrant
    assert unchanged(copy)
    assert all(part.path.is_relative_to(cellar) for part in copy.parts)
    program, data, outside = (part.path for part in copy.parts)
    assert os.access(program, os.X_OK)
    assert copy.path == program
    assert (data / "table.txt").read_text() == "1 2 3"
    assert outside.read_text() == "outside"
    outside.write_text("another")
    assert not unchanged(copy)
    stays = locate_command([sys.executable, "bots/run"], copy.root or folder)
    assert unpack(stays, pack(stays), cellar).parts[0].path == Path(sys.executable)
