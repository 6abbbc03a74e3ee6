"""A bot's source in a folder of its own: copied there, or packed where the bot is and unpacked where it plays."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from arena.agent.commands import command_hash
from arena.agent.ref import AgentRef, LeadsOut, source_files, source_hash

LISTING = "names"
"""The member of a bundle that lists its files: the name, which may be anything, and whether it may be executed."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
EXECUTABLE = 0o100


def pack(ref: AgentRef) -> bytes:
    """Return the file or the folder of a bot as a zip, of an external bot all that its command names.

    The same source under the same name gives the same bytes.

    Raises:
        OSError: if it cannot be read.
        LeadsOut: for a link that leads out of a folder.
    """
    files = list(_files(ref))
    listing = [(name, bool(ref.argv and path.stat().st_mode & EXECUTABLE)) for name, path in files]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        contents = {LISTING: json.dumps(listing).encode()}
        contents |= {str(number): path.read_bytes() for number, (_, path) in enumerate(files)}
        for member, content in contents.items():
            archive.writestr(zipfile.ZipInfo(member, LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def digest(bundle: bytes) -> str:
    """Return the name of a bundle: its sha256, hexadecimal."""
    return hashlib.sha256(bundle).hexdigest()


def copy_source(ref: AgentRef, home: Path) -> None:
    """Copy a bot's source into a folder of its own, which is made; `in_home` refers to the copy.

    Raises:
        OSError: if it cannot be read, or written.
        LeadsOut: for a link that leads out of a folder.
    """
    home.mkdir(exist_ok=True)
    for name, path in _files(ref):
        place = home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copy if ref.argv else shutil.copyfile)(path, place)  # with its rights where it may be the program


def unchanged(ref: AgentRef) -> bool:
    """Return True if a bot's source is what the reference was made of."""
    try:
        if ref.argv:
            return command_hash(ref.argv, [part.path for part in ref.parts]) == ref.source_hash
        return source_hash(ref.path, installed=ref.installed) == ref.source_hash
    except (OSError, LeadsOut):
        return False


def unpacked(ref: AgentRef, name: str, folder: Path) -> AgentRef | None:
    """Return a reference to a bot that was unpacked before; None if it was not, or is not whole any more.

    Args:
        ref: the bot as it is known elsewhere.
        name: of its bundle.
        folder: where bundles are unpacked.
    """
    there = in_home(ref, folder / name)
    return there if unchanged(there) else None


def unpack(ref: AgentRef, bundle: bytes, folder: Path) -> AgentRef:
    """Unpack a bot in a folder of its own, named by the bundle; several may do so at the same time.

    Args:
        ref: the bot as it is known elsewhere.
        bundle: from `pack`.
        folder: where bundles are unpacked.

    Returns:
        A reference to the copy.

    Raises:
        OSError: if it cannot be written.
        ValueError: if it holds a file that would lie elsewhere.
    """
    name = digest(bundle)
    if known := unpacked(ref, name, folder):
        return known
    aside = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    try:
        _write(bundle, aside)
        try:
            aside.rename(folder / name)
        except OSError:  # another was first, or what is there is damaged
            if not (known := unpacked(ref, name, folder)):
                shutil.rmtree(folder / name, ignore_errors=True)
                aside.rename(folder / name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return in_home(ref, folder / name)


def _write(bundle: bytes, aside: Path) -> None:
    """Write the files of a bundle into a folder."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        for number, (inner, executable) in enumerate(json.loads(archive.read(LISTING))):
            place = aside / inner
            if not place.resolve().is_relative_to(aside.resolve()):
                raise ValueError(f"a bundle with a file {inner!r}")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.read(str(number)))
            if executable:
                place.chmod(place.stat().st_mode | EXECUTABLE)


def _files(ref: AgentRef) -> Iterator[tuple[str, Path]]:
    """Yield the files of a bot, each with its name inside the bundle."""
    sources = (
        [(part.inside, part.path) for part in ref.parts if part.inside] if ref.argv else [(_inside(ref), ref.path)]
    )
    for inside, source in sources:
        for name, path in source_files(source, installed=ref.installed):
            yield (PurePosixPath(inside) / name).as_posix(), path


def in_home(ref: AgentRef, home: Path) -> AgentRef:
    """Return a reference to a bot that is unpacked in a folder; what an external bot does not bring stays in place."""
    if not ref.argv:
        return replace(ref, path=home / _inside(ref), root=home if ref.module else None)
    parts = tuple(replace(part, path=home / part.inside) if part.inside else part for part in ref.parts)
    moved = {part.path: new.path for part, new in zip(ref.parts, parts, strict=True)}
    return replace(ref, path=moved.get(ref.path, ref.path), root=home, parts=parts)


def _inside(ref: AgentRef) -> str:
    """Return where a bot's source is put in its own folder: that of a module where the module is looked for."""
    parts, module = ref.path.with_suffix("").parts, tuple(ref.module.partition(":")[0].split("."))
    deep = max((depth for depth in range(1, len(module) + 1) if parts[-depth:] == module[:depth]), default=1)
    return PurePosixPath(*ref.path.parts[-deep:]).as_posix()
