"""What a run is made of survives its way through JSON, for every ruleset."""

from __future__ import annotations

from pathlib import Path

import pytest
from leagues import write_tournament

from arena import pipeline
from arena.manifest import Manifest
from arena.records import Entrant
from arena.rules.shipped import ruleset_ids, shipped_ruleset
from arena.store import Store, opened_results


@pytest.mark.parametrize("seed", [None, 0, (1 << 128) - 1])
def test_a_manifest_comes_back_from_its_json(seed: int | None) -> None:
    rulesets = tuple(shipped_ruleset(name) for name in ruleset_ids())
    entrants = (Entrant("änn", "1"), Entrant("bob", "2"), Entrant("cid", "3"))
    manifest = Manifest("league", "/x/league.yaml", seed, 2, 50, rulesets, entrants, ((0, 1), (0, 2), (1, 2)))
    again = Manifest.from_json(manifest.to_json())
    assert again == manifest
    assert [ruleset.hash for ruleset in again.rulesets] == [ruleset.hash for ruleset in rulesets]
    assert again.games == len(rulesets) * 3 * 100


def test_a_run_keeps_what_it_is_made_of(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rulesets=["two-stage", {"id": "fifteen", "options": {"upper_bonus_at": 63}}])
    tournament = pipeline.load(file)
    with Store(tmp_path / "run") as store:
        plan = pipeline.plan(tournament, store)
    with opened_results(tmp_path / "run") as results:
        manifest = Manifest.from_json(results.manifest() or "")
    assert [ruleset.name for ruleset in manifest.rulesets] == ["two-stage", "fifteen+upper_bonus_at=63"]
    assert [block for _, block in manifest.series(7)] == [one.block(0, one.mirrors) for one in plan.series]
