"""Programs that external bots are run by: where they are found, and what they need of the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena.errors import UserError, nearest
from arena.sandbox.box import LIBRARIES

SHIMS = "shims"
"""Folders on PATH whose programs are scripts that choose and start another: a sandbox lets none start a second."""
MACHINE_WIDE = (Path("/usr"), Path("/usr/local"))
BASIS = (*LIBRARIES, *map(Path, ("/dev/null", "/dev/urandom", "/etc/ssl/openssl.cnf")))
"""What programs read before they come to what they are to do."""
LOADERS = ("lib64/ld-*.so*", "lib/ld-*.so*", "lib/*/ld-*.so*")
SCRIPT = b"#!"
LONGEST_FIRST_LINE = 256
TAKES_A_NAME = ("-u", "--unset", "-C", "--chdir")
"""Options of ``env`` that are followed by a word which is not the program."""


def find_program(word: str, beside: Path) -> Path:
    """Return the program that the first word of a command means, links not followed.

    Args:
        word: a path if it has a slash or names a file beside; else looked for on PATH.
        beside: what paths are relative to.

    Raises:
        UserError: if there is none, or it cannot be executed.
    """
    path = beside / word
    if is_file(path) or "/" in word:
        if not is_file(path):
            siblings = [other.name for other in path.parent.glob("*")]
            raise UserError(f"no program {word!r}{nearest(path.name, siblings)}")
        if not os.access(path, os.X_OK):
            raise UserError(f"{word!r} is not executable: chmod +x, or name the program that runs it first")
        return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the links, which Python's own are
    found = on_path(word)
    if found is None:
        raise UserError(f"no program {word!r}: neither a file beside nor on PATH{nearest(word, _names_on_path())}")
    return found


def on_path(name: str) -> Path | None:
    """Return a program on PATH; one in a folder of shims only if there is no other."""
    for folder in sorted(_folders(), key=lambda folder: folder.name == SHIMS):
        path = folder / name
        if is_file(path) and os.access(path, os.X_OK):
            return path
    return None


def _folders() -> list[Path]:
    """Return the folders of PATH, but for those that are relative to wherever somebody works."""
    return [*filter(Path.is_absolute, map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep)))]


def _names_on_path() -> set[str]:
    names: set[str] = set()
    for folder in _folders():
        with suppress(OSError):
            names.update(path.name for path in folder.iterdir() if os.access(path, os.X_OK))
    return names


def is_file(path: Path) -> bool:
    """Return True if there is such a file; False also for what cannot be a path."""
    with suppress(OSError, ValueError):
        return path.is_file()
    return False


def chain(program: Path) -> list[Path]:
    """Return a program with all that starts it: what its links lead to, and of a script what interprets it."""
    found: list[Path] = []
    waiting = [program]
    while waiting:
        path = waiting.pop()
        if path in found or not is_file(path):
            continue
        found.append(path)
        if path.is_symlink():
            waiting.append(path.parent / path.readlink())
        waiting += _interpreters(path)
    return found


def _interpreters(path: Path) -> Iterator[Path]:
    with suppress(OSError), path.open("rb") as file:
        head = file.read(LONGEST_FIRST_LINE)
        if not head.startswith(SCRIPT):
            return
        words = head[len(SCRIPT) :].partition(b"\n")[0].decode("utf-8", "replace").split()
        yield from (Path(word) for word in words[:1])
        if len(words) > 1 and Path(words[0]).name == "env":
            names = iter(words[1:])
            for word in names:
                if word in TAKES_A_NAME:
                    next(names, None)
                elif not word.startswith("-") and "=" not in word:
                    if "/" not in word and (found := on_path(word)):
                        yield found
                    return


def surroundings(programs: list[Path]) -> tuple[Path, ...]:
    """Return what programs may read besides themselves: the system's libraries, and what lies beside their folders.

    Of a program in ``PREFIX/bin`` that is ``PREFIX/lib``, ``lib64``, ``libexec`` and ``pyvenv.cfg``; of programs of
    the whole machine ``PREFIX/share`` as well.
    """
    found = dict.fromkeys(BASIS)
    for program in programs:
        prefix = Path(os.path.abspath(program)).parent.parent  # noqa: PTH100 - as above
        if program.parent.name in ("bin", "sbin") and prefix != Path("/"):
            inner = ["lib", "lib64", "libexec", "pyvenv.cfg", *(["share"] if prefix in MACHINE_WIDE else [])]
            found |= dict.fromkeys(prefix / name for name in inner)
    return tuple(found)


def loaders() -> tuple[Path, ...]:
    """Return the system's loaders, which start every program that is not of one piece."""
    return tuple(sorted(path for pattern in LOADERS for path in Path("/").glob(pattern)))
