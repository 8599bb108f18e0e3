"""Friction of bristles on what slides on a way that turns acts against the slip, as dry friction does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx

G = 9.81


def on_floor(shapes: list, stiffness: float, friction) -> fx.Contact:
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=stiffness, exponent=1.0, damping=3.0)
    return fx.Contact((floor, *shapes), law, friction, allow_overlap=True, name="touch")


def test_a_pin_that_is_carried_round_is_held_back_against_its_way():
    mass, radius, rate, mu, k = 1.0, 0.2, 50.0, 0.4, 1e6
    arm = fx.RigidBody.box(
        size=(0.1, 0.1, 0.1), mass=mass, position=(0, 0, 0.05 - mass * G / k), angular_velocity=(0, 0, rate), name="arm"
    )
    pin = fx.contact.Vertex(arm.marker((radius, 0, -0.05)))
    touch = on_floor([pin], k, fx.contact.BristleLaw(mu, stiffness=1e5, damping=632.0))
    bearing = fx.CylindricalJoint(fx.ground, arm, at=(0, 0, 0), axis=(0, 0, 1), name="bearing")
    motor = fx.RotationDriver(bearing, rate=rate, name="motor")
    run = fx.simulate(fx.Model(arm, touch, bearing, motor, fx.Gravity((0, 0, -G))), until=0.05, step=1e-4)
    found = run.contact(touch)
    way = found.slip[-1, 0] / np.linalg.norm(found.slip[-1, 0])
    across = np.cross(way, (0, 0, 1))
    assert found.force[-1, 0] @ way == pytest.approx(-mu * mass * G, rel=1e-5)
    assert found.force[-1, 0] @ across == pytest.approx(0.0, abs=2e-3 * mu * mass * G)
    assert run.energy.work_drivers[-1] == pytest.approx(mu * mass * G * radius * rate * 0.05, rel=1e-4)


def sliding_and_spinning(until: float, mass: float, mu: float, side: float, height: float, start: list) -> np.ndarray:
    """x, y, vx, vy, angle, rate of a square puck on its corners: dry friction, normal forces linear in the place."""
    corners = 0.5 * side * np.array([(x, y) for x in (-1, 1) for y in (-1, 1)])
    inertia = mass * side**2 / 6

    def rates(t, y):
        c, s = np.cos(y[4]), np.sin(y[4])
        r = corners @ np.array([[c, s], [-s, c]])
        u = y[2:4] + y[5] * np.column_stack((-r[:, 1], r[:, 0]))
        e = u / np.linalg.norm(u, axis=1)[:, None]
        normal = np.full(4, mass * G / 4)
        for _ in range(20):  # moments of the friction about the centre tilt the puck on its equal springs
            pull = (-mu * normal[:, None] * e).sum(axis=0)
            normal = mass * G / 4 - 0.5 * height * r @ pull / (r[:, 0] ** 2).sum()
        force = -mu * normal[:, None] * e
        turn = (r[:, 0] * force[:, 1] - r[:, 1] * force[:, 0]).sum()
        return [y[2], y[3], *force.sum(axis=0) / mass, y[5], turn / inertia]

    return solve_ivp(rates, (0, until), start, rtol=1e-8, atol=1e-10).y[:, -1]


def test_a_puck_that_slides_and_spins_moves_as_with_dry_friction():
    mass, mu, k, side, height = 1.0, 0.3, 1e6, 0.2, 0.02
    puck = fx.RigidBody.box(
        size=(side, side, height), mass=mass, position=(0, 0, 0.5 * height - mass * G / 4 / k), velocity=(2.0, 0, 0),
        angular_velocity=(0, 0, 30.0), name="puck",
    )  # fmt: skip
    box = fx.contact.Box(puck.centre, size=(side, side, height))
    feet = [corner for corner in box.corners if corner.marker.point[2] < 0]
    touch = on_floor(feet, k, fx.contact.BristleLaw(mu, stiffness=1e5, damping=316.0))
    run = fx.simulate(fx.Model(puck, touch, fx.Gravity((0, 0, -G))), until=0.5)
    x, y, _, _, _, rate = sliding_and_spinning(0.5, mass, mu, side, height, [0, 0, 2.0, 0, 0, 30.0])
    assert run.position(puck)[-1, :2] == pytest.approx([x, y], abs=2e-4)
    assert run.angular_velocity(puck)[-1, 2] == pytest.approx(rate, rel=2e-3)
    assert len(run.steps) < 1000


def test_a_box_that_tumbles_over_a_floor_on_bristles():
    """As with dry friction, at fixed steps, where contacts close before their bristles are at rest."""
    ends = []
    for friction in (fx.contact.BristleLaw(0.3, stiffness=1e5, damping=200.0), fx.contact.CoulombLaw(0.3, speed=1e-3)):
        box = fx.RigidBody.box(
            size=(0.2, 0.2, 0.1), mass=1.0, position=(0, 0, 0.08), velocity=(1.0, 0.3, 0), angular_velocity=(0, 0, 2.0),
            name="box",
        )  # fmt: skip
        floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
        law = fx.contact.HuntCrossleyLaw(stiffness=1e5, restitution=0.5, at_speed=0.5)
        corners = fx.contact.Box(box.centre, size=(0.2, 0.2, 0.1)).corners
        touch = fx.Contact((floor, *corners), law, friction, name="touch")
        run = fx.simulate(fx.Model(box, touch, fx.Gravity((0, 0, -G))), until=0.25, step=2e-4)
        ends.append(run.position(box)[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_bristles_that_leave_the_steps_of_an_explicit_scheme_behind_are_not_blamed():
    """The bristle of an open contact returns to rest at k_0/k_1 = 5000 1/s, which steps of a flight do not resolve."""
    ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1005), velocity=(1.0, 0, -1.0), name="ball")
    floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    law = fx.contact.HuntCrossleyLaw(stiffness=1e5, restitution=0.5, at_speed=1.0)
    grip = fx.contact.BristleLaw(0.3, stiffness=1e5, damping=20.0)
    touch = fx.Contact((floor, fx.contact.Sphere(ball, radius=0.1)), law, grip, name="touch")
    model = fx.Model(ball, touch, fx.Gravity((0, 0, -G)))
    with pytest.warns(fx.AccuracyWarning, match=r"gained .* a smaller tolerance, .* or a max_step"):
        fx.simulate(model, until=0.3, step=fx.ErrorControl(rtol=1e-6), integrator=fx.RungeKutta())
