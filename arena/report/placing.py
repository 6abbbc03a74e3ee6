"""Files that are put in their places whole, or not at all: written aside, then renamed, so that nobody reads half."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import FrameType
from typing import TextIO

from arena.errors import UserError, not_taken
from arena.new_file import new_file

HELD = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))
"""Signals that end a process, and may come at any moment."""
TOKEN_BYTES = 4


@contextmanager
def written_aside(path: Path) -> Iterator[TextIO]:
    """Open a file that takes its place when the block ends, and is gone if the block fails.

    Args:
        path: the place; no link, as the file would take the link's.

    Raises:
        OSError: if it cannot be written; then what stood there stays.
    """
    aside = _beside(path, "new")
    with _writing_at([path]):
        try:
            with new_file(aside, mode=_mode_of(path)) as file:
                yield file
            aside.replace(path)
        finally:
            _remove(aside)


def place_all(texts: Mapping[Path, str | None]) -> None:
    """Put texts in their places, all of them or none; what is None is removed.

    Signals that would end the process meanwhile are held until it is done, or undone.

    Raises:
        UserError: if it cannot be done; then every file is as it was, and no folder is left that was not there.
    """
    with _signals_held():
        _place_all(texts)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait for the end of the block, where this thread is the one that they interrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def held(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)

    handlers = {number: signal.getsignal(number) for number in HELD}
    try:
        for number in HELD:
            if handlers[number] is not None:  # else it is not Python's
                signal.signal(number, held)
        yield
    finally:
        for number, handler in handlers.items():
            if handler is not None:
                signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


@contextmanager
def _writing_at(paths: Iterable[Path]) -> Iterator[None]:
    """Keep others from taking what is written beside some places for what dead processes left, and remove theirs."""
    names: dict[Path, list[str]] = {}
    for path in paths:
        names.setdefault(path.parent, []).append(path.name)
    with ExitStack() as held:
        for folder, inside in names.items():
            if (descriptor := _share(folder, inside)) is not None:
                held.callback(os.close, descriptor)
        yield


def _share(folder: Path, names: Iterable[str]) -> int | None:
    """Lock a folder as one in which this process writes too; if nobody else does, remove first what was left there.

    Returns:
        What is to be closed at the end; None where folders cannot be locked: there nothing is removed.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        descriptor = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        with suppress(BlockingIOError):  # somebody is writing here
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _sweep(folder, names)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _sweep(folder: Path, names: Iterable[str]) -> None:
    """Remove what this user's dead processes left beside files of some names."""
    left = re.compile(rf"\.({'|'.join(map(re.escape, names))})\.[0-9a-f]{{{2 * TOKEN_BYTES}}}\.(new|old)")
    for path in folder.iterdir():
        if left.fullmatch(path.name) and path.lstat().st_uid == os.getuid():
            _remove(path)


def _place_all(texts: Mapping[Path, str | None]) -> None:
    placing = _Placing()
    try:
        placing.make_folders(texts)
        with _writing_at(texts):
            placing.run(texts)
    except OSError as error:
        placing.undo()
        raise not_taken(f"{placing.place_of(error)}: cannot be written", error) from None
    except BaseException:
        placing.undo()
        raise
    finally:
        placing.clean()


class _Placing:
    """What was done so far, so that it can be undone."""

    def __init__(self) -> None:
        self.at = Path()
        self._folders: list[Path] = []
        self._new: list[tuple[Path, Path]] = []
        self._old: list[tuple[Path, Path]] = []
        self._placed: list[Path] = []

    def make_folders(self, texts: Mapping[Path, str | None]) -> None:
        """Make the folders that are missing."""
        refuse_folders(texts)
        for self.at, text in texts.items():
            if text is not None:
                folder = self.at.parent
                self._folders += [path for path in (folder, *folder.parents) if not path.exists()]
                folder.mkdir(parents=True, exist_ok=True)

    def run(self, texts: Mapping[Path, str | None]) -> None:
        """Do it all: first whatever may fail for want of room or of rights, then what seldom does."""
        for self.at, text in texts.items():
            if text is None:
                continue
            aside = _beside(self.at, "new")
            self._new.append((aside, self.at))
            with new_file(aside, mode=_mode_of(self.at)) as file:
                file.write(text)
        for self.at in texts:
            if os.path.lexists(self.at):
                kept = _beside(self.at, "old")
                self._old.append((kept, self.at))
                _keep(self.at, kept)
        for aside, place in self._new:
            self.at = place
            self._placed.append(place)
            aside.replace(place)
        for self.at, text in texts.items():
            if text is None:
                self.at.unlink(missing_ok=True)

    def place_of(self, error: OSError) -> Path:
        """Return where it failed; of a file that was written aside, its place."""
        asides = {str(aside) for aside, _ in (*self._new, *self._old)}
        named = error.filename2 or error.filename
        return self.at if named is None or str(named) in asides else Path(named)

    def undo(self) -> None:
        """Put back what was replaced or removed, and remove what is new."""
        stood = {path: kept for kept, path in self._old}
        for path in self._placed:
            if path not in stood:
                _remove(path)
        for path, kept in stood.items():
            if path in self._placed or not os.path.lexists(path):
                with suppress(OSError):
                    kept.replace(path)
        self.clean()
        for folder in sorted(self._folders, reverse=True):  # what is inside before what it is in
            with suppress(OSError):  # it is not empty
                folder.rmdir()

    def clean(self) -> None:
        """Remove what was written aside and what was kept."""
        for aside, _ in (*self._new, *self._old):
            _remove(aside)


def refuse_folders(paths: Iterable[Path]) -> None:
    """Refuse places of files in which folders stand, and of folders in which anything else does.

    Raises:
        UserError: if there is one.
    """
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            raise UserError(f"{path}: cannot be written: this is a folder, in the place of a file")
        if os.path.lexists(path.parent) and not path.parent.is_dir():
            raise UserError(f"{path.parent}: cannot be written: it is in the place of a folder, and is none")


def refuse_unwritable(folder: Path) -> None:
    """Refuse a folder in which nothing can be made; no file in it is touched, whatever its name.

    Raises:
        OSError: if it is one.
    """
    with NamedTemporaryFile(dir=folder, prefix=".arena-"):
        pass


def _beside(path: Path, ending: str) -> Path:
    """Return a name beside a file that nobody else has."""
    return path.with_name(f".{path.name}.{secrets.token_hex(TOKEN_BYTES)}.{ending}")


def _mode_of(path: Path) -> int | None:
    """Return who may read a file, so that the one in its place may be read by nobody else; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mode & 0o777 if stat.S_ISREG(status.st_mode) else None


def _keep(path: Path, kept: Path) -> None:
    """Keep a file, or a link, under another name too."""
    try:
        os.link(path, kept, follow_symlinks=False)
    except (OSError, NotImplementedError):  # there are file systems without a second name for a file
        shutil.copy2(path, kept, follow_symlinks=False)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
