"""A job that travels to machines which have none of this one's files: bots as bytes, or by what is installed there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from arena.agent.bundle import digest, pack, unchanged, unpack, unpacked
from arena.agent.limits import Level
from arena.agent.printed import in_place
from arena.agent.programs import find_program
from arena.agent.ref import AgentRef, source_hash
from arena.agent.sources import bundled_folder, source_of
from arena.errors import FileError, UserError, not_taken
from arena.records import BlockResult
from arena.sandbox.box import missing
from arena.tournament.work import Job


@dataclass(frozen=True, slots=True)
class Cargo:
    """A job, ready to travel.

    Attributes:
        job: the run, its bots as they are known where they are from.
        bundles: names of the bundles that bots travel in, by agent; the others are installed everywhere.
    """

    job: Job
    bundles: Mapping[str, str]


def load_cargo(job: Job) -> tuple[Cargo, dict[str, bytes]]:
    """Return a job ready to travel, and its bots' bundles by name.

    Raises:
        FileError: if a bot's source cannot be read, or is not what it was when it was located.
    """
    by_agent: dict[str, str] = {}
    bundles: dict[str, bytes] = {}
    for ref in job.agents.values():
        if not ref.broken and not _installed(ref):
            try:
                bundle = pack(ref)
            except OSError as error:
                raise FileError(ref.path, f"cannot be read any more: {error.strerror}") from None
            if not unchanged(ref):
                raise FileError(ref.path, "changed while the tournament was running")
            by_agent[ref.name] = digest(bundle)
            bundles[by_agent[ref.name]] = bundle
    return Cargo(job, by_agent), bundles


def _installed(ref: AgentRef) -> bool:
    """Return True for bots that come with the arena, or from a module that is no neighbour of the tournament file."""
    return ref.origin == "bundled" or (bool(ref.module) and ref.root is None)


class Unloaded:
    """A job that has arrived.

    Args:
        cargo: the job as it was sent.
        fetch: returns a bundle by its name.
        folder: where bots are unpacked that were not before.
        inner: where a worker keeps what is its own.
        place: what this machine is called.

    Attributes:
        job: the run, its bots being those here.

    Raises:
        UserError: if this machine lacks a bot that should be installed, or the sandbox.
        DiskError: if its disk does not take a bot.
    """

    def __init__(self, cargo: Cargo, fetch: Callable[[str], bytes], folder: Path, *, inner: Path, place: str) -> None:
        agents = {}
        for name, ref in cargo.job.agents.items():
            if ref.level == Level.SANDBOX and (lacking := missing()):
                raise UserError(f"{name}: no sandbox on {place}, which has no {', no '.join(lacking)}")
            if ref.broken:
                agents[name] = ref
            elif bundle := cargo.bundles.get(name):
                agents[name] = unpacked(ref, bundle, folder) or _unpack(ref, fetch(bundle), folder, place)
                if ref.argv:
                    _check_program(agents[name], place)
            else:
                agents[name] = _found(ref, place)
        self.job = replace(cargo.job, agents=agents, folder=inner)
        self._renamed: dict[str, str] = {}
        for name, here in agents.items():
            there = cargo.job.agents[name]
            self._renamed.setdefault(str(here.path), str(there.path))
            if name in cargo.bundles:
                root = str(there.root or there.path.parent)
                self._renamed.setdefault(str(here.root or here.path.parent), root)

    def told(self, text: str) -> str:
        """Return a text with bots' paths as they are where the bots are from."""
        return in_place(text, self._renamed)

    def sent(self, result: BlockResult) -> BlockResult:
        """Return a result with the same done in its faults."""
        faults = (
            replace(
                fault,
                message=self.told(fault.message),
                traceback=self.told(fault.traceback),
                answer=self.told(fault.answer),
                printed=self.told(fault.printed),
            )
            for fault in result.faults
        )
        return replace(result, faults=tuple(faults))


def _unpack(ref: AgentRef, bundle: bytes, folder: Path, place: str) -> AgentRef:
    """Unpack a bot that has come here.

    Raises:
        UserError: if it cannot be written.
    """
    try:
        return unpack(ref, bundle, folder)
    except OSError as error:
        raise not_taken(f"{ref.name}: cannot be unpacked on {place}", error) from None


def _check_program(ref: AgentRef, place: str) -> None:
    """Refuse an external bot whose program is missing here, or is another.

    Raises:
        UserError: if it is so.
    """
    if all(part.place or not part.inside for part in ref.parts):
        try:
            find_program(ref.argv[0], Path(str(ref.root)))
        except UserError as error:
            raise UserError(f"{ref.name}: on {place}: {error}") from None
    if not unchanged(ref):
        raise UserError(f"{ref.name}: {ref.argv[0]} on {place} is not what it is here: install the same there")


def _found(ref: AgentRef, place: str) -> AgentRef:
    """Return a bot that should be installed here.

    Raises:
        UserError: if it is not, or is another.
    """
    if ref.origin == "bundled":
        candidates: Iterable[Path | None] = bundled_folder().glob("*.py")
        what = f"the bot {ref.name}, which ships with the arena,"
    else:
        module = ref.module.partition(":")[0]
        candidates = [source_of(module)]
        what = f"the module {module} of the bot {ref.name}"
    paths = [path for path in candidates if path is not None]
    for path in paths:
        if source_hash(path, installed=True) == ref.source_hash:
            return replace(ref, path=path)
    state = "is not what it is here" if paths else "is not installed"
    raise UserError(f"{what} {state} on {place}: install the same there")
