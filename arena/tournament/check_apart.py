"""The checks of a bot in a process of its own, at the level at which the bot is to play; a second one for check 3.

The arena asks for one finding after the other, and reads what comes as text. Between its questions the process asks,
once, what the bot answers elsewhere.
"""

from __future__ import annotations

import mmap
import pickle
import select
import time
import traceback
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.agent.bot_process import BotProcess
from arena.agent.check import NO_ANSWER, Key
from arena.agent.frames import FrameBuffer, FrameError, Reader, Stream, Writer, receive
from arena.agent.limits import Level, Limits
from arena.agent.printed import in_place, places
from arena.agent.ref import AgentRef
from arena.agent.spawned import new_nursery
from arena.agent.talk import send
from arena.errors import UserError, printable
from arena.game.new import Rules
from arena.rules.file import load_ruleset
from arena.rules.model import Ruleset
from arena.tournament.check import Answers, check, reference
from arena.tournament.findings import TITLES, Finding, FoundError, State
from arena.tournament.trials import Rulebook

ENDED = "it ended its process"
NONSENSE = "it meddled with what the checks said"
LIMITS = Limits(memory_mb=4096)
"""Wide: the checks play in there too, and look after the bot's time themselves."""
LOOK_S = 0.5
"""Seconds after which is looked whether the process has ended; what a bot has started may hold its channel open."""
QUIET_S = 180.0
"""Seconds in which the process takes no step and says nothing; whatever a bot does can be interrupted long before."""
MOST_BYTES = 1 << 26
MOST_LINES = 200
SERVICE = f"{__name__}:serve"


@dataclass(frozen=True, slots=True)
class Task:
    """What is done in the process.

    Attributes:
        ref: the bot.
        files: ruleset files.
        games: to play the games of check 3 alone: how many together, and how many sets of them; None for all checks.
    """

    ref: AgentRef
    files: tuple[Path, ...]
    games: tuple[int, int] | None = None


BROKEN = "it changes what the checks stand on"


class SilentError(Exception):
    """The process says no more.

    Args:
        message: what happened, in words.
        printed: the last of what it printed.
    """

    def __init__(self, message: str, printed: str = "") -> None:
        self.printed = printed
        super().__init__(message)


def check_apart(ref: AgentRef, files: Sequence[Path]) -> Generator[Finding, None, None]:
    """Check a bot.

    Args:
        ref: the bot; its level says how far apart it is kept, but always in a process of its own.
        files: ruleset files.

    Yields:
        The finding of each check, as soon as it is known.

    Raises:
        UserError: if there is no such bot, or a ruleset file is wrong.
    """
    paths = tuple(file.resolve() for file in files)
    number = 0
    reply: Writer | None = None
    with ExitStack() as ends:
        process = ends.enter_context(_Process(Task(ref, paths), hash_seed=0))
        while True:
            try:
                said = process.next(reply)
                reply = Writer()
                match said:
                    case {"finding": finding}:
                        found = _finding(finding, number + 1)
                    case {"elsewhere": [int(tables), int(most)]}:
                        reply = Writer().text(_elsewhere(Task(ref, paths, (tables, most))))
                        continue
                    case {"mistake": str(text)} if not number:
                        raise UserError(process.renamed(text))
                    case {"bug": str(trace)} if not number:
                        raise RuntimeError(f"in the process of the checks:\n{trace}")
                    # The bot is loaded, and shares its process with the checks, whose files were read before.
                    case {"mistake": str(text)}:
                        raise SilentError(f"{BROKEN}: {printable(text)}")
                    case {"bug": str(trace)}:
                        raise SilentError(f"{BROKEN}: {printable(trace.strip().splitlines()[-1])}")
                    case {"done": True}:
                        return
                    case _:
                        raise SilentError(NONSENSE)
            except SilentError as loss:
                lines = tuple(map(_shown, process.renamed(loss.printed).splitlines()))
                yield Finding(number + 1, State.FAILED, str(loss), lines)
                for later in range(number + 2, len(TITLES) + 1):
                    yield Finding(later, State.SKIPPED, str(loss).partition(",")[0])
                return
            number = found.number
            yield Finding(number, found.state, process.renamed(found.said), tuple(map(process.renamed, found.details)))


def _shown(line: str) -> str:
    """Return a line that does nothing to a terminal, with spaces for its tabs."""
    return printable(line.expandtabs())


def _finding(said: Any, number: int) -> Finding:
    """Return a finding as it was told.

    Raises:
        SilentError: if it is none, or not the next one.
    """
    match said:
        case [int(told), str(state), str(words), list(details)] if told == number <= len(TITLES):
            if state in list(State) and all(isinstance(line, str) for line in details):
                return Finding(number, State(state), printable(words), tuple(map(_shown, details[:MOST_LINES])))
    raise SilentError(NONSENSE)


def _elsewhere(task: Task) -> dict[str, Any]:
    """Return what another process says of the bot's answers, or how it failed to."""
    try:
        with _Process(task, hash_seed=1) as other:
            said = other.next(None)
    except SilentError as loss:
        return {"failed": f"in another process: {loss}"}
    return said if isinstance(said, dict) else {"failed": f"in another process: {NONSENSE}"}


