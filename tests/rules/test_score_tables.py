"""Every ruleset's complete score table: equal to a readable twin, and pinned by a hash.

``python tests/rules/test_score_tables.py`` writes the golden file anew, from the twins alone.
"""

import hashlib
from collections.abc import Iterator
from functools import cmp_to_key
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path
from typing import Any

import pytest
import scoring_twin
import showdown_twin
from compiled_rules import card_rules, hand_rules
from scoring_twin import CARD_GAMES, PAYS, UPPER

from arena.dice.lattice import ROLLS
from arena.rules.hands import hand_kind

PINNED = Path(__file__).parents[1] / "golden" / "score_tables.sha256"
HEADER = (
    "# sha256 of each ruleset's complete score table, made by tests/rules/test_score_tables.py from the readable "
    "twins beside it (scoring_twin.py, showdown_twin.py), which were written from the rules and not from the arena.\n"
    "# points: the lines of `arena rules table ID --csv`; joker: row,dice,points of five of a kind while "
    "five_of_a_kind holds 50 and the own upper row is filled; hands: dice,kind,rank by tie_break and "
    "straight_above_three.\n"
)
SORTED_ROLLS = list(combinations_with_replacement(range(1, 7), 5))
JOKER_GAMES = ("fifteen", "yahtzee")
HAND_OPTIONS = list(product(showdown_twin.TIE_BREAKS, (True, False)))


def text(*cells: object) -> str:
    return ",".join(map(str, cells)) + "\n"


def shown(dice: tuple[int, ...]) -> str:
    return "".join(map(str, dice))


def points_by_twin(ruleset: str) -> str:
    return text("row", "dice", "first_roll", "points") + "".join(
        text(
            row,
            shown(dice),
            int(first),
            scoring_twin.row_pays(ruleset, row, dice, first_roll=first, options={}),
        )
        for row in PAYS[ruleset]
        for dice in SORTED_ROLLS
        for first in (False, True)
    )


def points_by_arena(ruleset: str) -> str:
    rules = card_rules(ruleset)
    return text("row", "dice", "first_roll", "points") + "".join(
        text(name, shown(dice), int(first), rules.row_pays(rules.empty, row, roll, first))
        for row, name in enumerate(rules.names)
        for roll, dice in enumerate(ROLLS)
        for first in (False, True)
    )


