"""What a bot may try on files fails in the box, and the same succeeds outside of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from errno import EACCES, EBADF, EFBIG, EOPNOTSUPP, EPERM
from pathlib import Path
from typing import Any

import attacks_on_files as files
import pytest
from boxed import BASIS, Zygote, refused, succeeded

Attack = Callable[..., Any]


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """A file in a folder that the bot may read, and one in a folder that it may not."""
    made = {name: tmp_path / name / "file" for name in ("own", "foreign")}
    for file in made.values():
        file.parent.mkdir()
        file.write_text("secret", encoding="utf-8")
    return made


@pytest.mark.parametrize("path", ["foreign", "/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/proc/stat"])
def test_read(zygote: Zygote, places: dict[str, Path], path: str) -> None:
    target = str(places.get(path, path))
    refused(zygote(files.read, path=target), EACCES)
    succeeded(zygote(files.read, layers="none", path=target))


@pytest.mark.parametrize("path", ["foreign", "/", "/tmp", "/proc", "/etc", "/proc/self/fd"])
def test_list(zygote: Zygote, places: dict[str, Path], path: str) -> None:
    target = str(places[path].parent if path in places else path)
    refused(zygote(files.list_folder, path=target), EACCES)
    succeeded(zygote(files.list_folder, layers="none", path=target))


@pytest.mark.parametrize("name", ["environ", "mem", "maps", "cmdline", "fd/0"])
def test_read_what_the_parent_has(zygote: Zygote, name: str) -> None:
    refused(zygote(files.read_parents, name=name), EACCES)
    succeeded(zygote(files.read_parents, layers="none", name=name))


def test_learn_the_parents_program(zygote: Zygote) -> None:
    refused(zygote(files.parents_program), EACCES)
    succeeded(zygote(files.parents_program, layers="none"))


CHANGES: list[Attack] = [
    files.write,
    files.append,
    files.create,
    files.truncate,
    files.truncate_by_reading,
    files.open_by_structure,
    files.unlink,
    files.chmod,
    files.chown,
    files.touch,
    files.rename,
    files.make_folder,
    files.make_link,
    files.make_symbolic_link,
    files.make_fifo,
    files.make_socket,
    files.watch,
]


@pytest.mark.parametrize("where", ["own", "foreign"])
@pytest.mark.parametrize("attack", CHANGES, ids=lambda attack: str(attack.__name__))
def test_change(zygote: Zygote, places: dict[str, Path], attack: Attack, where: str) -> None:
    target, before = places[where], sorted(places[where].parent.iterdir())
    box = {"readable": [*BASIS, str(places["own"].parent)]}
    refused(zygote(attack, box=box, path=str(target)), EPERM)
    assert sorted(target.parent.iterdir()) == before
    assert target.read_text(encoding="utf-8") == "secret"
    succeeded(zygote(attack, layers="none", path=str(target)))


@pytest.mark.parametrize(
    "attack", [files.mark, files.create_unnamed, files.handle_of], ids=lambda attack: str(attack.__name__)
)
def test_change_where_the_file_system_can(zygote: Zygote, places: dict[str, Path], attack: Attack) -> None:
    refused(zygote(attack, path=str(places["own"])), EPERM)
    outside = zygote(attack, layers="none", path=str(places["own"]))
    assert outside.errno in (None, EPERM, EOPNOTSUPP), outside


def test_write_to_a_device(zygote: Zygote) -> None:
    refused(zygote(files.write_to_null), EPERM)
    succeeded(zygote(files.write_to_null, layers="none"))


LANDLOCK_ALONE: list[Attack] = [
    files.write,
    files.append,
    files.create,
    files.truncate,
    files.unlink,
    files.rename,
    files.make_folder,
    files.make_symbolic_link,
    files.make_fifo,
    files.make_socket,
    files.open_by_structure,
]


@pytest.mark.parametrize("attack", LANDLOCK_ALONE, ids=lambda attack: str(attack.__name__))
def test_landlock_alone_refuses_changes(zygote: Zygote, places: dict[str, Path], attack: Attack) -> None:
    box = {"readable": [*BASIS, str(places["own"].parent)]}
    refused(zygote(attack, layers="landlock", box=box, path=str(places["own"])), EACCES)


def test_names_and_sizes_are_not_hidden(zygote: Zygote, places: dict[str, Path]) -> None:
    """A known leak: Landlock does not judge ``stat``, and a filter of system calls sees no paths."""
    assert zygote(files.know_size, path=str(places["foreign"])).returned == len("secret")


def test_an_inherited_descriptor_is_a_right(zygote: Zygote, tmp_path: Path) -> None:
    """Why the caller must close them: the box takes nothing back that is open already."""
    (tmp_path / "file").write_text("secret", encoding="utf-8")
    boxed = zygote(files.read_descriptor, opened=str(tmp_path / "file"), descriptor=9)
    assert boxed.returned == "secret"
    refused(zygote(files.read_descriptor, descriptor=9), EBADF)


def test_an_inherited_file_does_not_grow(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused(zygote(files.print_to_file, opened=str(tmp_path / "file"), descriptor=9), EFBIG)
    assert os.stat(tmp_path / "file").st_size == 0
    succeeded(zygote(files.print_to_file, layers="none", opened=str(tmp_path / "file"), descriptor=9))
