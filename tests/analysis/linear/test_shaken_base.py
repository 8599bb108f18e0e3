"""Random response of what stands on a shaken base, whose displacement and rate do not decay, against closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbs as fx

F, ZETA = 20.0, 0.05
"""Natural frequency and damping ratio of the mass on the base."""
W = 2.0 * np.pi * F
BAND = fx.TableSpectrum([5.0, 40.0, 200.0], [1.0, 3.0, 0.2])


def shaken(zeta: float = ZETA, air: float = 0.0) -> fx.LinearModel:
    """A mass of one on spring and damper over a base; ``air``: a damper between the mass and the ground."""
    base, part = fx.PointMass(1.0, position=(0, 0), name="base"), fx.PointMass(1.0, position=(0, 1), name="part")
    guides = [fx.PointOnLineConstraint(fx.ground, x, at=x.position, axis=(0, 1, 0)) for x in (base, part)]
    mount = fx.SpringDamper(base, part, stiffness=W**2, damping=2.0 * zeta * W)
    drag = [fx.SpringDamper(fx.ground.marker((0, -1)), part, damping=air, name="drag")] if air else []
    shaker = fx.DistanceDriver(fx.ground.marker((0, -1)), base, fx.motions.Constant(1.0), name="shaker")
    push = fx.PointForce(part, (0.0, 1.0))
    sensors = [
        fx.control.DistanceSensor(base, part, name="stroke"),
        fx.control.AccelerationSensor(part, (0, 1), name="acceleration"),
        fx.control.PositionSensor(part, (0, 1), name="place"),
    ]
    return fx.linearise(fx.Model(base, part, *guides, mount, *drag, shaker), ["shaker", push], sensors)


def amplification(f: float) -> complex:
    """Absolute acceleration by that of the base."""
    r = f / F
    return complex((1.0 + 2j * ZETA * r) / (1.0 - r**2 + 2j * ZETA * r))


def test_white_acceleration_of_the_base() -> None:
    """The mean squares of Miles: G / (8 zeta w^3) of the stroke, G w (1 + 4 zeta^2) / (8 zeta) of the acceleration."""
    G = 2.5
    found = shaken().part(outputs=["stroke", "acceleration"]).random({"shaker": G})
    exact = [G / (8.0 * ZETA * W**3), G * 0.5 * np.pi * F * (1.0 + 4.0 * ZETA**2) / (2.0 * ZETA)]
    assert found.mean_squares == pytest.approx(exact, rel=1e-8)
    assert found.rate_mean_squares[0] == pytest.approx(G / (8.0 * ZETA * W), rel=1e-8)
    assert found.spectrum([0.0, F])[:, 1] == pytest.approx([G, G * abs(amplification(F)) ** 2], rel=1e-8)


def test_a_table_also_where_the_base_itself_is_seen() -> None:
    found = shaken().random({"shaker": BAND})

    def mean_square(gain: object) -> float:
        ends = (5.0, F - 1.0, F + 1.0, 40.0, 200.0)
        return sum(
            quad(lambda f: abs(gain(f)) ** 2 * BAND(f), a, b, epsrel=1e-11)[0]  # type: ignore[operator]
            for a, b in pairwise(ends)
        )

    gains = [
        lambda f: 1.0 / (W**2 - (2 * np.pi * f) ** 2 + 2j * ZETA * W * 2 * np.pi * f), amplification,
        lambda f: amplification(f) / (2 * np.pi * f) ** 2,
    ]  # fmt: skip
    assert found.mean_squares == pytest.approx([mean_square(gain) for gain in gains], rel=1e-7)
    assert not np.any(found.spectrum([0.0, 300.0]))
    seldom = shaken().part(outputs=["stroke", "acceleration"]).random({"shaker": BAND})
    assert seldom.mean_squares == pytest.approx(found.mean_squares[:2], rel=1e-8)


def test_what_has_no_stationary_state() -> None:
    with pytest.raises(fx.ModelError, match="'place' depends on 'motion of shaker', an integral of the input 'shaker'"):
        shaken().random({"shaker": 1.0})
    with pytest.raises(fx.ModelError, match="'stroke' depends on 'rate of the motion of shaker'"):
        shaken(air=1e-3).part(outputs=["stroke"]).random({"shaker": 1.0})
    with pytest.raises(fx.ModelError, match="does not decay"):
        shaken(zeta=0.0).random({"shaker": BAND})


def test_a_base_that_stands_still() -> None:
    """A force on the part moves no base: the mean square is G / (4 k c)."""
    found = shaken().part(outputs=["place", "stroke"]).random({1: 3.0})
    assert found.mean_squares == pytest.approx([3.0 / (4.0 * W**2 * 2.0 * ZETA * W)] * 2, rel=1e-8)


def test_a_free_mass() -> None:
    """Its place is the force integrated twice: G / (m^2 w^4) over the table; with drag its speed needs no place."""
    ball = fx.PointMass(2.0, position=(0, 0), name="ball")
    push = fx.PointForce(ball, (1.0, 0.0))
    place, speed = fx.control.PositionSensor(ball, (1, 0)), fx.control.VelocitySensor(ball, (1, 0))
    free = fx.linearise(fx.Model(ball), [push], [place])
    found = free.random({0: fx.TableSpectrum([1.0, 10.0], [1.0, 1.0])})
    assert found.mean_squares[0] == pytest.approx((1.0 - 1e-3) / 3.0 / (4.0 * (2.0 * np.pi) ** 4), rel=1e-8)
    drag = fx.Bushing(fx.ground.marker((0, 0, 0)), ball, (0.0, 0.0), damping=(3.0, 3.0))
    slowed = fx.linearise(fx.Model(ball, drag), [push], [speed])
    assert slowed.random({0: 5.0}).mean_squares[0] == pytest.approx(5.0 / (4.0 * 2.0 * 3.0), rel=1e-8)


def test_acceleration_of_a_beam_whose_poles_spread_over_eight_decades() -> None:
    """The filtered white noise that is flat up to 100 kHz, against the table of the same spectrum."""
    beam = fx.FlexibleBody.line(
        (0, 0), (0.5, 0), elements=30, element=fx.elements.ANCFCable2D(), name="beam",
        section=fx.Rectangle(width=0.02, height=0.005),
        material=fx.Elastic(youngs_modulus=2e11, density=7800.0, retardation_time=1e-4),
    )  # fmt: skip
    table = fx.PlanarRigidBody(10.0, 1.0, position=(0, 0), name="table")
    slide = fx.PrismaticJoint(fx.ground, table, at=(0, 0), axis=(0, 1), name="slide")
    shaker = fx.TranslationDriver(slide, fx.motions.Constant(0.0), name="shaker")
    model = fx.Model(table, beam, slide, shaker, fx.FixedJoint(table, beam.start))
    linear = fx.linearise(model, [shaker], [fx.control.AccelerationSensor(beam.end, (0, 1))])
    assert np.abs(linear.poles).max() > 1e6 * np.abs(linear.poles[2])
    shaped = fx.FirstOrderSpectrum(1e10, corner=1e5)
    f = np.geomspace(1e-2, 1e6, 200)
    found, other = linear.random({0: shaped}), linear.random({0: fx.TableSpectrum(f, shaped(f))})
    assert found.mean_squares == pytest.approx(other.mean_squares, rel=1e-4)
