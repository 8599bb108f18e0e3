"""Stress resultants at the points where they are asked for by default, against equilibrium of the cut beam."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError

LOAD = 10.0


def bent(axial: float, elements: int = 32) -> tuple[fx.FlexibleBody, fx.Solution]:
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=elements,
        element=fx.elements.PlanarCable(),
        stiffness=fx.BeamStiffness(EA=axial, EI_z=1.0, mass_per_length=1.0),
    )
    return beam, fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0.0, LOAD))))


@pytest.mark.parametrize("axial", [1e3, 1e5, 1e7])
def test_normal_force_and_moment_follow_from_equilibrium(axial: float) -> None:
    beam, solution = bent(axial)
    system, body = solution.system, beam
    group, q = system.group(body), solution.q[-1]
    tip = solution.position(beam.end)
    for symbol in ("N", "M"):
        xi = body.element.accurate_points(symbol)
        found = solution.resultant(body, symbol)
        assert found.shape == (32, len(xi))
        points = body.element.positions(group, q, xi)
        step = 1e-5
        ahead = body.element.positions(group, q, xi + step) - body.element.positions(group, q, xi - step)
        tangent = ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)
        # The part beyond a cut carries (0, LOAD) at the tip: N = F . t, M = (tip - r) x F about z.
        exact = LOAD * tangent[..., 1] if symbol == "N" else LOAD * (tip[0] - points[..., 0])
        assert np.abs(found - exact).max() < 5e-3 * LOAD


def test_other_points_are_given_by_the_caller() -> None:
    beam, solution = bent(1e3)
    assert solution.resultant(beam, "M", xi=[-1.0, 0.0, 0.5, 1.0]).shape == (32, 4)
    with pytest.raises(ModelError, match="xi"):
        solution.resultant(beam, "M", xi="everywhere")


def test_rotation_vector_is_for_spatial_beams() -> None:
    beam, solution = bent(1e3)
    with pytest.raises(ModelError, match="rotation_vector"):
        solution.rotation_vector(beam.end)
