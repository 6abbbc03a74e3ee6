"""What a bot is free to do in the box: each returns what it found."""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import threading
import time
from pathlib import Path

from arena.sandbox.box import Box, enter


def multiply() -> float:
    import numpy as np  # noqa: PLC0415 - late, in the box

    made = np.ones((200, 200))
    return float((made @ made)[3, 4])


def compile_kernel() -> float:
    from numba import njit  # noqa: PLC0415 - late, in the box

    @njit
    def total(count: int) -> float:
        found = 0.0
        for number in range(count):
            found += number
        return found

    return float(total(100))


def import_late() -> list[str]:
    names = ("decimal", "statistics", "ctypes", "sqlite3", "zoneinfo", "xml.dom.minidom", "fractions")
    for name in names:
        __import__(name)
    return [name for name in names if name in sys.modules]


def run_threads() -> list[int]:
    found: list[int] = []
    threads = [threading.Thread(target=found.append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found)


def sleep() -> bool:
    before = time.monotonic()
    time.sleep(0.01)
    return time.monotonic() - before >= 0.01


def know_itself() -> list[bool]:
    return [
        os.getpid() > 1,
        os.getppid() > 0,
        os.getuid() >= 0,
        len(os.sched_getaffinity(0)) > 0,
        os.uname().nodename != "",
    ]


def list_own(folder: str) -> list[str]:
    return sorted(os.listdir(folder))


def read_own(folder: str) -> str:
    return (Path(folder) / "own.txt").read_text(encoding="utf-8")


def draw() -> list[int]:
    return [len(os.urandom(16)), len(random.SystemRandom().randbytes(8)), len(random.Random().randbytes(4))]


def say() -> str:
    print("a word")
    sys.stdout.flush()
    return "said"


def wait_on_pipe() -> str:
    reading, writing = os.pipe()
    os.write(writing, b"x")
    poll = select.epoll()
    poll.register(reading, select.EPOLLIN)
    assert poll.poll(1)
    return os.read(reading, 1).decode()


def alarm_itself() -> str:
    heard: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(0.05)
    return signal.Signals(heard[0]).name


def abort() -> None:
    os.abort()


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def take_little(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def ask_terminal() -> bool:
    return os.isatty(1)


def become(program: str, arguments: list[str]) -> None:
    os.execve(program, [program, *arguments], {"PATH": "/usr/bin"})


def enter_again(readable: list[str]) -> None:
    enter(Box(readable=tuple(map(Path, readable))))
