"""The dice of a pairing: pinned numbers, what they depend on and what they do not, and that they are fair."""

import hashlib
import json
from itertools import pairwise

import numpy as np
import pytest

from arena.dice.lattice import FACES, lattice
from arena.dice.stream import DiceStream, derive_key

NUMBERS = FACES**5
MASK = (1 << 64) - 1


def stream(seed: int = 20260301, ruleset_hash: str = "ab" * 32, names: tuple[str, ...] = ("ann", "bob")) -> DiceStream:
    return DiceStream(seed, ruleset_hash, names, rolls=3)


def philox(counter: int, key: tuple[int, int]) -> list[int]:
    """Return the four words of one value of the counter.

    Source:
        Philox4x64-10, Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011).
    """
    words = [counter >> 64 * n & MASK for n in range(4)]
    low, high = key
    for _ in range(10):
        left, right = 0xD2E7470EE14C6C93 * words[0], 0xCA5A826395121157 * words[2]
        words = [right >> 64 ^ words[1] ^ low, right & MASK, left >> 64 ^ words[3] ^ high, left & MASK]
        low, high = low + 0x9E3779B97F4A7C15 & MASK, high + 0xBB67AE8584CAA73B & MASK
    return words


GOLDEN = {
    1: [[[1848, 7045, 668], [6235, 4211, 3603]], [[1187, 6558, 1794], [5786, 3079, 3498]]],
    7: [[[7374, 4238, 3111], [2758, 132, 3548]], [[7645, 3309, 3891], [2067, 5476, 6350]]],
}
"""Rounds 1 and 7, dice sets 0 and 1, two seats, three rolls."""


@pytest.mark.parametrize("round_", GOLDEN)
def test_the_numbers_of_a_seed_are_pinned(round_: int) -> None:
    assert stream().throws(round_, 0, 2).tolist() == GOLDEN[round_]


def test_the_first_dice_of_a_seed_are_pinned() -> None:
    made = lattice()
    numbers = stream().throws(1, 0, 1)[0].tolist()
    shown = [["".join(map(str, made.rolls[made.rerolled[0][n]])) for n in seat] for seat in numbers]
    assert shown == [["12334", "23456", "11344"], ["22556", "23466", "13455"]]


