"""Files that are no tournaments are refused in one line, whatever is in them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import ROOT, Console, write_tournament
from mistakes import GOOD, refused

from arena.errors import UserError
from arena.tournament.file import load_tournament


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", " is empty: a tournament file was expected"),
        (b" \n\n", " is empty: a tournament file was expected"),
        (b"# only a comment\n", "1: a tournament file is a mapping of keys to values"),
        (b"- a\n- b\n", "1: a tournament file is a mapping of keys to values"),
        (b"\n\njust words\n", "3: a tournament file is a mapping of keys to values"),
        (b"\x00\x01\x02\x03", " is no text: it has zero bytes"),
        (b"\x89PNG\r\n\x1a\n\x00", " is no text: byte 0 is not UTF-8"),
        (GOOD.encode("utf-16"), " is no text: byte 0 is not UTF-8"),
        (GOOD.replace("small", "klein\u00e9").encode("latin-1"), " is no text: byte 11 is not UTF-8"),
        (GOOD.encode() + b"x: x\n" * (2 << 20), " is too large for a tournament file: at most 1,048,576 bytes"),
        (GOOD.replace("  ", " ").replace("\nseed", "\n\tseed").encode(), "2: a tab stands where YAML wants spaces"),
        (b"name: small\nagents:\n\t- greedy\n", "3: a tab stands where YAML wants spaces"),
        (b"name: [small\nseed: 7\n", None),
        (b"name: 'small\n", None),
        (b"name: small\n seed: 7\n", None),
        (b"%YAML 9.9\n---\nname: a\n", None),
        (b"name: a\n---\nname: b\n", None),
        (b"name: \x07\n", None),
        (b"? [a, b]\n: c\n", "1: a key is a word"),
        (b"a: &x [1]\nb: *x\n", "1: anchors (&) and aliases (*) are not allowed: write the value out"),
        (b"a: *x\n", "1: anchors (&) and aliases (*) are not allowed: write the value out"),
        (GOOD.replace("seed: 7", "seed: 2020-13-45").encode(), "2: seed: '2020-13-45': month must be in 1..12"),
        (GOOD.replace("seed: 7", "seed: !!timestamp now").encode(), "2: seed: 'now': is no timestamp"),
        (GOOD.replace("seed: 7", "seed: !!bool maybe").encode(), "2: seed: 'maybe': is no bool"),
        (
            GOOD.replace("seed: 7", "seed: !!int ''").encode(),
            "2: seed: '' is no plain whole number: digits only, no leading 0, no signs within",
        ),
        (
            GOOD.replace("seed: 7", "seed: 010").encode(),
            "2: seed: '010' is no plain whole number: digits only, no leading 0, no signs within",
        ),
        (
            GOOD.replace("seed: 7", "seed: 1:30").encode(),
            "2: seed: '1:30' is no plain whole number: digits only, no leading 0, no signs within",
        ),
        (
            GOOD.replace("seed: 7", "seed: 1_000").encode(),
            "2: seed: '1_000' is no plain whole number: digits only, no leading 0, no signs within",
        ),
        (
            GOOD.replace("seed: 7", "seed: 0x10").encode(),
            "2: seed: '0x10' is no plain whole number: digits only, no leading 0, no signs within",
        ),
        (GOOD.replace("seed: 7", "seed: !!float ''").encode(), "2: seed: '': is no float"),
        (b"seed: !!python/name:os.system x\n", None),
        (b"seed: !secret x\n", None),
        (GOOD.replace("seed: 7", "seed: " + "9" * 5000).encode(), None),
    ],
)
def test_files_that_are_no_tournaments(content: bytes, told: str | None, arena: Console, tmp_path: Path) -> None:
    found = refused(arena, tmp_path, content)
    if told is not None:
        assert found == told


NOTHING = "nothing stands after it: give a value, or leave the key out"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("random]", "{name: random, isolation: }]", f"4: agents[1].isolation: {NOTHING}"),
        ("random]", "{name: random, path: }]", f"4: agents[1].path: {NOTHING}"),
        ("random]", "{path: x.py, name: }]", f"4: agents[1].name: {NOTHING}"),
        ("random]", "{name: random, class: }]", f"4: agents[1].class: {NOTHING}"),
        ("random]", "{name: random, glob: ~}]", f"4: agents[1].glob: {NOTHING}"),
        ("random]", "{name: random, command: null}]", f"4: agents[1].command: {NOTHING}"),
        ("[two-stage]", "[{id: two-stage, file: }]", f"3: rulesets[0].file: {NOTHING}"),
        ("games: 8", "games: 8\nfaults:", f"6: faults: {NOTHING}"),
    ],
)
def test_keys_with_nothing_after_them(old: str, new: str, told: str, arena: Console, tmp_path: Path) -> None:
    assert refused(arena, tmp_path, GOOD.replace(old, new)) == told


PARAMS = """\
agents:
  - greedy
  - name: collector
    params:
      first: 1
      {key}: 2
