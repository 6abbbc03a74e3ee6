"""What an honest bot needs works in the box."""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path

import harmless
import pytest
from boxed import BASIS, Zygote


def test_numpy(zygote: Zygote) -> None:
    assert zygote(harmless.multiply).returned == 200


def test_a_compiler_at_run_time(zygote: Zygote) -> None:
    assert zygote(harmless.compile_kernel).returned == 4950


def test_late_imports(zygote: Zygote) -> None:
    assert len(zygote(harmless.import_late).returned) == 7


def test_threads(zygote: Zygote) -> None:
    assert zygote(harmless.run_threads).returned == list(range(8))


def test_waiting(zygote: Zygote) -> None:
    assert zygote(harmless.sleep).returned is True
    assert zygote(harmless.wait_on_pipe).returned == "x"
    assert zygote(harmless.alarm_itself).returned == "SIGALRM"


def test_knowing_itself(zygote: Zygote) -> None:
    assert zygote(harmless.know_itself).returned == [True] * 5
    assert zygote(harmless.ask_terminal).returned is False


def test_its_own_folder(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "own.txt")
    box = {"readable": [*BASIS, str(tmp_path), str(tmp_path / "no such folder")]}
    assert zygote(harmless.list_own, box=box, folder=str(tmp_path)).returned == ["link.txt", "own.txt"]
    assert zygote(harmless.read_own, box=box, folder=str(tmp_path)).returned == "mine"


def test_one_file_alone(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("mine", encoding="utf-8")
    box = {"readable": [*BASIS, str(tmp_path / "own.txt")]}
    assert zygote(harmless.read_own, box=box, folder=str(tmp_path)).returned == "mine"
    assert zygote(harmless.list_own, box=box, folder=str(tmp_path)).raised == "PermissionError"


def test_randomness(zygote: Zygote) -> None:
    assert zygote(harmless.draw).returned == [16, 8, 4]


def test_printing(zygote: Zygote) -> None:
    result = zygote(harmless.say)
    assert (result.printed, result.returned) == (["a word"], "said")


def test_ending_itself(zygote: Zygote) -> None:
    assert zygote(harmless.abort).ended == -signal.SIGABRT
    assert zygote(harmless.kill_itself).ended == -signal.SIGTERM


@pytest.mark.parametrize("memory", ["address_space", "data"])
def test_another_program(zygote: Zygote, memory: str) -> None:
    program = str(Path(sys.executable).resolve())
    box = {
        "readable": BASIS,
        "executable": [program, "/lib", "/lib64", "/usr/lib"],
        "may_exec": True,
        "memory": memory,
    }
    code = "import os, threading, decimal\nprint('other', os.getpid() > 0)\nopen('/etc/passwd')"
    result = zygote(harmless.become, box=box, program=program, arguments=["-ISc", code])
    assert (result.ended, result.printed) == (1, ["other True"])


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node(zygote: Zygote) -> None:
    program = str(Path(shutil.which("node") or "").resolve())
    box = {
        "readable": ["/etc/ssl/openssl.cnf"],  # without which it does not start
        "executable": [program, "/lib", "/lib64", "/usr/lib"],
        "may_exec": True,
        "memory": "data",
        "open_files": 128,
    }
    code = "let n = 0; for (let i = 0; i < 1e6; i++) n += i; console.log('node', n)"
    code += "; try { require('fs').readFileSync('/etc/passwd') } catch (error) { console.log(error.code) }"
    code += "; try { new (require('net').Socket)().connect(80, '127.0.0.1')"
    code += ".on('error', error => console.log(error.code)) } catch (error) { console.log(error.code) }"
    result = zygote(harmless.become, box=box, program=program, arguments=["-e", code])
    assert (result.ended, result.printed[:2]) == (0, ["node 499999500000", "EACCES"]), result
    assert result.printed[2:] == ["EPERM"], result
