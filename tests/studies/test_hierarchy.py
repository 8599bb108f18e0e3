"""Weights from comparisons, grades, ranking: against closed forms and Saaty's published values."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.studies import Between, Comparisons, Family, Goal, Grid, Measure, Simulation, Study, rank


def test_weights_of_a_published_kind_of_matrix() -> None:
    """Power iteration at 30 digits gives these (scale and random index 0.90 of Saaty 1980)."""
    matrix = Comparisons([[1, 3, 5, 7], [1 / 3, 1, 3, 5], [1 / 5, 1 / 3, 1, 2], [1 / 7, 1 / 5, 1 / 2, 1]])
    expected = [0.569285168432946, 0.264272967778521, 0.105519967501168, 0.0609218962873659]
    np.testing.assert_allclose(matrix.weights, expected, rtol=1e-12)
    assert matrix.largest_eigenvalue == pytest.approx(4.06853596706467, rel=1e-12)
    assert matrix.consistency_index == pytest.approx(0.0228453223548901, rel=1e-10)
    assert matrix.consistency_ratio == pytest.approx(0.0253836915054335, rel=1e-10)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_consistent_comparisons_give_their_weights(n: int) -> None:
    w = np.random.default_rng(n).uniform(0.1, 1.0, n)
    w /= w.sum()
    matrix = Comparisons(w[:, None] / w)
    np.testing.assert_allclose(matrix.weights, w, rtol=1e-13)
    assert abs(matrix.consistency_index) < 1e-14


def results() -> fx.studies.StudyResults:
    family = Family(
        lambda x, y: fx.Model(fx.PointMass(1.0, position=(x, y, 0), name="ball")),
        x=Between(0.0, 1.0),
        y=Between(0.0, 1.0),
    )
    near = Measure("near", lambda run: float(np.hypot(*run.position("ball")[-1, :2])))
    return Study(family, Grid(x=3, y=3), near, Simulation(0.0)).run(progress=False)


def test_grades_are_weighted_sums_of_memberships() -> None:
    done = results()
    goals = {"near": Goal("least", bad=2.0, good=0.0), "y": Goal("greatest", bad=0.25, good=1.0)}
    ranking = rank(done, goals, [[1, 3], [1 / 3, 1]])
    near, y = done["near"], done["y"]
    expected = 0.75 * (2.0 - near) / 2.0 + 0.25 * (y - 0.25) / 0.75
    expected[y < 0.25] = np.nan  # a definite scale rejects
    np.testing.assert_allclose(ranking.grades, expected, rtol=1e-12)
    assert ranking.rejected == tuple(np.flatnonzero(y < 0.25))
    assert ranking.best.number == int(np.nanargmax(expected))
    assert "consistency ratio 0.000" in str(ranking)


def test_groups_share_their_weight() -> None:
    done = results()
    ranking = rank(
        done,
        {"far": (Comparisons([[1, 1], [1, 1]]), {"x": "least", "y": "least"}), "near": "least"},
        [[1, 4], [0.25, 1]],
    )
    assert ranking.weights == pytest.approx({"x": 0.4, "y": 0.4, "near": 0.2})


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Comparisons([[1, 2], [2, 1]]), "reciprocal"),
        (lambda: Comparisons([[1, -2], [-0.5, 1]]), "positive"),
        (lambda: Comparisons([1, 2]), "square"),
        (lambda: Comparisons("much"), "square matrix of numbers"),
        (lambda: Comparisons.of_pairs([1, 2]), "half of a matrix"),
        (lambda: Goal("small"), "'least' or 'greatest'"),
        (lambda: Goal("least", bad=1.0, good=2.0), "good must be below bad"),
        (lambda: rank(results(), {"near": "least"}, [[1, 2], [0.5, 1]]), "as many rows"),
        (lambda: rank(results(), {"nar": "least"}), "'near'"),
        (lambda: rank(results(), {}), "by name"),
        (
            lambda: rank(results(), {"x": "least", "y": "least", "near": "least"}, Comparisons.of_pairs([9, 1 / 9, 9])),
            "contradict",
        ),
    ],
)
def test_bad_input(wrong, says: str) -> None:
    with pytest.raises(fx.ModelError, match=says):
        wrong()
