"""A class contest: many generated bots, some of them broken, played by the command and watched from outside."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import yaml

from arena.known_run import KnownRun
from arena.records import End
from arena.run_folder import FILE_NAME
from arena.store import opened_results

ROOT = Path(__file__).parents[2]
APART = ROOT / "tests" / "bots" / "apart"
HEALTHY = '''"""Keeps faces from {least} on, and what it has {same} of."""


def hold(turn):
    return tuple(face for face in turn.dice if face >= {least} or turn.dice.count(face) >= {same})


def choose_row(turn):
    return max(turn.open_rows, key=lambda row: (turn.score(row), {sign}turn.open_rows.index(row)))
'''
LOOK_S = 0.1


@dataclass(frozen=True)
class Broken:
    """A bot that does something wrong.

    Attributes:
        file: of ``tests/bots/apart``.
        params: of its class.
        kind: of all its faults; None if what it does costs nothing.
        always: whether every game is lost by it.
    """

    file: str
    params: dict[str, Any]
    kind: End | None
    always: bool = True


def deed(name: str, kind: End | None) -> Broken:
    return Broken("deeds.py", {"deed": name}, kind)


BROKEN = (
    deed("exit_", End.CRASH),
    Broken("import_raises.py", {}, End.START),
    Broken("answers.py:Answers", {"hold": "huge"}, End.ILLEGAL_HOLD),
    Broken("hand_dies.py", {}, End.CRASH, always=False),
    deed("spin", End.TIMEOUT),
    deed("allocate", End.MEMORY),
    deed("segfault", End.CRASH),
    Broken("answers.py:Answers", {"row": "closed"}, End.ILLEGAL_ROW, always=False),
    Broken("hand_sleeps.py", {}, End.TIMEOUT, always=False),
    deed("json_list", End.PROTOCOL),
    deed("print_megabytes", None),
    deed("raise_", End.EXCEPTION),
    Broken("import_kills.py", {}, End.START),
    Broken("import_spins.py", {}, End.START),
    deed("deep", End.EXCEPTION),
    deed("kill", End.CRASH),
    deed("half_a_frame_and_exit", End.CRASH),
    Broken("hand_raises.py", {}, End.EXCEPTION, always=False),
    Broken("answers.py:Answers", {"row": "unknown"}, End.ILLEGAL_ROW),
    deed("leave_a_child", None),
)


def write_contest(folder: Path, healthy: int, broken: Sequence[Broken], *, seed: int, **keys: Any) -> Path:
    """Write a tournament file, and the bots that are healthy."""
    submissions = folder / "submissions"
    submissions.mkdir(parents=True, exist_ok=True)
    for number in range(healthy):
        bot = HEALTHY.format(least=3 + number % 4, same=2 + number // 4 % 4, sign="-" if number // 16 % 2 else "")
        (submissions / f"bot{number:03}.py").write_text(f"{bot}\n# {number}\n", encoding="utf-8")
    entries = [{"name": name_of(bot), "path": str(APART / bot.file), "params": bot.params} for bot in broken]
    content = {
        **{"name": "class", "seed": seed, "rulesets": ["thirteen"], "games": 2, "strict": False, "isolation": "auto"},
        "limits": {"decision_ms": 250, "start_s": 1, "memory_mb": 32, "wall_s": 4},
        "agents": [{"glob": "submissions/*"}, *entries],
        **keys,
    }
    path = folder / "class.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def name_of(bot: Broken) -> str:
    return "-".join([bot.file.partition(".")[0], *map(str, bot.params.values())])


@dataclass
class Watched:
    """What was seen of a run from outside.

    Attributes:
        code: its exit code.
        said: what it wrote to standard error.
        first_s: seconds until the first block was stored.
        all_s: seconds until its end.
        peak_mb: the largest memory of the command itself, and of any process that came from it.
        descriptors: the most open ones, of the same.
        processes: the most that lived at one time.
    """

    code: int = -1
    said: str = ""
    first_s: float = 0
    all_s: float = 0
    peak_mb: list[float] = field(default_factory=lambda: [0, 0])
    descriptors: list[int] = field(default_factory=lambda: [0, 0])
    processes: int = 0

    def look(self, pid: int) -> None:
        """Note how large the processes are now."""
        family = [pid, *_descendants(pid)]
        self.processes = max(self.processes, len(family))
        for number, member in enumerate(family):
            which = int(number > 0)
            try:
                status = Path(f"/proc/{member}/status").read_text()
                opened = len(os.listdir(f"/proc/{member}/fd"))  # noqa: PTH208 - of names only
            except OSError:  # it has ended, or is a child that nobody may look into
                continue
            peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
            self.peak_mb[which] = max(self.peak_mb[which], peak / 1024)
            self.descriptors[which] = max(self.descriptors[which], opened)


def _descendants(pid: int) -> Iterator[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield child
        yield from _descendants(child)


def watched_run(file: Path, run: Path, *options: str) -> Watched:
    """Play a tournament by the command, and look at its processes all the while."""
    seen, began = Watched(), monotonic()
    with (file.parent / "stderr.txt").open("w+", encoding="utf-8") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "arena", "run", str(file), "--run-dir", str(run), *options],
            cwd=file.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        while process.poll() is None:
            seen.look(process.pid)
            if not seen.first_s and _stored(run):
                seen.first_s = monotonic() - began
            sleep(LOOK_S)
        said.seek(0)
        seen.code, seen.said, seen.all_s = process.returncode, said.read(), monotonic() - began
    return seen


def _stored(run: Path) -> bool:
    """Return whether a run has a block by now."""
    if not (run / FILE_NAME).is_file():
        return False
    try:
        with closing(sqlite3.connect(f"file:{run / FILE_NAME}?mode=ro", uri=True)) as results:
            return results.execute("SELECT 1 FROM blocks LIMIT 1").fetchone() is not None
    except sqlite3.Error:  # it is just being made
        return False


def wrongly_charged(out: Path, broken: Sequence[Broken], games: int) -> list[str]:
    """Return who of a contest has faults that it should not have, or lacks some.

    Args:
        out: what was published.
        broken: who should have some.
        games: that every bot has.
    """
    lines = json.loads((out / "thirteen" / "standings.json").read_text(encoding="utf-8"))["standings"]
    expected = {name_of(bot): bot for bot in broken}
    wrong = []
    for line in lines:
        bot = expected.get(line["name"])
        kinds: dict[str, int] = line["faults_by_kind"]
        if bot is None or bot.kind is None:
            right = not kinds
        elif bot.always:
            right = kinds == {bot.kind.label: games}
        else:
            right = set(kinds) == {bot.kind.label} and 0 < kinds[bot.kind.label] <= games
        wrong += [] if right else [f"{line['name']}: {kinds}"]
    return wrong


def different_games(run: Path, other: Path) -> tuple[int, int]:
    """Return how many games of a run there are, and how many of them are others, or missing, in another run."""
    games = different = 0
    with opened_results(run) as ours, opened_results(other) as theirs:
        for _, whole in KnownRun(ours).series():
            games += whole.games
            for one, two in zip(ours.results(whole), theirs.results(whole), strict=True):
                same = (one.totals == two.totals) & (one.ends == two.ends)
                different += int((~same.all(axis=2)).sum())
    return games, different
