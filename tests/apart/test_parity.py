"""Bots kept apart play as they do in the arena's own process: the same totals, ends and winners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kept_apart import APART, LACKING, WIDE, apart, assert_equal, here, misbehaved, play, rules_of, seats_of, shipped
from leagues import BOTS, Console, bot, write_tournament

from arena.agent.birth import REHEARSED_GAMES
from arena.agent.loader import load
from arena.agent.nursery import Nursery
from arena.agent.sources import bundled_folder, locate, locate_class
from arena.records import End
from arena.rules.shipped import ruleset_ids
from arena.tournament.schedule import MOST_MIRRORS_IN_ARRAYS

RULESETS = ruleset_ids()
SHIPPED = sorted(path.stem for path in bundled_folder().glob("*.py"))
SOLVING = ("duelist", "optimal")
"""Bots that want the ruleset solved, which takes long where it was not solved before."""
QUICK = [name for name in SHIPPED if name not in SOLVING]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_shipped_bots_under_every_ruleset(ruleset: str, nursery: Nursery) -> None:
    """Each against the next in the order of names, one of them apart; in turns at both levels."""
    for number, name in enumerate(QUICK):
        refs = shipped(name), shipped(QUICK[number - 1])
        boxed = not LACKING and (number + RULESETS.index(ruleset)) % 2 == 0
        mixed = {**here(*refs), **apart(nursery, refs[0], boxed=boxed)}
        assert_equal(play(here(*refs), ruleset=ruleset, mirrors=2), play(mixed, ruleset=ruleset, mirrors=2))


@pytest.mark.parametrize("name", SOLVING)
def test_shipped_bots_that_solve(name: str, boxed: bool, nursery: Nursery) -> None:
    refs = shipped(name), shipped("greedy")
    inline = play(here(*refs))
    assert not inline.ends.any()
    assert_equal(inline, play(apart(nursery, *refs, boxed=boxed)))


@pytest.mark.parametrize("name", ["random", "waverer"])
@pytest.mark.parametrize("ruleset", ["yahtzee", "showdown"])
def test_scalar_and_array_form_draw_the_same_numbers(
    name: str, ruleset: str, boxed: bool, nursery: Nursery, tmp_path: Path
) -> None:
    """The scalar form alone, apart, against both forms here; more tables than one, at another first dice set."""
    source = (bundled_folder() / f"{name}.py").read_text().replace("_many(", "_nobody(")
    (tmp_path / "scalar.py").write_text(source)
    scalar = locate(tmp_path / "scalar.py", name=name)
    assert not load(scalar).in_arrays
    other = shipped("greedy")
    both = play(here(shipped(name), other), ruleset=ruleset, mirrors=5, first=1000)
    alone = play({**here(other), **apart(nursery, scalar, boxed=boxed)}, ruleset=ruleset, mirrors=5, first=1000)
    assert_equal(both, alone)


@pytest.mark.parametrize("seats", [1, 3])
@pytest.mark.parametrize("ruleset", ["fifteen", "showdown"])
def test_solo_and_three_seats(seats: int, ruleset: str, boxed: bool, nursery: Nursery) -> None:
    if seats < rules_of(ruleset).ruleset.min_seats:
        pytest.skip(f"{ruleset} has no solo game")
    refs = [shipped(name) for name in ("random", "greedy", "waverer")[:seats]]
    assert_equal(play(here(*refs), ruleset=ruleset), play(apart(nursery, *refs, boxed=boxed), ruleset=ruleset))


def test_three_seats_of_which_one_is_out(boxed: bool, nursery: Nursery) -> None:
    """The others go on, and are told of it."""
    refs = [misbehaved("hand_raises.py", name="bad"), shipped("greedy"), shipped("random")]
    for ruleset in ("fifteen", "showdown"):
        inline = play(here(*refs), ruleset=ruleset, mirrors=6)
        assert set(np.unique(inline.ends)) == {End.FINISHED, End.EXCEPTION}
        assert_equal(inline, play(apart(nursery, *refs, boxed=boxed), ruleset=ruleset, mirrors=6))


def test_classes_with_parameters_and_folders(boxed: bool, nursery: Nursery) -> None:
    """Of a file with several bots, of a module beside the tournament file, and a folder with its own numpy."""
    refs = [
        misbehaved("several.py:Scalar", name="a", risk=0.25),
        misbehaved("several.py:Many", name="b", risk=1),
        misbehaved("shadows", name="c"),
        locate_class("apart.several:Scalar", BOTS, name="d", params={"risk": 1.0, "name": "Zoë\n\0"}),
    ]
    for one, other in ((0, 1), (2, 3), (0, 3)):
        pair = refs[one], refs[other]
        inline = play(here(*pair))
        assert not inline.ends.any(), inline.faults[:1]
        assert_equal(inline, play(apart(nursery, *pair, boxed=boxed)))


def test_an_installed_class_and_a_plugin(
    boxed: bool, nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the package is a part of another, and imports a module of its own by its whole name."""
    inner = tmp_path / "outer_of_these" / "inner"
    inner.mkdir(parents=True)
    (inner / "__init__.py").write_text("")
    (inner / "helper.py").write_text("KEEPS = 2\n")
    helped = (APART / "several.py").read_text()
    (inner / "bots.py").write_text(f"from outer_of_these.inner.helper import KEEPS\n{helped}")
    monkeypatch.syspath_prepend(tmp_path)
    one = locate_class("outer_of_these.inner.bots:Scalar", APART, name="a", params={"risk": 0.5})
    assert one.root is None
    other = replace(one, name="b", origin="plugin", module="outer_of_these.inner.bots:Scalar", class_name="")
    inline = play(here(one, other))
    assert not inline.ends.any(), inline.faults[:1]
    assert_equal(inline, play(apart(nursery, one, other, boxed=boxed)))


