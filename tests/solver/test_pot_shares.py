"""Showdown solved: shares of the pot against the twin, and what the last seat plays for."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from compiled_rules import hand_rules
from positions import showdown_turn
from pot_twin import PotTwin, best_share, ranks
from showdown_twin import TIE_BREAKS

from arena import hand_stakes
from arena.rules.hands import HandRules
from arena.rules.shipped import shipped_ruleset
from arena.solver import showdown
from arena.solver.showdown import ShowdownValues, showdown_values

GAMES: list[dict[str, Any]] = [
    {"tie_break": tie_break, "straight_above_three": straight_above_three, "rolls": rolls}
    for tie_break in TIE_BREAKS
    for straight_above_three in (True, False)
    for rolls in (2, 3)
]


@cache
def solved(seats: int, tie_break: str = "face", straight_above_three: bool = True, rolls: int = 3) -> ShowdownValues:
    rules = hand_rules(tie_break=tie_break, straight_above_three=straight_above_three, rolls=rolls)
    return ShowdownValues(rules, seats)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_two_seats(game: dict[str, Any]) -> None:
    """For every hand of the first seat: what the second wins against it, and so what the first is left."""
    of_roll, found = ranks(game["tie_break"], game["straight_above_three"]), solved(2, **game)
    left = {}
    for rank in sorted(set(of_roll)):
        stakes = [(1.0, 0.5, 0.0)[(other <= rank) + (other < rank)] for other in of_roll]
        assert found.stakes(0, rank, 1).tolist() == stakes
        left[rank] = 1 - best_share(stakes, game["rolls"])
    first = [left[rank] for rank in of_roll]
    np.testing.assert_allclose(found.stakes(1, -1, 0), first, rtol=0, atol=1e-9)
    share = best_share(first, game["rolls"])
    np.testing.assert_allclose(found.shares, [share, 1 - share], rtol=0, atol=1e-9)
    assert 0.4 < share < 0.5


@pytest.mark.parametrize(("tie_break", "rolls"), [("face", 2), ("high_die", 3)])
def test_three_seats(tie_break: str, rolls: int) -> None:
    """Each seat for its own share: what the one in the middle leaves to the first and to the last."""
    of_roll, found = ranks(tie_break, True), solved(3, tie_break=tie_break, rolls=rolls)
    twin = PotTwin(of_roll, rolls)
    _, *shares = twin.play(2, -1, 0)
    np.testing.assert_allclose(found.shares, shares, rtol=0, atol=1e-9)
    for later, best, held in ((1, 0, 1), (1, max(of_roll), 1), (1, of_roll[100], 1), (0, of_roll[100], 2)):
        expected = [twin._after(later, best, held, rank)[1] for rank in of_roll]
        np.testing.assert_allclose(found.stakes(later, best, held), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seats", range(1, 7))
@pytest.mark.parametrize("game", [GAMES[0], GAMES[3], GAMES[6], GAMES[9]], ids=str)
def test_shares_are_the_whole_pot(game: dict[str, Any], seats: int) -> None:
    shares = solved(seats, **game).shares
    assert len(shares) == seats
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert not shares.flags.writeable
    if seats > 1:
        assert shares[-1] == max(shares), "who rolls last knows most"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_last_seat_plays_for_all_or_its_part(seats: int) -> None:
    found = solved(seats)
    of_roll = np.array(ranks("face", True))
    for best in sorted(set(of_roll.tolist())):
        for held in range(1, seats):
            expected = np.where(of_roll > best, 1.0, np.where(of_roll == best, 1 / (1 + held), 0.0))
            assert found.stakes(0, best, held).tolist() == expected.tolist()


def test_the_same_rules_are_solved_once() -> None:
    one, other = (shipped_ruleset("showdown") for _ in range(2))
    assert one is not other
    assert showdown_values(one, 3) is showdown_values(other, 3)
    assert showdown_values(one, 3) is not showdown_values(one, 2)


def test_rules_made_twice_are_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of two legs of a block, whose rules are compiled by different workers or calls."""
    made = []

    class Counted(ShowdownValues):
        def __init__(self, rules: HandRules, seats: int) -> None:
            made.append(seats)
            super().__init__(rules, seats)

    monkeypatch.setattr(showdown, "ShowdownValues", Counted)
    showdown.showdown_values.cache_clear()
    stakes = [hand_stakes(showdown_turn(HandRules(shipped_ruleset("showdown")), "66123")) for _ in range(2)]
    assert made == [2]
    assert stakes[0] is stakes[1]
    assert not stakes[0].flags.writeable
    showdown.showdown_values.cache_clear()
