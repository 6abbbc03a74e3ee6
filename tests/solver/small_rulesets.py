"""Small card games, made as ruleset files and read as such: few dice, two to four rows, every kind of rule."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from arena.rules.card import CardRules
from arena.rules.file import load_ruleset

MOST_CARDS = 1200
"""About so many cards can be reached at most, so that the twin is done in a second or two."""


def rules_of_text(text: dict[str, Any]) -> CardRules:
    """Return the rules that a ruleset file says; what every file says need not be given."""
    whole = {"id": "small", "title": "Small", "game": "card", "source": "a test", **text}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.yaml"
        path.write_text(json.dumps(whole), encoding="utf-8")  # which is YAML, and without aliases
        return CardRules(load_ruleset(path))


def pays_of(rules: CardRules) -> list[list[int]]:
    """Return, by row, the different points that dice alone bring, ascending."""
    return [sorted({*one, *other}) for one, other in zip(*rules.points, strict=True)]


@cache
def rows(dice: int) -> st.SearchStrategy[dict[str, Any]]:
    """Return what makes a row's text."""
    faces, points = st.integers(1, 6), st.integers(0, 30)
    kinds = [
        st.builds(lambda face: {"pays": f"sum_face {face}"}, faces),
        st.builds(lambda face: {"pays": f"school {face}"}, faces),
        st.builds(lambda paid: {"pattern": "pair", "pays": f"fixed {paid}"}, points),
        st.builds(
            lambda paid, run: {"pattern": "small_straight", "sequence": run, "pays": f"fixed {paid}"},
            points,
            st.sampled_from([2, 3, 345, 123] if dice == 3 else [2, 23, 45]),
        ),
        st.just({"pattern": "pair", "pays": "sum_pattern"}),
        st.just({"pays": "sum_all"}),
    ]
    if dice == 3:
        kinds.append(st.builds(lambda paid: {"pattern": "three_of_a_kind", "pays": f"fixed {paid}"}, points))
    more = st.fixed_dictionaries({}, optional={"doubles": st.just(True), "plus": st.sampled_from([-4, 3, 10])})
    return st.builds(lambda kind, added: {**kind, **added}, st.one_of(kinds), more)


@st.composite
def small_rules(draw: st.DrawFn) -> CardRules:
    """Return the rules of a small card game."""
    dice = draw(st.sampled_from([2, 2, 3]))
    counts = draw(st.sampled_from([(2,), (3,), (4,), (1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)]))
    text: dict[str, Any] = {"dice": dice, "options": {"rolls": draw(st.sampled_from([2, 3]))}, "sections": {}}
    names = iter("abcd")
    for number, count in enumerate(counts):
        section = text["sections"][f"part_{number}"] = {"rows": {next(names): draw(rows(dice)) for _ in range(count)}}
        if draw(st.booleans()):
            section["turns"] = draw(st.integers(1, count))
    text["sections_in_order"] = draw(st.booleans())
    often = st.sampled_from([True, True, False])
    plain = rules_of_text(text)
    pays = pays_of(plain)
    start = 0
    for section, count in zip(text["sections"].values(), counts, strict=True):
        inside, start = pays[start : start + count], start + count
        if draw(often):
            least, most = sum(paid[0] for paid in inside), sum(paid[-1] for paid in inside)
            at = draw(st.one_of(st.integers(least - 2, most + 2), st.integers(-2, 8)))
            due = draw(st.sampled_from(["reached", "complete"]))
            section["bonus"] = {"points": draw(st.sampled_from([7, 20, 35, -6])), "at": at, "due": due}
    if draw(often):
        row = draw(st.integers(0, len(pays) - 1))
        text["five_bonus"] = {"row": plain.names[row], "holds": draw(st.sampled_from(pays[row]))}
        text["options"]["five_bonus"] = draw(st.sampled_from([40, 5, 0]))
    if draw(often):
        row = draw(st.integers(0, len(pays) - 1))
        text["joker"] = {"row": plain.names[row]}
        if (payable := [paid for paid in pays[row] if paid >= 0]) and draw(st.booleans()):
            text["joker"]["holds"] = draw(st.sampled_from(payable))
        text["options"]["joker"] = draw(st.sampled_from(["forced", "free", "forced", "free", "none"]))
    rules = rules_of_text(text)
    more = 2 if rules.sheet.five_bonus and rules.sheet.five_bonus.points else 1
    assume(more * prod(len(paid) + 1 for paid in pays) <= MOST_CARDS)
    return rules


