"""Which rulesets a tournament plays: options in the file and on the command line, and ruleset files of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from leagues import Console, play_league, write_tournament

from arena.rules.shipped import FOLDER, shipped_ruleset
from arena.tournament.file import load_tournament

MINE = """\
id: mine
title: Pairs and sixes
game: card
source: invented here
options: {rolls: {default: 3, allowed: [2, 3]}, upper_bonus_at: 10}
sections:
  only:
    turns: 2
    bonus: {points: 9, at: upper_bonus_at, due: complete}
    rows:
      sixes: {pays: sum_face 6}
      pair: {pattern: pair, pays: sum_pattern}
      rest: {pays: sum_all}
"""
FIFTEEN = {"id": "fifteen", "options": {"upper_bonus_at": 63}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "mine.yaml").write_text(MINE)
    return tmp_path


def names_of(folder: Path, *rulesets: Any, **how: Any) -> list[str]:
    file = write_tournament(folder, rulesets=list(rulesets))
    return [ruleset.name for ruleset in load_tournament(file, **how).rulesets]


def refused(arena: Console, folder: Path, *rulesets: Any, how: tuple[str, ...] = ()) -> str:
    file = write_tournament(folder, rulesets=list(rulesets))
    told = arena("run", file, *how, cwd=folder).mistake
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) in ([], ["games"])
    return told.replace(f"{folder}/", "").removeprefix("tournament.yaml:")


# In the file


def test_options_make_other_rulesets_with_folders_of_their_own(folder: Path) -> None:
    rulesets = ["fifteen", FIFTEEN, {"id": "fifteen", "options": {"rolls": 2, "joker": "none"}}]
    rulesets += [{"file": "games/mine.yaml"}, {"file": "games/mine.yaml", "options": {"rolls": 2}}]
    played = play_league(write_tournament(folder, rulesets=rulesets, games=2), folder)
    names = ["fifteen", "fifteen+upper_bonus_at=63", "fifteen+joker=none+rolls=2", "mine", "mine+rolls=2"]
    assert list(played.leagues) == names
    for name in names:
        content = json.loads(played.files[f"{name}/standings.json"])
        assert (content["ruleset"], content["ruleset_hash"]) == (name, played.leagues[name].ruleset.hash)
    assert played.leagues[names[1]].ruleset == shipped_ruleset("fifteen", {"upper_bonus_at": 63})


def test_an_option_at_its_default_changes_nothing(folder: Path) -> None:
    assert names_of(folder, {"id": "fifteen", "options": {"upper_bonus_at": 64}}) == ["fifteen"]
    assert names_of(folder, {"id": "showdown", "options": {"rounds": "none"}}) == ["showdown+rounds=none"]
    assert names_of(folder, {"id": "showdown", "options": {"rounds": None}}) == ["showdown+rounds=none"]


LINE = "options.rolls: fifteen: rolls=4 is not allowed; 2, 3"


@pytest.mark.parametrize(
    ("rulesets", "told"),
    [
        ([{"id": "fifteen", "options": {"rolls": 4}}], f"6: rulesets[0].{LINE}"),
        (
            [{"id": "fifteen", "options": {"rols": 2}}],
            "6: rulesets[0].options.rols: fifteen takes no option 'rols', did you mean 'rolls'?; it takes upper",
        ),
        (
            [{"id": "fifteen", "options": {"joker": "free"}}],
            "6: rulesets[0].options.joker: fifteen: joker=free is not",
        ),
        (
            [{"id": "fifteen", "options": {"rolls": "3"}}],
            "6: rulesets[0].options.rolls: fifteen: rolls=3 is not allowed",
        ),
        ([{"id": "fifteen", "options": {"rolls": [3]}}], "6: rulesets[0].options.rolls: fifteen: rolls=[3] is not"),
        ([{"id": "fifteen", "options": {"rolls": None}}], "6: rulesets[0].options.rolls: fifteen: rolls=none is not"),
        (
            [{"id": "fifteen", "options": [1]}],
            "5: rulesets[0].options: should be a mapping of keys to values, not [1]",
        ),
        (
            [{"id": "showdown", "options": {"rounds": None, "ante": 0}}],
            "7: rulesets[0].options.ante: showdown: with ante=0 rounds must be set",
        ),
        (
            [FIFTEEN, "fifteen", {**FIFTEEN, "options": {"upper_bonus_at": 63}}],
            "8: rulesets[2]: fifteen+upper_bonus_at=63 stands twice",
        ),
        (["fifteen", {"id": "fifteen", "options": {"rolls": 3}}], "5: rulesets[1]: fifteen stands twice"),
        ([{"options": {"rolls": 2}}], "4: rulesets[0]: a ruleset has an id or a file"),
        ([{"id": "yatzy", "file": "games/mine.yaml"}], "4: rulesets[0]: a ruleset has an id or a file, not both"),
        (
            [{"file": "games/mein.yaml"}],
            "4: rulesets[0].file: games/mein.yaml: no such ruleset file, did you mean 'mine",
        ),
        ([{"file": "games"}], "4: rulesets[0].file: games: is a folder, not a ruleset file"),
        (
            [{"file": "games/mine.yaml", "options": {"upper_bonus_at": 2000}}],
            "6: rulesets[0].options.upper_bonus_at: mine: upper_bonus_at=2000 is not allowed; 0 to 1,000",
        ),
    ],
)
def test_mistakes(rulesets: list[Any], told: str, folder: Path, arena: Console) -> None:
    assert refused(arena, folder, *rulesets).startswith(told)


def test_a_mistake_in_ones_own_file_is_told_with_both_places(folder: Path, arena: Console) -> None:
    (folder / "games" / "mine.yaml").write_text(MINE.replace("pays: sum_all", "pays: sum_al"))
    assert refused(arena, folder, {"file": "games/mine.yaml"}) == (
        "4: rulesets[0].file: games/mine.yaml:13: sections.only.rows.rest.pays: unknown pay 'sum_al', "
        "did you mean 'sum_all'?; one of sum_all, sum_pattern, fixed, sum_face, school"
    )


def test_several_mistakes_in_ones_own_file_are_all_told(folder: Path, arena: Console) -> None:
    (folder / "games" / "mine.yaml").write_text(MINE.replace("title", "titel").replace("game: card", "game: cards"))
    run = arena("run", write_tournament(folder, rulesets=[{"file": "games/mine.yaml"}]), cwd=folder)
    assert run.code == 2
    lines = run.err.splitlines()
    assert len(lines) == 3
    for line, told in zip(
        lines,
        ["title: is required", "titel: unknown key", "game: 'cards' is not allowed, did you mean 'card'?"],
        strict=True,
    ):
        assert line.startswith(f"error: {folder}/tournament.yaml:4: rulesets[0].file: {folder}/games/mine.yaml:")
        assert told in line


@pytest.mark.parametrize("taken", ["yatzy", "two-stage"])
def test_an_id_that_ships_is_refused(taken: str, folder: Path, arena: Console) -> None:
    (folder / "games" / "mine.yaml").write_text(MINE.replace("id: mine", f"id: {taken}"))
    assert refused(arena, folder, {"file": "games/mine.yaml"}) == (
        f"4: rulesets[0].file: games/mine.yaml: the id '{taken}' is one of the arena's own rulesets; "
        "give yours another"
    )


def test_the_same_rules_under_two_names_are_refused(folder: Path, arena: Console) -> None:
    text = (FOLDER / "yatzy.yaml").read_text(encoding="utf-8").replace("id: yatzy", "id: copy")
    (folder / "games" / "copy.yaml").write_text(text, encoding="utf-8")
    told = refused(arena, folder, "yatzy", {"file": "games/copy.yaml"})
    assert told == "5: rulesets[1]: copy is the same game as yatzy: one of them is enough"


def test_seats_of_ones_own_ruleset(folder: Path, arena: Console) -> None:
    (folder / "games" / "mine.yaml").write_text(MINE.replace("game: card", "game: card\nmin_seats: 3"))
    told = refused(arena, folder, {"file": "games/mine.yaml"})
    assert told == "4: rulesets[0]: mine is for 3 to 6 seats, not 2"


# On the command line


def test_an_option_changes_every_ruleset_that_takes_it(folder: Path, arena: Console) -> None:
    file = write_tournament(folder, rulesets=["fifteen", "thirteen", FIFTEEN, {"file": "games/mine.yaml"}], games=2)
    how = ("--backend", "serial", "--only", "fifteen", "--only", "thirteen")
    run = arena("run", file, "--option", "upper_bonus_at=50", *how, cwd=folder)
    assert run.code == 0, run.err
    made = {path.name for path in (folder / "leaderboard").iterdir()}
    assert made == {"README.md", "fifteen+upper_bonus_at=50", "thirteen"}
    options = {"upper_bonus_at": 40, "rolls": 2}
    names = names_of(folder, FIFTEEN, "thirteen", {"file": "games/mine.yaml"}, options=options)
    assert names == ["fifteen+rolls=2+upper_bonus_at=40", "thirteen+rolls=2", "mine+rolls=2+upper_bonus_at=40"]


def test_only_takes_full_names(folder: Path, arena: Console) -> None:
    only = ["fifteen+upper_bonus_at=63"]
    assert names_of(folder, "fifteen", FIFTEEN, only=only) == only
    assert names_of(folder, "fifteen", FIFTEEN, only=["fifteen"]) == ["fifteen"]
    changed = names_of(folder, "fifteen", FIFTEEN, only=only, options={"rolls": 2})
    assert changed == ["fifteen+rolls=2+upper_bonus_at=63"]
    told = refused(arena, folder, "fifteen", FIFTEEN, how=("--only", "fifteen+upper_bonus=63"))
    assert told == (
        "--only: 'fifteen+upper_bonus=63' is not in this tournament, did you mean 'fifteen+upper_bonus_at=63'?; "
        "one of fifteen, fifteen+upper_bonus_at=63"
    )


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (("--option", "rolls"), "an option is written NAME=VALUE, not 'rolls'"),
        (("--option", "rols=2"), "unknown option 'rols', did you mean 'rolls'?; there are rolls, "),
        (("--option", "rolls=2", "--option", "rolls=3"), "the option rolls is given twice"),
        (("--option", "ante=2"), "--option: no ruleset here takes 'ante'; one of five_bonus, "),
        (("--option", "joker=free"), "--option: fifteen: joker=free is not allowed"),
        (("--option", "upper_bonus_at=63"), "--option: fifteen+upper_bonus_at=63 stands twice"),
        (("--option", "joker=none", "--only", "thirteen"), "--option: no ruleset here takes 'joker'; one of five_is"),
    ],
)
def test_mistakes_on_the_command_line(how: tuple[str, ...], told: str, folder: Path, arena: Console) -> None:
    assert refused(arena, folder, "fifteen", FIFTEEN, "thirteen", how=how).startswith(told)


def test_rules_of_ones_own_are_asked_by_path(folder: Path, arena: Console) -> None:
    shown = arena("rules", "show", "games/mine.yaml", "--option", "rolls=2", cwd=folder).out
    assert shown.startswith("mine+rolls=2: Pairs and sixes\nsource: invented here\n")
    score = arena("rules", "score", "games/mine.yaml", "66123", "--json", cwd=folder).out
    assert json.loads(score) == {"rows": {"sixes": 12, "pair": 12, "rest": 18}, "extra": 0}
    table = arena("rules", "table", "games/mine.yaml", "--csv", cwd=folder).lines
    assert len(table) == 1 + 3 * 252 * 2
    told = arena("rules", "compare", "games/mine.yaml", "66123", "66124", cwd=folder).mistake
    assert told == "mine compares no hands; showdown does"
    copy = (FOLDER / "showdown.yaml").read_text(encoding="utf-8").replace("id: showdown", "id: hands")
    (folder / "games" / "hands.yaml").write_text(copy, encoding="utf-8")
    assert arena("rules", "compare", "games/hands.yaml", "66123", "66124", cwd=folder).out == "tie\n"
    told = arena("rules", "show", "games/mein.yaml", cwd=folder).mistake
    assert told == "games/mein.yaml: no such ruleset file, did you mean 'mine.yaml'?"
    (folder / "games" / "mine.yaml").write_text(MINE.replace("rest: {pays", "rest: {pay"))
    told = arena("rules", "show", "games/mine.yaml", cwd=folder).err
    assert "games/mine.yaml:13: sections.only.rows.rest.pay: unknown key, did you mean 'pays'?" in told
