"""A node's folder is the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import UserError
from arena.tournament.node_folder import node_folder


def test_it_is_for_nobody_else(tmp_path: Path) -> None:
    folder = node_folder(tmp_path)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert node_folder(tmp_path) == folder


def test_one_that_others_can_open_is_refused(tmp_path: Path) -> None:
    node_folder(tmp_path).chmod(0o755)
    with pytest.raises(UserError, match="is open to others, or not of this user: remove it"):
        node_folder(tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    folder = node_folder(tmp_path)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="remove it"):
        node_folder(tmp_path)
