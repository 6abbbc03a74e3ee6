"""95% intervals hold the truth in 95% of leagues, and it takes the mirrors to get there."""

from __future__ import annotations

import numpy as np
import pytest
from simulation import coverage, joint, outcome_chances


@pytest.mark.parametrize(
    ("mirrors", "correlation"), [(50, 0.6), (50, 0.0), (50, -0.6), (25, 0.6), (25, -0.6), (400, 0.3)]
)
def test_intervals_hold_the_truth(mirrors: int, correlation: float) -> None:
    assert 0.93 <= coverage(500, 5, mirrors, correlation, seed=1) <= 0.97


@pytest.mark.parametrize(("correlation", "too_narrow"), [(0.6, True), (-0.6, False)])
def test_without_the_mirrors_they_miss(correlation: float, too_narrow: bool) -> None:
    share = coverage(500, 5, 50, correlation, seed=1, clustered=False)
    assert share < 0.93 if too_narrow else share > 0.97


@pytest.mark.parametrize("correlation", [-1.0, -0.6, 0.0, 0.6, 1.0])
def test_each_game_of_a_mirror_has_the_chances_of_the_model(correlation: float) -> None:
    chances = outcome_chances(80.0)
    both = joint(chances, correlation)
    np.testing.assert_allclose(both.sum(axis=0), chances, atol=1e-12)
    np.testing.assert_allclose(both.sum(axis=1), chances, atol=1e-12)
    assert np.sign(np.round(both[0, 0] - chances[0] ** 2, 12)) == np.sign(correlation)
