"""What a bot sees: all that is on the table, nothing else, and nothing that it could change."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import bot, play_league, write_tournament
from positions import card_turn, faces, rules_of, showdown_turn, view_of

import arena
from arena.agent.turn import Turn

CARD = {"five_of_a_kind": 50, "fours": 12, "chance": 20}


def test_a_turn_of_a_card_game() -> None:
    turn = card_turn(rules_of("fifteen"), "41142", roll=2, card=CARD)
    assert (turn.ruleset.id, turn.seat, turn.seats, turn.round, turn.roll, turn.rolls_left) == (
        "fifteen",
        0,
        2,
        4,
        2,
        1,
    )
    assert turn.dice == (1, 1, 2, 4, 4)
    assert arena.ROLLS[turn.roll_id] == turn.dice
    assert turn.card == {row: CARD.get(row) for row in turn.card}
    assert len(turn.card) == 15
    assert turn.open_rows == tuple(row for row in turn.card if row not in CARD)
    assert turn.total == 82
    assert turn.score("pair") == 12
    assert turn.score("two_pairs") == 12
    assert (turn.hands, turn.chips, turn.pot) == ((), (), 0)
    assert repr(turn) == "<Turn: fifteen, seat 0, round 4, roll 2: 1 1 2 4 4>"
    (opponent,) = turn.opponents
    assert (opponent.seat, opponent.total, set(opponent.card.values())) == (1, 0, {None})


def test_open_rows_know_the_joker() -> None:
    rules = rules_of("fifteen")
    assert card_turn(rules, "55555", card=CARD).open_rows == ("fives",)
    assert "chance" not in card_turn(rules, "44444", card=CARD).open_rows
    assert card_turn(rules, "44444", card=CARD).score("large_straight") == 40
    assert card_turn(rules, "44444", card={"fours": 12}).score("large_straight") == 0


def test_a_first_roll_is_scored_as_such() -> None:
    rules = rules_of("two-stage")
    stage_1 = {"ones": -3}
    assert card_turn(rules, "66123", roll=1, card=stage_1).score("pair") == 24
    assert card_turn(rules, "66123", roll=2, card=stage_1).score("pair") == 12


def test_a_turn_of_showdown() -> None:
    turn = showdown_turn(rules_of("showdown"), "66123", shown="55123")
    assert (turn.card, turn.open_rows, turn.total) == ({}, (), 19)
    assert (turn.hands, turn.chips, turn.pot) == ((None, faces("12355")), (19, 19), 2)
    assert turn.opponents == ((1, {}, 19, False),)
    with pytest.raises(ValueError, match=r"no row 'pair' in showdown"):
        turn.score("pair")


@pytest.mark.parametrize("row", ["pear", "", "upper", None, 3])
def test_a_row_that_is_not_there(row: Any) -> None:
    with pytest.raises(ValueError, match=r"no row .* in fifteen"):
        card_turn(rules_of("fifteen"), "66123").score(row)


@pytest.mark.parametrize(
    "name",
    [
        *("ruleset", "seat", "seats", "round", "roll", "roll_id", "rolls_left", "dice", "card", "open_rows"),
        *("total", "opponents", "score", "rng", "hands", "chips", "pot", "anything"),
    ],
)
@pytest.mark.parametrize(
    "turn", [card_turn(rules_of("fifteen"), "66123"), showdown_turn(rules_of("showdown"), "66123")]
)
def test_nothing_can_be_changed(turn: Turn, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(turn, name, 1)
    with pytest.raises(AttributeError):
        delattr(turn, name)


def test_nor_can_the_parts() -> None:
    turn: Any = card_turn(rules_of("fifteen"), "66123", card=CARD)
    with pytest.raises(TypeError):
        turn.card["ones"] = 5
    with pytest.raises(TypeError):
        turn.opponents[0].card["ones"] = 5
    with pytest.raises(TypeError):
        turn.dice[0] = 6
    with pytest.raises(AttributeError):
        turn.ruleset.rolls = 9
    with pytest.raises(AttributeError):
        turn.opponents[0].total = 9


def decisions(rules: Any) -> list[Turn]:
    """Two whole turns of one game, decision by decision."""
    view, kinds = view_of(rules), [(1, False), (2, False), (3, True)]
    return [
        card_turn(rules, "66123", view=view, round_=round_, roll=roll, asks_row=asks_row)
        for round_ in (1, 2)
        for roll, asks_row in kinds
    ]


def test_random_numbers_go_on_within_a_decision_and_start_anew_in_another() -> None:
    rules = rules_of("thirteen")
    drawn, again = ([[turn.rng.below(1 << 31) for _ in range(3)] for turn in decisions(rules)] for _ in range(2))
    assert drawn == again
    assert len({number for numbers in drawn for number in numbers}) == 18


def test_a_turn_that_is_kept_disturbs_no_later_one() -> None:
    rules = rules_of("thirteen")
    expected = [[turn.rng.below(1 << 31) for _ in range(3)] for turn in decisions(rules)]
    *early, late = decisions(rules)
    assert [late.rng.below(1 << 31) for _ in range(2)] == expected[-1][:2]
    assert [turn.rng.below(1 << 31) for turn in early] == [numbers[0] for numbers in expected[:-1]]
    assert late.rng.below(1 << 31) == expected[-1][2]


def test_a_row_is_chosen_once_a_round_whatever_the_roll() -> None:
    rules = rules_of("thirteen")
    early, late = (card_turn(rules, "66123", roll=roll, asks_row=True) for roll in (1, 3))
    assert early.rng.below(1 << 31) == late.rng.below(1 << 31)


def test_a_turn_is_no_sequence() -> None:
    turn: Any = card_turn(rules_of("thirteen"), "66123")
    for use in (len, iter, list, sorted, lambda one: one[0], lambda one: one[:], lambda one: 0 in one):
        with pytest.raises(TypeError):
            use(turn)
    assert bool(turn)


KEEPER = """
class Keeper:
    def __init__(self):
        self.kept = []

    def look(self, turn):
        for old, seen in self.kept:
            assert seen == self.seen(old)
        self.kept.append((turn, self.seen(turn)))

    def seen(self, turn):
        return turn.dice, turn.card, turn.total, turn.opponents, turn.round, turn.roll, turn.open_rows, turn.chips

    def hold(self, turn):
        self.look(turn)
        return turn.dice[1:]

    def choose_row(self, turn):
        self.look(turn)
        return turn.open_rows[0]
"""


def test_turns_are_good_for_as_long_as_they_are_kept(tmp_path: Any) -> None:
    """A bot may keep every turn; none changes under its hands while the game goes on."""
    keeper = tmp_path / "keeper.py"
    keeper.write_text(KEEPER)
    agents = [{"name": "keeper", "path": str(keeper)}, bot("two_bots.py:Bold", "bold")]
    rulesets = ["yahtzee", "showdown"]
    played = play_league(write_tournament(tmp_path, agents=agents, rulesets=rulesets), tmp_path)
    for results in played.results.values():
        assert [fault for result in results for fault in result.faults] == []
