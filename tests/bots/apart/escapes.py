"""Tries to get out at its first question of every game: it ends itself if it succeeds, and plays on if it is refused."""

import ctypes
import os
import resource
import signal
import socket
import sys
from pathlib import Path

SYSCALL = ctypes.CDLL(None, use_errno=True).syscall
HERE = Path(__file__).parent
X86 = os.uname().machine == "x86_64"


def call(x86, arm, *arguments):
    numbers = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = SYSCALL(ctypes.c_long(x86 if X86 else arm), *numbers)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def parents_memory():
    os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY)


def parents_memory_by_call():
    buffer = ctypes.create_string_buffer(8)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
    call(310, 270, os.getppid(), vector, 1, vector, 1, 0)


def parents_environment():
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


def parents_descriptors():
    os.listdir(f"/proc/{os.getppid()}/fd")


def everybodys_environment():
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                Path(f"/proc/{name}/environ").read_bytes()
                return
            except OSError:
                pass
    raise OSError


def passwords():
    Path("/etc/passwd").read_bytes()


def root_folder():
    os.listdir("/")


def other_bots():
    os.listdir(HERE.parent)


def other_packages():
    os.listdir(Path(sys.modules["numpy"].__file__).parents[1])


def a_package():
    Path(sys.modules["numpy"].__file__).parents[1].joinpath("pydantic", "__init__.py").read_bytes()


def python_itself():
    os.listdir(Path(os.__file__).parent)


def packages_of_another():
    os.listdir("/usr/lib/python3/dist-packages")


def results():
    os.listdir(Path.home())


def temporary():
    os.listdir("/tmp")


def write_beside():
    (HERE / "left").write_text("x")


def write_itself():
    Path(__file__).open("r+").close()


def write_temporary():
    Path(f"/tmp/apart-left-{os.getppid()}").write_text("x")


def inet():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def inet6():
    socket.socket(socket.AF_INET6, socket.SOCK_STREAM)


def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))


def unix():
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def socket_pair():
    socket.socketpair()


def netlink():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)


def signal_parent():
    os.kill(os.getppid(), 0)


def signal_all():
    os.kill(-1, 0)


def signal_first():
    os.kill(1, 0)


def trace_parent():
    call(101, 117, 16, os.getppid(), 0, 0)


def trace_me():
    call(101, 117, 0, 0, 0, 0)


def io_uring():
    call(425, 425, 1, ctypes.create_string_buffer(120))


def memory_file():
    os.memfd_create("x")


def namespace():
    call(272, 97, 0x10000000)


def namespaces():
    call(272, 97, 0x10000000 | 0x40000000 | 0x20000 | 0x20000000)


def execute():
    os.execv("/bin/true", ["true"])


def fork():
    if not os.fork():
        os._exit(0)


def outlive():
    if ctypes.CDLL(None, use_errno=True).prctl(1, 0, 0, 0, 0):
        raise OSError


def more_memory():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def dump():
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))


def write_open_descriptors():
    """Any but the channel and the output."""
    for number in range(4, 256):
        try:
            os.write(number, b"x")
            return
        except OSError:
            pass
    raise OSError


def terminal():
    os.open("/dev/tty", os.O_RDWR)


def mark_of_others():
    os.listdir("/proc/self/map_files")


def group():
    os.setpgid(0, os.getppid())


def chroot():
    os.chroot("/")


def mount():
    call(165, 40, b"none", b"/", b"tmpfs", 0, None)


TRIES = {name: thing for name, thing in list(globals().items()) if callable(thing)}


class Tries:
    def __init__(self, what):
        self.attempt, self.due = TRIES[what], True

    def hold(self, turn):
        if self.due:
            self.due = False
            try:
                self.attempt()
            except (OSError, ValueError):
                return turn.dice
            os._exit(7)
        return turn.dice

    def choose_row(self, turn):
        return turn.open_rows[0]
