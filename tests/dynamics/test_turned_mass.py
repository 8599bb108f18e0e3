"""The mass is turned into the frames of supports with the stiffness: nothing depends on the direction of a clamp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFCable2D, ANCFCable3D


def _cantilever(angle: float) -> tuple[fx.Model, FloatArray]:
    """A cantilever in this direction under its weight across, and the axes along and across it."""
    axes = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), axes[0], elements=6, element=ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=0.2, mass_per_length=1.0),
    )  # fmt: skip
    return fx.Model(cable, fx.Clamp(cable.start), fx.Gravity(-9.81 * axes[1])), axes


def test_a_turned_clamp_costs_and_moves_nothing() -> None:
    found = []
    for angle in (0.0, 0.5):
        model, axes = _cantilever(angle)
        run = fx.simulate(model, 0.1, step=1e-3)
        dynamics = Dynamics(run.system)
        dynamics.start_turns(0.0)
        a, _ = accelerations(dynamics, 0.0, dynamics.coordinates.reference, dynamics.coordinates.velocity)
        found.append((a.reshape(-1, 2) @ axes.T, run.q[-1].reshape(-1, 2) @ axes.T, run.steps[:, 2].max()))
    assert np.abs(found[0][0] - found[1][0]).max() < 1e-8 * np.abs(found[0][0]).max()
    assert np.abs(found[0][1] - found[1][1]).max() < 1e-9
    assert found[1][2] == found[0][2]


def _guided(beside: bool) -> tuple[fx.Model, fx.FlexibleBody]:
    """A cable whose start slides along an inclined direction; beside it an arm of two rods, whose mass changes."""
    section = fx.BeamStiffness(EA=1e4, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0)
    cable = fx.FlexibleBody.line((0, 0, 0), (0.6, 0.5, 0.4), elements=3, element=ANCFCable3D(), stiffness=section)
    items: list[Any] = [cable, fx.Guide(cable.start, (1, 2, 3)), fx.Pin(cable.end), fx.Gravity((0, 1.0, -9.81))]
    if beside:
        rod = 1.0, (0.1, 0.1, 0.001), (0, 0, -0.5)
        upper = trees.Link("upper", *rod, joint=trees.Revolute((0, 1, 0)), start=0.3)
        lower = trees.Link("lower", *rod, "upper", trees.Revolute((0, 1, 0)), at=(0, 0, -1))
        items.append(trees.Tree(upper, lower, position=(5, 0, 0), name="arm"))
    return fx.Model(*items), cable


SCHEMES = [
    fx.GeneralizedAlpha(compiled=False),
    pytest.param(fx.GeneralizedAlpha(compiled=True), marks=pytest.mark.slow),
    fx.RungeKutta(order=4),
]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_moves_elsewhere_leaves_the_mass_in_its_frame(scheme: Any) -> None:
    """An arm that swings beside the cable, joined to it by nothing, changes nothing.

    Renewing its mass once took that of the cable out of the frame of the guide: a tenth off, or no convergence.
    """
    places = []
    for beside in (False, True):
        model, cable = _guided(beside)
        h = 1e-3 if isinstance(scheme, fx.GeneralizedAlpha) else 2e-4
        run = fx.simulate(model, 0.02, step=h, integrator=scheme, progress=False)
        places.append(run.position(cable.start)[-1])
    assert np.abs(places[0]).max() > 5e-4
    assert places[1] == pytest.approx(places[0], rel=1e-9, abs=1e-12)


def _turned_by(angle: float, described: bool) -> fx.Model:
    """A bent cable with a bar hinged to its end, clamped in a direction that is described, or prescribed."""
    c, s = math.cos(angle), math.sin(angle)
    axes = np.array([[c, s], [-s, c]]) if described else np.eye(2)
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), axes[0], elements=4, element=ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=20.0, mass_per_length=1.0),
    )  # fmt: skip
    bar = fx.PlanarRigidBody(0.5, 0.02, position=1.3 * axes[0], angle=angle if described else 0.0, name="bar")
    hinge = fx.RevoluteJoint(cable.end, bar, at=axes[0], name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=4.0)
    held = [fx.Clamp(cable.start)]
    if not described:
        held = [fx.Pin(cable.start), fx.Prescribe(cable.start, rotation=angle)]
    return fx.Model(cable, bar, hinge, spring, *held, fx.Gravity((0, -9.81)))


def test_modes_about_a_turned_support_with_a_joint() -> None:
    """Frames that statics turned: the same equilibrium and eigenvalues as of the model that is described turned."""
    found = [fx.solve_static(_turned_by(0.7, described)) for described in (True, False)]
    hinges = [np.asarray(s.reaction("hinge", step=-1)) for s in found]
    assert hinges[1] == pytest.approx(hinges[0], rel=1e-6)
    modes = [fx.solve_modal(s, modes=5).eigenvalues for s in found]
    assert modes[1] == pytest.approx(modes[0], rel=1e-6)


def test_motion_does_not_start_from_a_support_that_statics_turned() -> None:
    """Frames of a motion rest where they are described."""
    turned = fx.solve_static(_turned_by(0.7, False))
    with pytest.raises(fx.ModelError, match="prescribes a rotation"):
        fx.simulate(turned.system, 0.1, step=1e-2, start=turned)
