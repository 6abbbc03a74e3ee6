"""Files that are put in their places whole, or not at all: written aside, then renamed, so that nobody reads half."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TextIO

from arena.errors import UserError, not_taken


@contextmanager
def written_aside(path: Path) -> Iterator[TextIO]:
    """Open a file that takes its place when the block ends, and is gone if the block fails.

    Args:
        path: the place; no link, as the file would take the link's.

    Raises:
        OSError: if it cannot be written; then what stood there stays.
    """
    aside = _beside(path, "new")
    try:
        with _on_disk(aside) as file:
            yield file
        aside.replace(path)
    finally:
        _remove(aside)


@contextmanager
def _on_disk(path: Path) -> Iterator[TextIO]:
    """Open a new file that is on the disk once the block ends."""
    with path.open("x", encoding="utf-8", newline="\n") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def place_all(texts: Mapping[Path, str | None]) -> None:
    """Put texts in their places, all of them or none; what is None is removed.

    Raises:
        UserError: if it cannot be done; then every file is as it was, and no folder is left that was not there.
    """
    placing = _Placing()
    try:
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

    def run(self, texts: Mapping[Path, str | None]) -> None:
        """Do it all: first whatever may fail for want of room or of rights, then what seldom does."""
        refuse_folders(texts)
        for self.at, text in texts.items():
            if text is None:
                continue
            self._folders += [folder for folder in (self.at.parent, *self.at.parent.parents) if not folder.exists()]
            self.at.parent.mkdir(parents=True, exist_ok=True)
            aside = _beside(self.at, "new")
            self._new.append((aside, self.at))
            with _on_disk(aside) as file:
                file.write(text)
        for self.at in texts:
            if os.path.lexists(self.at):
                kept = _beside(self.at, "old")
                self._old.append((kept, self.at))
                _keep(self.at, kept)
        for aside, place in self._new:
            self.at = place
            self._placed.append(place)  # before: Ctrl-C may come in between
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
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.{ending}")


def _keep(path: Path, kept: Path) -> None:
    """Keep a file, or a link, under another name too."""
    try:
        os.link(path, kept, follow_symlinks=False)
    except (OSError, NotImplementedError):  # there are file systems without a second name for a file
        shutil.copy2(path, kept, follow_symlinks=False)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
