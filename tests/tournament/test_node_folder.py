"""A node's folder is the user's own."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from arena.errors import DiskError, UserError
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


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(DiskError, match=f"^{tmp_path}/[^:]*: cannot be made: No space left on device$"):
        node_folder(tmp_path)
