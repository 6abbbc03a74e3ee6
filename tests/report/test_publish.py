"""What is published: its form, its figures, and that nobody ever sees half of it."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from leagues import ROOT, Played, bot, files_in, play_league, write_tournament

from arena import __version__, pipeline
from arena.errors import DiskError, UserError
from arena.report.publish import League, publish_leagues, published
from arena.rules.shipped import ruleset_ids, shipped_ruleset

TOP = {
    "schema": int,
    "ruleset": str,
    "ruleset_hash": str,
    "tournament": str,
    "seed": int,
    "digest": str,
    "run_digest": str,
    "arena_version": str,
    "standings": list,
}
LINE = {
    "rank": int,
    "name": str,
    "elo": float,
    "elo_low": float,
    "elo_high": float,
    "games": int,
    "wins": int,
    "draws": int,
    "losses": int,
    "mean_score": (float, type(None)),
    "settlement": (float, type(None)),
    "faults": int,
}
CROSSTABLE = (
    "first,second,seats,games,wins_first,draws,losses_first,score_first,score_second,score_sq_first,score_sq_second,"
    "ll,ld,wl,dd,wd,ww"
)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A league with a bot that always fails, one that sometimes does, and rulesets with and without money."""
    folder = tmp_path_factory.mktemp("faulty")
    agents = [
        "greedy",
        "collector",
        bot("breaks.py", "broken"),
        bot("raises.py", "hasty", at="hand", hand=[1, 2, 3, 4, 6]),
    ]
    return play_league(write_tournament(folder, agents=agents, rulesets=["two-stage", "thirteen"], games=60), folder)


def standings_of(played: Played, ruleset: str) -> dict[str, Any]:
    content = json.loads(played.files[f"{ruleset}/standings.json"])
    assert isinstance(content, dict)
    return content


def page_of(played: Played, ruleset: str) -> str:
    return played.files[f"{ruleset}/standings.md"].decode()


def rows_of(played: Played, ruleset: str) -> list[dict[str, str]]:
    return list(csv.DictReader(played.files[f"{ruleset}/crosstable.csv"].decode().splitlines()))


def test_a_folder_a_ruleset_and_a_page_that_links_them(quick: Played) -> None:
    per_ruleset = ("crosstable.csv", "standings.json", "standings.md")
    expected = [f"{ruleset}/{file}" for ruleset in ruleset_ids() for file in per_ruleset]
    assert sorted(quick.files) == sorted([*expected, "README.md"])


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_standings_json(ruleset: str, quick: Played) -> None:
    content = standings_of(quick, ruleset)
    assert next(iter(content)) == "schema"
    assert_has(content, TOP)
    assert content["schema"] == 1
    assert (content["ruleset"], content["ruleset_hash"]) == (ruleset, shipped_ruleset(ruleset).hash)
    assert (content["tournament"], content["seed"], content["arena_version"]) == ("quick", 20260301, __version__)
    assert (content["digest"], content["run_digest"]) == (quick.leagues[ruleset].digest, quick.digest)
    assert all(re.fullmatch("[0-9a-f]{64}", content[key]) for key in ("ruleset_hash", "digest", "run_digest"))
    assert len(content["standings"]) == 4
    for line in content["standings"]:
        assert_has(line, LINE)


def assert_has(content: Mapping[str, Any], form: Mapping[str, Any]) -> None:
    for key, kind in form.items():
        assert isinstance(content[key], kind), key
        assert not isinstance(content[key], bool), key


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_figures_that_must_agree(ruleset: str, quick: Played) -> None:
    lines = standings_of(quick, ruleset)["standings"]
    assert [line["rank"] for line in lines] == [1, 2, 3, 4]
    assert [line["elo"] for line in lines] == sorted((line["elo"] for line in lines), reverse=True)
    for line in lines:
        assert line["elo_low"] < line["elo"] < line["elo_high"]
        assert line["games"] == line["wins"] + line["draws"] + line["losses"] == 600
    assert sum(line["wins"] for line in lines) == sum(line["losses"] for line in lines)
    assert sum(line["elo"] for line in lines) == pytest.approx(4 * 1500, abs=0.05)
    has_money = shipped_ruleset(ruleset).settlement != "none"
    assert {line["settlement"] is not None for line in lines} == {has_money}
    if has_money:
        assert sum(line["settlement"] for line in lines) == pytest.approx(0, abs=2e-4)