"""


@pytest.mark.parametrize("key", ["1", "0.5", "on", "~", "2020-01-01"])
def test_keys_of_params_that_are_no_text(key: str, arena: Console, tmp_path: Path) -> None:
    content = GOOD.replace("agents: [greedy, random]\n", PARAMS.format(key=key))
    told = refused(arena, tmp_path, content)
    assert told == f"9: agents[1].params.{key}: a key of params is text: write '{key}', in quotes"
    inside = refused(arena, tmp_path, content.replace(f"{key}: 2", f"second: [{{{key}: 2}}]"))
    assert inside.startswith(f"9: agents[1].params.second[0].{key}: a key of params is text: ")
    quoted = refused(arena, tmp_path, content.replace(f"{key}: 2", f"'{key}': 2"))
    assert "is text" not in quoted


@pytest.mark.parametrize(("value", "kind"), [("2026-01-01", "date"), ("!!binary aGk=", "bytes")])
def test_values_of_params_that_no_bot_can_be_told(value: str, kind: str, arena: Console, tmp_path: Path) -> None:
    content = GOOD.replace("agents: [greedy, random]\n", PARAMS.format(key="second"))
    for written in (value, f"[1, {{inside: {value}}}]"):
        told = refused(arena, tmp_path, content.replace("second: 2", f"second: {written}"))
        assert told == (
            f"7: agents[1].params: second is a {kind}, and no text, number, true, false, list or mapping:"
            " write it in quotes"
        )


@pytest.mark.parametrize(("value", "told"), [(".nan", "nan"), (".inf", "inf"), ("-.inf", "-inf")])
def test_numbers_in_params_that_are_none_in_json(value: str, told: str, arena: Console, tmp_path: Path) -> None:
    content = GOOD.replace("agents: [greedy, random]\n", PARAMS.format(key="second"))
    for written in (value, f"[1, {{inside: {value}}}]"):
        refusal = refused(arena, tmp_path, content.replace("second: 2", f"second: {written}"))
        assert refusal == f"7: agents[1].params: second is {told}, which is no number in JSON: write it in quotes"


def test_a_bomb_of_anchors(arena: Console, tmp_path: Path) -> None:
    """Nine lines that stand for three billion values."""
    lines = ['a: &a ["lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol", "lol"]']
    for before, name in pairwise("abcdefghij"):
        lines.append(f"{name}: &{name} [{', '.join(['*' + before] * 9)}]")
    told = refused(arena, tmp_path, "\n".join([*lines, GOOD]))
    assert told == "1: anchors (&) and aliases (*) are not allowed: write the value out"


@pytest.mark.parametrize("depth", [17, 50_000])
@pytest.mark.parametrize("kind", ["[]", "{}"])
def test_nesting(depth: int, kind: str, arena: Console, tmp_path: Path) -> None:
    opening = "[" if kind == "[]" else "{a: "
    told = refused(arena, tmp_path, f"{GOOD}x: {opening * depth}{kind[1] * depth}\n")
    assert told == "6: is nested more than 16 deep"


def test_a_file_that_is_not_there(arena: Console, tmp_path: Path) -> None:
    write_tournament(tmp_path, file="league.yaml")
    assert arena("run", "leage.yaml", cwd=tmp_path).mistake == (
        "leage.yaml: no such tournament file, did you mean 'league.yaml'?"
    )
    assert arena("run", "no/such.yaml", cwd=tmp_path).mistake == "no/such.yaml: no such tournament file"
    assert arena("run", ".", cwd=tmp_path).mistake == ".: is a folder, not a tournament file"
    assert arena("run", "league.yaml/x", cwd=tmp_path).mistake == "league.yaml/x: cannot be read: Not a directory"
    assert arena("run", "x" * 300, cwd=tmp_path).mistake == "x" * 300 + ": cannot be read: File name too long"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["league.yaml"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless file")
def test_an_endless_file(tmp_path: Path) -> None:
    """In a process that may not take much memory, for it would take all."""
    command = f"ulimit -v 2000000; exec {sys.executable} -m arena run /dev/zero"
    run = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "error: /dev/zero: is too large for a tournament file: at most 1,048,576 bytes\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_read_or_written(arena: Console, tmp_path: Path) -> None:
    write_tournament(tmp_path)
    (tmp_path / "tournament.yaml").chmod(0)
    assert (
        arena("run", "tournament.yaml", cwd=tmp_path).mistake == "tournament.yaml: cannot be read: Permission denied"
    )
    (tmp_path / "tournament.yaml").chmod(0o600)
    (tmp_path / "closed").mkdir(mode=0o500)
    for how in ("--out", "--run-dir"):
        run = arena("run", "tournament.yaml", "--backend", "serial", how, "closed/folder", cwd=tmp_path)
        assert run.code == 2
        assert run.err.splitlines()[-1].startswith("error: closed/folder")
        assert run.err.splitlines()[-1].endswith("Permission denied")


# Fuzz


@settings(max_examples=300)
@given(st.one_of(st.text(max_size=60), st.text(st.sampled_from("ab:-[]{}#&*!|>'\"%@`,?\n \t0.~"), max_size=40)))
def test_any_text_is_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzz.yaml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError):
        load_tournament(file)


scalars = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), st.binary(max_size=4))
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)
TOP = "name seed rulesets agents games seats schedule strict"
INSIDE = "rulesets.0 rulesets.0.id rulesets.0.file rulesets.0.options rulesets.0.options.rolls agents.1 agents.1.name"
places = st.sampled_from([*TOP.split(), *INSIDE.split(), "agents.1.path", "agents.1.class", "agents.1.params"])


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=places, value=values)
def test_any_value_anywhere_is_accepted_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: str, value: object
) -> None:
    content: Any = {**yaml.safe_load(GOOD), "agents": ["greedy", {"name": "random"}]}
    content["rulesets"] = [{"id": "yatzy", "options": {}}]
    *path, last = [int(key) if key.isdecimal() else key for key in place.split(".")]
    inner = content
    for key in path:
        inner = inner[key]
    inner[last] = value
    file = tmp_path_factory.getbasetemp() / "fuzz.yaml"
    file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8", errors="surrogatepass")
    with suppress(UserError):  # anything else is a failure
        assert len(load_tournament(file).agents) == 2
