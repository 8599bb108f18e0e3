"""Cables of rigid segments."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError

QUIET = fx.StaticOptions(progress=False)


@pytest.mark.filterwarnings("ignore:.*one of many")
@pytest.mark.parametrize("space", [False, True])
def test_a_taut_cable_stretches_along_its_force(space: bool) -> None:
    """The springs are the same in all directions: a cable along x pulled along y turns and has the strain F/EA."""
    ends = [(0, 0, 0), (2, 0, 0)] if space else [(0, 0), (2, 0)]
    cable = fx.segments.segmented_cable(ends, n=4, mass_per_length=1.0, EA=100.0, GJ=1.0 if space else None)
    force = np.array((6.0, 8.0, 0.0)[: len(ends[0])])
    model = fx.Model(
        *cable.items, fx.SphericalJoint(fx.ground, cable.bodies[0], at=ends[0]), fx.PointForce(cable.end, force)
    )
    found = fx.solve_static(model, QUIET).position(cable.end)[-1]
    assert found[:2] == pytest.approx(2.0 * (1.0 + 10.0 / 100.0) * np.array((0.6, 0.8)), abs=1e-9)


def test_without_stretching_it_keeps_its_length() -> None:
    cable = fx.segments.segmented_cable([(0, 0), (2, 0)], n=4, mass_per_length=1.0)
    assert not cable.springs
    assert len(cable.joints) == 4
    model = fx.Model(
        *cable.items, fx.SphericalJoint(fx.ground, cable.bodies[0], at=(0, 0)), fx.PointForce(cable.end, (3.0, 4.0))
    )
    found = fx.solve_static(model, QUIET).position(cable.end)[-1]
    assert found[:2] == pytest.approx((1.2, 1.6), abs=1e-9)


def test_period_of_a_hanging_chain_of_two_halves() -> None:
    """One element: two rods hinged in the middle. Small motions against their linear equations."""
    g, L, m = 9.81, 2.0, 3.0
    cable = fx.segments.segmented_cable([(0, 0), (0, -L)], n=1, mass_per_length=m / L)
    model = fx.Model(*cable.items, fx.SphericalJoint(fx.ground, cable.bodies[0], at=(0, 0)), fx.Gravity((0, -g)))
    h, half = L / 2.0, m / 2.0
    M = half * h**2 * np.array(((4.0 / 3.0, 0.5), (0.5, 1.0 / 3.0)))
    K = half * g * h * np.diag((1.5, 0.5))
    expected = np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    assert fx.solve_modal(model).angular_frequencies == pytest.approx(expected, rel=1e-8)


def test_bad_input() -> None:
    with pytest.raises(ModelError, match="give GJ"):
        fx.segments.segmented_cable([(0, 0, 0), (1, 0, 0)], n=2, mass_per_length=1.0)
    with pytest.raises(ModelError, match="greater than 0"):
        fx.segments.segmented_cable([(0, 0), (1, 0)], n=2, mass_per_length=0.0)
    with pytest.raises(ModelError, match="greater than 0"):
        fx.segments.segmented_cable([(0, 0), (1, 0)], n=2, mass_per_length=1.0, EA=-1.0)
