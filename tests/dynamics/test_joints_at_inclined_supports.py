"""Joints at nodes whose supports lie across the axes: the same motion as where everything lies along them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.elements import ANCFCable2D

ANGLE = math.atan2(3.0, 4.0)
BDF = fx.BDF(max_order=2, corrector=fx.integrators.CorrectorOptions(reuse=True))
SCHEMES = [fx.GeneralizedAlpha(), fx.RadauIIA(), fx.RungeKutta(), fx.BDF(max_order=2), BDF, fx.AugmentedLagrangian()]


def run_of(angle: float, held: str, scheme: Any, step: float = 5e-4) -> tuple[fx.TimeSolution, FloatArray]:
    """A cable on a roller, with a joint at the same node and a weight at the other end; and its axes.

    ``held``: by a plane across the roller or along it, by a hinge, or by a clamp in place of both.
    """
    along, across = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    stiffness = fx.BeamStiffness(EA=2e3, EI_z=2.0, mass_per_length=0.5)
    cable = fx.FlexibleBody.line((0, 0), along, elements=2, element=ANCFCable2D(), stiffness=stiffness, name="cable")
    weight = fx.PlanarRigidBody(1.0, 0.1, position=1.3 * along, name="weight")
    start: list[Any] = [fx.Clamp(cable.start) if held == "clamp" else fx.Roller(cable.start, across)]
    if held == "hinge":
        start.append(fx.RevoluteJoint(fx.ground, cable.start, at=(0, 0), name="start"))
    elif held != "clamp":
        axis = along if held == "across" else across
        start.append(fx.PointOnPlaneConstraint(fx.ground, cable.start, at=(0, 0), axis=axis, name="start"))
    pin = fx.RevoluteJoint(cable.end, weight, name="pin")
    model = fx.Model(cable, weight, *start, pin, fx.Gravity(-4.0 * across + 1.0 * along))
    return fx.simulate(model, 0.04, step=step, integrator=scheme), np.array([along, across])


@pytest.mark.parametrize("scheme", SCHEMES, ids=[type(s).__name__ for s in SCHEMES])
@pytest.mark.parametrize(("held", "redundant"), [("across", 0), ("along", 1), ("hinge", 1)])
def test_motion_and_what_is_redundant(held: str, redundant: int, scheme: Any) -> None:
    """A plane across the roller had been called redundant, one along it had not; Radau's matrix was wrong."""
    found = []
    for angle in (0.0, ANGLE):
        run, axes = run_of(angle, held, scheme)
        assert len(run.redundant) == redundant
        assert run.steps[:, 2].mean() < 8.0
        found.append([(f("weight") @ np.eye(3)[:, :2]) @ axes.T for f in (run.position, run.velocity)])
        found[-1].append(run.reaction("pin")[:, :2] @ axes.T)
    for straight, turned in zip(*found, strict=True):
        np.testing.assert_allclose(turned, straight, atol=1e-7 * np.abs(straight).max())


@pytest.mark.parametrize("held", ["across", "clamp"])
def test_first_accelerations_of_radau(held: str) -> None:
    """They come from the equations of motion without a step, whose second pass mixed two axes."""
    found = []
    for angle in (0.0, ANGLE):
        run, axes = run_of(angle, held, fx.RadauIIA(), step=1e-3)
        assert run.residuals[0, 2] < 1e-9
        found.append((run.acceleration("weight")[0, :2] @ axes.T, run.reaction("pin")[0, :2] @ axes.T))
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)