@pytest.mark.parametrize("ruleset", ruleset_ids())
def test_crosstable_csv(ruleset: str, quick: Played) -> None:
    text = quick.files[f"{ruleset}/crosstable.csv"].decode()
    assert text.splitlines()[0] == CROSSTABLE
    assert "\r" not in text
    rows = rows_of(quick, ruleset)
    names = sorted(line["name"] for line in standings_of(quick, ruleset)["standings"])
    pairs = [(row["first"], row["second"]) for row in rows]
    assert pairs == [(one, other) for one in names for other in names if one != other]
    for row in rows:
        number = {key: int(value) for key, value in row.items() if key not in ("first", "second")}
        assert number["seats"] == 2
        assert number["games"] == number["wins_first"] + number["draws"] + number["losses_first"] == 100
        assert sum(number[key] for key in ("ll", "ld", "wl", "dd", "wd", "ww")) == 100


def test_faults_in_the_files(faulty: Played) -> None:
    lines = {line["name"]: line for line in standings_of(faulty, "two-stage")["standings"]}
    assert lines["broken"]["faults_by_kind"] == {"exception": lines["broken"]["faults"]} == {"exception": 180}
    assert lines["broken"]["mean_score"] is None
    assert 0 < lines["hasty"]["faults"] < 180
    assert "| 180 exception |" in page_of(faulty, "two-stage")
    assert lines["greedy"]["faults_by_kind"] == {}


def test_solo_there_is_no_crosstable(tmp_path: Path) -> None:
    alone = play_league(write_tournament(tmp_path, seats=1), tmp_path)
    assert set(alone.files) == {"README.md", "two-stage/standings.json", "two-stage/standings.md"}


def test_equal_ratings_share_a_rank(tmp_path: Path) -> None:
    """Three bots that always fail have no games, and nothing tells them from each other."""
    agents = [bot("breaks.py", name) for name in ("one", "three", "two")]
    played = play_league(write_tournament(tmp_path, agents=agents), tmp_path)
    lines = standings_of(played, "two-stage")["standings"]
    assert [(line["rank"], line["name"]) for line in lines] == [(1, "one"), (1, "three"), (1, "two")]


# Pages


def test_by_seat_beside_what_the_sheet_prints(quick: Played) -> None:
    """The sheet cuts 49.258% to 49.25%, and 0.849% to 0.84%; our own figures are rounded."""
    rows = rows_of(quick, "thirteen")
    first, drawn, second = (sum(int(row[key]) for row in rows) for key in ("wins_first", "draws", "losses_first"))
    assert first + drawn + second == 1200
    table = page_of(quick, "thirteen").split("## By seat\n\n")[1].split("\n\n")[0]
    assert table.splitlines() == [
        "|  | first seat won | second seat won | drawn | games |",
        "| --- | ---: | ---: | ---: | ---: |",
        f"| here | {first / 1200:.2%} | {second / 1200:.2%} | {drawn / 1200:.2%} | 1,200 |",
        "| as published | 49.25% | 49.89% | 0.84% | 293,222 |",
    ]


@pytest.mark.parametrize("ruleset", [name for name in ruleset_ids() if name != "thirteen"])
def test_what_no_sheet_prints_is_not_there(ruleset: str, quick: Played) -> None:
    assert "## By seat" in page_of(quick, ruleset)
    assert "as published" not in page_of(quick, ruleset)


def test_the_readme_links_every_ruleset(quick: Played) -> None:
    page = quick.files["README.md"].decode()
    links = re.findall(r"\[([^\]]*)\]\(([^)]*)\)", page)
    assert links == [(ruleset, f"{ruleset}/standings.md") for ruleset in ruleset_ids()]
    assert all(link in quick.files for _, link in links)
    assert len(re.findall(r"\| 4 \| 1,200 \| quick \|", page)) == 7


