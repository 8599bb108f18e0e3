"""Wheel on rail: what it refuses, units, and limits that need no table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

C = fx.contact
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.3, density=7850.0)


def contact(rail: float = 0.3, width: tuple[float, float] = (-0.03, 0.03), **options: Any) -> C.WheelOnRail:
    options = {"radius": 0.46, "material": STEEL, "profile": lambda y: y**2 / (2.0 * rail), **options}
    return C.WheelOnRail(width=width, **options)


def test_what_it_refuses() -> None:
    with pytest.raises(fx.ModelError, match=r"zero at y = 0 and positive elsewhere; it is 0\.001 there"):
        contact(profile=lambda y: y**2 + 1e-3)
    with pytest.raises(fx.ModelError, match="positive elsewhere"):
        contact(profile=lambda y: y**2 - 0.02 * y)
    with pytest.raises(fx.ModelError, match="with y = 0 in between"):
        contact(width=(0.01, 0.03))
    with pytest.raises(fx.ModelError, match=r"reaches the edge of the profile.*Give a wider profile"):
        contact(width=(-0.005, 0.03)).penetration(80e3)
    with pytest.raises(fx.ModelError, match="beyond the table"):
        C.kalker_coefficients(12.0, 0.3)


def test_other_units() -> None:
    """In millimetres and tonnes, so that forces are the same."""
    steel = fx.Elastic(youngs_modulus=2.1e5, poissons_ratio=0.3, density=7.85e-9)
    small = C.WheelOnRail(radius=460.0, profile=lambda y: y**2 / 600.0, width=(-30.0, 30.0), material=steel)
    one, other = contact().patch(8e4), small.patch(8e4)
    assert other.area == pytest.approx(1e6 * one.area, rel=1e-9)
    for creep in ((1e-3, 0.0, 0.0), (1e-3, 2e-3, 0.1)):
        a = one.creep_force(*creep, friction=0.3)
        b = other.creep_force(creep[0], creep[1], 1e-3 * creep[2], friction=0.3)
        assert b == pytest.approx(a, rel=1e-9)


def test_penetration_is_the_inverse() -> None:
    """From any start, for forces over four decades, and for an unsymmetric profile."""
    skew = contact(profile=lambda y: y**2 / np.where(y < 0.0, 0.3, 0.8))
    for force in (10.0, 1e3, 1e5):
        for one in (contact(), skew):
            found = one.penetration(force)
            assert one.normal_force(found.depth) == pytest.approx(force, rel=1e-8)
            again = one.penetration(force, C.Penetration(2.0 * found.depth, 1))
            assert again.depth == pytest.approx(found.depth, rel=1e-8)
            assert found.iterations <= 8


def test_mirror_and_sign() -> None:
    """Forces are against the creep; a mirrored patch has the mirrored force."""
    skew = contact(profile=lambda y: y**2 / np.where(y < 0.0, 0.3, 0.8)).patch(8e4)
    mirror = contact(profile=lambda y: y**2 / np.where(y > 0.0, 0.3, 0.8)).patch(8e4)
    a = skew.creep_force(1e-3, 5e-4, 0.3, friction=0.25)
    b = mirror.creep_force(1e-3, -5e-4, -0.3, friction=0.25)
    assert a.along < 0.0
    assert a.across < 0.0
    assert (b.along, b.across) == pytest.approx((a.along, -a.across), rel=1e-9)
    assert math.hypot(a.along, a.across) < 0.25 * 8e4


def test_steps_and_strips_converge() -> None:
    values = [
        contact().patch(8e4, strips=n).creep_force(1.5e-3, 1e-3, 0.2, friction=0.3, steps=n).across
        for n in (30, 60, 480)
    ]
    assert abs(values[1] - values[2]) < 0.6 * abs(values[0] - values[2])  # order 1: 0.51
    assert abs(values[1] - values[2]) < 2e-3 * abs(values[2])


def test_table_is_symmetric_at_zero() -> None:
    """For nu = 0 the two directions are one; between entries it is monotonic."""
    for ratio in (0.1, 0.33, 1.0, 4.0, 10.0):
        c11, c22, _ = C.kalker_coefficients(ratio, 0.0)
        assert c11 == pytest.approx(c22, rel=1e-12)
    over = np.array([C.kalker_coefficients(r, 0.3) for r in np.geomspace(0.1, 10.0, 60)])
    assert (np.diff(over, axis=0) > 0.0).all()
