"""Random numbers for bots: pinned numbers, one stream a decision, nothing shared and nothing told of the dice."""

from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest

from arena.dice.rng import GOLDEN, MASK, ROW_ROLL, Rng, RngKey, mix64
from arena.dice.stream import derive_key


def key(
    seed: int = 20260301,
    ruleset_hash: str = "ab" * 32,
    names: tuple[str, ...] = ("ann", "bob"),
    seating: int = 0,
    seat: int = 0,
    agent: str = "ann",
) -> RngKey:
    return RngKey(seed, ruleset_hash, names, seating, seat, agent)


def drawn(game_key: int, round_: int = 1, roll: int = 1, count: int = 8) -> list[float]:
    rng = Rng(game_key, round_, roll)
    return [rng.random() for _ in range(count)]


def test_the_numbers_of_a_seed_are_pinned() -> None:
    game = key().for_game(0)
    assert game == 14889702773569553971
    assert drawn(game, 1, 1, 3) == [0.9022881679411664, 0.4497361107336091, 0.5446383426056515]
    hold, row = Rng(game, 13, 2), Rng(game, 13, ROW_ROLL)
    assert [hold.below(6) for _ in range(12)] == [1, 0, 0, 0, 4, 4, 3, 3, 0, 3, 4, 0]
    assert [row.below(1000) for _ in range(4)] == [228, 505, 323, 871]
    assert Rng(game, 2, 1).choice(["ones", "twos", "threes"]) == "ones"


def test_the_words_are_splitmix64_from_a_counter_of_round_roll_and_draw() -> None:
    # the first outputs of SplitMix64 seeded with 1234567, as its reference program prints them
    state, outputs = 1234567, []
    for _ in range(5):
        state = state + GOLDEN & MASK
        outputs.append(mix64(state))
    assert outputs == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    game = key().for_game(17)
    for round_, roll in [(1, 1), (5, 2), (15, ROW_ROLL)]:
        words = [mix64(game + GOLDEN * ((round_ << 40) + (roll << 32) + draw) & MASK) for draw in (1, 2, 3)]
        assert drawn(game, round_, roll, 3) == [(word >> 11) / 2**53 for word in words]


def test_mix64_is_one_to_one_on_a_sample_and_stays_within_64_bits() -> None:
    words = {mix64(n * GOLDEN & MASK) for n in range(20_000)}
    assert len(words) == 20_000
    assert all(0 <= word <= MASK for word in words)


def test_the_same_decision_draws_the_same_numbers() -> None:
    assert drawn(key().for_game(4), 3, 2) == drawn(key().for_game(4), 3, 2)
    assert drawn(key(names=("bob", "ann")).for_game(4)) == drawn(key(names=("ann", "bob")).for_game(4))


def test_the_draws_of_a_decision_differ() -> None:
    assert len(set(drawn(key().for_game(0), count=10_000))) == 10_000


def test_decisions_share_no_numbers_nor_does_a_row_share_with_a_hold() -> None:
    game = key().for_game(3)
    decisions = list(product(range(1, 16), (ROW_ROLL, 1, 2, 3)))
    numbers = [number for round_, roll in decisions for number in drawn(game, round_, roll, 50)]
    assert len(set(numbers)) == len(numbers)
    assert ROW_ROLL == 0  # rolls are counted from 1


OTHERS: dict[str, Callable[[], int]] = {
    "seed": lambda: key(seed=20260302).for_game(0),
    "ruleset": lambda: key(ruleset_hash="ba" * 32).for_game(0),
    "pairing": lambda: key(names=("ann", "cid")).for_game(0),
    "seating": lambda: key(seating=1).for_game(0),
    "seat": lambda: key(seat=1).for_game(0),
    "agent": lambda: key(agent="bob").for_game(0),
    "dice set": lambda: key().for_game(1),
    "far dice set": lambda: key().for_game(1 << 40),
}


@pytest.mark.parametrize("what", OTHERS)
def test_another_seed_ruleset_pairing_seating_seat_agent_or_dice_set_draws_other_numbers(what: str) -> None:
    here, there = drawn(key().for_game(0), count=200), drawn(OTHERS[what](), count=200)
    assert not set(here) & set(there)


def test_the_games_of_a_series_have_different_keys() -> None:
    keys = [key(seating=seating, seat=seat).for_game(n) for seating in (0, 1) for seat in (0, 1) for n in range(5000)]
    assert len(set(keys)) == 20_000


def test_the_key_is_not_the_dice_key() -> None:
    parts = (20260301, "ab" * 32, ["ann", "bob"], 0, 0, "ann")
    of_dice = {derive_key(b"arena dice", *parts[:3]), derive_key(b"arena dice", *parts)}
    mine = derive_key(b"arena turn.rng", *parts)
    low, high = mine
    assert key().for_game(5) == mix64(low ^ mix64(5 + high & MASK))
    assert mine not in of_dice
    assert not {low, high} & {word for pair in of_dice for word in pair}


def test_random_is_from_0_to_below_1_and_uniform() -> None:
    numbers = drawn(key().for_game(1), count=60_000)
    assert min(numbers) >= 0.0
    assert max(numbers) < 1.0
    assert all(number * 2**53 == int(number * 2**53) for number in numbers)
    counts = Counter(int(number * 10) for number in numbers)
    assert sum((counts[cell] - 6000) ** 2 / 6000 for cell in range(10)) < 33.7  # 1 in 10,000 with 9 degrees


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 252])
def test_below_is_from_0_to_below_n_and_uniform(n: int) -> None:
    rng = Rng(key().for_game(2), 1, 1)
    counts = Counter(rng.below(n) for _ in range(300 * n))
    assert set(counts) == set(range(n))
    degrees = max(n - 1, 1)
    assert sum((counts[cell] - 300) ** 2 / 300 for cell in range(n)) < degrees + 4 * (2 * degrees) ** 0.5 + 8


def test_below_takes_up_to_2_to_the_31() -> None:
    rng = Rng(key().for_game(2), 1, 1)
    numbers = [rng.below(1 << 31) for _ in range(2000)]
    assert max(numbers) < 1 << 31
    assert max(numbers) > (1 << 31) * 0.99
    assert min(numbers) < (1 << 31) * 0.01
    assert len(set(numbers)) == 2000


@pytest.mark.parametrize("n", [0, -1, (1 << 31) + 1, 1 << 64])
def test_below_refuses_what_is_out_of_range_and_says_so(n: int) -> None:
    rng = Rng(1, 1, 1)
    with pytest.raises(ValueError, match=rf"from 1 to 2147483648, not {n}"):
        rng.below(n)


def test_choice_is_uniform_and_refuses_an_empty_sequence() -> None:
    rng = Rng(key().for_game(2), 2, ROW_ROLL)
    counts = Counter(rng.choice(("ones", "twos", "chance")) for _ in range(9000))
    assert set(counts) == {"ones", "twos", "chance"}
    assert sum((count - 3000) ** 2 / 3000 for count in counts.values()) < 18.4  # 1 in 10,000 with 2 degrees
    with pytest.raises(ValueError, match="from 1"):
        rng.choice([])
