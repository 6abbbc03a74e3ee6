"""An external bot that does one deed, named by its first word, and else plays on: stops at once, first open row.

Deeds of `AT_ONCE` are done before anything is read, those of `INSTEAD` in place of the answer to the first question,
those of `BESIDE` before that answer, and those of `HOLDS` and `ROWS` are the answers to all.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

DEED, WAY = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "batch"
OTHERS = [word.removeprefix("+") for word in sys.argv[3:]]


def write(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data) :]


def spin():
    while True:
        pass


def sleep():
    time.sleep(3600)


def fill():
    while True:
        write("x" * 65536)


def half():
    write('{"type": "hello", "answers": [[')


def then_sleep(text):
    write(text)
    sleep()


def dribble(wait):
    """Write a line without end, a byte now and then."""
    while True:
        write(" ")
        wait()


def spin_a_little():
    until = time.process_time() + 0.002
    while time.process_time() < until:
        pass


def close_stdout():
    os.close(1)
    sleep()


def child_holds_stdout():
    """A child that lives on with the pipe, if that can be had."""
    try:
        if not os.fork():
            sleep()
    except PermissionError:
        pass
    os._exit(3)


def leave_a_child():
    try:
        if not os.fork():
            for number in (0, 1, 2):
                os.close(number)
            sleep()
    except PermissionError:
        pass


def allocate():
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def crowd():
    threading.stack_size(1 << 16)
    for _ in range(299):
        threading.Thread(target=sleep, daemon=True).start()


def refused(attempt, *kinds):
    """End the process unless an attempt is refused."""
    try:
        attempt()
    except kinds or (PermissionError,):
        return
    os._exit(9)


def sockets():
    for family, address in (
        (socket.AF_INET, ("127.0.0.1", 9)),
        (socket.AF_UNIX, "/tmp/none"),
        (socket.AF_INET6, ("::1", 9)),
    ):
        refused(lambda: socket.socket(family).connect(address))
    refused(socket.socketpair)


def write_files():
    refused(lambda: Path("mine.txt").write_text("x"))
    refused(lambda: Path(__file__).write_text("x"))
    refused(lambda: Path("/tmp/mine.txt").write_text("x"))


def read_files():
    for path in ("/etc/passwd", "/proc/self/environ", "/tmp", "/root", "/home", f"/proc/{os.getppid()}/mem", *OTHERS):
        path = Path(path)
        refused(lambda: list(path.iterdir()) if path.is_dir() else path.read_bytes())


def run_others():
    refused(lambda: subprocess.run(["/bin/sh", "-c", "true"]))
    refused(lambda: os.execv("/bin/sh", ["sh", "-c", "true"]))


def signal_parent():
    refused(lambda: os.kill(os.getppid(), signal.SIGTERM))


def own_things():
    """What is there is the bot's own: environment, folder, descriptors."""
    assert set(os.environ) <= {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONHASHSEED"} | {
        name for name in os.environ if name.endswith("_NUM_THREADS")
    }
    assert os.getcwd() == os.environ["HOME"] and sorted(os.listdir(".")) == ["misbehaves.py"], os.listdir(".")
    for number in range(3, 256):
        refused(lambda: os.fstat(number), OSError)


AT_ONCE = {
    "exit_at_once": lambda: os._exit(0),
    "kill_at_once": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "noise_at_once": lambda: write("Hello, I am a bot!\n"),
    "binary_at_once": lambda: write(b"\xff\xfe\x00\x01\n"),
    "number_at_once": lambda: write("5\n"),
    "other_hello_at_once": lambda: write('{"type": "hallo"}\n'),
    "other_version_at_once": lambda: write('{"type": "hello", "protocol": 2}\n'),
    "true_version_at_once": lambda: write('{"type": "hello", "protocol": true}\n'),
    "odd_stateless_at_once": lambda: write('{"type": "hello", "stateless": "yes"}\n'),
    "spin_at_once": spin,
    "sleep_at_once": sleep,
    "crowd_at_once": lambda: (crowd(), sleep()),
    "fill_at_once": fill,
    "half_at_once": lambda: then_sleep('{"type": "hel'),
    "close_at_once": close_stdout,
}

