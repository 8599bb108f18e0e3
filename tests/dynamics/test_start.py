"""What a start does to what was described: nothing in silence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def crank(**more):
    body = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=2.0, name="crank")
    if more:
        body = body.with_spin(**more)
    return body, fx.RevoluteJoint(fx.ground, body, at=(0, 0), name="hinge")


@pytest.mark.parametrize("turns", [-3, -1, 0, 1, 2])
def test_drivers_that_begin_with_whole_turns(turns: int) -> None:
    """The crank stays where it is described, and turns on from there at 3 rad/s."""
    body, hinge = crank(angular_velocity=3.0, about=(0, 0))
    motor = fx.RotationDriver(hinge, fx.motions.Linear(3.0, start=2 * np.pi * turns), name="motor")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fx.simulate(fx.Model(body, hinge, motor), until=0.5, step=0.01)
    angle = np.arctan2(run.q[:, 1], run.q[:, 0])
    assert angle == pytest.approx(3.0 * run.t, abs=1e-9)


@pytest.mark.parametrize("start", [7.0, -3.3, 1.0, 100.0])
def test_drivers_that_begin_elsewhere_turn_the_mechanism_and_say_so(start: float) -> None:
    body, hinge = crank()
    model = fx.Model(body, hinge, fx.RotationDriver(hinge, fx.motions.Linear(3.0, start=start)))
    with pytest.warns(RuntimeWarning, match=r"the assembly moved 'crank' by .* rad to meet the joints"):
        run = fx.simulate(model, until=0.1, step=0.01)
    angle = start + 3.0 * run.t
    assert run.q[:, :2] == pytest.approx(0.5 * np.column_stack((np.cos(angle), np.sin(angle))), abs=1e-9)


def test_the_largest_move_is_named_once() -> None:
    """A body 0.2 off and one 0.1 off, both joined rigidly to the ground; `keep` says that it is meant."""
    bodies = [fx.PointMass(1.0, position=(k + 0.1 * k, 0.0, 0.0), name=f"ball {k}") for k in (1, 2)]
    pins = [fx.SphericalJoint(fx.ground.marker((k, 0, 0)), b.centre) for k, b in zip((1, 2), bodies, strict=True)]
    other = fx.PointMass(1.0, position=(0, 3, 0), name="other")
    model = fx.Model(*bodies, other, *pins)
    with pytest.warns(RuntimeWarning) as caught:
        fx.simulate(model, until=0.01, step=0.01)
    assert len(caught) == 1
    assert "the assembly moved 'ball 2' by 0.2 to meet" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.simulate(model, until=0.01, step=0.01, keep_initial=(other,))


def blade():
    return fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), section=fx.Rectangle(width=0.02, height=0.002),
        material=fx.steel, name="blade",
    )  # fmt: skip


def test_prescribed_displacements_need_a_static_start() -> None:
    body = blade()
    model = fx.Model(body, fx.Clamp(body.start), fx.Prescribe(body.end, displacement=(0, 0.05)))
    with pytest.raises(fx.ModelError, match=r"Prescribe.*solve the statics first.*start=solve_static"):
        fx.simulate(model, until=0.1)
    with pytest.raises(fx.ModelError, match=r"off by 0\.05"):
        fx.simulate(model, until=0.1, start=fx.solve_static(fx.Model(body, fx.Clamp(body.start))))
    run = fx.simulate(model, until=0.01, step=1e-3, start=fx.solve_static(model))
    assert run.position(body.end)[:, 1] == pytest.approx(0.05, abs=1e-14)
    assert np.abs(run.q - run.q[0]).max() < 1e-9


def test_prescribed_rotations_are_refused_in_motion() -> None:
    body = blade()
    model = fx.Model(body, fx.Clamp(body.start), fx.Prescribe(body.end, rotation=0.2))
    for start in (None, fx.solve_static(model)):
        with pytest.raises(fx.ModelError, match="prescribes a rotation"):
            fx.simulate(model, until=0.1, start=start)


def blade_and_mass() -> tuple[fx.FlexibleBody, fx.Model]:
    body, other = blade(), fx.PointMass(1.0, position=(0, 1), name="other")
    spring = fx.SpringDamper(fx.ground.marker((0, 2, 0)), other, stiffness=10.0)
    return body, fx.Model(body, other, spring, fx.Clamp(body.start), fx.Prescribe(body.end, displacement=(0, 0.05)))


@pytest.mark.parametrize(("analysis", "remedy"), [
    (fx.linearise, r"solve_static\(model\) in place of the model"),
    (lambda m: fx.simulate(m, until=0.1), r"start=solve_static\(model\)"),
    (lambda m: fx.kinematics.trace_kinematics(m, (0.0, 1.0)), "drive the joint"),
])  # fmt: skip
def test_prescribed_displacements_beside_other_bodies_are_refused(analysis: Any, remedy: str) -> None:
    """With what to do: statics takes any bodies, and every analysis that can begin from what it finds says so."""
    _, model = blade_and_mass()
    with pytest.raises(fx.ModelError, match=remedy):
        analysis(model)


@pytest.mark.filterwarnings("ignore:.*one of many")
def test_motions_beside_other_bodies_begin_from_statics() -> None:
    """What was refused goes on from the equilibrium, and stays there."""
    body, model = blade_and_mass()
    rest = fx.solve_static(model)
    run = fx.simulate(model, until=0.01, step=1e-3, start=rest, progress=False)
    assert run.position(body.end)[:, 1] == pytest.approx(0.05, abs=1e-14)
    assert np.abs(run.q - run.q[0]).max() < 1e-9
    assert len(fx.linearise(rest).A)


@pytest.mark.filterwarnings("ignore:.*one of many")
def test_prescribed_displacements_beside_other_bodies_in_statics() -> None:
    """The blade takes the shape that it has without the other body."""
    body, model = blade_and_mass()
    alone = fx.Model(body, fx.Clamp(body.start), fx.Prescribe(body.end, displacement=(0, 0.05)))
    own = fx.solve_static(model)
    dofs = np.unique(own.system.coordinates.node_dofs[0])
    assert own.q[-1][dofs] == pytest.approx(fx.solve_static(alone).q[-1], abs=1e-9)


@pytest.mark.parametrize("planar", [True, False])
def test_a_spin_about_a_point_is_carried_to_the_equilibrium(planar: bool) -> None:
    """A bar on a spiral spring sags by phi, k phi = m g cos(phi) / 2, and begins with the spin asked for."""
    if planar:
        body = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="bar").with_spin(1.0, about=(0, 0))
        hinge, weight = fx.RevoluteJoint(fx.ground, body, at=(0, 0)), fx.Gravity((0, -G))
    else:
        body = fx.RigidBody.rod((0, 0, 0), (1, 0, 0), mass=1.0, name="bar").with_spin((0, 0, 1), about=(0, 0, 0))
        hinge, weight = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1)), fx.Gravity((0, -G, 0))
    model = fx.Model(body, hinge, fx.TorsionSpring(hinge, stiffness=9.0), weight)
    rest = fx.solve_static(model)
    phi = float(rest.angle(hinge)[-1])
    assert 9.0 * phi == pytest.approx(-0.5 * G * np.cos(phi))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fx.simulate(model, until=0.01, step=0.01, start=rest)
    assert run.v[0, -1] == pytest.approx(1.0, abs=1e-9)
    assert run.v[0, :2] == pytest.approx([-0.5 * np.sin(phi), 0.5 * np.cos(phi)], abs=1e-9)


def test_velocities_that_the_joints_change_are_told() -> None:
    """A bar with a spin about its centre, hinged at its end: J w = (J + m l^2 / 4) w', so a quarter remains."""
    body, hinge = crank(angular_velocity=2.0)
    with pytest.warns(RuntimeWarning, match=r"velocity of 'crank' by 86.6 %, from \(0, 0, 2\) to \(0, 0.25, 0.5\)"):
        fx.simulate(fx.Model(body, hinge), until=0.01, step=0.01)


def test_velocities_of_a_flexible_body_are_those_at_the_equilibrium() -> None:
    """v = Omega x r at the sagging points, not at the straight ones."""
    body = blade()
    model = fx.Model(body, fx.Pin(body.start), fx.Pin(body.end), fx.Gravity((0, -100 * G)))
    rest = fx.solve_static(model)
    free = fx.Model(body, fx.Pin(body.start), fx.InitialVelocity(body, angular_velocity=2.0))
    run = fx.simulate(free, until=1e-5, step=1e-5, start=rest)
    middle = body.node(2)
    x, y = run.position(middle)[0, :2]
    assert y < -1e-3
    assert run.velocity(middle)[0, :2] == pytest.approx([-2.0 * y, 2.0 * x], rel=1e-12)
