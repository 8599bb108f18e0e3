"""Accelerations and multipliers at the start, against values derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.consistent_state import accelerations, assemble
from flexmbs.dynamics.evaluation import Dynamics

G = 9.81


def start(model: fx.Model):
    """System, velocities, accelerations, multipliers of the consistent start."""
    dynamics = Dynamics(fx.compile_model(model))
    c = dynamics.coordinates
    found = assemble(dynamics, 0.0, c.reference.copy(), c.velocity.copy())
    return dynamics, found.v, *accelerations(dynamics, 0.0, found.q, found.v)


def bar(length: float, middle, name: str, planar: bool, **more):
    inertia = 2.0 * length**2 / 12.0
    if planar:
        return fx.PlanarRigidBody(2.0, inertia, position=middle[:2], name=name, **more)
    return fx.RigidBody(2.0, (1e-3, inertia, inertia), position=middle, name=name, **more)


@pytest.mark.parametrize("planar", [True, False])
def test_pendulum_released_from_horizontal(planar: bool) -> None:
    """A slender bar: its tip falls with 3/2 g, and the hinge carries a quarter of the weight."""
    body = bar(1.0, (0.5, 0, 0), "bar", planar)
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    gravity = fx.Gravity((0, -G)) if planar else fx.Gravity((0, -G, 0))
    model = fx.Model(body, hinge, gravity)
    _, _, a, _ = start(model)
    assert a[1] == pytest.approx(-0.75 * G, rel=1e-12)
    assert a[-1] == pytest.approx(-1.5 * G, rel=1e-12)
    run = fx.simulate(model, until=1e-6, step=1e-6)
    assert run.reaction(hinge)[0] == pytest.approx([0.0, 0.25 * 2.0 * G, 0.0], abs=1e-5)


def test_spinning_pendulum_pulls_at_its_hinge() -> None:
    """m w^2 l / 2 towards the hinge."""
    body = fx.PlanarRigidBody(2.0, 1.0 / 6.0, position=(0.5, 0), velocity=(0, 2.0), angular_velocity=4.0, name="bar")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0))
    model = fx.Model(body, hinge)
    _, v, a, _ = start(model)
    assert v == pytest.approx([0, 2.0, 4.0], abs=1e-12)
    assert a == pytest.approx([-8.0, 0, 0], abs=1e-11)
    run = fx.simulate(model, until=1e-6, step=1e-6)
    assert run.reaction(hinge)[0] == pytest.approx([-16.0, 0, 0], abs=1e-4)


def test_double_pendulum_against_its_minimal_equations() -> None:
    """M(theta) thdd = -c - g with point masses at the ends of massless rods, angles from the x axis."""
    m, L, th, w = (1.5, 0.8), (1.0, 0.7), np.array([0.4, -0.9]), np.array([1.2, -2.1])
    ends = [L[k] * np.array([np.cos(th[k]), np.sin(th[k])]) for k in range(2)]
    rates = [L[k] * w[k] * np.array([-np.sin(th[k]), np.cos(th[k])]) for k in range(2)]
    balls = [
        fx.PointMass(m[0], position=ends[0], velocity=rates[0], name="upper"),
        fx.PointMass(m[1], position=ends[0] + ends[1], velocity=rates[0] + rates[1], name="lower"),
    ]
    rods = (
        fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), balls[0], name="rod 0"),
        fx.DistanceConstraint(*balls, name="rod 1"),
    )
    model = fx.Model(*balls, *rods, fx.Gravity((0, -G)))
    _, _, a, _ = start(model)
    d = th[0] - th[1]
    M = np.array([[(m[0] + m[1]) * L[0] ** 2, m[1] * L[0] * L[1] * np.cos(d)], [0.0, m[1] * L[1] ** 2]])
    M[1, 0] = M[0, 1]
    k = m[1] * L[0] * L[1] * np.sin(d)
    right = -np.array(
        [k * w[1] ** 2 + (m[0] + m[1]) * G * L[0] * np.cos(th[0]), -k * w[0] ** 2 + m[1] * G * L[1] * np.cos(th[1])]
    )
    thdd = np.linalg.solve(M, right)
    parts = [
        L[i]
        * (thdd[i] * np.array([-np.sin(th[i]), np.cos(th[i])]) - w[i] ** 2 * np.array([np.cos(th[i]), np.sin(th[i])]))
        for i in range(2)
    ]
    assert a == pytest.approx(np.concatenate((parts[0], parts[0] + parts[1])), rel=1e-10)
    # Newton's law of the lower ball gives the force of its rod
    force = m[1] * (parts[0] + parts[1]) + np.array([0, m[1] * G])
    run = fx.simulate(model, until=1e-6, step=1e-6)
    assert run.reaction(rods[1])[0] == pytest.approx([*force, 0.0], abs=1e-3)


@pytest.mark.parametrize("t", [0.0])
def test_torque_of_a_driven_pendulum(t: float) -> None:
    """J_O thdd + m g l/2 cos(th), with th = 0.3 sin(2 t) + t^2."""
    body = bar(1.0, (0.5, 0, 0), "bar", True)
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0))
    motor = fx.RotationDriver(hinge, lambda t: 0.3 * np.sin(2 * t) + t * t, name="motor")
    model = fx.Model(body, hinge, motor, fx.Gravity((0, -G)))
    run = fx.simulate(model, until=1.0, step=1e-3)
    th = 0.3 * np.sin(2 * run.t) + run.t**2
    thdd = -1.2 * np.sin(2 * run.t) + 2.0
    torque = 2.0 / 3.0 * thdd + 2.0 * G * 0.5 * np.cos(th)
    found = run.reaction_moment(motor)[:, 2]
    assert found[0] == pytest.approx(torque[0], abs=1e-4)
    assert found == pytest.approx(torque, abs=1e-2)
    w = 0.6 * np.cos(2 * run.t) + 2 * run.t
    radial = -2.0 * 0.5 * w**2 * np.cos(th) - 2.0 * 0.5 * thdd * np.sin(th)
    assert run.reaction(hinge)[:, 0] == pytest.approx(radial, abs=1e-2)


def test_gyroscopic_acceleration_of_a_free_body() -> None:
    """Euler's equations: J wd = -w x J w."""
    J, w = np.array([1.0, 2.0, 3.0]), np.array([0.4, -1.0, 0.7])
    body = fx.RigidBody(1.0, tuple(J), angular_velocity=tuple(w), name="body")
    _, _, a, _ = start(fx.Model(body))
    assert a[3:] == pytest.approx(-np.cross(w, J * w) / J, abs=1e-14)


