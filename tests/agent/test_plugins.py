"""Packages that bring bots and rulesets: one that is built and installed, and broken ones beside it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from leagues import ROOT, Console, play_league, write_tournament

from arena.agent.plugins import Plugins
from arena.rules.shipped import ruleset_ids

PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "arena-lucky"
version = "0.1"

[project.entry-points.arena]
lucky = "arena_lucky"
"""
BACKEND = '''\
"""Builds the wheel of this project as any build tool would, so that the test needs none."""

import tomllib
import zipfile
from pathlib import Path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    points = project["entry-points"]["arena"].items()
    info = {
        "METADATA": f"Metadata-Version: 2.1\\nName: {project['name']}\\nVersion: {project['version']}\\n",
        "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        "entry_points.txt": "[arena]\\n" + "".join(f"{name} = {value}\\n" for name, value in points),
    }
    files = [path.as_posix() for path in Path("arena_lucky").iterdir() if path.is_file()]
    names = [*files, *(f"{stem}.dist-info/{name}" for name in [*info, "RECORD"])]
    with zipfile.ZipFile(Path(wheel_directory) / f"{stem}-py3-none-any.whl", "w") as wheel:
        for name in files:
            wheel.write(name)
        for name, text in {**info, "RECORD": "".join(f"{name},,\\n" for name in names)}.items():
            wheel.writestr(f"{stem}.dist-info/{name}", text)
    return f"{stem}-py3-none-any.whl"
'''
INIT = """\
from pathlib import Path

import arena
from arena_lucky import stands
from arena_lucky.bots import Lucky


@arena.hookimpl
def arena_agents():
    return [Lucky, stands]


@arena.hookimpl
def arena_rulesets():
    return [Path(__file__).parent / "sixes.yaml"]
"""
STANDS = '''\
"""Keeps what it throws."""


def hold(turn):
    return turn.dice


def choose_row(turn):
    return turn.open_rows[0]
'''
LUCKY = '''\
class Lucky:
    """Trusts its luck."""

    def __init__(self, row=0):
        self.row = row

    def hold(self, turn):
        return ()

    def choose_row(self, turn):
        return turn.open_rows[self.row]
'''
SIXES = """\
id: sixes-only
title: Sixes and the rest
game: card
source: the plugin's author
options: {rolls: 2}
sections:
  only:
    rows:
      sixes: {pays: sum_face 6}
      rest: {pays: sum_all}
"""
LABEL = "lucky of arena-lucky 0.1"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the plugin, from its source."""
    source, target = tmp_path_factory.mktemp("lucky"), tmp_path_factory.mktemp("site")
    files = {
        "pyproject.toml": PROJECT,
        "backend.py": BACKEND,
        "arena_lucky/__init__.py": INIT,
        "arena_lucky/stands.py": STANDS,
        "arena_lucky/bots.py": LUCKY,
        "arena_lucky/sixes.yaml": SIXES,
    }
    for name, text in files.items():
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text(text)
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(target), str(source)]
    subprocess.run(command, check=True)
    return target


def with_site(site: Path) -> dict[str, str]:
    return {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}"}


def test_a_league_with_a_plugins_bots_under_its_ruleset(site: Path, tmp_path: Path, arena: Console) -> None:
    last = {"class": "arena_lucky.bots:Lucky", "name": "last", "params": {"row": -1}}
    rulesets = ["sixes-only", {"id": "sixes-only", "options": {"rolls": 3}}, "two-stage"]
    file = write_tournament(
        tmp_path, rulesets=rulesets, agents=["greedy", "Lucky", {"name": "stands"}, last], games=20
    )
    run = arena.process("run", file, "--workers", "1", cwd=tmp_path, **with_site(site))
    assert run.code == 0, run.err
    assert "  Lucky: plugin arena_lucky:Lucky, inline" in run.err
    assert "  last: class arena_lucky.bots:Lucky, inline" in run.err
    for folder in ("sixes-only", "sixes-only+rolls=3", "two-stage"):
        lines = json.loads((tmp_path / "leaderboard" / folder / "standings.json").read_text())["standings"]
        assert {line["name"]: line["faults"] for line in lines} == {"greedy": 0, "Lucky": 0, "stands": 0, "last": 0}
    alone = arena.process("run", file, "--backend", "serial", "--run-dir", "other", cwd=tmp_path, **with_site(site))
    assert alone.lines[-1] == run.lines[-1]


def test_it_is_listed_and_asked(site: Path, tmp_path: Path, arena: Console) -> None:
    agents = arena.process("agents", cwd=tmp_path, **with_site(site), COLUMNS="200")
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in agents.lines if line.startswith("│")]
    assert ["Lucky", f"plugin {LABEL}", "Trusts its luck."] in rows
    assert ["stands", f"plugin {LABEL}", "Keeps what it throws."] in rows
    rules = arena.process("rules", cwd=tmp_path, **with_site(site))
    assert f"sixes-only  Sixes and the rest (plugin {LABEL})" in rules.lines
    assert len(rules.lines) == len(ruleset_ids()) + 1
    score = arena.process("rules", "score", "sixes-only", "66123", cwd=tmp_path, **with_site(site))
    assert [line.split() for line in score.lines] == [["sixes", "12"], ["rest", "18"]]
    file = write_tournament(tmp_path, rulesets=["sixes"])
    told = arena.process("run", file, cwd=tmp_path, **with_site(site)).mistake
    assert "unknown ruleset 'sixes'" in told
    assert told.endswith(", sixes-only")


def test_without_it_nothing_is_known_of_it(tmp_path: Path, arena: Console) -> None:
    file = write_tournament(tmp_path, agents=["greedy", "Lucky"])
    assert "no agent 'Lucky'" in arena("run", file, cwd=tmp_path).mistake
    assert "unknown ruleset 'sixes-only'" in arena("rules", "show", "sixes-only", cwd=tmp_path).mistake


# Broken ones: folders as pip would leave them, made by hand


def install(folder: Path, name: str, text: str, *, value: str | None = None, **files: str) -> None:
    """Make a plugin of one module, called ``arena_test_<name>``."""
    module = f"arena_test_{name}"
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[arena]\n{name} = {value or module}\n")
    (folder / f"{module}.py").write_text(text)
    for other, content in files.items():
        (folder / f"{other}.yaml").write_text(content)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Installs plugins into a folder on Python's path, for this test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield lambda name, text, **how: install(folder, name, text, **how)
    for known in [key for key in sys.modules if key.startswith("arena_test_")]:
        del sys.modules[known]


HOOK = "import arena\n\n\n@arena.hookimpl\ndef {hook}():\n    {body}\n"
RULESETS = "from pathlib import Path\n" + HOOK.format(
    hook="arena_rulesets", body="return [Path(__file__).with_name('{file}.yaml')]"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 / 0\n", "arena_test_bad.py:1: cannot be loaded: ZeroDivisionError: division by zero"),
        ("raise SystemExit\n", "arena_test_bad.py:1: cannot be loaded: SystemExit"),
        ("x = (\n", "arena_test_bad.py:1: cannot be loaded: SyntaxError: '(' was never closed"),
        ("x = 1\n", "offers neither bots nor rulesets: it has no arena_agents and no arena_rulesets"),
        (HOOK.format(hook="arena_agent", body="return []"), "bad.py:4: unknown hook 'arena_agent', did you mean"),
        (HOOK.format(hook="arena_rulesets", body="pass"), "bad.py:4: arena_rulesets returns nothing; a list was"),
        ("def arena_agents():\n    return []\n", "arena_agents is not marked with @arena.hookimpl"),
        (
            HOOK.format(hook="arena_agents", body="1 / 0"),
            "arena_test_bad.py:6: arena_agents failed: ZeroDivisionError",
        ),
        (HOOK.format(hook="arena_agents", body="return [5]"), "offers 5, which is no bot"),
        (HOOK.format(hook="arena_rulesets", body="1 / 0"), "bad.py:6: arena_rulesets failed: ZeroDivisionError"),
        (HOOK.format(hook="arena_rulesets", body="return [5]"), "bad.py: arena_rulesets offers 5, which is no path"),
        (HOOK.format(hook="arena_rulesets", body="return ['no.yaml']"), "no.yaml: no such ruleset file"),
        (RULESETS.replace("{file}", "wrong"), "wrong.yaml:2: options.rolls: 4 is not allowed: 2, 3"),
        (RULESETS.replace("{file}", "taken"), "taken.yaml: yatzy is a ruleset that ships with the arena"),
        (
            HOOK.format(hook="arena_agents", body="return [A(), A()]") + LUCKY.replace("Lucky", "A"),
            "two bots are called",
        ),
    ],
)
def test_a_broken_plugin_is_named_and_the_rest_go_on(
    text: str, told: str, installed: Any, tmp_path: Path, arena: Console
) -> None:
    wrong = SIXES.replace("options: {rolls: 2}\n", "").replace("title", "options: {rolls: 4}\ntitle")
    installed("bad", text, wrong=wrong, taken=SIXES.replace("sixes-only", "yatzy"))
    installed("good", LUCKY)
    plugins = Plugins()
    assert [plugin.label for plugin in plugins.working] == ["good of arena_test_good 1.0"]
    [(label, reason)] = plugins.broken.items()
    assert label == "bad of arena_test_bad 1.0"
    assert told in reason
    assert "\n" not in reason
    (tmp_path / "empty").mkdir()
    agents = arena("agents", cwd=tmp_path / "empty")
    assert agents.code == 0
    assert label in agents.out
    assert "broken: " in agents.out
    assert "good of arena_test_good 1.0" in agents.out
    rules = arena("rules", cwd=tmp_path)
    assert rules.code == 0
    assert rules.err == f"the plugin {label} is broken: {reason}\n"
    file = write_tournament(tmp_path, agents=["greedy", "Lucky"])
    run = arena("run", file, "--backend", "serial", cwd=tmp_path)
    assert run.code == 0, run.err
    assert run.err.startswith(f"  not entered, the plugin {label} is broken: {reason}\n")
    told_of_it = arena("run", write_tournament(tmp_path, agents=["greedy", "Luky"]), cwd=tmp_path).mistake
    assert "no agent 'Luky', did you mean 'Lucky'?" in told_of_it
    assert told_of_it.endswith(f"; the plugin {label} is broken: {reason}")


def test_plugins_are_looked_for_only_when_needed(installed: Any, tmp_path: Path, arena: Console) -> None:
    installed("bad", "1 / 0\n")
    run = arena("run", write_tournament(tmp_path), "--backend", "serial", cwd=tmp_path)
    assert run.code == 0
    assert "plugin" not in run.err
    assert "arena_test_bad" not in sys.modules
    assert arena("rules", "show", "yatzy").err == ""


SHOP = """

