"""The search for neighbours finds what all pairs show, wherever the balls lie and whatever their sizes."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.kernels.neighbours import neighbours


def _all_pairs(x, radius):
    distance = np.linalg.norm(x[:, None] - x[None], axis=2)
    return np.argwhere(np.triu(distance < radius[:, None] + radius[None], 1))


@pytest.mark.parametrize("seed", range(6))
def test_the_pairs_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    for size, spread in ((1.0, 1.0), (5.0, 3.0), (0.2, 20.0), (1.0, 1e4)):
        x = size * rng.random((150, 3)) - 0.5
        radius = 0.01 * spread ** rng.random(150)
        assert np.array_equal(neighbours(x, radius), _all_pairs(x, radius))


def test_points_flat_sets_and_one_that_is_far_away():
    rng = np.random.default_rng(11)
    for change in range(5):
        x, radius = rng.random((120, 3)), np.full(120, 0.05)
        if change == 0:
            radius[::3] = 0.0
        elif change == 1:
            x[:, 1] = 0.3
        elif change == 2:
            x[:, :2] = -1.0
        elif change == 3:
            x[7] = 1e9, -1e9, 0.0
        else:
            radius[5] = 3.0
        assert np.array_equal(neighbours(x, radius), _all_pairs(x, radius))


def test_what_falls_on_the_borders_of_cells():
    i = np.arange(6.0)
    x = np.stack(np.meshgrid(i, i, i, indexing="ij"), axis=-1).reshape(-1, 3)
    assert len(neighbours(x, np.full(216, 0.5))) == 0  # they touch
    assert len(neighbours(x, np.full(216, 0.5 + 1e-9))) == 3 * 6 * 6 * 5
    assert len(neighbours(x, np.full(216, 0.5 + 1e-9), boxes=True)) > 3 * 6 * 6 * 5


def test_few():
    assert neighbours(np.zeros((0, 3)), np.zeros(0)).shape == (0, 2)
    assert neighbours(np.zeros((1, 3)), np.ones(1)).shape == (0, 2)
    assert neighbours(np.zeros((2, 3)), np.ones(2)).tolist() == [[0, 1]]
    assert neighbours(np.zeros((2, 3)), np.zeros(2)).shape == (0, 2)


def test_the_effort_grows_as_the_number():
    per_ball = []
    for n in (2_000, 16_000):
        u = np.random.default_rng(3).random((n, 4))
        effort = np.zeros(2, dtype=np.int64)
        neighbours(u[:, :3] * (n / 2_000) ** (1 / 3), 0.004 * 5 ** u[:, 3], effort=effort)
        per_ball.append(effort.sum() / n)
    assert per_ball[1] < 1.15 * per_ball[0]
