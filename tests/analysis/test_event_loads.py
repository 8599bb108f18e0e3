"""Loads whose factors an event has changed: whatever is asked of the run afterwards knows them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx

M, L, J, G = 2.0, 0.5, 0.1, 9.81
AT, FACTOR = 0.1, 4.0
WEIGHT = FACTOR * M * G


def omega(factor: float) -> float:
    """Of the bar that hangs."""
    return math.sqrt(factor * M * G * L / (J + M * L**2))


def stronger(gravity: fx.Gravity) -> fx.control.Event:
    return fx.control.Event(lambda view: view.t - AT, action=lambda view: {gravity: FACTOR}, name="stronger")


def hanging(until: float = 0.3, **more: object) -> fx.TimeSolution:
    """A bar that hangs at rest; gravity becomes four times as large."""
    bar = fx.PlanarRigidBody(M, J, position=(0, -L), name="bar")
    gravity = fx.Gravity((0, -G))
    model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="pin"), gravity)
    return fx.simulate(model, until, step=1e-2, events=[stronger(gravity)], progress=False, **more)


def continued(run: fx.TimeSolution) -> fx.TimeSolution:
    return fx.simulate(run.model, 0.5, step=1e-2, start=run, progress=False)


@pytest.mark.parametrize("road", ["run", "stored", "continued", "concatenated"])
def test_linear_analyses_about_the_last_state(road: str, tmp_path: Path) -> None:
    run = hanging()
    if road == "stored":
        run.save(tmp_path / "run.h5")
        run = fx.load(tmp_path / "run.h5")
    elif road == "continued":
        run = continued(run)
    elif road == "concatenated":
        run = fx.concatenate(run, continued(run))
    w = omega(FACTOR)
    assert fx.solve_modal(run).frequencies[0] == pytest.approx(w / (2.0 * math.pi), rel=1e-9)
    assert np.abs(fx.linearise(run).poles.imag).max() == pytest.approx(w, rel=1e-9)
    assert fx.independent_coordinates(run).K.ravel() == pytest.approx([WEIGHT * L], rel=1e-9)
    first = 0.0 if road in ("run", "stored", "concatenated") else run.t[0]
    along = fx.linearise_along(run, times=[first, 0.2 if first == 0.0 else 0.4, run.t[-1]]).A[:, 1, 0]
    before = omega(1.0 if first == 0.0 else FACTOR)
    np.testing.assert_allclose(along, [-(before**2), -(w**2), -(w**2)], rtol=1e-9)


def test_floquet_multipliers() -> None:
    """exp(+-i w T) of small swings."""
    found = np.sort(np.angle(fx.floquet(hanging(), 1.0).multipliers))
    exact = (omega(FACTOR) + np.pi) % (2.0 * np.pi) - np.pi
    np.testing.assert_allclose(found, np.sort([-exact, exact]), rtol=1e-3)


def test_reactions_of_supports_and_of_joints_of_trees() -> None:
    link = fx.trees.Link("bar", M, (J, J, J), (0, 0, -L), joint=fx.trees.Revolute((0, 1, 0)))
    tree, gravity = fx.trees.Tree(link, name="tree"), fx.Gravity((0, 0, -G))
    run = fx.simulate(fx.Model(tree, gravity), 0.3, step=1e-2, events=[stronger(gravity)], progress=False)
    forces = run.reaction(tree.joint("bar"))[:, 2]
    np.testing.assert_allclose(forces[run.t <= AT], M * G, rtol=1e-9)
    np.testing.assert_allclose(forces[run.t > AT], WEIGHT, rtol=1e-9)


def test_reaction_of_a_clamp_at_rest() -> None:
    """A load becomes three times as large, and another one is taken away; the beam comes to rest again."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=5.0, mass_per_length=0.5),
    )  # fmt: skip
    force, gravity = fx.PointForce(beam.end, (0, -1.0)), fx.Gravity((0, -G))
    model = fx.Model(beam, fx.Clamp(beam.start), force, gravity, fx.RayleighDamping(beam, mass=5.0, stiffness=0.02))
    change = fx.control.Event(lambda view: view.t - AT, action=lambda view: {force: 3.0, gravity: 0.0}, name="change")
    start = fx.solve_static(model)
    run = fx.simulate(model, 6.0, step=2e-3, events=[change], start=start, output=fx.Output(every=1.0), progress=False)
    assert run.reaction(beam.start)[0, 1] == pytest.approx(1.0 + 0.5 * G, rel=1e-6)
    assert run.reaction(beam.start)[-1, 1] == pytest.approx(3.0, rel=1e-6)


def test_inverse_dynamics() -> None:
    """A spring that a driver winds up at one rad per unit of time, against a moment."""
    bar = fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=2.0, free_angle=0.0, name="spring")
    drive = fx.RotationDriver(hinge, motion=fx.motions.Linear(1.0), name="drive")
    moment = fx.Moment(bar.marker((0, 0, 0)), (0, 0, 5.0), history=fx.Constant())
    model = fx.Model(bar, hinge, spring, drive, moment)
    change = fx.control.Event(lambda view: view.t - 1.0, action=lambda view: {moment: 3.0}, name="change")
    run = fx.simulate(model, 8.0, step=1e-2, events=[change], output=fx.Output(every=4.0), progress=False)
    found = fx.kinematics.inverse_dynamics(run).force[:, 0]
    np.testing.assert_allclose(found, [0.0 - 5.0, 8.0 - 15.0, 16.0 - 15.0], rtol=1e-9)


def test_a_gear_behind_a_driver_beyond_half_a_turn() -> None:
    """Statics at a time: the torque of a spring behind a gear."""
    a, b = (fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(x, 0, 0), name=n) for x, n in ((0, "a"), (1, "b")))
    first, second = (
        fx.RevoluteJoint(fx.ground, body, at=(x, 0, 0), axis=(0, 0, 1), name=f"hinge {body.name}")
        for x, body in ((0, a), (1, b))
    )
    gear = fx.Gear(first, second, ratio=0.3, name="gear")
    drive = fx.RotationDriver(first, motion=fx.motions.Linear(1.0), name="drive")
    model = fx.Model(a, b, first, second, gear, drive, fx.TorsionSpring(second, stiffness=3.0, name="spring"))
    for t in (3.0, 3.2, 10.0):
        still = fx.solve_static(model, time=t)
        assert still.angle(second, step=-1) == pytest.approx(0.3 * t)
        assert still.reaction_moment("drive", step=-1)[2] == pytest.approx(0.27 * t)
