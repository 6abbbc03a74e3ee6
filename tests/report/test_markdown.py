"""Names are shown letter by letter, whatever Markdown would make of them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leagues import ROOT, play_league, write_tournament
from markdown_it import MarkdownIt
from markdown_it.token import Token

from arena.report.markdown import BREAK, escape

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    *("plain", "under_score", "**bold**", "*", "`code`", "[link](http://example.org)", "![image](x)", "<b>html</b>"),
    *("a|b", "\\", "\\|", "&amp;", "~~gone~~", "# head", "- item", "1. item", "> quote", "---", "a  b", "{}", "%$^"),
    *(
        "<script>alert(1)</script>",
        "<!-- hidden",
        "Ω≈ç√ имя 名前 🎲",
        "'quotes\"",
        "==",
        "+ plus",
        ":---:",
        "^1",
        ":rocket:",
        ":+1::t-rex:",
        "@x",
        "a@b.org",
        "12:30:45",
        "=A1",
    ),
]


def cells(page: str) -> list[list[str]]:
    """Return the text of every table cell of a page, by row."""
    rows: list[list[str]] = []
    tokens = MARKDOWN.parse(page)
    for before, token in pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if before.type in ("td_open", "th_open"):
            rows[-1].append(plain(token))
    return rows


def plain(token: Token) -> str:
    """Return the text of an inline token that has no markup in it."""
    children = [child for child in token.children or [] if child.content != BREAK]
    kinds = {child.type for child in children}
    assert kinds <= {"text", "text_special"}, (token.content, kinds)
    return "".join(child.content for child in children)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_in_a_cell(name: str) -> None:
    page = f"| a | b |\n| --- | --- |\n| {escape(name)} | end |\n"
    assert cells(page)[1] == [name, "end"]


@pytest.mark.parametrize("name", [":rocket:", "x:t-rex:", ":+1:", ":white_check_mark:", "@x", "by @x"])
def test_nothing_is_an_emoji_or_a_mention_once_markdown_is_read(name: str) -> None:
    """GitHub looks for them in each text between tags and comments."""
    (inline,) = [token for token in MARKDOWN.parse(f"x {escape(name)}") if token.type == "inline"]
    texts = "".join(child.content if child.type.startswith("text") else "\n" for child in inline.children or [])
    assert not re.search(r":[\w+-]+:|@\w", texts)


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=30))
def test_any_printable_name_in_a_cell(name: str) -> None:
    if name == name.strip() and name.isprintable():
        page = f"| a | b |\n| --- | --- |\n| {escape(name)} | end |\n"
        assert cells(page)[1] == [name, "end"]


def test_a_page_of_hostile_names(tmp_path: Path) -> None:
    names = ["under_score", "**bold**", "`code`", "[link](http://example.org)", "<b>html</b>", "a|b", "\\|"]
    agents = [{"name": name, "path": str(ROOT / "agents" / "greedy.py")} for name in names]
    played = play_league(write_tournament(tmp_path, agents=agents, games=2), tmp_path)
    page = played.files["two-stage/standings.md"].decode()
    rows = cells(page)
    assert sorted(row[1] for row in rows if row[0].isdecimal()) == sorted(names)
    (header,) = [row for row in rows if row[0] == "points of each against"]
    assert sorted(header[1:]) == sorted(names)
    assert {len(row) for row in rows} == {9, 1 + len(names), 5}
    overview = MARKDOWN.parse(played.files["README.md"].decode())
    links = [child for token in overview for child in token.children or [] if child.type == "link_open"]
    assert [link.attrs["href"] for link in links] == ["two-stage/standings.md"]
