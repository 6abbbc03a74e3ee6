"""Writes ``docs/values.md``: the exact value of every ruleset, and what `optimal` scored beside it.

Run it as ``python -m tests.docs.values_page``; ``make prove`` plays the games of the second part.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from arena.rules.card import CardRules
from arena.rules.hands import HandRules
from arena.rules.shipped import shipped_ruleset
from arena.solver.showdown import ShowdownValues
from arena.solver.values import CardValues

PAGE = Path(__file__).parents[2] / "docs" / "values.md"
CARD_GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("two-stage", {}),
    ("two-stage", {"first_roll_doubles": False}),
    ("school", {}),
    ("school", {"first_roll_doubles": False}),
    ("school", {"sections_in_order": False}),
    ("fifteen", {}),
    ("fifteen", {"upper_bonus_at": 63}),
    ("fifteen", {"joker": "none"}),
    ("thirteen", {}),
    ("thirteen", {"rolls": 2}),
    ("yahtzee", {}),
    ("yahtzee", {"joker": "free"}),
    ("yahtzee", {"joker": "free", "upper_bonus_at": 64}),
    ("yahtzee", {"joker": "none", "five_bonus": 0}),
    ("yatzy", {}),
    ("yatzy", {"five_is_full_house": True}),
    ("yatzy", {"four_is_two_pairs": True}),
)
SHOWDOWNS = tuple(
    {"tie_break": tie_break, "straight_above_three": straight, "rolls": rolls}
    for tie_break, straight, rolls in product(("face", "kickers", "high_die"), (True, False), (3, 2))
)
SEATS = (2, 3)

CARDS, HANDS, PLAYED = "card games", "showdown", "played"
"""The parts of the page that are generated, each between two comments."""


class Row(NamedTuple):
    """A card game's line.

    Attributes:
        name: the ruleset, with changed options.
        value: expected points.
        sd: standard deviation, None where it was not asked for.
        states: how many.
    """

    name: str
    value: float
    sd: float | None
    states: int


def card_rows(*, sd: bool, most: float = inf) -> Iterable[Row]:
    """Solve the card games of the page, without tables on disk.

    Args:
        sd: with the standard deviation.
        most: only games of no more states than this.
    """
    for ruleset_id, options in CARD_GAMES:
        values = CardValues(CardRules(shipped_ruleset(ruleset_id, options)), cached=False)
        if len(values.space) <= most:
            yield Row(values.rules.ruleset.name, values.value, values.sd if sd else None, len(values.space))


def card_lines(rows: Iterable[Row]) -> list[str]:
    """Return the table of card games."""
    return [
        "| ruleset | value | standard deviation | states |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {row.name} | {row.value:.6f} | {row.sd:.4f} | {row.states:,} |" for row in rows),
    ]


def hand_lines() -> list[str]:
    """Return the table of showdown."""
    lines = ["| ruleset | seats | shares of the pot, in the order of rolling |", "| --- | ---: | --- |"]
    for options in SHOWDOWNS:
        ruleset = shipped_ruleset("showdown", options)
        for seats in SEATS:
            shares = ShowdownValues(HandRules(ruleset), seats).shares
            lines.append(f"| {ruleset.name} | {seats} | {', '.join(f'{share:.6f}' for share in shares)} |")
    return lines


def part(page: str, name: str) -> list[str]:
    """Return the lines of a generated part of the page."""
    _, _, rest = page.partition(f"<!-- {name} -->\n")
    return rest.partition(f"<!-- end of {name} -->")[0].splitlines()


def written(page: str, name: str, lines: Iterable[str]) -> str:
    """Return the page with a part of it written anew."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    assert found, f"no part {name!r} on the page"
    return before + begin + "".join(f"{line}\n" for line in lines) + end + rest.partition(end)[2]


def main() -> None:
    """Write the exact parts of the page."""
    page = PAGE.read_text(encoding="utf-8")
    page = written(page, CARDS, card_lines(card_rows(sd=True)))
    PAGE.write_text(written(page, HANDS, hand_lines()), encoding="utf-8")


if __name__ == "__main__":
    main()
