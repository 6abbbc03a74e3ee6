"""What a bot may try on files: each returns if it succeeds and raises if it is refused."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from raw_calls import raw


def read(path: str) -> int:
    return len(Path(path).read_bytes()) or 1


def read_parents(name: str) -> int:
    descriptor = os.open(f"/proc/{os.getppid()}/{name}", os.O_RDONLY)
    os.close(descriptor)
    return descriptor


def parents_program() -> str:
    return os.readlink(f"/proc/{os.getppid()}/exe")


def list_folder(path: str) -> list[str]:
    return os.listdir(path)


def write(path: str) -> None:
    with Path(path).open("r+b") as file:
        file.write(b"x")


def append(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_APPEND))


def create(path: str) -> None:
    Path(path).with_name("created").write_bytes(b"")


def create_unnamed(path: str) -> None:
    os.close(os.open(Path(path).parent, os.O_TMPFILE | os.O_RDWR, 0o600))


def truncate(path: str) -> None:
    os.truncate(path, 0)


def truncate_by_reading(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))


def open_by_structure(path: str) -> None:
    """``openat2``: its flags are behind a pointer, where no filter sees them."""
    how = (os.O_WRONLY).to_bytes(8, "little") + bytes(16)
    os.close(raw("openat2", -100, os.fsencode(path) + b"\0", how, len(how)))


def unlink(path: str) -> None:
    os.unlink(path)


def chmod(path: str) -> None:
    os.chmod(path, 0o777)


def chown(path: str) -> None:
    os.chown(path, os.getuid(), os.getgid())


def touch(path: str) -> None:
    os.utime(path, (1, 1))


def mark(path: str) -> None:
    os.setxattr(path, "user.mark", b"1")


def rename(path: str) -> None:
    os.rename(path, path + ".moved")


def make_folder(path: str) -> None:
    os.mkdir(path + ".d")


def make_link(path: str) -> None:
    os.link(path, path + ".link")


def make_symbolic_link(path: str) -> None:
    os.symlink("/etc/passwd", path + ".symlink")


def make_fifo(path: str) -> None:
    os.mkfifo(path + ".fifo")


def make_socket(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path + ".s")


def handle_of(path: str) -> None:
    """``name_to_handle_at``: a file by number, past every folder."""
    handle = bytearray(8 + 128)
    handle[0] = 128
    raw("name_to_handle_at", -100, os.fsencode(path) + b"\0", handle, bytearray(4), 0)


def watch(path: str) -> None:
    os.close(raw("inotify_init1", 0))


def write_to_null() -> None:
    Path(os.devnull).write_bytes(b"x")


def know_size(path: str) -> int:
    return Path(path).stat().st_size


def read_descriptor(descriptor: int) -> str:
    return os.pread(descriptor, 100, 0).decode()


def print_to_file(descriptor: int) -> Any:
    return os.write(descriptor, b"x")
