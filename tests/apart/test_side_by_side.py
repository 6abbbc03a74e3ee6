"""Seatings of a mirror go on together: whoever is asked, nobody has seen what falls later in that game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_apart import apart, assert_equal, here, misbehaved, play

from arena.agent.nursery import Nursery
from arena.tournament.tables_leg import Moment, side_by_side

MOMENTS = st.lists(st.builds(Moment, st.integers(1, 6), st.integers(0, 2)), max_size=12).map(sorted)
"""Of one leg; several questions may come at one moment."""


@given(st.lists(MOMENTS, max_size=5))
def test_nobody_is_asked_before_the_others_have_answered_what_comes_before(moments_by_leg: list[list[Moment]]) -> None:
    unanswered = Counter(moment for moments in moments_by_leg for moment in moments)
    thinking: set[int] = set()
    most_thinking = Counter[Moment]()

    def leg(number: int) -> Generator[Moment | None, None, None]:
        for moment in moments_by_leg[number]:
            yield moment
            assert moment == min(unanswered), "it comes too early"
            thinking.add(number)
            most_thinking[moment] = max(most_thinking[moment], len(thinking))
            yield None
            thinking.remove(number)
            unanswered.subtract([moment])
            if not unanswered[moment]:
                del unanswered[moment]

    side_by_side([leg(number) for number in range(len(moments_by_leg))])
    assert not unanswered
    for moment, most in most_thinking.items():
        assert most == sum(moment in moments for moments in moments_by_leg), "they could think at the same time"


def test_all_legs_end_where_one_fails() -> None:
    ended: list[str] = []

    def leg(name: str, *, fails: bool) -> Generator[Moment | None, None, None]:
        try:
            yield Moment(1, 1)
            yield None
            if fails:
                raise OSError("no room")
            yield Moment(1, 2)
        finally:
            ended.append(name)

    with pytest.raises(OSError, match="no room"):
        side_by_side([leg("one", fails=False), leg("two", fails=True), leg("three", fails=False)])
    assert sorted(ended) == ["one", "three", "two"]


@pytest.mark.parametrize(
    ("ruleset", "seats", "mirrors"),
    [("two-stage", 2, 1), ("two-stage", 3, 1), ("showdown", 2, 1), ("two-stage", 2, 2)],
)
def test_questions_of_all_seatings_come_in_the_order_of_the_game(
    ruleset: str, seats: int, mirrors: int, nursery: Nursery, tmp_path: Path
) -> None:
    """One is asked for fewer holds where it sits first: its seatings would get out of step if nothing kept them."""
    path = tmp_path / "questions"
    names = ["hasty", "one", "two"][:seats]
    refs = [misbehaved("chronicles.py", name, path=str(path), hasty=0 if name == "hasty" else None) for name in names]
    played = play(apart(nursery, *refs), ruleset=ruleset, mirrors=mirrors)
    asked = [tuple(map(int, line.split())) for line in path.read_text().splitlines()]
    path.unlink()
    assert_equal(play(here(*refs), ruleset=ruleset, mirrors=mirrors), played)
    assert not played.faults
    places: dict[tuple[int, int], int] = {}  # whose turn is when, by round and seat
    for round_, seat, _ in asked:
        places.setdefault((round_, seat), sum(1 for known, _ in places if known == round_))
    by_roll = seats > 2  # at two, who has the same turn elsewhere is the opponent
    moments = [(round_, places[round_, seat], roll * by_roll) for round_, seat, roll in asked]
    assert moments == sorted(moments), "somebody was asked before something earlier was answered elsewhere"
    asked_by_question = Counter(asked)
    assert min(asked_by_question.values()) < max(asked_by_question.values()) == seats * mirrors, "nobody was hasty"
