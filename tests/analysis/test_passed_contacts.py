"""Increments of statics do not go through contacts, which an equilibrium without them would not show."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import fsolve

import flexmbs as fx

R, GAP, FORCE, STIFFNESS = 0.05, 1e-4, 10.0, 1e6
LAW = fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS, exponent=1.0)


def falling_ball(
    force: float = FORCE,
) -> tuple[fx.PlanarRigidBody, fx.PrismaticJoint, fx.PointForce, fx.contact.Sphere]:
    """A ball that is guided downwards, to y = 0 where it begins GAP above what is there."""
    ball = fx.PlanarRigidBody(mass=1.0, inertia=0.01, position=(0.5, R + GAP), name="ball")
    guide = fx.PrismaticJoint(fx.ground, ball, at=(0.5, 0), axis=(0, 1), name="guide")
    return ball, guide, fx.PointForce(ball.centre, (0, -force)), fx.contact.Sphere(ball, radius=R)


@pytest.mark.parametrize("soft", [0.0, 1.0, 30.0])
def test_a_ball_on_a_soft_spring_stops_at_a_ball_below(soft: float):
    ball, guide, weight, shape = falling_ball()
    below = fx.contact.Sphere(fx.ground.marker((0.5, -R)), radius=R)
    items = [ball, guide, weight, fx.Contact((below, shape), LAW, name="touch")]
    if soft:
        items.append(fx.SpringDamper(fx.ground.marker((0.5, 1.0)), ball.centre, stiffness=soft, name="soft"))
    rest = fx.solve_static(fx.Model(*items))
    down = (FORCE + STIFFNESS * GAP) / (STIFFNESS + soft)
    assert rest.position(ball, step=-1)[1] == pytest.approx(R + GAP - down, abs=1e-12)
    assert rest.contact("touch").normal[-1, 0] == pytest.approx(STIFFNESS * (down - GAP), rel=1e-6)


def test_a_ball_that_nothing_else_holds_stops_at_a_thin_beam():
    force = 1.0
    ball, guide, weight, shape = falling_ball(force)
    length, width, height = 1.0, 0.02, 0.004
    beam = fx.FlexibleBody.line(
        (0, -height / 2), (length, -height / 2), elements=20, element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=width, height=height), material=fx.steel, name="beam",
    )  # fmt: skip
    law = fx.contact.HuntCrossleyLaw(stiffness=1e8, exponent=1.0)
    touch = fx.Contact((fx.contact.Tube(beam, radius=height / 2, points=16), shape), law, name="touch")
    with pytest.warns(fx.AccuracyWarning, match="no more than"):
        rest = fx.solve_static(fx.Model(ball, guide, weight, beam, fx.Clamp(beam.start), fx.Clamp(beam.end), touch))
    bending = fx.steel.youngs_modulus * width * height**3 / 12
    sags = -height / 2 - rest.position(beam.node(10), step=-1)[1]
    assert sags == pytest.approx(force * length**3 / (192 * bending), rel=0.01)


def test_bending_in_three_points_of_a_beam_that_only_lies_there():
    length, span, width, height, r, force = 1.0, 0.6, 0.02, 0.004, 0.02, 3.0
    beam = fx.FlexibleBody.line(
        (0, 0), (length, 0), elements=20, element=fx.elements.ANCFCable2D(),
        section=fx.Rectangle(width=width, height=height), material=fx.steel, name="beam",
    )  # fmt: skip
    props = [fx.contact.Cylinder(fx.ground.marker((x, -r - height / 2)), radius=r) for x in (0.2, 0.8)]
    punch = fx.PlanarRigidBody(mass=1.0, inertia=0.01, position=(0.5, r + height / 2), name="punch")
    guide = fx.PrismaticJoint(fx.ground, punch, at=(0.5, 0), axis=(0, 1), name="guide")
    aside = fx.SpringDamper(fx.ground.marker((-1, 0)), beam.start, stiffness=50.0, name="aside")
    law = fx.contact.HuntCrossleyLaw(stiffness=1e7, exponent=1.0)
    tube = fx.contact.Tube(beam, radius=height / 2, points=8)
    touch = fx.Contact((*props, fx.contact.Cylinder(punch.centre, radius=r), tube), law, name="touch")
    press = fx.PointForce(punch.centre, (0, -force))
    with pytest.warns(fx.AccuracyWarning, match="no more than"):
        rest = fx.solve_static(fx.Model(beam, punch, guide, aside, touch, press))
    low, prop = (rest.position(beam.node(n), step=-1)[1] for n in (10, 4))
    bending = fx.steel.youngs_modulus * width * height**3 / 12
    assert prop - low == pytest.approx(force * span**3 / (48 * bending), rel=0.01)


def test_a_ball_may_be_drawn_over_another_one():
    """Over the top the gap of a straight increment is deep in between, but nothing goes through the middle."""
    along, down, pull, press = 2000.0, 300.0, 90.0, 20.0
    start = np.array([-0.02, np.sqrt((2 * R) ** 2 - 0.02**2)])
    ball = fx.PlanarRigidBody(mass=1.0, inertia=0.01, position=tuple(start), name="ball")
    hold = fx.Bushing(fx.ground, ball, stiffness=[along, down, 10.0], at=tuple(start))
    shapes = fx.contact.Sphere(fx.ground.marker((0, 0)), radius=R), fx.contact.Sphere(ball, radius=R)
    touch = fx.Contact(shapes, LAW, allow_overlap=True, name="touch")
    history = fx.Table([0.0, 0.2, 1.0], [0.0, 0.0, 1.0])
    weight = fx.PointForce(ball.centre, (0, -press), history=fx.Table([0.0, 0.2], [0.0, 1.0]))
    rest = fx.solve_static(fx.Model(ball, hold, touch, weight, fx.PointForce(ball.centre, (pull, 0), history=history)))

    def balance(x):
        far = np.hypot(*x)
        normal = STIFFNESS * max(2 * R - far, 0.0) * x / far
        return normal - np.array([along, down]) * (x - start) + np.array([pull, -press])

    assert rest.position(ball, step=-1)[:2] == pytest.approx(fsolve(balance, [0.025, 0.0967], xtol=1e-13), abs=1e-8)
    assert rest.position(ball, step=-1)[0] > 0.02
    assert len(rest.load_factors) < 60
