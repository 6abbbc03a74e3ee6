"""What a bot sees in the middle of real games: right, read-only, and the same however long it is kept."""

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import scoring_twin
from compiled_rules import card_rules, hand_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from random_cards import NAMES, OPTION_SETS
from random_play import RiggedDice, stand
from scoring_twin import PAYS

from arena.agent.bot import Bot
from arena.agent.inline import Failure, InlineDriver
from arena.agent.turn import SeatView, Turn
from arena.dice.lattice import ROLLS
from arena.dice.rng import RngKey
from arena.game.new import Rules, new_game
from arena.game.table import Game

SEEDS = st.integers(0, 2**32)
Facts = dict[str, Any]

FIELDS = (
    *("round", "roll", "roll_id", "ruleset", "seat", "seats", "rolls_left", "dice", "card", "open_rows"),
    *("total", "opponents", "hands", "chips", "pot"),
)


def told(turn: Turn) -> Facts:
    """Return everything a turn tells, copied."""
    facts: Facts = {name: getattr(turn, name) for name in FIELDS}
    facts["card"] = dict(turn.card)
    facts["opponents"] = [(other.seat, dict(other.card), other.total) for other in turn.opponents]
    facts["scores"] = {row: turn.score(row) for row in turn.card}
    facts["legal scores"] = {row: turn.score(row) for row in turn.open_rows}
    return facts


class Witness:
    """Plays at random by what its turns tell, and keeps every turn.

    Args:
        rng: decides.
        expected: what the turn must tell, worked out without it.
        faulty: how likely it raises.
    """

    def __init__(self, rng: Random, expected: Callable[[], Facts], faulty: float = 0.0) -> None:
        self._rng, self._expected, self._faulty = rng, expected, faulty
        self.seen: list[tuple[Turn, Facts]] = []

    def _look(self, turn: Turn) -> None:
        facts = told(turn)
        expected = self._expected()
        assert {name: facts[name] for name in expected} == expected
        self.seen.append((turn, facts))
        if self._rng.random() < self._faulty:
            raise RuntimeError("as it happens")

    def hold(self, turn: Turn) -> tuple[int, ...]:
        self._look(turn)
        if self._rng.random() < 0.4:
            return turn.dice
        return tuple(die for die in turn.dice if self._rng.random() < 0.5)

    def choose_row(self, turn: Turn) -> str:
        self._look(turn)
        if self._rng.random() < 0.5:
            return max(turn.open_rows, key=turn.score)
        return self._rng.choice(turn.open_rows)


def drivers_of(rules: Rules, witnesses: list[Witness]) -> list[InlineDriver]:
    seats = len(witnesses)
    names = [f"bot{seat}" for seat in range(seats)]
    return [
        InlineDriver(
            Bot(names[seat], SimpleNamespace(hold=witness.hold, choose_row=witness.choose_row)),
            SeatView(rules, seat, seats, RngKey(1, rules.ruleset.hash, names, 0, seat, names[seat]), 0),
            1,
        )
        for seat, witness in enumerate(witnesses)
    ]


def step(game: Game, drivers: list[InlineDriver]) -> int | Failure:
    """Ask for one decision and carry it out."""
    driver = drivers[game.seat]
    answer: int | Failure = (driver.choose_row if game.asks_row else driver.hold)([game])[0]
    if isinstance(answer, Failure):
        if "as it happens" not in answer.message:
            pytest.fail(answer.traceback or answer.message)
        game.fault(answer.end)
    elif game.asks_row:
        game.choose(answer)
    else:
        game.hold(answer)
    return answer