UPPER = {"a": {"pays": "sum_face 5"}, "b": {"pays": "sum_face 6"}}
LOWER = {
    "c": {"pattern": "pair", "pays": "fixed 20"},
    "d": {"pattern": "small_straight", "sequence": 2, "pays": "fixed 14"},
}
SCHOOL = {"a": {"pays": "school 2"}, "b": {"pays": "school 3"}, "c": {"pays": "school 1"}}


def _like_yahtzee(
    joker: str, *, five_bonus: int = 30, holds: int | None = None, due: str = "reached"
) -> dict[str, Any]:
    return {
        "dice": 2,
        "options": {"rolls": 3, "joker": joker, "five_bonus": five_bonus},
        "sections": {
            "upper": {"bonus": {"points": 15, "at": 12, "due": due}, "rows": UPPER},
            "lower": {"rows": LOWER},
        },
        "five_bonus": {"row": "c", "holds": 20},
        "joker": {"row": "c"} if holds is None else {"row": "c", "holds": holds},
    }


GIVEN: dict[str, dict[str, Any]] = {
    "forced": _like_yahtzee("forced"),
    "forced over points": _like_yahtzee("forced", holds=20, due="complete"),
    "forced over 0": _like_yahtzee("forced", holds=0),
    "free": _like_yahtzee("free", due="complete"),
    "free without further points": _like_yahtzee("free", five_bonus=0, holds=20),
    "no joker, further points": _like_yahtzee("none"),
    "two rows watched": {
        **_like_yahtzee("forced", holds=20),
        "five_bonus": {"row": "d", "holds": 14},
    },
    "school in order": {
        "dice": 3,
        "options": {"rolls": 3},
        "sections_in_order": True,
        "sections": {
            "part_1": {"bonus": {"points": 20, "at": -4, "due": "complete"}, "rows": SCHOOL},
            "part_2": {"rows": {"d": {"pattern": "pair", "pays": "sum_pattern", "doubles": True, "plus": 5}}},
        },
    },
    "school, bonus once reached": {
        "dice": 3,
        "options": {"rolls": 2},
        "sections": {"part_1": {"bonus": {"points": 20, "at": -2, "due": "reached"}, "rows": SCHOOL}},
    },
    "two bonuses, fewer turns": {
        "dice": 2,
        "options": {"rolls": 3},
        "sections": {
            "upper": {"bonus": {"points": 15, "at": 10, "due": "reached"}, "turns": 1, "rows": UPPER},
            "lower": {"bonus": {"points": -8, "at": 9, "due": "complete"}, "rows": LOWER},
        },
    },
    # Once a holds 1, b and c are worth 5351/324 points each, in fractions: a throw that fills neither may take either,
    # and what is left varies more in b than in c. Pairs earn the further points besides.
    "rows worth the same": {
        "dice": 2,
        "options": {"rolls": 2, "five_bonus": 1},
        "sections_in_order": True,
        "sections": {
            "part_1": {"rows": {"a": {"pays": "fixed 1"}}},
            "part_2": {
                "rows": {
                    "b": {"pattern": "small_straight", "sequence": 12, "pays": "fixed 100"},
                    "c": {"pattern": "small_straight", "sequence": 2, "pays": "fixed 32"},
                }
            },
        },
        "five_bonus": {"row": "a", "holds": 1},
    },
    "first roll doubles": {
        "dice": 2,
        "options": {"rolls": 3},
        "sections": {
            "all": {
                "rows": {
                    "a": {"pays": "sum_all", "doubles": True},
                    "b": {"pattern": "pair", "pays": "fixed 12", "doubles": True},
                    "c": {"pays": "sum_face 6", "plus": -4},
                }
            }
        },
    },
}
"""One ruleset for each kind of rule, so that none is left to chance."""
