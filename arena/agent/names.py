"""Names of agents, as people give them: what a name may be, and which names nobody could tell apart."""

from __future__ import annotations

import unicodedata

from arena.documents import short
from arena.errors import UserError, one_line

MAX_NAME = 200
UNNAMED = "unnamed"
JOINERS = "\u200c\u200d"
"""Invisible, yet needed: Persian and many Indian words are written with them, and emoji made of several signs."""
SELECTORS = "\ufe0e\ufe0f"


def composed(name: str) -> str:
    """Return a name in the one form in which it is kept and compared: accents composed with their letters (NFC)."""
    return unicodedata.normalize("NFC", name)


def proper_name(name: str) -> str:
    """Return a name, composed, if it may be one.

    Names are text and never become names of files, so almost anything goes.

    Raises:
        UserError: for a name that would be invisible, misleading or harmful on a page or a terminal.
    """
    name = composed(name)
    if fault := _fault(name):
        raise UserError(f"{short(name)} is no name: {fault}")
    return name


def _fault(name: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters, at most {MAX_NAME} are allowed"
    if name != name.strip():
        return "a space stands at its end" if name == name.lstrip() else "a space stands at its beginning"
    for char in name:
        if not char.isprintable() and char not in JOINERS:
            code, called = f"U+{ord(char):04X}", unicodedata.name(char, "")
            return f"it has the character {code}{f' ({called})' if called else ''}, which cannot be printed"
    if unicodedata.category(name[0]).startswith("M") or name[0] in JOINERS:
        return "it begins with a mark that would stand on the character before"
    return ""


def safe_name(name: str) -> str:
    """Return a name that may be one, as like to what was given as can be; a proper name stays as it is."""
    name = composed(name)
    if not _fault(name):
        return name
    name = composed(one_line(name))[:MAX_NAME].strip()
    return UNNAMED if _fault(name) else name


def look(name: str) -> str:
    """Return what two names have in common if people could not tell them apart.

    They differ in nothing but case, invisible signs, or the number of spaces between words.
    """
    folded = composed(unicodedata.normalize("NFD", name).casefold())
    return " ".join("".join(char for char in folded if char not in JOINERS + SELECTORS).split())
