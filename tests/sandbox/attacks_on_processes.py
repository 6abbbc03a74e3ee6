"""What a bot may try on other processes, by network, and against its limits: each returns if it succeeds."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import subprocess
import threading
import time
from typing import Any

from raw_calls import raw

CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_THREAD = 0x100, 0x200, 0x400, 0x800, 0x10000
CLONE_NEWUSER = 0x10000000


# signals


def signal_parent() -> None:
    os.kill(os.getppid(), 0)


def signal_everyone() -> None:
    os.kill(-1, 0)


def signal_group() -> None:
    os.killpg(os.getpgrp(), 0)


def signal_thread() -> None:
    raw("tkill", os.getppid(), 0)


def signal_thread_of_group() -> None:
    raw("tgkill", os.getppid(), os.getppid(), 0)


def signal_with_value() -> None:
    raw("rt_sigqueueinfo", os.getppid(), 0, (-1).to_bytes(16, "little", signed=True) + bytes(112))


def signal_by_descriptor() -> None:
    raw("pidfd_send_signal", raw("pidfd_open", os.getppid(), 0), 0, None, 0)


def signal_by_pipe() -> None:
    """Have the kernel send a signal to the parent when a pipe can be read."""
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid())


def pin_parent() -> None:
    os.sched_setaffinity(os.getppid(), os.sched_getaffinity(os.getppid()))


def limit_parent() -> None:
    resource.prlimit(os.getppid(), resource.RLIMIT_CORE, resource.prlimit(os.getppid(), resource.RLIMIT_CORE))


def ask_limits_of_parent() -> None:
    resource.prlimit(os.getppid(), resource.RLIMIT_CORE)


def slow_parent() -> None:
    raw("setpriority", 0, os.getppid(), os.getpriority(os.PRIO_PROCESS, os.getppid()))


def clock_of_parent() -> float:
    return time.clock_gettime(~os.getppid() << 3 | 2)


# memory of others


def attach() -> None:
    raw("ptrace", 0x4206, os.getppid(), 0, 0)  # PTRACE_SEIZE; ends with this process


def be_traced() -> None:
    raw("ptrace", 0, 0, 0, 0)


def read_memory() -> int:
    """Read a word of the parent: a fork shares its addresses."""
    word = ctypes.create_string_buffer(8)
    piece = ctypes.addressof(word).to_bytes(8, "little") + (8).to_bytes(8, "little")
    return raw("process_vm_readv", os.getppid(), piece, 1, piece, 1, 0)


def write_memory() -> int:
    return raw("process_vm_writev", os.getppid(), bytes(16), 0, bytes(16), 0, 0)


# new processes and programs


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def fork_by_number() -> None:
    if raw("fork") == 0:
        os._exit(0)


def clone(flags: int = signal.SIGCHLD) -> None:
    if raw("clone", flags, 0, 0, 0, 0) == 0:
        os._exit(0)


def clone_sharing_memory() -> None:
    raw("clone", CLONE_VM | signal.SIGCHLD, 0, 0, 0, 0)  # not outside: two processes on one stack


def clone_thread_with_namespace() -> None:
    raw("clone", CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_NEWUSER, 0, 0, 0, 0)


def clone_by_structure() -> None:
    if raw("clone3", bytes(32) + signal.SIGCHLD.to_bytes(8, "little") + bytes(24), 64) == 0:
        os._exit(0)


def vfork() -> None:
    raw("vfork")


def execute() -> None:
    os.execv("/bin/true", ["true"])


def execute_by_number() -> None:
    raw("execveat", -100, b"/bin/true\0", bytes(8), bytes(8), 0)


def run_program() -> int:
    return subprocess.run(["/bin/true"], check=True).returncode


def spawn() -> int:
    return os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1]


# network


def connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=5).close()


def listen() -> None:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()


def send_datagram(port: int) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as made:
        made.sendto(b"x", ("127.0.0.1", port))


def connect_unix(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(address)


def make_pair() -> None:
    for end in socket.socketpair():
        end.close()


def talk_to_kernel() -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


# limits


def take(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def take_in_thread(megabytes: int) -> int:
    sizes: list[int] = []
    thread = threading.Thread(target=lambda: sizes.append(take(megabytes)))
    threading.excepthook = lambda _: None
    thread.start()
    thread.join()
    if not sizes:
        raise MemoryError
    return sizes[0]


def take_shared(megabytes: int) -> int:
    with mmap.mmap(-1, megabytes << 20) as made:
        return len(made)


def take_downwards(megabytes: int) -> int:
    return raw("mmap", 0, megabytes << 20, 3, 0x122, -1, 0)


def burn(seconds: float) -> float:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return time.process_time()


def burn_deaf(seconds: float) -> float:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    return burn(seconds)


def raise_limit(name: str) -> None:
    """Set a limit to what it is now: even that is refused, as what is set is behind a pointer."""
    limit = getattr(resource, name)
    resource.setrlimit(limit, resource.getrlimit(limit))


def raise_limit_by_number() -> None:
    raw("setrlimit", resource.RLIMIT_CORE, bytes(16))


def open_many(count: int) -> int:
    return len([os.dup(1) for _ in range(count)])


def outlive_parent() -> None:
    raw("prctl", 1, 0, 0, 0, 0)


def open_up() -> None:
    raw("prctl", 4, 1, 0, 0, 0)


def move_pipe_size() -> int:
    return fcntl.fcntl(os.pipe()[0], fcntl.F_SETPIPE_SZ, 1 << 20)


def type_into_terminal() -> None:
    fcntl.ioctl(0, 0x5412, b"x")


def state() -> dict[str, Any]:
    """Return the limits, and the capabilities that are left."""
    names = ("AS", "CPU", "NOFILE", "CORE", "FSIZE", "NPROC")
    found: dict[str, Any] = {
        f"RLIMIT_{name}": resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names
    }
    header, held = struct.pack("=Ii", 0x20080522, 0), ctypes.create_string_buffer(24)
    raw("capget", header, ctypes.addressof(held))
    found["capabilities"] = struct.unpack("=6I", held.raw)[0] | struct.unpack("=6I", held.raw)[3] << 32
    return found