def joker_cases(ruleset: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Yield rows other than the two that are filled, faces, and the card when a joker comes."""
    for face in range(1, 7):
        held = {"five_of_a_kind": 50, UPPER[face - 1]: 3 * face}
        yield from ((row, face, held) for row in PAYS[ruleset] if row not in held)


def joker_by_twin(ruleset: str) -> str:
    return text("row", "dice", "points") + "".join(
        text(
            row,
            str(face) * 5,
            scoring_twin.turn_pays(ruleset, held, row, (face,) * 5, first_roll=False, options={}),
        )
        for row, face, held in joker_cases(ruleset)
    )


def joker_by_arena(ruleset: str) -> str:
    rules = card_rules(ruleset)
    return text("row", "dice", "points") + "".join(
        text(
            row,
            str(face) * 5,
            rules.row_pays(rules.card_of(held), rules.row_ids[row], ROLLS.index((face,) * 5), False),
        )
        for row, face, held in joker_cases(ruleset)
    )


def hands_by_twin(tie_break: str, straight_above_three: bool) -> str:
    def order(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        return showdown_twin.compare(a, b, tie_break=tie_break, straight_above_three=straight_above_three)

    ascending = sorted(SORTED_ROLLS, key=cmp_to_key(order))
    ranks = {ascending[0]: 0}
    for below, above in pairwise(ascending):
        ranks[above] = ranks[below] + (order(above, below) > 0)
    return text("dice", "kind", "rank") + "".join(
        text(shown(dice), showdown_twin.kind_of(dice), ranks[dice]) for dice in SORTED_ROLLS
    )


def hands_by_arena(tie_break: str, straight_above_three: bool) -> str:
    ranks = hand_rules(tie_break=tie_break, straight_above_three=straight_above_three).ranks
    return text("dice", "kind", "rank") + "".join(
        text(shown(dice), hand_kind(dice), ranks[roll]) for roll, dice in enumerate(ROLLS)
    )


def sha256(lines: str) -> str:
    return hashlib.sha256(lines.encode()).hexdigest()


def pinned() -> dict[str, str]:
    lines = PINNED.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines if not line.startswith("#"))}


def hands_name(tie_break: str, straight_above_three: bool) -> str:
    return f"showdown hands {tie_break} {str(straight_above_three).lower()}"


def hashes_by_twin() -> dict[str, str]:
    hashes = {f"{ruleset} points": sha256(points_by_twin(ruleset)) for ruleset in CARD_GAMES}
    hashes |= {f"{ruleset} joker": sha256(joker_by_twin(ruleset)) for ruleset in JOKER_GAMES}
    hashes |= {hands_name(*options): sha256(hands_by_twin(*options)) for options in HAND_OPTIONS}
    return hashes


def test_the_pinned_hashes_are_those_of_the_twins() -> None:
    assert pinned() == hashes_by_twin()


@pytest.mark.parametrize("ruleset", CARD_GAMES)
def test_the_complete_score_table_has_its_pinned_hash(ruleset: str) -> None:
    assert sha256(points_by_arena(ruleset)) == pinned()[f"{ruleset} points"]


@pytest.mark.parametrize("ruleset", JOKER_GAMES)
def test_the_complete_joker_table_has_its_pinned_hash(ruleset: str) -> None:
    assert sha256(joker_by_arena(ruleset)) == pinned()[f"{ruleset} joker"]


@pytest.mark.parametrize("options", HAND_OPTIONS, ids=lambda options: "-".join(map(str, options)))
def test_the_complete_ranking_of_hands_has_its_pinned_hash(options: tuple[str, bool]) -> None:
    assert sha256(hands_by_arena(*options)) == pinned()[hands_name(*options)]


def switches(ruleset: str) -> list[dict[str, Any]]:
    names = ["five_is_full_house", "four_is_two_pairs"]
    names += ["first_roll_doubles"] * (ruleset in ("two-stage", "school"))
    return [dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names))]


@pytest.mark.parametrize(
    ("ruleset", "options"), [(ruleset, options) for ruleset in CARD_GAMES for options in switches(ruleset)]
)
def test_every_row_pays_for_every_roll_what_the_twin_says_under_every_switch(
    ruleset: str, options: dict[str, bool]
) -> None:
    rules = card_rules(ruleset, **options)
    assert rules.names == tuple(PAYS[ruleset])
    for first in (False, True):
        for row, name in enumerate(rules.names):
            twin = [scoring_twin.row_pays(ruleset, name, dice, first_roll=first, options=options) for dice in ROLLS]
            assert [rules.row_pays(rules.empty, row, roll, first) for roll in range(252)] == twin, (name, first)


@pytest.mark.parametrize("options", HAND_OPTIONS, ids=lambda options: "-".join(map(str, options)))
def test_any_two_hands_compare_as_the_twin_says(options: tuple[str, bool]) -> None:
    tie_break, above = options
    ranks = hand_rules(tie_break=tie_break, straight_above_three=above).ranks
    for a, first in enumerate(ROLLS):
        for b, second in enumerate(ROLLS[: a + 1]):
            won = showdown_twin.compare(first, second, tie_break=tie_break, straight_above_three=above)
            assert (ranks[a] > ranks[b]) - (ranks[a] < ranks[b]) == won, (first, second)


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize(
    ("tie_break", "classes"),
    [
        ("face", 6 + 6 + 30 + 2 + 6 + 15 + 6 + 1),
        ("kickers", 252),
        ("high_die", 6 + 5 + 5 + 2 + 4 + 4 + 3 + 1),
    ],
)
def test_hands_are_in_a_total_preorder_of_as_many_classes_as_counted_by_hand(
    tie_break: str, classes: int, above: bool
) -> None:
    """Whole ranks order any two hands and carry over; that they order as the rules say is tested above."""
    ranks = hand_rules(tie_break=tie_break, straight_above_three=above).ranks
    assert len(ranks) == 252
    assert sorted(set(ranks)) == list(range(classes))


def test_kinds_of_hands_come_as_often_as_counted_by_hand() -> None:
    """Rolls of five dice by kind: 6; 6 x 5; 6 x 5; 2; 6 x 10; 15 x 4; 6 x 10; and the 4 that are nothing."""
    kinds = [hand_kind(dice) for dice in ROLLS]
    counts = {kind: kinds.count(kind) for kind in set(kinds)}
    assert counts == {
        "five_of_a_kind": 6,
        "four_of_a_kind": 30,
        "full_house": 30,
        "straight": 2,
        "three_of_a_kind": 60,
        "two_pairs": 60,
        "pair": 60,
        "nothing": 4,
    }


if __name__ == "__main__":
    PINNED.write_text(HEADER + "".join(f"{digest}  {name}\n" for name, digest in hashes_by_twin().items()))