def test_the_numbers_are_philox_words_keyed_by_a_hash_and_counted_by_round_and_dice_set() -> None:
    text = json.dumps([20260301, "ab" * 32, ["ann", "bob"]], separators=(",", ":")).encode()
    digest = hashlib.blake2b(text, digest_size=16, person=b"arena dice").digest()
    key = (int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little"))
    assert derive_key(b"arena dice", 20260301, "ab" * 32, ["ann", "bob"]) == key
    counts = 2  # six words, four a count
    for round_, dice_set in [(1, 0), (1, 1), (2, 0), (15, 1000), (3, 10**9)]:
        first = (round_ << 64) + dice_set * counts + 1  # numpy counts on before it draws
        words = [word for n in range(counts) for word in philox(first + n, key)]
        expected = [[word % NUMBERS for word in words[:3]], [word % NUMBERS for word in words[3:6]]]
        assert stream().throws(round_, dice_set, dice_set + 1).tolist() == [expected]


@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("rolls", [2, 3])
def test_shape_and_range(seats: int, rolls: int) -> None:
    names = [f"bot{n}" for n in range(seats)]
    numbers = DiceStream(5, "00" * 32, names, rolls=rolls).throws(1, 10, 210)
    assert numbers.shape == (200, seats, rolls)
    assert numbers.min() >= 0
    assert numbers.max() < NUMBERS


def test_fewer_dice_have_smaller_numbers() -> None:
    numbers = DiceStream(5, "00" * 32, ["ann", "bob"], rolls=3, dice=3).throws(1, 0, 500)
    assert numbers.max() < FACES**3
    assert len(np.unique(numbers)) == FACES**3


@pytest.mark.parametrize("seats", [1, 2, 3, 6])
@pytest.mark.parametrize("cuts", [(0, 60), (0, 1, 60), (0, 7, 8, 31, 60), tuple(range(61))])
def test_the_numbers_do_not_depend_on_the_range_asked_for(seats: int, cuts: tuple[int, ...]) -> None:
    whole = stream(names=tuple(f"bot{n}" for n in range(seats)))
    parts = [whole.throws(4, 100 + first, 100 + stop) for first, stop in pairwise(cuts)]
    np.testing.assert_array_equal(np.concatenate(parts), whole.throws(4, 100, 160))


def test_the_numbers_do_not_depend_on_what_was_asked_before() -> None:
    used = stream()
    for round_ in (9, 1, 5):
        used.throws(round_, 3, 40)
    np.testing.assert_array_equal(used.throws(2, 0, 30), stream().throws(2, 0, 30))


def test_the_numbers_do_not_depend_on_the_order_of_names() -> None:
    np.testing.assert_array_equal(
        stream(names=("ann", "bob", "cid")).throws(1, 0, 50), stream(names=("cid", "ann", "bob")).throws(1, 0, 50)
    )


@pytest.mark.parametrize(
    "other",
    [
        stream(seed=20260302),
        stream(seed=20260301 + (1 << 64)),
        stream(seed=-20260301),
        stream(ruleset_hash="ba" * 32),
        stream(names=("ann", "bod")),
        stream(names=("an", "nbob")),
    ],
)
def test_another_seed_ruleset_or_pairing_has_other_dice(other: DiceStream) -> None:
    same = stream().throws(1, 0, 500) == other.throws(1, 0, 500)
    assert same.sum() <= 5  # 3,000 numbers out of 7,776: 0.4 agree by chance


def test_another_round_has_other_dice() -> None:
    rounds = np.stack([stream().throws(round_, 0, 200) for round_ in range(1, 16)])
    for first in range(15):
        for second in range(first):
            assert (rounds[first] == rounds[second]).sum() <= 5


def test_a_pairing_of_more_seats_has_other_dice() -> None:
    two, three = stream().throws(1, 0, 500), stream(names=("ann", "bob", "cid")).throws(1, 0, 500)
    assert (two == three[:, :2]).sum() <= 5


def test_the_seats_of_a_game_have_different_dice() -> None:
    numbers = stream(names=("ann", "bob", "cid")).throws(1, 0, 2000)
    for first in range(3):
        for second in range(first):
            same = numbers[:, first] == numbers[:, second]
            assert same.sum() <= 6  # of 6,000
            assert not same.all(axis=1).any()


def test_the_rolls_of_a_turn_and_the_dice_sets_differ() -> None:
    numbers = stream().throws(1, 0, 2000)
    assert (numbers[:, :, 0] == numbers[:, :, 1]).sum() <= 5
    assert (numbers[:, :, 1] == numbers[:, :, 2]).sum() <= 5
    assert (numbers[1:] == numbers[:-1]).sum() <= 8
    assert len(np.unique(numbers.reshape(2000, 6), axis=0)) == 2000


def chi_square(values: np.ndarray, cells: int) -> float:
    counts = np.bincount(values.ravel(), minlength=cells)
    fair = values.size / cells
    return float(((counts - fair) ** 2 / fair).sum())


def test_every_die_of_every_seat_and_roll_is_fair() -> None:
    numbers = stream().throws(3, 0, 20_000)
    for seat in range(2):
        for roll in range(3):
            for die in range(5):
                faces = numbers[:, seat, roll] // FACES**die % FACES
                assert chi_square(faces, FACES) < 25.7  # 1 in 10,000 with 5 degrees of freedom; 30 such


def test_all_7776_throws_are_equally_likely() -> None:
    numbers = stream().throws(3, 0, 40_000)
    spread = (2 * (NUMBERS - 1)) ** 0.5
    assert abs(chi_square(numbers, NUMBERS) - (NUMBERS - 1)) < 4 * spread


def test_the_dice_of_two_seats_are_independent() -> None:
    faces = stream().throws(3, 0, 40_000)[:, :, 0] % FACES
    assert chi_square(faces[:, 0] * FACES + faces[:, 1], FACES**2) < 76  # 1 in 10,000 with 35 degrees of freedom


def test_keys_of_different_labels_differ() -> None:
    assert derive_key(b"arena dice", 1, "x") != derive_key(b"arena turn.rng", 1, "x")
    assert derive_key(b"arena dice", 1, "x") == derive_key(b"arena dice", 1, "x")
    assert derive_key(b"arena dice", 1, "2") != derive_key(b"arena dice", "1", 2)
    assert derive_key(b"arena dice", ["ab", "c"]) != derive_key(b"arena dice", ["a", "bc"])