@pytest.mark.parametrize(("ruleset", "options"), OPTION_SETS, ids=NAMES)
@settings(max_examples=6)
@given(seed=SEEDS, seats=st.integers(1, 4), faulty=st.sampled_from([0.0, 0.02]))
def test_a_turn_of_a_card_game_tells_what_is_on_the_table(
    ruleset: str, options: dict[str, Any], seed: int, seats: int, faulty: float
) -> None:
    rules = card_rules(ruleset, **options)
    game = new_game(rules, seats, 0, RiggedDice(seed, seats, 3))
    held: list[dict[str, int]] = [{} for _ in range(seats)]
    extra = [0] * seats
    out: set[int] = set()

    def card(seat: int) -> dict[str, int | None]:
        return {row: held[seat].get(row, 0 if seat in out else None) for row in PAYS[ruleset]}

    def total(seat: int) -> int:
        return sum(held[seat].values()) + scoring_twin.section_bonus(ruleset, held[seat], options) + extra[seat]

    def expected() -> Facts:
        seat, dice = game.seat, ROLLS[game.roll_id]
        legal = scoring_twin.legal_rows(ruleset, held[seat], dice, options)
        first = game.roll == 1
        return {
            "round": game.round,
            "roll": game.roll,
            "seat": seat,
            "seats": seats,
            "rolls_left": 3 - game.roll,
            "dice": dice,
            "ruleset": rules.ruleset,
            "card": card(seat),
            "open_rows": tuple(legal),
            "total": total(seat),
            "opponents": [(other, card(other), total(other)) for other in range(seats) if other != seat],
            "hands": (),
            "chips": (),
            "pot": 0,
            "legal scores": {
                row: scoring_twin.turn_pays(ruleset, held[seat], row, dice, first_roll=first, options=options)
                for row in legal
            },
        }

    witnesses = [Witness(Random(f"{seed} {seat}"), expected, faulty) for seat in range(seats)]
    drivers = drivers_of(rules, witnesses)
    while not game.over:
        seat, dice, asks_row, first = game.seat, ROLLS[game.roll_id], game.asks_row, game.roll == 1
        answer = step(game, drivers)
        if isinstance(answer, Failure):
            out.add(seat)
        elif asks_row:
            row, card_before = rules.names[answer], held[seat]
            extra[seat] += scoring_twin.five_pays(ruleset, card_before, dice, options)
            card_before[row] = scoring_twin.turn_pays(
                ruleset, card_before, row, dice, first_roll=first, options=options
            )
    seen = [one for witness in witnesses for one in witness.seen]
    assert len(seen) >= seats
    for turn, facts in seen:  # long after
        assert told(turn) == facts


@pytest.mark.parametrize(
    "options", [{}, {"ante": 0}, {"stack": 3, "ends": "last_standing", "rounds": 12}, {"ante": 4, "rolls": 2}]
)
@settings(max_examples=10)
@given(seed=SEEDS, seats=st.integers(2, 4), faulty=st.sampled_from([0.0, 0.02]))
def test_a_turn_of_showdown_tells_what_is_on_the_table(
    options: dict[str, Any], seed: int, seats: int, faulty: float
) -> None:
    rules = hand_rules(**options)
    game = new_game(rules, seats, 0, RiggedDice(seed, seats, 3))
    hands: dict[int, tuple[int, ...]] = {}
    ante = options.get("ante", 1)
    everything = options.get("stack", 20) * seats

    def expected() -> Facts:
        chips = game.public.chips
        return {
            "round": game.round,
            "roll": game.roll,
            "seat": game.seat,
            "rolls_left": options.get("rolls", 3) - game.roll,
            "dice": ROLLS[game.roll_id],
            "card": {},
            "open_rows": (),
            "hands": tuple(hands.get(seat) for seat in range(seats)),
            "chips": chips,
            "pot": everything - sum(chips) if ante else 60,
            "total": chips[game.seat],
            "opponents": [(other, {}, chips[other]) for other in range(seats) if other != game.seat],
            "scores": {},
        }

    witnesses = [Witness(Random(f"{seed} {seat}"), expected, faulty) for seat in range(seats)]
    drivers = drivers_of(rules, witnesses)
    while not game.over:
        seat, round_, before = game.seat, game.round, game.public.hands
        step(game, drivers)
        if game.round != round_:
            hands = {}
        elif game.seat != seat and (after := game.public.hands[seat]) is not None:
            assert before[seat] is None
            hands[seat] = ROLLS[after]
    for witness in witnesses:
        for turn, facts in witness.seen:
            assert told(turn) == facts


def a_turn(ruleset: str = "fifteen") -> Turn:
    """Return a turn in the second round of a game for two."""
    rules = hand_rules() if ruleset == "showdown" else card_rules(ruleset)
    game = new_game(rules, 2, 0, RiggedDice(5, 2, 3))
    witnesses = [Witness(Random(seat), dict) for seat in range(2)]
    drivers = drivers_of(rules, witnesses)
    while game.round < 3 and not game.over:
        step(game, drivers)
    return next(turn for turn, _ in witnesses[1].seen if turn.round == 2)


