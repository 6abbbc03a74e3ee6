"""Runs every claim at its full size and writes ``docs/evidence.md``: commit, seed, figures, and whether each holds."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from tests.prove import claims

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence.md"
SEED = 20260301


def main() -> None:
    """Run the claims that are named, or all; write the page if all were run; exit with 1 if any fails."""
    known: dict[str, Callable[[int], claims.Shown]] = claims.CLAIMS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(known)}")
    names = parser.parse_args().names or list(known)
    lines, failed = [], []
    for name in names:
        began = perf_counter()
        shown = known[name](SEED)
        minutes = (perf_counter() - began) / 60
        verdict = "holds" if shown.holds else "FAILS"
        failed += [] if shown.holds else [name]
        lines.append(f"| {name} | {shown.claim} | {shown.figure} | {verdict} |")
        print(f"{name}: {verdict} in {minutes:.1f} min: {shown.figure}", flush=True)
    if len(names) == len(known):
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        changed = subprocess.run(
            ["git", "status", "--porcelain", "-uno"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        parts = [
            "# Evidence",
            "Written by `make prove`, which runs every claim at its full size.",
            f"Commit `{commit.strip()}`{' with changes' if changed.stdout.strip() else ''}, seed {SEED},"
            f" Python {platform.python_version()}, {platform.system()} {platform.machine()}.",
            "\n".join(["| | claim | figure | |", "| --- | --- | --- | --- |", *lines]),
        ]
        PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
