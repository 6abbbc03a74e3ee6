"""RULES 4, thirteen: every sentence and example by name."""

import pytest
from compiled_rules import card_rules, pays, played, roll_of
from scoring_twin import UPPER

from arena.rules.shipped import shipped_ruleset


def test_thirteen_example_of_the_sheet_1_3_2_4_4() -> None:
    assert pays("thirteen", "ones", "13244") == 1
    assert pays("thirteen", "fours", "13244") == 8
    assert pays("thirteen", "small_straight", "13244") == 30


def test_thirteen_has_thirteen_turns_and_its_rows() -> None:
    assert card_rules("thirteen").turns == 13
    assert card_rules("thirteen").names == (
        *UPPER,
        "three_of_a_kind",
        "four_of_a_kind",
        "full_house",
        "small_straight",
        "large_straight",
        "five_of_a_kind",
        "chance",
    )


def test_thirteen_pays() -> None:
    assert pays("thirteen", "three_of_a_kind", "33356") == 20
    assert pays("thirteen", "four_of_a_kind", "33336") == 18
    assert pays("thirteen", "full_house", "33366") == 25
    assert pays("thirteen", "small_straight", "13456") == 30
    assert pays("thirteen", "large_straight", "23456") == 40
    assert pays("thirteen", "five_of_a_kind", "33333") == 50
    assert pays("thirteen", "chance", "33366") == 21


def test_thirteen_has_no_bonus() -> None:
    card = played(card_rules("thirteen"), *(f"{row} {str(face) * 5}" for face, row in enumerate(UPPER, start=1)))
    assert card.total == 105


@pytest.mark.parametrize("held", ["66666", "12346"])
def test_thirteen_has_no_joker(held: str) -> None:
    rules = card_rules("thirteen")
    turns = [f"five_of_a_kind {held}", "fours 44123"]
    card = played(rules, *turns)
    assert rules.open_rows(card, roll_of("44444")) == tuple(
        row for row in rules.names if row not in ("five_of_a_kind", "fours")
    )
    after = played(rules, *turns, "full_house 44444")
    assert (after.extra, after.total) == (0, card.total)


def test_thirteen_prints_the_sites_293222_games() -> None:
    published = shipped_ruleset("thirteen").published
    assert published is not None
    assert (published.games, published.first_won, published.second_won, published.drawn) == (
        293_222,
        144_436,
        146_297,
        2_489,
    )
    assert published.shares == ("49.25%", "49.89%", "0.84%")
    assert published.first_won + published.second_won + published.drawn == published.games
    shares = [10_000 * n // published.games for n in (published.first_won, published.second_won, published.drawn)]
    assert shares == [4925, 4989, 84]  # the sheet cuts off after two places


def test_only_thirteen_has_published_results() -> None:
    for ruleset in ("two-stage", "school", "fifteen", "showdown", "yahtzee", "yatzy"):
        assert shipped_ruleset(ruleset).published is None
