"""Quadrature rules: degree of exactness, points, bad numbers of points."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmbs.core.errors import ModelError
from flexmbs.elements import Gauss, Lobatto


def monomial(rule, degree) -> float:
    xi, w = rule.rule()
    return float(w @ xi**degree)


def exact(degree) -> float:
    return 0.0 if degree % 2 else 2.0 / (degree + 1)


@pytest.mark.parametrize("n", range(1, 9))
def test_gauss_is_exact_to_degree_2n_minus_1_and_no_further(n):
    for degree in range(2 * n):
        assert monomial(Gauss(n), degree) == pytest.approx(exact(degree), abs=1e-14)
    # The error at the next degree is known: 2^(2n+1) (n!)^4 / ((2n+1) (2n)!^2).
    missing = 2 ** (2 * n + 1) * math.factorial(n) ** 4 / ((2 * n + 1) * math.factorial(2 * n) ** 2)
    assert exact(2 * n) - monomial(Gauss(n), 2 * n) == pytest.approx(missing, rel=1e-8)


@pytest.mark.parametrize("n", range(2, 9))
def test_lobatto_is_exact_to_degree_2n_minus_3_and_no_further(n):
    for degree in range(2 * n - 2):
        assert monomial(Lobatto(n), degree) == pytest.approx(exact(degree), abs=1e-14)
    assert abs(monomial(Lobatto(n), 2 * n - 2) - exact(2 * n - 2)) > 1e-5


@pytest.mark.parametrize("rule", [Gauss(1), Gauss(4), Lobatto(2), Lobatto(3), Lobatto(6)])
def test_points_are_sorted_symmetric_and_weights_positive(rule):
    xi, w = rule.rule()
    assert np.all(np.diff(xi) > 0)
    np.testing.assert_allclose(xi, -xi[::-1], atol=1e-15)
    np.testing.assert_allclose(w, w[::-1], atol=1e-15)
    assert w.min() > 0
    assert isinstance(rule, Gauss) or (xi[0], xi[-1]) == (-1.0, 1.0)


def test_lobatto_3_is_simpson():
    np.testing.assert_allclose(Lobatto(3).rule()[1], [1 / 3, 4 / 3, 1 / 3], rtol=1e-14)


def test_rules_compare_by_value():
    assert Gauss(3) == Gauss(np.int64(3))
    assert Gauss(3) != Lobatto(3)


@pytest.mark.parametrize("kind", [Gauss, Lobatto])
@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None, True])
def test_bad_number_of_points(kind, n):
    with pytest.raises(ModelError, match=f"{kind.__name__}: n must be"):
        kind(n)


def test_lobatto_needs_both_ends():
    with pytest.raises(ModelError, match="at least 2"):
        Lobatto(1)
