"""Does something bad at its first question of every game, and then plays on as if nothing had been."""

import ctypes
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time


def spin():
    while True:
        pass


def sleep():
    while True:
        time.sleep(60)


def spin_deaf():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    spin()


def deep():
    def deeper(depth):
        return deeper(depth + 1)

    deeper(0)


def deep_in_c():
    sys.setrecursionlimit(1 << 30)
    value = []
    for _ in range(200_000):
        value = [value]
    repr(value)


def allocate():
    """So much at once is mapped and not touched: no processor time is spent, as it is where memory is filled."""
    held = []
    while True:
        held.append(bytes(64 << 20))


KEPT = []


def allocate_and_keep():
    while True:
        KEPT.append(bytearray(1 << 20))


def allocate_to_the_last():
    size = 1 << 24
    while size:
        try:
            KEPT.append(bytearray(size))
        except MemoryError:
            size //= 2


def fork_without_end():
    """As long as it is let; where nothing stops it, this does."""
    for _ in range(300):
        try:
            if not os.fork():
                time.sleep(20)
                os._exit(0)
        except OSError:
            return
    os._exit(9)


def fork_some():
    try:
        for _ in range(4):
            if not os.fork():
                time.sleep(20)
                os._exit(0)
    except OSError:
        pass


def leave_a_child():
    """In a session of its own, which no signal to the bot's group reaches."""
    try:
        if not os.fork():
            os.setsid()
            time.sleep(5)
            os._exit(0)
    except OSError:
        pass


def die_leaving_a_child():
    """Which has all that the bot had, the way to the arena too."""
    try:
        if not os.fork():
            time.sleep(60)
            os._exit(0)
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGKILL)


def die_leaving_a_program():
    try:
        if not os.fork():
            os.execv("/bin/sleep", ["sleep", "60"])
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGKILL)


def start_threads():
    for _ in range(8):
        threading.Thread(target=spin, daemon=True).start()
    spin()


def start_idle_threads():
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def crowd():
    threading.stack_size(1 << 16)
    for _ in range(299):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def crowd_and_sleep():
    crowd()
    sleep()


def print_megabytes():
    for _ in range(4096):
        print("x" * 1023)
        print("y" * 1023, file=sys.stderr)


def print_past_python():
    for number in (1, 2):
        for _ in range(64):
            os.write(number, b"\xff\0\x1b[2J" * 4096)


def write_to_all():
    for number in range(64):
        try:
            os.write(number, b"\1\2\3")
        except OSError:
            pass


def close_all():
    os.closerange(0, 256)


def close_output():
    os.closerange(0, 3)


def close_channel():
    os.close(3)


def half_a_frame():
    os.write(3, struct.pack("<I", 100) + b"half")
    sleep()


def half_a_frame_and_exit():
    os.write(3, struct.pack("<I", 100) + b"half")
    os._exit(0)


def oversized_frame():
    os.write(3, struct.pack("<I", 0xFFFFFFFF) + b"x" * 100)
    spin()


def noise():
    os.write(3, bytes(range(256)) * 16)
    sleep()


def noise_and_on():
    os.write(3, bytes(255 - n for n in range(256)))


def empty_frame():
    os.write(3, bytes(4))


TABLES = 3
"""That are asked together in these tests."""


def frame_of_json(text, answers=b"\1\0" * TABLES):
    """A whole frame: an answer for every table, and this beside it."""

    def send():
        os.write(3, struct.pack("<I", len(answers) + 4 + len(text)) + answers + struct.pack("<I", len(text)) + text)
        sleep()

    return send


def segfault():
    ctypes.string_at(0)


def abort():
    os.abort()


def exit_():
    os._exit(0)


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def real_time_signal():
    os.kill(os.getpid(), 40)


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def raise_():
    raise ValueError("\x1b[31mred\nlines\ud800")


class Odd(BaseException):
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


def raise_odd():
    raise Odd


def system_exit():
    sys.exit("over")


def interrupt():
    raise KeyboardInterrupt


def generator_exit():
    raise GeneratorExit


def mmaps():
    found = []
    frame = sys._getframe()
    while frame is not None:
        for value in frame.f_locals.values():
            if isinstance(value, mmap.mmap):
                found.append(memoryview(value).cast("I"))
            elif isinstance(value, memoryview) and value.format == "I":
                found.append(value)
        frame = frame.f_back
    return found


def mark_and_spin():
    found = mmaps()
    while True:
        for mark in found:
            mark[0] = (mark[0] + 1) & 0xFFFF


def mark_and_exit():
    for mark in mmaps():
        mark[0] = 0xFFFFFFFF
    os._exit(0)


def shrink_mark():
    try:
        names = os.listdir("/proc/self/map_files")
    except OSError:
        return
    for name in names:
        path = f"/proc/self/map_files/{name}"
        try:
            if "memfd:mark" in os.readlink(path):
                os.truncate(path, 0)
        except OSError:
            pass


def nothing():
    pass


DEEDS = {
    **{name: thing for name, thing in list(globals().items()) if callable(thing) and not isinstance(thing, type)},
    "json_list": frame_of_json(b"[1, 2]"),
    "json_deep": frame_of_json(b"[" * 100_000),
    "json_huge_key": frame_of_json(b'{"' + b"9" * 5000 + b'": [1, "", ""]}'),
    "json_inf": frame_of_json(b'{"0": [1e999, "", ""]}'),
    "json_nested": frame_of_json(b'{"0": {"end": 1, "message": 2, "traceback": 3}}'),
    "json_latin": frame_of_json(b'{"0": [1, "\xff", ""]}'),
    "claim_crash": frame_of_json(b'{"0": [5, "it was not me", ""]}', b"\xfb\xff" * TABLES),
    "minus_crash": frame_of_json(b"{}", b"\xfb\xff" * TABLES),
    "beyond": frame_of_json(b"{}", b"\xff\x7f" * TABLES),
    "too_many": frame_of_json(b"{}", b"\1\0" * (TABLES + 1)),
    "control": frame_of_json(
        b'{"0": [3, "\\u001b[2J\\ud800\\nlines", "\\ud800"], "7": [3, "", ""]}', b"\xfd\xff" * TABLES
    ),
}


class Does:
    """Does it at its first question of every game, or from a game on.

    Args:
        deed: what.
        from_game: the first game in which it does so, among those that this class is made for; the first instance is
            made when the bot is loaded, and plays none.
    """

    made = -1

    def __init__(self, deed, from_game=0):
        self.deed = DEEDS[deed]
        self.due = Does.made >= from_game
        Does.made += 1

    def hold(self, turn):
        if self.due:
            self.due = False
            self.deed()
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
