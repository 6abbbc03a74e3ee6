"""Rolls and keeps as integers, held against plain Python that counts every ordering of the dice."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import factorial, prod

import numpy as np
import pytest

from arena.dice.lattice import FACES, KEEPS, ROLLS, lattice

SIZES = [3, 4, 5]


def throws(dice: int) -> list[tuple[int, ...]]:
    """Return every outcome of some dice, in every order, each as likely as the others."""
    return list(product(range(1, FACES + 1), repeat=dice))


def kept_of(roll: Sequence[int]) -> set[tuple[int, ...]]:
    """Return every keep that can be made of a roll, sorted faces."""
    return {tuple(sorted(some)) for size in range(len(roll) + 1) for some in combinations(roll, size)}


def mean_after(values: dict[tuple[int, ...], Fraction], keep: tuple[int, ...], dice: int) -> Fraction:
    """Return the mean value of the rolls that follow a keep."""
    outcomes = throws(dice - len(keep))
    return sum((values[tuple(sorted(keep + rest))] for rest in outcomes), Fraction(0)) / len(outcomes)


@pytest.mark.parametrize("dice", SIZES)
def test_ids_are_lexicographic_by_size_then_faces(dice: int) -> None:
    every = {tuple(sorted(faces)) for size in range(dice + 1) for faces in throws(size)}
    in_order = sorted(every, key=lambda faces: (len(faces), faces))
    made = lattice(dice)
    assert list(made.keeps) == in_order
    assert list(made.rolls) == [faces for faces in in_order if len(faces) == dice]


@pytest.mark.parametrize(("dice", "rolls", "keeps"), [(3, 56, 84), (4, 126, 210), (5, 252, 462)])
def test_how_many_rolls_and_keeps_there_are(dice: int, rolls: int, keeps: int) -> None:
    assert len(lattice(dice).rolls) == rolls
    assert len(lattice(dice).keeps) == keeps


def test_five_dice_are_the_usual_and_are_published() -> None:
    assert lattice() is lattice(5)
    assert lattice().rolls == ROLLS
    assert lattice().keeps == KEEPS
    assert KEEPS[0] == ()
    assert KEEPS[1:7] == ((1,), (2,), (3,), (4,), (5,), (6,))
    assert ROLLS[0] == (1, 1, 1, 1, 1)
    assert ROLLS[251] == (6, 6, 6, 6, 6)


@pytest.mark.parametrize("dice", SIZES)
def test_every_order_of_the_faces_has_the_id_of_the_sorted_ones(dice: int) -> None:
    made = lattice(dice)
    orders = [faces for size in range(dice + 1) for faces in throws(size)]
    assert made.keep_ids == {faces: made.keeps.index(tuple(sorted(faces))) for faces in orders}
    assert made.roll_ids == {faces: made.rolls.index(tuple(sorted(faces))) for faces in throws(dice)}


@pytest.mark.parametrize("dice", SIZES)
def test_a_roll_kept_whole_is_its_id_plus_the_first_roll_keep(dice: int) -> None:
    made = lattice(dice)
    assert [made.keeps[roll + made.first_roll_keep] for roll in range(len(made.rolls))] == list(made.rolls)


@pytest.mark.parametrize("dice", SIZES)
def test_the_keeps_of_a_roll_are_all_its_subsets_ascending(dice: int) -> None:
    made = lattice(dice)
    for roll, faces in enumerate(made.rolls):
        assert {made.keeps[keep] for keep in made.sub_keeps[roll]} == kept_of(faces)
        assert list(made.sub_keeps[roll]) == sorted(set(made.sub_keeps[roll]))
        assert made.keepable[roll] == set(made.sub_keeps[roll])


@pytest.mark.parametrize("dice", SIZES)
def test_a_reroll_reads_its_dice_from_the_first_base_6_digits_the_least_significant_first(dice: int) -> None:
    made = lattice(dice)
    for keep, faces in enumerate(made.keeps):
        rolled = dice - len(faces)
        table = made.rerolled[keep]
        assert len(table) == FACES**rolled
        for number, roll in enumerate(table):
            new = [number // FACES**digit % FACES + 1 for digit in range(rolled)]
            assert made.rolls[roll] == tuple(sorted([*faces, *new]))


@pytest.mark.parametrize("dice", SIZES)
def test_a_reroll_is_uniform_over_the_numbers(dice: int) -> None:
    made = lattice(dice)
    for keep, faces in enumerate(made.keeps):
        fair = Counter(tuple(sorted(faces + rest)) for rest in throws(dice - len(faces)))
        assert Counter(made.rolls[roll] for roll in made.rerolled[keep]) == fair


def test_dice_do_not_depend_on_how_many_were_kept_before() -> None:
    made = lattice()
    number = 1 + 6 * 2 + 36 * 3 + 216 * 4 + 1296 * 5  # shows 2, 3, 4, 5, 6, in this order
    after = {kept: made.rerolled[made.keep_ids[kept]] for kept in [(), (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1)]}
    shown = [made.rolls[table[number % len(table)]] for table in after.values()]
    assert shown == [(2, 3, 4, 5, 6), (1, 2, 3, 4, 5), (1, 1, 2, 3, 4), (1, 1, 1, 2, 3), (1, 1, 1, 1, 2)]


@pytest.mark.parametrize("dice", SIZES)
def test_what_a_keep_is_worth_is_the_mean_over_all_orders_of_the_other_dice(dice: int) -> None:
    made = lattice(dice)
    values = np.random.default_rng(7).integers(-50, 500, size=len(made.rolls))
    plain = {faces: Fraction(int(value)) for faces, value in zip(made.rolls, values, strict=True)}
    expected = made.expected(values.astype(np.float64))
    assert expected.shape == (len(made.keeps),)
    for keep, faces in enumerate(made.keeps):
        assert expected[keep] == pytest.approx(float(mean_after(plain, faces, dice)), abs=1e-10)


@pytest.mark.parametrize("dice", SIZES)
def test_the_best_of_a_keep_is_the_greatest_among_all_its_subsets(dice: int) -> None:
    made = lattice(dice)
    values = np.random.default_rng(11).normal(size=len(made.keeps))
    best = made.best(values)
    for keep, faces in enumerate(made.keeps):
        assert best[keep] == max(values[made.keeps.index(some)] for some in kept_of(faces))


def test_expected_and_best_take_many_positions_at_once_and_change_none() -> None:
    made = lattice()
    rolls = np.random.default_rng(3).normal(size=(2, 3, 252))
    before = rolls.copy()
    keeps = made.expected(rolls)
    assert keeps.shape == (2, 3, 462)
    kept_before = keeps.copy()
    best = made.best(keeps)
    assert best.shape == (2, 3, 462)
    np.testing.assert_array_equal(rolls, before)
    np.testing.assert_array_equal(keeps, kept_before)
    for index in np.ndindex(2, 3):
        np.testing.assert_array_equal(keeps[index], made.expected(rolls[index]))
        np.testing.assert_array_equal(best[index], made.best(keeps[index]))


def test_the_chance_of_five_of_a_kind_within_three_rolls_is_347897_in_7558272() -> None:
    made = lattice()
    values = np.array([len(set(faces)) == 1 for faces in made.rolls], dtype=np.float64)
    for _ in range(2):  # the best keep after the second roll, then after the first
        values = made.best(made.expected(values))[made.first_roll_keep :]
    assert made.expected(values)[0] == pytest.approx(347897 / 7558272, rel=1e-14)

    exact = {faces: Fraction(len(set(faces)) == 1) for faces in ROLLS}
    for _ in range(2):
        worth = {keep: mean_after(exact, keep, 5) for keep in KEEPS}
        exact = {faces: max(worth[keep] for keep in kept_of(faces)) for faces in ROLLS}
    assert mean_after(exact, (), 5) == Fraction(347897, 7558272)


@pytest.mark.parametrize("dice", SIZES)
def test_the_probability_of_a_roll_is_its_share_of_all_orders(dice: int) -> None:
    made = lattice(dice)
    orders = [factorial(dice) // prod(factorial(n) for n in Counter(faces).values()) for faces in made.rolls]
    np.testing.assert_allclose(made.roll_probability(), np.array(orders) / FACES**dice, rtol=1e-15)