class _Process:
    """A process that does a task; a context manager."""

    def __init__(self, task: Task, *, hash_seed: int) -> None:
        self._task = task
        self._nursery = new_nursery(service=SERVICE, readable=task.files, ahead=0, hash_seed=hash_seed)
        self._process: BotProcess | None = None

    def __enter__(self) -> _Process:
        with ExitStack() as begun:
            begun.callback(self._nursery.close)
            self._begin()
            begun.pop_all()
        return self

    def _begin(self) -> None:
        task, nursery = self._task, self._nursery
        rulesets = [load_ruleset(file) for file in task.files]
        for ruleset in {ruleset.card is None: ruleset for ruleset in rulesets}.values():  # what plays them is compiled
            nursery.learn(ruleset, task.ref)
        nursery.solve(_rulesets(Rulebook(task.files)), task.ref)
        ref = nursery.unpack(task.ref)
        self._places = places(task.ref, nursery.home(task.ref))
        self._process = nursery.start(ref, LIMITS, boxed=task.ref.level == Level.SANDBOX)
        send(self._process, Writer().blob(pickle.dumps(Task(ref, task.files, task.games))))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._nursery.dismiss(self._process)
        self._nursery.close()

    def renamed(self, text: str) -> str:
        """Return a text with the bot where it was, and not where it was unpacked."""
        return in_place(text, self._places)

    def next(self, reply: Writer | None) -> Any:
        """Send a reply to what was said last, if anything was, and return what is said next.

        Raises:
            SilentError: if nothing is, or nonsense.
        """
        process = self._process
        assert process is not None
        if reply is not None:
            send(process, reply)
        buffer = FrameBuffer(MOST_BYTES)
        at, since = process.at(), time.monotonic()
        while True:
            reading: list[Any] = [process.channel, process.output] if process.talks else [process.channel]
            ready, _, _ = select.select(reading, [], [], LOOK_S)
            if process.output in ready:
                process.drain()
            try:
                alive = buffer.read(process.channel) if process.channel in ready else True
                if (frame := buffer.frame()) is not None:
                    return Reader(frame).text()
            except FrameError:
                raise SilentError(NONSENSE) from None
            if process.at() != at:
                at, since = process.at(), time.monotonic()
            if not alive or (not ready and self._nursery.has_ended(process)):
                self._process, printed = None, process.tail()
                raise SilentError(f"{ENDED}, {self._nursery.bury(process)}", printed)
            if time.monotonic() - since > QUIET_S and process.channel not in ready:
                self._process, printed = None, process.tail()
                self._nursery.bury(process)
                raise SilentError(f"{NO_ANSWER} within {QUIET_S:.0f} seconds", printed)


def _rulesets(rulebook: Rulebook) -> Iterator[Ruleset]:
    for rules in (*rulebook.plain, *rulebook.changed):
        yield rules.ruleset


# In the process


class _Told:
    """What the process tells the arena, which replies to each.

    Args:
        channel: to the arena, blocking.
    """

    def __init__(self, channel: Stream) -> None:
        self._channel = channel

    def say(self, said: Mapping[str, Any]) -> Reader:
        """Say something, and return the reply."""
        self._channel.sendall(Writer().text(said).bytes())
        reply = receive(self._channel)
        if reply is None:
            raise EOFError("the arena is gone")
        return Reader(reply)

    def elsewhere(self, tables: int, most: int) -> Answers:
        """Ask what the bot answers in another process.

        Raises:
            FoundError: if it does not.
        """
        said = self.say({"elsewhere": [tables, most]}).text()
        if "failed" in said:
            raise FoundError("", said["failed"])
        try:
            return {Key(*key): (int(answer), str(words)) for key, answer, words in said["answers"]}
        except (TypeError, ValueError, KeyError):
            raise FoundError("", f"in another process: {NONSENSE}") from None


def serve(channel: Stream, mark: mmap.mmap, rules_by_hash: Mapping[str, Rules]) -> None:
    """Do the task that comes, and tell of it; see `arena.agent.birth.Service`."""
    del rules_by_hash
    first = receive(channel)
    if first is None:
        return
    task: Task = pickle.loads(Reader(first).blob())
    told, ref, rulebook, steps = _Told(channel), task.ref, Rulebook(task.files), memoryview(mark).cast("I")

    def beat() -> None:
        steps[0] = (steps[0] + 1) & 0xFFFF_FFFF

    with suppress(EOFError):
        try:
            if task.games is not None:
                answers = reference(ref, rulebook, *task.games, beat)
                told.say({"answers": [[list(key), *answer] for key, answer in answers.items()]})
                return
            for finding in check(ref, rulebook, elsewhere=told.elsewhere, beat=beat):
                details = [line for text in finding.details for line in text.splitlines() or [""]]
                told.say({"finding": [finding.number, finding.state, finding.said, details]})
            told.say({"done": True})
        except UserError as error:
            text = str(error)
            told.say({"mistake": text} if task.games is None else {"failed": f"in another process: {text}"})
        except (FoundError, TimeoutError) as error:  # by the reference alone
            lines = error.details if isinstance(error, FoundError) else [str(error)]
            told.say({"failed": f"in another process: {lines[0]}"})
        except Exception:
            told.say({"bug": traceback.format_exc()})
