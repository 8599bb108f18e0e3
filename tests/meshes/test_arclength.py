"""Curves by arc length against closed forms, and curves that have none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbs.core.errors import ModelError
from flexmbs.meshes import curve


def parabola_length(x):
    """The length of y = x^2 from 0 to x."""
    return x * np.sqrt(1 + 4 * x**2) / 2 + np.arcsinh(2 * x) / 4


@pytest.mark.parametrize("derivative", [None, lambda s: (1, 2 * s)])
def test_parabola(derivative):
    mesh = curve(lambda s: (s, s**2), 50, (0, 3), derivative=derivative)
    x = mesh.points[:, 0]
    np.testing.assert_allclose(parabola_length(x), parabola_length(3.0) * np.arange(51) / 50, atol=1e-11)
    np.testing.assert_array_equal(mesh.points[:, 1], x**2)
    slope = np.column_stack([np.ones(51), 2 * x]) / np.sqrt(1 + 4 * x**2)[:, None]
    np.testing.assert_allclose(mesh.point_data["tangent"], slope, atol=1e-15 if derivative else 1e-11)
    assert mesh.points[-1].tolist() == [3.0, 9.0]
    assert (mesh.node_set("start").tolist(), mesh.node_set("end").tolist()) == ([0], [50])


@given(rate=st.floats(0.1, 20), pitch=st.floats(0.01, 3), turns=st.floats(0.2, 15), n=st.integers(1, 200))
@settings(max_examples=30, deadline=None)
def test_helices_of_any_rate_are_even(rate, pitch, turns, n):
    end = 2 * np.pi * turns / rate
    mesh = curve(lambda s: (np.cos(rate * s), np.sin(rate * s), pitch * rate * s), n, (0, end))
    np.testing.assert_allclose(mesh.points[:, 2], pitch * rate * end * np.arange(n + 1) / n, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(mesh.point_data["tangent"][:, 2], pitch / np.hypot(1, pitch), atol=1e-10)


def test_a_parameter_that_runs_unevenly_does_not_matter():
    # the unit circle with a speed that changes by a factor of e^6
    mesh = curve(lambda s: (np.cos(np.exp(s)), np.sin(np.exp(s))), 40, (-4, 2), derivative=None)
    low, high = np.exp(-4), np.exp(2)
    angles = low + (high - low) * np.arange(41) / 40
    np.testing.assert_allclose(mesh.points, np.column_stack([np.cos(angles), np.sin(angles)]), atol=1e-11)


def test_catenary_far_from_the_origin():
    mesh = curve(lambda s: (s + 100.0, np.cosh(s)), 30, (-2, 3))
    length = np.sinh(mesh.points[:, 0] - 100.0) + np.sinh(2)
    np.testing.assert_allclose(length, (np.sinh(3) + np.sinh(2)) * np.arange(31) / 30, atol=1e-10)


@pytest.mark.parametrize(
    "function",
    [
        lambda s: (math.cos(s), math.sin(s)),
        lambda s: [np.cos(s), np.sin(s)],
        lambda s: np.array([np.cos(s), np.sin(s)]),
        lambda s: np.stack([np.cos(s), np.sin(s)], axis=-1),
        lambda s: (np.cos(s), np.sin(s)) if s < 10 else None,
    ],
)
def test_functions_may_be_written_in_many_ways(function):
    mesh = curve(function, 9, (0, 1.8))
    angles = 0.2 * np.arange(10)
    np.testing.assert_allclose(mesh.points, np.column_stack([np.cos(angles), np.sin(angles)]), atol=1e-13)


def test_a_constant_coordinate_is_spread():
    mesh = curve(lambda s: (s, 0.0, 1), 4, (0, 2))
    np.testing.assert_allclose(mesh.points, [[0, 0, 1], [0.5, 0, 1], [1, 0, 1], [1.5, 0, 1], [2, 0, 1]], atol=1e-14)


def test_the_function_is_not_called_outside_the_interval():
    seen = []

    def spy(s):
        seen.append((np.min(s), np.max(s)))
        return np.cos(s), np.sin(s)

    curve(spy, 100, (0.1, 0.7))
    assert min(low for low, _ in seen) == 0.1
    assert max(high for _, high in seen) == 0.7


def test_a_closed_curve_is_a_ring():
    ellipse = curve(lambda s: (2 * np.cos(s), np.sin(s)), 64, (0, 2 * np.pi), closed=True)
    assert (ellipse.n_points, ellipse.n_cells) == (64, 64)
    # by the symmetry of the ellipse a quarter of the nodes is a quarter of the way
    np.testing.assert_allclose(ellipse.points[[0, 16, 32, 48]], [(2, 0), (0, 1), (-2, 0), (0, -1)], atol=1e-11)


@pytest.mark.parametrize(
    ("function", "interval", "words"),
    [
        (lambda s: (np.abs(s), s), (-1, 1.3), "not smooth"),
        (lambda s: (np.abs(s), s), (-1, 1), r"tangent jumps at s = 0 \(a corner\)"),
        (lambda s: (np.where(s > 0.3, 1.0, 0.0), s), (0, 1), "not smooth"),
        (lambda s: (np.sqrt(s), s), (0, 1), "not smooth"),
        (lambda s: (s**2, s**3), (-1, 1), "vanishes near s = 0"),
        (lambda s: (0 * s, 0 * s), (0, 1), "vanishes"),
        (lambda s: (s, np.full_like(s, np.nan)), (0, 1), "finite"),
        (lambda s: (s, s, s, s), (0, 1), "2 or 3 coordinates"),
        (lambda s: s, (0, 1), "shape"),
        (lambda s: "no", (0, 1), "array of numbers"),
        (3, (0, 1), "must be a function"),
    ],
)
def test_what_is_no_smooth_curve_is_refused(function, interval, words):
    with pytest.raises(ModelError, match=words):
        curve(function, 10, interval)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"elements": 0}, "at least 1"),
        ({"interval": (1, 0)}, "low to high"),
        ({"interval": (0, np.inf)}, "finite"),
        ({"derivative": lambda s: (1, s)}, "derivative is not that of the function"),
        ({"derivative": lambda s: (1, 2 * s, 0)}, "has 2 coordinates, but derivative 3"),
        ({"closed": True, "elements": 5}, "closed, but it starts at"),
        ({"closed": True, "elements": 2}, "at least 3"),
    ],
)
def test_bad_arguments_are_refused(arguments, words):
    with pytest.raises(ModelError, match=words):
        curve(lambda s: (s, s**2), **{"elements": 4, **arguments})