def test_stored_accelerations_satisfy_their_equations() -> None:
    """The violation on the level of accelerations at the start is round-off without smoothing of stiff parts."""
    body = bar(1.0, (0.5, 0, 0), "bar", False)
    run = fx.simulate(
        fx.Model(body, fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0)), fx.Gravity((0, 0, -G))),
        until=0.5, step=1e-2,
    )  # fmt: skip
    assert run.residuals[:, 0].max() < 1e-9
    assert run.residuals[:, 1].max() < 1e-9


@pytest.mark.parametrize("scheme", [fx.GeneralizedAlpha(), fx.AugmentedLagrangian()], ids=["alpha", "lagrangian"])
def test_first_accelerations_under_a_damper_are_of_second_order(scheme: fx.integrators.Integrator) -> None:
    """A body turned about a hinge by a spring, its weight and a damper: a = (k x - m g) / (m + J / l^2) at l = 1."""
    k, c, m, J, stretch = 1e3, 50.0, 1.0, 0.1, 0.01
    exact = (k * stretch - m * G) / (m + J)
    off = []
    for step in (1e-3, 5e-4):
        body = fx.RigidBody(m, (J, J, J), position=(1, 0, 0), name="body")
        hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0))
        above = fx.ground.marker((1, 0, 1))
        spring = fx.SpringDamper(above, body.centre, stiffness=k, damping=c, free_length=1.0 - stretch)
        model = fx.Model(body, hinge, spring, fx.Gravity((0, 0, -G)))
        run = fx.simulate(model, until=2 * step, step=step, integrator=scheme)
        carried = m * (run.acceleration(body)[0] + np.array([0, 0, G])) - np.array([0, 0, k * stretch])
        assert run.reaction(hinge)[0] == pytest.approx(carried, abs=1e-2 * m * exact)
        off.append(abs(run.acceleration(body)[0, 2] - exact))
    assert off[0] < 1e-3 * exact
    assert off[1] == pytest.approx(off[0] / 4, rel=0.05)


def test_first_accelerations_of_a_spin_are_of_second_order() -> None:
    """Euler's equations of a free body, at steps that turn it by 0.01 rad and by half of that."""
    inertia, spin = np.array([0.1, 0.2, 0.25]), np.array([5.0, 7.0, -4.0])
    exact = -np.cross(spin, inertia * spin) / inertia
    off = []
    for step in (1e-3, 5e-4):
        body = fx.RigidBody(1.0, inertia, angular_velocity=spin, name="body")
        run = fx.simulate(fx.Model(body), until=2 * step, step=step)
        off.append(np.abs(run.a[0, 3:] - exact).max() / np.abs(exact).max())
    assert off[0] < 1e-5
    assert off[1] == pytest.approx(off[0] / 4, rel=0.05)


@pytest.mark.parametrize(
    "scheme", [fx.GeneralizedAlpha(), fx.AugmentedLagrangian(), fx.BDF()], ids=lambda x: str(x)[:8]
)
def test_first_accelerations_with_first_order_states(scheme: fx.integrators.Integrator) -> None:
    """What a state drives acts at its value: m a = x - c v, dx/dt = (u - x) / T with a sensor of v; error h^2."""
    m, c, T, speed, start_value = 2.0, 30.0, 0.02, 0.7, 1.3
    errors = []
    for h in (4e-4, 2e-4):
        body = fx.RigidBody(m, (1, 1, 1), position=(0, 0, 0), velocity=(speed, 0, 0), name="body")
        rail = fx.PrismaticJoint(fx.ground, body, at=(0, 0, 0), axis=(1, 0, 0), name="rail")
        rate, motor = fx.control.JointSensor(rail, rate=True), fx.control.JointActuator(rail, name="motor")
        lag = fx.control.FirstOrder([start_value], lambda x, u, t: (4.0 - 2.0 * u - x) / T, rate, motor, name="lag")
        model = fx.Model(
            body, rail, lag, fx.SpringDamper(fx.ground.marker((-1, 0, 0)), body.centre, damping=c, name="damper")
        )
        run = fx.simulate(model, until=4 * h, step=h, integrator=scheme, progress=False)
        place = run.system.coordinates.state_places(lag)[0]
        exact = (start_value - c * speed) / m, (4.0 - 2.0 * speed - start_value) / T
        errors.append([abs(run.acceleration(body)[0, 0] / exact[0] - 1.0), abs(run.a[0, place] / exact[1] - 1.0)])
    for coarse, fine in zip(*errors, strict=True):
        assert fine < 1e-4
        assert fine < 0.3 * coarse + 1e-12
