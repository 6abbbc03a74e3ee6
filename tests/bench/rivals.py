"""Other programs on comparable work, each in an environment of its own under ``build/rivals``."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "build" / "rivals"

OPEN_SPIEL = """
import sys, time, pyspiel
games, yacht = int(sys.argv[1]), pyspiel.load_game("yacht")
began = time.perf_counter()
for game in range(games):
    bots = [pyspiel.make_uniform_random_bot(seat, 2 * game + seat) for seat in range(2)]
    pyspiel.evaluate_bots(yacht.new_initial_state(), bots, game)
print(games / (time.perf_counter() - began))
"""

PYHTZEE = """
import random, sys, time
from pyhtzee import Pyhtzee
games, choice = int(sys.argv[1]), random.Random(1)
began = time.perf_counter()
for seed in range(games):
    game = Pyhtzee(seed=seed)
    while not game.is_finished():
        game.take_action(choice.choice(game.get_possible_actions()))
print(games / (time.perf_counter() - began))
"""

RIVALS = {
    "OpenSpiel `yacht`, two of its own compiled random bots": ("open_spiel", OPEN_SPIEL, 1000),
    "`pyhtzee`, one random player in Python": ("pyhtzee", PYHTZEE, 500),
}


def rivals_per_second() -> dict[str, float | None]:
    """Return games a second by program, None where it cannot be installed here."""
    found: dict[str, float | None] = {}
    for name, (package, script, games) in RIVALS.items():
        python = installed(package)
        if python is None:
            found[name] = None
            continue
        try:
            ran = subprocess.run([python, "-c", script, str(games)], check=True, capture_output=True, text=True)
            found[name] = float(ran.stdout)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            found[name] = None
    return found


def installed(package: str) -> Path | None:
    """Return the Python of an environment that has a package, made when first asked for; None if that fails."""
    home = FOLDER / package
    python = home / "bin" / "python"
    try:
        if not python.exists():
            venv.create(home, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True, capture_output=True)
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"{package}: {error}", file=sys.stderr)
        return None
    return python