def test_the_page_of_a_ruleset(quick: Played) -> None:
    page = page_of(quick, "school")
    league = quick.leagues["school"]
    assert page.startswith("# school\n\nThe school, fifteen rows, the first six first. Source: 2: Как играть")
    assert page.endswith(f"Tournament quick, seed 20260301, digest `{league.digest}`.\n")
    best = league.standings[0]
    assert (
        f"| 1 | turn\\_optimal | {best.elo:.1f} | {best.elo_low:.1f} to {best.elo_high:.1f} | 600 |"
        f" {best.wins}/{best.draws}/{best.losses} | {best.mean_score:.2f} | {best.settlement:+.3f} | 0 |"
    ) in page


def test_no_times_dates_or_places(quick: Played, faulty: Played) -> None:
    """That two runs write the same bytes is tested elsewhere; here that nothing looks like a clock or a machine."""
    clock = re.compile(r"\b\d{1,2}:\d{2}\b|\b(?:19|20)\d\d-\d|\bseconds\b|\bdecision|\bUTC\b|\d ?us\b|games/s")
    for files in (quick.files, faulty.files):
        for name, content in files.items():
            text = content.decode()
            assert not clock.search(text), (name, clock.search(text))
            for place in (str(Path.home()), str(ROOT), gettempdir()):
                assert place not in text


# Writing


def test_what_stands_there_of_other_rulesets_stays(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, rulesets=["two-stage", "showdown", "thirteen"])
    before = play_league(file, tmp_path)
    after = play_league(file, tmp_path, only=["showdown"], games=12)
    changed = {name for name in before.files if before.files[name] != after.files[name]}
    assert set(after.files) == set(before.files)
    assert changed == {
        "README.md",
        *(f"showdown/{name}" for name in ("crosstable.csv", "standings.json", "standings.md")),
    }
    assert re.findall(r"\[([^\]]*)\]", after.files["README.md"].decode()) == ["showdown", "thirteen", "two-stage"]


@pytest.fixture
def two_leagues(tmp_path: Path) -> tuple[list[League], list[League]]:
    """The same tournament with two seeds, not published yet."""
    file = write_tournament(tmp_path, rulesets=["two-stage", "showdown"])
    leagues = []
    for seed in (1, 2):
        with pipeline.Store(tmp_path / "run") as store:
            plan = pipeline.plan(pipeline.load(file, seed=seed), store)
            assert len(list(pipeline.play(plan, store, backend="serial"))) == 2
            leagues.append(pipeline.rate(plan, store))
    return leagues[0], leagues[1]


