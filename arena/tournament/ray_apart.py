"""Plays blocks on a Ray cluster through a process of its own, as Ray ends the one that is connected when it likes.

When a cluster is gone, Ray ends the process that was connected to it, or has it wait for a minute and ends it then. So
the run's own process is another: it keeps what has come, tells what happened, and can be stopped at any time.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from arena.errors import ArenaError, DiskError, NoProcessError, UserError, ended_how
from arena.records import Block, BlockResult, LostBlock
from arena.tournament.crew import Crew, Tell, nobody
from arena.tournament.offspring import begin, end_with_parent, hear_interrupts
from arena.tournament.ray_address import DEFAULT_ADDRESS, Address
from arena.tournament.ray_cluster import NO_ANSWER
from arena.tournament.ray_foreman import play_ray
from arena.tournament.ray_nodes import PATIENCE, Patience
from arena.tournament.work import Job

LOOK_UP_S = 0.1
BEAT_S = 1.0
"""Seconds from one sign that it goes on to the next."""
SILENT_S = 45.0
"""Seconds without a sign after which Ray will never let go of it; by itself Ray takes 60 to end it."""
STOP_S = 30.0
"""Seconds in which it is to take leave of the cluster, or to end one of its own."""
KINDS = DiskError, NoProcessError, UserError, ArenaError
"""What may be raised in the run's own process; the first that fits."""


class _Failed(NamedTuple):
    """Its last message: what it raised.

    Attributes:
        kind: of `KINDS`.
        text: the message.
    """

    kind: type[ArenaError]
    text: str


class _Done:
    """Its last message: there is nothing more to come."""


class _Beat:
    """Its message that it goes on."""


def play_ray_apart(
    job: Job,
    blocks: Sequence[Block],
    stopped: Callable[[], bool],
    *,
    workers: int | None = None,
    address: Address = DEFAULT_ADDRESS,
    tell: Tell = nobody,
    patience: Patience = PATIENCE,
) -> Generator[BlockResult | LostBlock, None, None]:
    """Play blocks on a Ray cluster, with the arguments and errors of `arena.tournament.ray_foreman.play_ray`.

    Where this process is connected to Ray already, it stays the one that is. Where Ray ends the other, or does not
    let go of it, that is told, and nothing more comes.
    """
    if (ray := sys.modules.get("ray")) is not None and ray.is_initialized():
        yield from play_ray(job, blocks, stopped, workers=workers, address=address, tell=tell, patience=patience)
        return
    pipe, process = begin(_speak, "what speaks with Ray", job, blocks, workers, address, patience)
    with pipe:
        try:
            yield from _heard(pipe, process, len(blocks), stopped, tell)
        finally:
            _end(pipe, process)


def _heard(
    pipe: Connection, process: BaseProcess, wanted: int, stopped: Callable[[], bool], tell: Tell
) -> Generator[BlockResult | LostBlock, None, None]:
    """Return what the process says, until all that is wanted has come, or it is done or gone."""
    silent, begun, last = 0.0, False, Crew(0, 0)  # it has begun when it has told who plays
    while wanted and not stopped():
        if not pipe.poll(LOOK_UP_S):
            silent += LOOK_UP_S  # time in which this process was stopped itself does not count
            if not begun or silent < SILENT_S:
                continue
            process.kill()
        silent = 0.0
        try:
            said = pipe.recv()
        except (EOFError, OSError):
            process.join()
            how = ended_how(process.exitcode or 0)
            if not last.news.endswith(NO_ANSWER):  # it had said so itself
                tell(Crew(0, 0, f"the Ray cluster {NO_ANSWER}: the process that speaks with it ended, {how}"))
            return
        match said:
            case BlockResult() | LostBlock():
                wanted -= 1
                yield said
            case Crew():
                last, begun = said, True
                tell(said)
            case _Beat():
                pass
            case _Failed(kind, text):
                raise kind(text)
            case _Done():
                return


def _end(pipe: Connection, process: BaseProcess) -> None:
    """Have the process take leave of the cluster, and end it."""
    try:
        with suppress(OSError):
            pipe.send(None)
        waited = 0.0
        while waited < STOP_S:
            if not pipe.poll(LOOK_UP_S):
                waited += LOOK_UP_S
                continue
            pipe.recv()  # what it says now is not wanted
    except (EOFError, OSError):
        pass
    finally:
        process.kill()
        process.join()


def _speak(
    pipe: Connection, job: Job, blocks: Sequence[Block], workers: int | None, address: Address, patience: Patience
) -> None:
    """Speak with Ray until nothing is left to play or something comes through the pipe; the process's whole life."""
    for number in {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:  # the run's own to hear
        signal.signal(number, lambda *_: None)  # no `SIG_IGN`: the programs that Ray starts would have it from here
    hear_interrupts()
    silence = os.open(os.devnull, os.O_WRONLY)
    for target in (1, 2):  # what Ray prints at its end is told better
        os.dup2(silence, target)
    os.chdir(Path(sys.executable).parent)  # Ray has workers look for modules in the working folder, where bots may lie
    beaten = monotonic()

    def say(what: object) -> None:
        with suppress(OSError):  # nobody is there any more, and it is told to stop
            pipe.send(what)

    def stopped() -> bool:
        nonlocal beaten
        if monotonic() - beaten > BEAT_S:
            beaten = monotonic()
            say(_Beat())
        return pipe.poll()

    try:
        end_with_parent("for Ray")
        playing = play_ray(job, blocks, stopped, workers=workers, address=address, tell=say, patience=patience)
        with closing(playing) as found:
            for one in found:
                say(one)
        say(_Done())
    except ArenaError as error:
        say(_Failed(next(kind for kind in KINDS if isinstance(error, kind)), str(error)))
    except BaseException:
        say(_Failed(ArenaError, f"what speaks with Ray failed:\n{traceback.format_exc()}"))
    pipe.close()
    os._exit(0)  # of a cluster that is gone Ray would take leave for long
