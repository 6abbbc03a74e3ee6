"""The page of exact values against what the solver finds."""

import re

from arena.rules.shipped import ruleset_ids
from tests.docs import values_page
from tests.docs.values_page import CARD_GAMES, CARDS, HANDS, PAGE, PLAYED, card_lines, card_rows, hand_lines, part

MOST_STATES = 500_000
TEXT = PAGE.read_text(encoding="utf-8")


def without_sd(lines: list[str]) -> list[str]:
    return [re.sub(r"\| [^|]+ (\| [^|]+ \|)$", r"\1", line) for line in lines]


def test_values_of_card_games_are_what_the_solver_finds() -> None:
    """Of those that are solved in a second; all of them are a claim."""
    found = card_lines(row._replace(sd=0.0) for row in card_rows(sd=False, most=MOST_STATES))
    written = [line for line in without_sd(part(TEXT, CARDS)) if states(line) <= MOST_STATES]
    assert written == without_sd(found)
    assert len(written) > len(CARD_GAMES) // 2


def states(line: str) -> int:
    """Return how many states a line of card games tells; the table's head tells none."""
    return int(re.sub(r"\D", "", line.rpartition(" | ")[2]) or 0)


def test_shares_in_showdown_are_what_the_solver_finds() -> None:
    assert part(TEXT, HANDS) == hand_lines()


def test_every_ruleset_is_on_the_page_and_was_played() -> None:
    named = {line.split(" | ")[0].removeprefix("| ") for line in part(TEXT, CARDS) + part(TEXT, HANDS)}
    assert set(ruleset_ids()) <= named
    played = {line.split(" | ")[0].removeprefix("| ") for line in part(TEXT, PLAYED)}
    assert set(ruleset_ids()) - {"showdown"} <= played


def test_a_part_is_written_between_its_comments_and_nowhere_else() -> None:
    page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n"
    after = values_page.written(page, "x", ["new", "lines"])
    assert after == "a\n<!-- x -->\nnew\nlines\n<!-- end of x -->\nb\n"
    assert part(after, "x") == ["new", "lines"]