@pytest.mark.parametrize("failing", range(7))
def test_a_failure_while_writing_leaves_everything_as_it_was(
    failing: int, two_leagues: tuple[list[League], list[League]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = two_leagues
    out = tmp_path / "out"
    publish_leagues(old, out)
    before = files_in(out)
    written: list[Path] = []
    opened = Path.open

    def fail_at_last(path: Path, mode: str = "r", **how: Any) -> Any:
        file = opened(path, mode, **how)
        if mode != "r":
            written.append(path)
            if len(written) == failing + 1:
                file.write("half a line")
                file.close()
                raise OSError(28, "No space left on device", str(path))
        return file

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", fail_at_last)
        with pytest.raises(UserError, match=r": cannot be written: No space left on device$"):
            publish_leagues(new, out)
    assert len(written) == failing + 1
    assert not set(written) & {out / name for name in before}  # nothing was opened in its place
    assert files_in(out) == before
    publish_leagues(new, out)
    after = files_in(out)
    assert set(after) == set(before)
    assert all(
        after[f"{ruleset}/standings.json"] != before[f"{ruleset}/standings.json"]
        for ruleset in ("two-stage", "showdown")
    )


def test_a_failure_leaves_no_folders(
    two_leagues: tuple[list[League], list[League]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    opened = Path.open

    def fail_at_showdown(path: Path, mode: str = "r", **how: Any) -> Any:
        if path.parent.name == "showdown":
            raise OSError(28, "No space left on device")
        return opened(path, mode, **how)

    monkeypatch.setattr(Path, "open", fail_at_showdown)
    for out in (tmp_path / "mine", tmp_path / "new" / "out"):
        told = re.escape(f"{out}/showdown/standings.json: cannot be written: No space left on device")
        with pytest.raises(UserError, match=f"^{told}$"):
            publish_leagues(two_leagues[0], out)
    assert list((tmp_path / "mine").iterdir()) == []
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("failing", range(7))
@pytest.mark.parametrize("second_names", [True, False])
def test_a_failure_while_renaming_puts_everything_back(
    failing: int,
    second_names: bool,
    two_leagues: tuple[list[League], list[League]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a file that goes, one that comes, and where a file system knows no second name of a file."""
    old, new = two_leagues
    out = tmp_path / "out"
    publish_leagues(old, out)
    (out / "two-stage" / "standings.md").unlink()
    (out / "showdown" / "clusters.csv").write_text("of another league")
    before = files_in(out)
    renamed: list[Path] = []
    replace = Path.replace

    def fail_at_last(path: Path, target: Path) -> Path:
        if path.suffix == ".new":
            renamed.append(target)
            if len(renamed) == failing + 1:
                raise PermissionError(1, "Operation not permitted", str(path), None, str(target))
        return replace(path, target)

    def no_links(*places: Path, **how: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail_at_last)
        if not second_names:
            patched.setattr("os.link", no_links)
        with pytest.raises(UserError) as error:
            publish_leagues(new, out)
    assert str(error.value) == f"{renamed[-1]}: cannot be written: Operation not permitted"
    assert not isinstance(error.value, DiskError)
    assert files_in(out) == before
    publish_leagues(new, out)
    assert set(files_in(out)) == {*before, "two-stage/standings.md"} - {"showdown/clusters.csv"}


@pytest.mark.parametrize("place", ["README.md", "showdown/standings.md", "two-stage/clusters.csv"])
def test_a_folder_in_the_place_of_a_file(
    place: str, two_leagues: tuple[list[League], list[League]], tmp_path: Path
) -> None:
    old, new = two_leagues
    out = tmp_path / "out"
    publish_leagues(old, out)
    (out / place).unlink(missing_ok=True)
    (out / place).mkdir()
    before = files_in(out)
    with pytest.raises(UserError, match=f"^{re.escape(str(out / place))}: cannot be written: this is a folder"):
        publish_leagues(new, out)
    assert files_in(out) == before


def test_what_is_written_is_on_the_disk_before_it_is_renamed(
    two_leagues: tuple[list[League], list[League]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace, fsync = Path.replace, os.fsync

    def noted(path: Path, target: Path) -> Path:
        done.append("renamed")
        return replace(path, target)

    def synced(file: int) -> None:
        done.append("synced")
        fsync(file)

    monkeypatch.setattr(Path, "replace", noted)
    monkeypatch.setattr("os.fsync", synced)
    publish_leagues(two_leagues[0], tmp_path / "out")
    assert done == ["synced"] * 7 + ["renamed"] * 7


def test_a_full_disk_is_no_mistake(
    two_leagues: tuple[list[League], list[League]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskError, match=r"/standings\.json: cannot be written: No space left on device$"):
        publish_leagues(two_leagues[0], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_output_that_cannot_be_a_folder(two_leagues: tuple[list[League], list[League]], tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UserError, match="cannot be written: "):
        publish_leagues(two_leagues[0], tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("content", ["", "[]", "{}", "{", '{"schema": 2}', '{"schema": 1, "standings": 5}', "\x00"])
def test_standings_that_are_none_of_ours(content: str, tmp_path: Path) -> None:
    (tmp_path / "thirteen").mkdir()
    (tmp_path / "thirteen" / "standings.json").write_text(content)
    with pytest.raises(
        UserError,
        match=r"thirteen/standings\.json: "
        r"(cannot be read: .*|is no standings file of schema 1|the standings are damaged)"
        r"; remove it, or choose another --out$",
    ):
        list(published(tmp_path))