import arena


class Shop:
    @arena.hookimpl
    def arena_agents(self):
        return [Lucky]


plugin = Shop()
"""


@pytest.mark.parametrize(
    "value", ["arena_test_one", "arena_test_one:Lucky", "arena_test_one:plugin", "arena_test_one:Shop"]
)
def test_what_an_entry_point_may_name(value: str, installed: Any, tmp_path: Path) -> None:
    text = LUCKY + (SHOP if value.endswith(("plugin", "Shop")) else "")
    installed("one", text, value=value)
    plugins = Plugins()
    assert plugins.broken == {}
    assert plugins.bot_names == ["Lucky"]
    file = write_tournament(tmp_path, agents=["greedy", {"name": "Lucky", "params": {"row": -1}}])
    assert play_league(file, tmp_path, plugins=plugins).leagues["two-stage"].standings[1].faults == 0


def test_a_misspelt_hook_of_an_object(installed: Any) -> None:
    installed("one", LUCKY + SHOP.replace("arena_agents", "arena_agent"), value="arena_test_one:plugin")
    [reason] = Plugins().broken.values()
    assert re.search(r"arena_test_one\.py:\d+: unknown hook 'arena_agent', did you mean 'arena_agents'\?; ", reason)


def test_an_entry_point_that_names_nothing(installed: Any) -> None:
    installed("one", LUCKY, value="arena_test_one:Luky")
    installed("two", LUCKY, value="arena_test_nowhere")
    installed("three", LUCKY, value="arena_test_three.inner")
    reasons = [reason.rpartition("/")[2] for reason in Plugins().broken.values()]
    assert reasons == [
        "arena_test_one.py: has no 'Luky', did you mean 'Lucky'?",
        "arena_test_three.py: cannot be loaded: ModuleNotFoundError: No module named 'arena_test_three.inner'; "
        "'arena_test_three' is not a package",
        "no module 'arena_test_nowhere', or none with its source in a file",
    ]


def test_two_plugins_with_one_bot(installed: Any, tmp_path: Path, arena: Console) -> None:
    installed("one", LUCKY)
    installed("two", LUCKY)
    told = arena("run", write_tournament(tmp_path, agents=["greedy", "Lucky"]), cwd=tmp_path).mistake
    assert told.endswith(
        "two plugins have a bot 'Lucky', one of arena_test_one 1.0 and two of arena_test_two 1.0; "
        "name it by class, such as arena_test_one:Lucky"
    )
    agents = ["greedy", {"class": "arena_test_one:Lucky", "name": "one"}, {"class": "arena_test_two:Lucky"}]
    assert play_league(write_tournament(tmp_path, agents=agents), tmp_path).digest


def test_two_plugins_with_one_ruleset(installed: Any) -> None:
    installed("one", RULESETS.replace("{file}", "mine"), mine=SIXES)
    installed("two", RULESETS.replace("{file}", "mine"))
    plugins = Plugins()
    assert list(plugins.rulesets) == ["sixes-only"]
    [reason] = plugins.broken.values()
    assert reason.endswith("mine.yaml: sixes-only is a ruleset of one of arena_test_one 1.0 too")


def test_a_bot_of_ones_own_comes_before_a_plugins(installed: Any, tmp_path: Path) -> None:
    installed("one", LUCKY)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "Lucky.py").write_text(STANDS)
    played = play_league(write_tournament(tmp_path, agents=["greedy", "Lucky"]), tmp_path)
    assert [ref.origin for ref in played.plan.tournament.agents] == ["file", "bundled"]
