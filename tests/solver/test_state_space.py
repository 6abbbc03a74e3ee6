"""Which games are too large, and how many sets of filled rows a card has."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from compiled_rules import card_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cards import NAMES, OPTION_SETS
from small_rulesets import rules_of_text

from arena.agent.values import values
from arena.errors import UserError
from arena.rules.card import CardRules
from arena.rules.model import CardSheet, Pay, Row, Section
from arena.solver import space as space_module
from arena.solver import values as values_module
from arena.solver.space import MOST_SETS, MOST_STATES, Space, count_sets
from arena.solver.values import CardValues


def sets_by_play(rules: CardRules) -> set[int]:
    """Return every set of rows that can be filled, by filling them."""
    found, level, rows = {0}, {0}, range(len(rules.names))
    while level:
        level = {filled | 1 << row for filled in level for row in rows if rules.open_mask(filled) >> row & 1}
        found |= level
    return found


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
def test_sets_of_the_shipped_games(ruleset: str, options: dict[str, Any]) -> None:
    rules = card_rules(ruleset, **options)
    space, found = Space(rules), sets_by_play(rules)
    assert count_sets(rules.sheet) == len(space.sets) == len(found)
    assert set(space.sets.tolist()) == found
    assert all(space.sets[number] == filled for filled, number in space.number_of.items())
    sizes = [filled.bit_count() for filled in space.sets.tolist()]
    assert sizes == sorted(sizes)


SECTIONS = st.lists(st.integers(1, 5).flatmap(lambda rows: st.tuples(st.just(rows), st.integers(1, rows))), max_size=4)


@settings(max_examples=60)
@given(sections=SECTIONS.filter(bool), in_order=st.booleans())
def test_sets_are_counted_without_looking_at_each(sections: list[tuple[int, int]], in_order: bool) -> None:
    row = Row("", pay=Pay.SUM_ALL)
    sheet = CardSheet(tuple(Section("", (row,) * rows, turns) for rows, turns in sections), in_order)
    parts = [[bits for bits in product((0, 1), repeat=rows) if sum(bits) <= turns] for rows, turns in sections]
    found = 0
    for each in product(*parts):
        full = [sum(bits) == turns for bits, (_, turns) in zip(each, sections, strict=True)]
        begun = [any(bits) for bits in each]
        found += not in_order or all(full[n] or not any(begun[n + 1 :]) for n in range(len(full)))
    assert count_sets(sheet) == found


def large(rows: int, *, sections: int = 1, **more: Any) -> CardRules:
    """Return a game of many rows that pay 5,000 or nothing."""
    row = {"pattern": "pair", "pays": "fixed 5000"}
    text = {
        f"part_{part}": {"rows": {f"r{part}-{number}": row for number in range(rows)}, **more}
        for part in range(sections)
    }
    return rules_of_text({"dice": 2, "options": {"rolls": 2}, "sections": text})


BONUS = {"points": 10, "at": 10_000, "due": "reached"}
TOO_LARGE = {
    "sets": (lambda: large(22), f"small cannot be solved: its rows fill up in 4,194,304 sets, {MOST_SETS:,} at most"),
    "sixty rows": (lambda: large(60), f"its rows fill up in {2**60:,} sets, {MOST_SETS:,} at most"),
    "states": (lambda: large(14, bonus=BONUS), f" states, {MOST_STATES:,} at most"),
    "more states than 64 bits count": (
        lambda: large(3, sections=5, bonus={**BONUS, "due": "complete"}),
        f" states, {MOST_STATES:,} at most",
    ),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large_a_game_is_refused_before_any_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, message = TOO_LARGE[name]
    rules = made()

    def never(*_: object, **__: object) -> None:
        raise AssertionError("work was begun")

    for later in ("compile_kernels", "solve"):
        monkeypatch.setattr(values_module, later, never)
    if "sets" in message:
        monkeypatch.setattr(Space, "_enumerate", never)
    for ask in (lambda rules: CardValues(rules, cached=False).value, lambda rules: values(rules.ruleset).value):
        with pytest.raises(UserError) as caught:
            ask(rules)
        said = str(caught.value)
        assert said.endswith(message)
        assert said.startswith("small cannot be solved: ")
        assert "\n" not in said


@pytest.mark.parametrize("limit", ["MOST_SETS", "MOST_STATES"])
def test_the_limits_themselves_are_allowed(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = card_rules("thirteen")
    monkeypatch.setattr(space_module, limit, 8192)
    assert len(Space(rules)) == len(Space(rules).sets) == 8192
    monkeypatch.setattr(space_module, limit, 8191)
    with pytest.raises(UserError, match=r"^thirteen cannot be solved: .* 8,192 (sets|states), 8,191 at most$"):
        Space(rules)
