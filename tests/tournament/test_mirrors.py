"""A mirror is one set of dice, played in every seating: the dice stay with the seat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from leagues import BOTS, bot, play_league, write_tournament

from arena.agent.loader import load
from arena.agent.sources import locate

MIRRORS = 12
Seen = list[tuple[str, int, int, int, tuple[int, ...]]]


def witnessed(tmp_path: Path, ruleset: str, first: int, second: int) -> list[list[list[Seen]]]:
    """Play two witnesses, and return what was seen by seating, seat and table."""
    witness: Any = load(locate(BOTS / "witness.py")).source
    witness.witnesses.clear()
    agents = [bot("witness.py", "one", keep=first), bot("witness.py", "two", keep=second)]
    file = write_tournament(tmp_path, rulesets=[ruleset], agents=agents, games=2 * MIRRORS)
    play_league(file, tmp_path)
    seen = [one.seen for one in witness.witnesses if one.seen]  # the others were made to see whether they can be
    assert len(seen) == 4 * MIRRORS
    legs = [seen[start : start + MIRRORS] for start in range(0, len(seen), MIRRORS)]
    return [legs[:2], legs[2:]]


@pytest.mark.parametrize("ruleset", ["two-stage", "showdown", "thirteen"])
def test_dice_stay_with_the_seat(ruleset: str, tmp_path: Path) -> None:
    there, back = witnessed(tmp_path, ruleset, 0, 0)
    assert there == back
    assert all(seat == here for here in (0, 1) for game in there[here] for _, seat, *_ in game)


def test_no_two_seats_have_the_same_dice(tmp_path: Path) -> None:
    (first, second), _ = witnessed(tmp_path, "thirteen", 0, 0)
    dice = [[tuple(asked[-1] for asked in game) for game in seat] for seat in (first, second)]
    assert len({*dice[0], *dice[1]}) == 2 * MIRRORS
    every_roll = Counter(die for seat in dice for game in seat for roll in game for die in roll)
    assert set(every_roll) == {1, 2, 3, 4, 5, 6}


def test_first_rolls_do_not_depend_on_who_plays_how(tmp_path: Path) -> None:
    there, back = witnessed(tmp_path / "a", "thirteen", 0, 3)
    other, _ = witnessed(tmp_path / "b", "thirteen", 1, 2)

    def first_rolls(leg: list[list[Seen]]) -> list[list[list[tuple[int, ...]]]]:
        return [[[asked[-1] for asked in game if asked[3] == 1] for game in seat] for seat in leg]

    assert first_rolls(there) == first_rolls(back) == first_rolls(other)
    assert there != back


@pytest.mark.parametrize(("ruleset", "turns"), [("two-stage", 2), ("thirteen", 13), ("fifteen", 15)])
def test_what_is_asked_in_a_turn(ruleset: str, turns: int, tmp_path: Path) -> None:
    there, _ = witnessed(tmp_path, ruleset, 0, 5)
    rolling, stopping = there
    for game in rolling:
        assert [asked[:1] + asked[2:4] for asked in game] == [
            (what, round_, roll)
            for round_ in range(1, turns + 1)
            for what, roll in (("hold", 1), ("hold", 2), ("choose_row", 3))
        ]
    for game in stopping:
        assert [asked[:1] + asked[2:4] for asked in game] == [
            (what, round_, 1) for round_ in range(1, turns + 1) for what in ("hold", "choose_row")
        ]
