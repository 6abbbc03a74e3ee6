"""Runs every claim at its full size and writes ``docs/evidence.md``: commit, seed, figures, and whether each holds."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from time import perf_counter

from tests.prove.claims import CLAIMS
from tests.prove.shown import ROOT

PAGE = ROOT / "docs" / "evidence.md"
SEED = 20260301


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "-uno", "--", "arena", "agents", "tests", "tournaments")
    return git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def _rows() -> dict[str, str]:
    """Return the lines that stand on the page, by claim."""
    if not PAGE.exists():
        return {}
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}


def main() -> None:
    """Run the claims that are named, or all, and write their lines of the page; exit with 1 if any fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CLAIMS)}")
    names = parser.parse_args().names or list(CLAIMS)
    failed = []
    for name in names:
        commit, began = _commit(), perf_counter()
        shown = CLAIMS[name](SEED)
        minutes = (perf_counter() - began) / 60
        verdict = "holds" if shown.holds else "FAILS"
        failed += [] if shown.holds else [name]
        print(f"{name}: {verdict} in {minutes:.1f} min: {shown.figure}", flush=True)
        rows = {**_rows(), name: f"| {name} | {shown.claim} | {shown.figure} | {verdict} | {commit} |"}
        parts = [
            "# Evidence",
            "Written by `make prove`, which runs every claim at its full size. Each line names its commit.",
            f"Seed {SEED}, Python {platform.python_version()}, {platform.system()} {platform.machine()}.",
            "\n".join(
                [
                    "| | claim | figure | | commit |",
                    "| --- | --- | --- | --- | --- |",
                    *(rows[claim] for claim in CLAIMS if claim in rows),
                ]
            ),
        ]
        PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