def test_equal_files_of_two_names(boxed: bool, nursery: Nursery, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_bytes((APART / "hand_raises.py").read_bytes())
    refs = [locate(tmp_path / f"{name}.py") for name in ("one", "two")]
    assert_equal(play(here(*refs)), play(apart(nursery, *refs, boxed=boxed)))


def test_functions_go_on_in_a_fresh_process(boxed: bool, nursery: Nursery) -> None:
    """A hand that ends the process costs the same games as one that raises: those in which it comes."""
    raising, dying = misbehaved("hand_raises.py"), misbehaved("hand_dies.py")
    expected = play(here(raising, shipped("greedy")), ruleset="thirteen", mirrors=6)
    ends = np.where(expected.ends == End.EXCEPTION, End.CRASH, expected.ends)
    for seating, seat in enumerate(seats_of(expected, "bad")):
        assert 0 < (ends[:, seating, seat] == End.CRASH).sum() <= 3
    found = play({**here(shipped("greedy")), **apart(nursery, dying, boxed=boxed)}, ruleset="thirteen", mirrors=6)
    assert_equal(replace(expected, ends=ends), found)
    assert {(fault.kind, fault.agent) for fault in found.faults} == {(End.CRASH, "bad")}
    assert len(found.faults) == (ends == End.CRASH).sum()
    assert all("with exit code 4" in fault.message for fault in found.faults)


def test_functions_have_four_processes_a_leg(boxed: bool, nursery: Nursery) -> None:
    bad = misbehaved("often_dies.py")
    found = play({**here(shipped("greedy")), **apart(nursery, bad, boxed=boxed)}, mirrors=6)
    for seating, seat in enumerate(seats_of(found, "bad")):
        assert set(found.ends[:, seating, seat].tolist()) == {End.CRASH}
        assert set(found.winners[:, seating].tolist()) == {1 << 1 - seat}
    assert len(found.faults) == found.block.games


def test_a_fresh_process_follows_a_long_leg(boxed: bool, nursery: Nursery) -> None:
    """What it takes to bring many games up to date is not the bot's time."""
    bad, limits = misbehaved("late_dies.py"), replace(WIDE, decision_ms=30)
    bots = {**here(shipped("greedy")), **apart(nursery, bad, boxed=boxed, limits=limits)}
    found = play(bots, ruleset="thirteen", mirrors=400)
    assert {fault.kind for fault in found.faults} == {End.CRASH}
    assert 2 <= len(found.faults) == (found.ends == End.CRASH).sum() <= 6


LEAGUE = {
    "rulesets": ["two-stage", "showdown"],
    "agents": [
        "random",
        bot("apart/several.py:Scalar", "mine", risk=0.25),
        bot("apart/shadows", "shadows"),
        bot("apart/hand_raises.py", "raises"),
    ],
    "games": 12,
    "limits": {"decision_ms": 2000, "start_s": 30, "wall_s": 60},
}


@pytest.fixture(scope="module")
def inline_league(arena: Console, tmp_path_factory: pytest.TempPathFactory) -> str:
    return league(arena, tmp_path_factory.mktemp("inline"), "inline", 1)


def league(arena: Console, folder: Path, isolation: str, workers: int) -> str:
    """Play the league; returns the last line, its digest."""
    file = write_tournament(folder, isolation=isolation, **LEAGUE)
    backend = ("--backend", "serial") if workers == 1 else ("--workers", workers)
    run = arena("run", file, *backend, cwd=folder)
    assert run.code == 0, run
    return next(line for line in run.lines if "digest" in line)


@pytest.mark.parametrize(("workers", "isolation"), [(1, "process"), (2, "auto")])
def test_whole_leagues(workers: int, isolation: str, inline_league: str, arena: Console, tmp_path: Path) -> None:
    """Foreign bots at the level of a process, and in the sandbox where it is to be had."""
    assert league(arena, tmp_path, isolation, workers) == inline_league


def test_as_much_is_rehearsed_as_a_block_may_have() -> None:
    assert REHEARSED_GAMES == MOST_MIRRORS_IN_ARRAYS
