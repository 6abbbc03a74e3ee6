"""What a run is made of survives its way through JSON, for every ruleset."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leagues import write_tournament

from arena import pipeline
from arena.errors import UserError
from arena.manifest import Manifest, game_name
from arena.records import Block, Entrant, series_id
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


def manifest_of(names: list[str], seats: int, pairings: list[tuple[int, ...]]) -> Manifest:
    rulesets = (shipped_ruleset("thirteen"), shipped_ruleset("fifteen", {"upper_bonus_at": 63}))
    entrants = tuple(Entrant(name, name) for name in sorted(names))
    return Manifest("league", "/x/league.yaml", 7, seats, 50, rulesets, entrants, tuple(pairings))


@given(st.lists(st.text("ab/%25F ", min_size=1, max_size=6), min_size=2, max_size=5, unique=True), st.data())
def test_every_game_has_one_name(names: list[str], data: st.DataObject) -> None:
    manifest = manifest_of(names, len(names), [tuple(range(len(names)))])
    ruleset, dice_set = data.draw(st.sampled_from(manifest.rulesets)), data.draw(st.integers(0, 1 << 40))
    block = Block(
        series_id(7, ruleset.hash, manifest.entrants), ruleset.hash, manifest.entrants, dice_set, dice_set + 1
    )
    found = set()
    for seating in range(len(names)):
        name = game_name(ruleset.name, [entrant.name for entrant in block.seated(seating)], dice_set)
        assert manifest.find_game(name, 7) == (ruleset, block, seating)
        found.add(name)
    assert len(found) == len(names)


def test_the_name_of_a_game_can_be_read() -> None:
    assert game_name("fifteen+upper_bonus_at=63", ["bob", "ann"], 17) == "fifteen+upper_bonus_at=63/bob/ann/17"
    assert game_name("thirteen", ["50%", "a/b", "two words"], 0) == "thirteen/50%25/a%2Fb/two words/0"
    ruleset, block, seating = manifest_of(["50%", "ann"], 2, [(0, 1)]).find_game("thirteen/ann/50%/3", 7)
    assert (ruleset.id, block.first, block.stop, seating) == ("thirteen", 3, 4, 1)


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("", "a game of this run is named RULESET/AGENT/AGENT/AGENT/DICESET, agents by seat"),
        ("thirteen/ann/bob/1", "a game of this run is named RULESET/AGENT/AGENT/AGENT/DICESET, agents by seat"),
        (
            "thirten/ann/bob/cid/1",
            "no ruleset 'thirten' in this run, did you mean 'thirteen'?; one of thirteen, fifteen+upper_bonus_at=63",
        ),
        ("thirteen/ann/rob/cid/1", "no agent 'rob' in this run, did you mean 'bob'?; one of ann, bob, cid, dora"),
        ("thirteen/ann/bob/cid/-1", "a dice set is a whole number from 0 to 49, not '-1'"),
        ("thirteen/ann/bob/cid/²", "a dice set is a whole number from 0 to 49, not '²'"),
        ("thirteen/ann/bob/dora/1", "these agents never sit at one table in this run"),
        ("thirteen/ann/ann/bob/1", "these agents never sit at one table in this run"),
        (
            "thirteen/ann/cid/bob/1",
            "these agents are not seated in this order; one of thirteen/ann/bob/cid/1, thirteen/bob/cid/ann/1,"
            " thirteen/cid/ann/bob/1",
        ),
    ],
)
def test_a_game_that_is_none(name: str, mistake: str) -> None:
    with pytest.raises(UserError) as refused:
        manifest_of(["ann", "bob", "cid", "dora"], 3, [(0, 1, 2)]).find_game(name, 7)
    assert str(refused.value) == f"{name}: {mistake}"
