"""A leaderboard is printed whole, however narrow the screen is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leagues import ROOT, Console
from rich.cells import cell_len

from arena.cli.tables import shortened

WIDTHS = ["40", "80", "200"]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_figure_is_cut(width: str, arena: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    shown = arena("leaderboard", "two-stage", "--out", ROOT / "leaderboard").out
    assert "…" not in shown
    for word in ("rank", "95% interval", "won/drawn/lost", "mean score", "settlement", "faults", "turn_optimal"):
        assert word in shown


def test_long_names_show_both_ends_and_are_told_apart() -> None:
    long = "x" * 60
    assert shortened(["ada", f"{long}1", f"{long}2"], 40) == {
        "ada": "ada",
        f"{long}1": f"{'x' * 20}…{'x' * 18}1",
        f"{long}2": f"{'x' * 20}…{'x' * 18}2",
    }
    assert shortened([f"{long}b{long}", f"{long}a{long}"], 16) == {
        f"{long}b{long}": f"{'x' * 7}…2…{'x' * 6}",
        f"{long}a{long}": f"{'x' * 7}…1…{'x' * 6}",
    }
    assert shortened(["名" * 30], 16) == {"名" * 30: f"{'名' * 4}…{'名' * 3}"}


@given(st.lists(st.text(st.sampled_from("ab名\u0301🎲…1"), min_size=1, max_size=60), unique=True, max_size=6))
def test_any_names_have_room_and_are_told_apart(names: list[str]) -> None:
    shown = shortened(names, 16)
    assert all(cell_len(name) <= 16 for name in shown.values())
    wide = [name for name in names if cell_len(name) > 16]
    assert len({shown[name] for name in wide}) == len(wide)
