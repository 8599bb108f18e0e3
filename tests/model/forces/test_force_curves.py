"""Curves through tables: monotone ones stay within the data, and what leaves the table is told."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbs as fx
from flexmbs.core.errors import AccuracyWarning
from flexmbs.kernels.laws import CURVES, law

POINTS, VALUES = (-1.0, -0.4, -0.1, 0.1, 0.15, 0.7), (-30.0, -29.0, 0.0, 0.0, 20.0, 20.0)


def kernel(curve: fx.ForceCurve, x: float) -> tuple[float, float, float]:
    """Force, slope and potential as the kernel evaluates them."""
    part = curve.part()
    found = law(CURVES, 0, np.array([0.0, 0.0, float(len(part)), *part, 0.0]), x, 0.0, 0.0, np.zeros((1, 4)))
    return found[0], found[1], found[3]


def test_a_monotone_curve() -> None:
    curve = fx.ForceCurve(POINTS, VALUES, interpolation="monotone")
    for (a, fa), (b, fb) in itertools.pairwise(zip(POINTS, VALUES, strict=True)):
        x = np.linspace(a, b, 41)
        found = [kernel(curve, float(s))[0] for s in x]
        assert min(fa, fb) - 1e-12 <= min(found)
        assert max(found) <= max(fa, fb) + 1e-12
        assert np.all(np.diff(found) >= -1e-12)
    assert [curve(x) for x in POINTS] == pytest.approx(VALUES, abs=1e-12)
    for x in POINTS:  # slopes on both sides of a point; straight on beyond the ends
        left, right = (kernel(curve, x + h)[1] for h in (-1e-9, 1e-9))
        assert left == pytest.approx(right, abs=1e-4)
    for x in (-1.3, -0.7, 0.12, 0.4, 0.9):
        force, slope, energy = kernel(curve, x)
        assert force == pytest.approx(curve(x))
        assert slope == pytest.approx((curve(x + 1e-6) - curve(x - 1e-6)) / 2e-6, rel=1e-6, abs=1e-6)
        inner = [p for p in POINTS if min(x, 0.0) < p < max(x, 0.0)]
        assert energy == pytest.approx(quad(curve, 0.0, x, points=inner or None)[0], rel=1e-8)


def test_a_spring_with_a_monotone_curve_keeps_its_energy(tmp_path) -> None:
    ball = fx.PointMass(1.0, position=(1.3, 0), name="ball")
    curve = fx.ForceCurve(POINTS, VALUES, interpolation="monotone")
    spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, stiffness=curve, free_length=1.0, name="spring")
    run = fx.simulate(fx.Model(ball, spring), until=0.3, step=1e-3)
    assert np.ptp(run.energy.total) < 2e-4 * run.energy.total[0]
    run.save(tmp_path / "run.h5")
    read = fx.load(tmp_path / "run.h5")
    assert np.array_equal(read.force("spring").force, run.force("spring").force)


def test_backlash_in_a_table_is_told() -> None:
    """Two lines of 1e5 N m/rad beyond 2 mrad: beside the kink the curve has 12 where the line has 830."""
    b, k = 0.002, 1e5
    table = (-1.0, -b, b, 1.0), (-k * (1 - b), 0.0, 0.0, k * (1 - b))
    for interpolation in ("spline", "monotone"):
        with pytest.warns(AccuracyWarning, match=r"its points (-1 and -0\.002|0\.002 and 1),.*JointStop") as told:
            fx.ForceCurve(*table, interpolation=interpolation)
        assert told[0].filename == __file__
    near = (-1.0, -2 * b, -1.1 * b, -b, b, 1.1 * b, 2 * b, 1.0)
    values = [k * np.sign(x) * max(abs(x) - b, 0.0) for x in near]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        fine = fx.ForceCurve(near, values, interpolation="monotone")
    assert fine(0.0103) == pytest.approx(830.0, rel=0.02)


def test_a_spline_that_overshoots_is_told() -> None:
    with pytest.warns(AccuracyWarning, match=r"points -0\.1 and 0, with -100 and 0.* -915\.2.*'monotone'"):
        fx.ForceCurve((-0.1, 0.0, 0.02, 0.1), (-100.0, 0.0, 1000.0, 1050.0))
    fx.ForceCurve((-0.1, 0.0, 0.02, 0.1), (-100.0, 0.0, 1000.0, 1050.0), interpolation="monotone")
    x = np.linspace(0.0, 2.0 * np.pi, 11)
    fx.ForceCurve(x, np.sin(x))  # coarse and smooth
    with pytest.raises(fx.ModelError, match="interpolation named 'linear'"):
        fx.ForceCurve((0.0, 1.0), (0.0, 1.0), interpolation="linear")
