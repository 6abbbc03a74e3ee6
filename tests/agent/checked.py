"""What ``arena check`` finds of a bot, for tests."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from arena.agent.sources import locate
from arena.rules.shipped import FOLDER
from arena.tournament import check as checks
from arena.tournament.check import check
from arena.tournament.findings import Finding, State
from arena.tournament.trials import Rulebook


def files(*ids: str) -> list[Path]:
    return [FOLDER / f"{name}.yaml" for name in ids]


def findings(path: Path, book: Rulebook, *, tables: int = 4, again: bool = False) -> list[Finding]:
    """Return what is found; again: what another process would answer is asked here."""

    def elsewhere(tables: int, most: int) -> checks.Answers:
        return checks.reference(locate(path), book, tables, most)

    return list(check(locate(path), book, tables=tables, elsewhere=elsewhere if again else None))


def failed(path: Path, book: Rulebook, **how: Any) -> Finding:
    """Return the one check that failed."""
    found = findings(path, book, **how)
    assert [finding.number for finding in found] in ([1], [1, 2, 3, 4, 5, 6])
    [one] = [finding for finding in found if finding.state is State.FAILED]
    return one


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path
