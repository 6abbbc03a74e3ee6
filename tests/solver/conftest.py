"""The solver's tests: helpers that stand beside other tests, and a folder of their own for solved tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.solver import tables

for _folder in ("rules", "agent"):
    sys.path.insert(0, str(Path(__file__).parents[1] / _folder))


@pytest.fixture(scope="module", autouse=True)
def tables_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where solved tables are kept: nobody's cache is read or written."""
    folder = tmp_path_factory.mktemp("values")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "folder", lambda: folder)
        yield folder
