"""The keys of tournament files: mistakes are one line; a missing sandbox is refused, or done without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from leagues import Console, bot, play_league, write_tournament

from arena import pipeline
from arena.agent import limits
from arena.tournament import file

TEXT = """\
name: small
seed: 7
rulesets: [two-stage]
games: 8
agents:
  - greedy
  - {name: random%s}
%s
"""
MISTAKES = [
    ("", "isolation: sandbx", "t.yaml:8: isolation: ", "'sandbox'"),
    ("", "isolation: none", "t.yaml:8: isolation: ", "inline"),
    ("", "isolation: [process]", "t.yaml:8: isolation: ", ""),
    ("", "isolaton: process", "t.yaml:8: isolaton: ", "'isolation'"),
    (", isolation: proces", "", "t.yaml:7: agents[1].isolation: ", "'process'"),
    ("", "limits: {decision_ms: 0}", "t.yaml:8: limits.decision_ms: ", "1"),
    ("", "limits: {decision_ms: 1.5}", "t.yaml:8: limits.decision_ms: ", ""),
    ("", "limits: {decision_ms: yes}", "t.yaml:8: limits.decision_ms: ", ""),
    ("", "limits: {decision_ms: 3600001}", "t.yaml:8: limits.decision_ms: ", "3600000"),
    ("", "limits: {memory_mb: -1}", "t.yaml:8: limits.memory_mb: ", "1"),
    ("", "limits: {start_s: 0}", "t.yaml:8: limits.start_s: ", "0"),
    ("", "limits: {start_s: .nan}", "t.yaml:8: limits.start_s: ", ""),
    ("", "limits: {wall_s: .inf}", "t.yaml:8: limits.wall_s: ", ""),
    ("", "limits: {wall_s: '3'}", "t.yaml:8: limits.wall_s: ", ""),
    ("", "limits: {wall_s: true}", "t.yaml:8: limits.wall_s: ", ""),
    ("", "limits: {output_kb: many}", "t.yaml:8: limits.output_kb: ", ""),
    ("", "limits:\n  start_s: 2\n  decison_ms: 5", "t.yaml:10: limits.decison_ms: ", "'decision_ms'"),
    ("", "limits: 100", "t.yaml:8: limits: ", ""),
    ("", "limits: {cpu: 1}", "t.yaml:8: limits.cpu: ", "memory_mb"),
]


@pytest.mark.parametrize(("agent", "line", "where", "names"), MISTAKES)
def test_mistakes(agent: str, line: str, where: str, names: str, arena: Console, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TEXT % (agent, line))
    told = arena("run", "t.yaml", cwd=tmp_path).mistake
    assert told.startswith(where), told
    assert names in told.removeprefix(where), told
    assert [path.name for path in tmp_path.iterdir()] == ["t.yaml"]


LACKING = ("Landlock (Function not implemented)", "seccomp (Operation not permitted)")


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (limits, file):
        monkeypatch.setattr(module, "missing", lambda: LACKING)


@pytest.mark.usefixtures("lacking")
def test_a_missing_sandbox_is_refused(arena: Console, tmp_path: Path) -> None:
    write_tournament(tmp_path, isolation="sandbox")
    told = arena("run", "tournament.yaml", cwd=tmp_path).mistake
    assert told.partition(": ")[2] == f"isolation: the sandbox is not to be had here: no {', no '.join(LACKING)}"
    write_tournament(tmp_path, agents=["greedy", {"name": "random", "isolation": "sandbox"}])
    told = arena("run", "tournament.yaml", cwd=tmp_path).mistake
    assert told.startswith("tournament.yaml:8: agents[1].isolation: the sandbox is not to be had here: no Landlock"), (
        told
    )


FOREIGN = [bot("apart/hand_raises.py", "foreign"), bot("raises.py", "other", at="never")]


def levels(folder: Path, **changes: Any) -> dict[str, str]:
    tournament = pipeline.load(write_tournament(folder, **{"agents": ["greedy", *FOREIGN], **changes}))
    return {ref.name: ref.level for ref in tournament.agents}


@pytest.mark.usefixtures("lacking")
def test_auto_takes_a_process_where_no_sandbox_is(tmp_path: Path) -> None:
    assert levels(tmp_path, isolation="auto") == {"greedy": "inline", "foreign": "process", "other": "process"}


def test_levels(tmp_path: Path, sandbox: None) -> None:
    """The agent's own word counts before the tournament's."""
    assert levels(tmp_path, isolation="inline") == {"greedy": "inline", "foreign": "inline", "other": "inline"}
    assert levels(tmp_path, isolation=None) == {"greedy": "inline", "foreign": "sandbox", "other": "sandbox"}
    assert levels(tmp_path, isolation="auto") == {"greedy": "inline", "foreign": "sandbox", "other": "sandbox"}
    assert levels(tmp_path, isolation="process") == dict.fromkeys(("greedy", "foreign", "other"), "process")
    agents = [{"name": "greedy", "isolation": "sandbox"}, {**FOREIGN[0], "isolation": "auto"}, FOREIGN[1]]
    assert levels(tmp_path, agents=agents) == {"greedy": "sandbox", "foreign": "sandbox", "other": "inline"}


def test_levels_are_stored_with_every_block(tmp_path: Path, sandbox: None) -> None:
    agents = ["greedy", {**FOREIGN[0], "isolation": "process"}, FOREIGN[1]]
    played = play_league(write_tournament(tmp_path, agents=agents, isolation=None), tmp_path, block_size=2)
    expected = {"foreign": "process", "greedy": "inline", "other": "sandbox"}
    assert len(played.results) == 3
    for (_, *names), blocks in played.results.items():
        assert [block.levels for block in blocks] == [{name: expected[name] for name in names}] * 2


def test_a_bot_that_does_not_load_is_told_by_its_own_file(boxed: bool, arena: Console, tmp_path: Path) -> None:
    level = "sandbox" if boxed else "process"
    (tmp_path / "broken.py").write_text("import os\n\nraise ValueError(os.getcwd)\n")
    write_tournament(tmp_path, agents=["greedy", {"path": "broken.py", "isolation": level}])
    told = arena("run", "tournament.yaml", cwd=tmp_path).mistake
    assert told.startswith("tournament.yaml:"), told
    assert f"{tmp_path / 'broken.py'}:3: cannot be loaded: ValueError" in told
    assert "arena-bots" not in told
    assert "arena-try" not in told


@pytest.mark.parametrize("name", ["exits", "kills", "spins", "sleeps", "noise", "claims"])
def test_bots_that_do_not_load(name: str, boxed: bool, arena: Console, tmp_path: Path) -> None:
    """One line where it is strict, else a bot that loses every game."""
    level = "sandbox" if boxed else "process"
    agents = ["greedy", "collector", bot(f"apart/import_{name}.py", "bad")]
    content = {"agents": agents, "isolation": level, "limits": {"start_s": 0.5, "wall_s": 0.5}}
    write_tournament(tmp_path, **content)
    told = arena("run", "tournament.yaml", cwd=tmp_path).mistake
    assert told.startswith("tournament.yaml:9: agents[2].path: "), told
    assert f"import_{name}.py: cannot be loaded: " in told
