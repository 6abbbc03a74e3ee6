"""Names of agents: what may be one, what is refused and why, and which cannot be told apart."""

from __future__ import annotations

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agent.names import MAX_NAME, look, proper_name
from arena.errors import UserError

PROPER = [
    *("a", "CON", "../x", "<b>", "a  b", "=A1", "[bold]red[/bold]", ":boom:", "x" * MAX_NAME, "C:\\", "a/b", "'", '"'),
    *("Жар-птица", "名前", "שלום", "e\u0301te\u0301", "🎲", "👩‍🚀", "நிலா", "نیم‌فاصله", "Z\u0351\u036b\u0343"),
]


@pytest.mark.parametrize("name", PROPER, ids=range(len(PROPER)))
def test_names_that_people_give(name: str) -> None:
    kept = proper_name(name)
    assert kept == unicodedata.normalize("NFC", name)
    assert proper_name(kept) == kept


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "'' is no name: it is empty"),
        (" ", "' ' is no name: a space stands at its beginning"),
        (" a", "' a' is no name: a space stands at its beginning"),
        ("a ", "'a ' is no name: a space stands at its end"),
        ("a\nb", r"'a\nb' is no name: it has the character U+000A, which cannot be printed"),
        ("a\x1b[31m", r"'a\x1b[31m' is no name: it has the character U+001B, which cannot be printed"),
        ("a\u202eb", r"'a\u202eb' is no name: it has the character U+202E (RIGHT-TO-LEFT OVERRIDE), which cannot be"),
        ("a\u2066b", r"'a\u2066b' is no name: it has the character U+2066 (LEFT-TO-RIGHT ISOLATE), which cannot be"),
        ("a\u00a0b", r"'a\xa0b' is no name: it has the character U+00A0 (NO-BREAK SPACE), which cannot be printed"),
        (
            "a\u200bb",
            r"'a\u200bb' is no name: it has the character U+200B (ZERO WIDTH SPACE), which cannot be",
        ),
        ("a\ud800", r"'a\ud800' is no name: it has the character U+D800, which cannot be printed"),
        ("\u0301a", "is no name: it begins with a mark that would stand on the character before"),
        ("\u200da", "is no name: it begins with a mark that would stand on the character before"),
        ("x" * 201, "is no name: it has 201 characters, at most 200 are allowed"),
    ],
)
def test_names_that_are_refused_in_one_line(name: str, fault: str) -> None:
    with pytest.raises(UserError) as error:
        proper_name(name)
    assert fault in str(error.value)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 200


@given(st.text(max_size=20))
def test_any_text_is_a_name_or_refused(name: str) -> None:
    with suppress(UserError):  # anything else is a failure
        kept = proper_name(name)
        assert kept.strip() == kept != ""
        assert look(kept) == look(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("e\u0301", "\u00e9"),
        ("Straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ad\u200da", "ada"),
        ("❤\ufe0f", "❤"),
        ("a  b", "a b"),
        ("\u212b", "\u00c5"),
    ],
)
def test_names_that_nobody_can_tell_apart(one: str, other: str) -> None:
    assert look(one) == look(other)


def test_names_that_can_be_told_apart() -> None:
    names = ["a", "á", "b", "a b", "ab", "0", "O", "名", "<b>", "../x", "x"]
    assert len(set(map(look, names))) == len(names)