INSTEAD = {
    "exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raise": lambda: 1 / 0,
    "noise": lambda: write("thinking...\n"),
    "empty_line": lambda: write("\n"),
    "binary": lambda: write(b"\xff\xfe\x00\x01\n"),
    "half_a_line": lambda: (half(), sleep()),
    "half_a_line_and_exit": lambda: (half(), os._exit(3)),
    "oversized_line": lambda: write("[" + "1," * 500_000 + "1]\n"),
    "fill": fill,
    "deep": lambda: write('{"answers": ' + "[" * 400 + "]" * 400 + "}\n"),
    "deeper": lambda: write("[" * 100_000 + "\n"),
    "nan": lambda: write('{"answers": [NaN, NaN, NaN]}\n'),
    "all_in_answer": lambda: write('{"answer": [[], [], []]}\n'),
    "one_and_sleep": lambda: then_sleep('{"answer": []}\n'),
    "one_and_half": lambda: then_sleep('{"answer": []}\n{'),
    "a_list": lambda: write("[[1], [2], [3]]\n"),
    "nothing_in_it": lambda: write("{}\n"),
    "none": lambda: write('{"answers": null}\n'),
    "too_few": lambda: write('{"answers": [[]]}\n'),
    "too_many": lambda: write('{"answers": [[], [], [], []]}\n'),
    "none_at_all": lambda: write('{"answers": []}\n'),
    "mixed": lambda: write('{"answer": []}\n{"answers": [[], []]}\n'),
    "spin": spin,
    "sleep": sleep,
    "dribble_and_spin": lambda: dribble(spin_a_little),
    "dribble_and_sleep": lambda: dribble(lambda: time.sleep(0.002)),
    "real_time_signal": lambda: os.kill(os.getpid(), 40),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "close_stdout": close_stdout,
    "close_stdout_and_exit": lambda: (os.close(1), os._exit(3)),
    "child_holds_stdout": child_holds_stdout,
    "allocate": allocate,
}

BESIDE = {
    "nothing": lambda: None,
    "twice": lambda: write('{"answers": [[], [], []]}\n'),
    "stderr": lambda: sys.stderr.write("no end of text\n" * 300_000),
    "close_stderr": lambda: os.close(2),
    "close_stdin": lambda: os.close(0),
    "ignore_signals": lambda: [
        signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    ],
    "leave_a_child": leave_a_child,
    "crowd": crowd,
    "own_things": own_things,
    "sockets": sockets,
    "write_files": write_files,
    "read_files": read_files,
    "run_others": run_others,
    "signal_parent": signal_parent,
}

HOLDS = {
    "hold_none": None,
    "hold_text": "555",
    "hold_number": 5,
    "hold_object": {"5": 5},
    "hold_floats": [1.0],
    "hold_trues": [True],
    "hold_texts": ["1"],
    "hold_six": [1, 2, 3, 4, 5, 6],
    "hold_not_held": [1, 1, 1, 1, 1],
    "hold_zero": [0],
    "hold_negative": [-1],
    "hold_huge": [10**1000],
    "hold_infinite": [float("1e400")],
    "hold_nested": [[1]],
}

ROWS = {
    "row_none": None,
    "row_number": 0,
    "row_unknown": "dice",
    "row_list": ["ones"],
    "row_long": "ones" * 20,
    "row_padded": " ones",
    "row_object": {"row": "ones"},
}


DUE = [*filter(None, [INSTEAD.get(DEED) or BESIDE.get(DEED)])]


def answers_to(message):
    kind, turns = message["type"], message["turns"]
    if DUE:
        DUE.pop()()
    if DEED in HOLDS and kind == "hold":
        return [HOLDS[DEED]] * len(turns)
    if DEED in ROWS and kind == "choose_row":
        return [ROWS[DEED]] * len(turns)
    if DEED == "row_closed" and kind == "choose_row" and turns[0]["round"] == 2:
        return [next(row for row, points in turn["card"].items() if points is not None) for turn in turns]
    return [turn["dice"] if kind == "hold" else turn["open_rows"][0] for turn in turns]


def main():
    if DEED in AT_ONCE:
        AT_ONCE[DEED]()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            write('{"type": "hello"}\n')
        elif WAY == "batch":
            said = json.dumps({"answers": answers_to(message)}).replace("Infinity", "1e400")
            write(said + "\n")
        else:
            for turn in message["turns"]:
                [answer] = answers_to({**message, "turns": [turn]})
                write(json.dumps({"answer": answer}).replace("Infinity", "1e400") + "\n")


main()
