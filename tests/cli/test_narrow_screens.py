"""A leaderboard is printed whole, however narrow the screen is."""

from __future__ import annotations

import pytest
from leagues import ROOT, Console

WIDTHS = ["40", "80", "200"]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_figure_is_cut(width: str, arena: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    shown = arena("leaderboard", "two-stage", "--out", ROOT / "leaderboard").out
    assert "…" not in shown
    for word in ("rank", "95% interval", "won/drawn/lost", "mean score", "settlement", "faults", "turn_optimal"):
        assert word in shown