@pytest.mark.parametrize("ruleset", ["fifteen", "showdown"])
@pytest.mark.parametrize("name", [*FIELDS, "rng", "score"])
def test_nothing_of_a_turn_can_be_set_or_deleted(ruleset: str, name: str) -> None:
    turn = a_turn(ruleset)
    before = told(turn)
    with pytest.raises(AttributeError):
        setattr(turn, name, 0)
    with pytest.raises(AttributeError):
        delattr(turn, name)
    assert told(turn) == before


def test_nothing_can_be_added_to_a_turn() -> None:
    with pytest.raises(AttributeError):
        a_turn().note = "mine"  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        a_turn()[2] = 5  # type: ignore[index]


def test_the_cards_of_a_turn_are_read_only() -> None:
    turn = a_turn()
    for card in (turn.card, turn.opponents[0].card, a_turn("showdown").card):
        with pytest.raises(TypeError):
            card["ones"] = 5  # type: ignore[index]
        with pytest.raises(TypeError):
            del card["ones"]  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            card.update(ones=5)  # type: ignore[attr-defined]


def test_what_a_turn_hands_out_are_values() -> None:
    turn = a_turn("showdown")
    for name in ("dice", "open_rows", "opponents", "hands", "chips"):
        assert isinstance(getattr(turn, name), tuple)
    with pytest.raises(AttributeError):
        turn.opponents[0].total = 100  # type: ignore[misc]
    with pytest.raises(AttributeError):
        turn.ruleset.rolls = 9  # type: ignore[misc]
    with pytest.raises(AttributeError):
        turn.ruleset.showdown.ante = 9  # type: ignore[misc, union-attr]


@pytest.mark.parametrize("row", ["fives_", "", "Fives", 3, None])
def test_the_score_of_no_row_is_refused(row: Any) -> None:
    with pytest.raises(ValueError, match=r"no row .* in fifteen"):
        a_turn().score(row)
    with pytest.raises(ValueError, match="no row 'pair' in showdown"):
        a_turn("showdown").score("pair")


def test_the_score_of_a_row_leaves_out_section_bonuses_and_the_100() -> None:
    rules = card_rules("fifteen", upper_bonus_at=30)
    numbers = [sum(5 * 6**die for die in range(5))] * 3  # five sixes
    game = new_game(rules, 1, 0, lambda _: [[numbers]])
    witness = Witness(Random(0), dict)
    stand(game)
    game.choose(rules.row_ids["five_of_a_kind"])
    drivers_of(rules, [witness])[0].hold([game])
    turn, _ = witness.seen[0]
    assert turn.open_rows == ("sixes",)
    assert turn.score("sixes") == 30
    stand(game)
    game.choose(rules.row_ids["sixes"])
    assert game.totals() == [50 + 30 + 35 + 100]


def test_the_score_is_doubled_while_the_first_roll_shows_and_not_later() -> None:
    rules = card_rules("school", sections_in_order=False)
    pair = [5, 5, 0, 1, 2]
    numbers = [sum(face * 6**die for die, face in enumerate(pair))] * 3
    game = new_game(rules, 1, 0, lambda _: [[numbers]])
    scores = []
    witness = Witness(Random(0), dict)
    driver = drivers_of(rules, [witness])[0]
    for _ in range(2):
        driver.hold([game])
        scores.append(witness.seen[-1][0].score("pair"))
        game.hold(0)
    driver.choose_row([game])
    scores.append(witness.seen[-1][0].score("pair"))
    assert scores == [24, 12, 12]


def test_random_numbers_of_a_turn_go_on_within_a_decision_and_differ_between_a_hold_and_a_row() -> None:
    rules = card_rules("thirteen")
    numbers: list[list[float]] = []

    def hold(turn: Turn) -> tuple[int, ...]:
        numbers.append([turn.rng.random(), turn.rng.random(), turn.rng.random()])
        return turn.dice

    def choose_row(turn: Turn) -> str:
        numbers.append([turn.rng.random(), turn.rng.random(), turn.rng.random()])
        return turn.open_rows[0]

    def all_drawn() -> list[list[float]]:
        numbers.clear()
        view = SeatView(rules, 0, 1, RngKey(1, rules.ruleset.hash, ["bot"], 0, 0, "bot"), 0)
        driver = InlineDriver(Bot("bot", SimpleNamespace(hold=hold, choose_row=choose_row)), view, 1)
        game = new_game(rules, 1, 0, RiggedDice(1, 1, 3))
        while not game.over:
            step(game, [driver])
        return [*numbers]

    first = all_drawn()
    assert len(first) == 26
    assert len({number for drawn in first for number in drawn}) == 78
    assert all_drawn() == first
