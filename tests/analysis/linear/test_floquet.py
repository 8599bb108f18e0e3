"""Floquet multipliers against Mathieu's equation, and against roots where there are any."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.verification.reference.data import load_reference


def pendulum(omega: float, damping: float, upright: bool) -> fx.Model:
    """A point on a massless rod, on a pivot that is at its top at t = 0; N23."""
    p = load_reference("n23").parameters
    side = 1.0 if upright else -1.0
    pivot = fx.PlanarRigidBody(1.0, 0.01, position=(0, p["amp"]), name="pivot")
    bar = fx.PlanarRigidBody(1.0, 1e-12, position=(0, p["amp"] + side * p["l"]), name="bar")
    rail = fx.PrismaticJoint(fx.ground, pivot, at=(0, p["amp"]), axis=(0, 1), name="rail")
    pin = fx.RevoluteJoint(pivot, bar, at=(0, p["amp"]), name="pin")
    motion = fx.motions.Sine(amplitude=p["amp"], frequency=omega / (2 * math.pi), phase=math.pi / 2, offset=-p["amp"])
    drive = fx.TranslationDriver(rail, motion, name="shaker")
    damper = fx.TorsionSpring(pin, damping=damping * p["l"] ** 2, name="damper")
    return fx.Model(pivot, bar, rail, pin, drive, damper, fx.Gravity((0, -p["g"])))


@pytest.mark.parametrize(
    ("name", "omega", "damping", "upright"),
    [
        ("hanging, near twice the frequency (unstable)", 12.6, 0.2, False),
        ("hanging, away from resonance (stable)", 20.0, 0.2, False),
        ("upright, fast pivot (stable, Kapitza)", 160.0, 0.5, True),
        ("upright, slow pivot (unstable)", 80.0, 0.5, True),
    ],
)
def test_pendulum_on_a_shaking_pivot(name: str, omega: float, damping: float, upright: bool) -> None:
    stored = load_reference("n23")
    found = fx.floquet(pendulum(omega, damping, upright), period=2 * math.pi / omega, samples=32)
    exact = [complex(*(stored.value(f"{name}: multiplier {i} (real, imaginary)", k) for k in (0, 1))) for i in (1, 2)]
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex(exact), rel=1e-7, abs=1e-8)
    growth = stored.value(f"{name}: largest real part of the exponents")
    assert found.exponents.real.max() == pytest.approx(growth, rel=1e-6)
    assert found.stable == (growth < 0.0)


def rotor(speed: float, flat: float, y: float) -> fx.Model:
    """A rotor about z whose diametral moments differ by ``flat``, in bearings whose stiffnesses differ by ``y``."""
    body = fx.RigidBody(12.0, (0.35 * (1 - flat), 0.35 * (1 + flat), 0.5), angular_velocity=(0, 0, speed), name="rotor")
    bearings = [
        fx.Bushing(
            fx.ground, body, (k * (1 - y), k * (1 + y), 1e6), damping=(80.0, 80.0, 50.0), at=(0, 0, z), name=f"at {z}"
        )
        for z, k in ((-0.3, 4e5), (0.2, 7e5))
    ]
    return fx.Model(body, *bearings)


def test_a_rotor_that_has_roots_has_their_multipliers() -> None:
    speed = 300.0
    period = 2 * math.pi / speed
    model = rotor(speed, 0.0, 0.2)
    found = fx.floquet(model, period, samples=16)
    linear = fx.linearise(model)
    exact = np.exp(linear.poles * period)
    for value in exact:
        assert np.abs(found.multipliers - value).min() < 1e-6
    assert found.stable
    assert found.plot().get_title().startswith("Floquet multipliers")


def test_a_flat_rotor_has_the_multipliers_of_its_roots_in_its_own_axes() -> None:
    """After a whole turn axes that turn along are those of before."""
    speed = 300.0
    period = 2 * math.pi / speed
    model = rotor(speed, 0.3, 0.0)
    modes = fx.solve_modal(model)
    assert modes.frame == "body 'rotor'"
    found = fx.floquet(model, period, samples=32)
    for value in np.exp(modes.roots * period):
        assert np.abs(found.multipliers - value).min() < 1e-6


def test_a_flat_rotor_in_unlike_bearings_has_multipliers_alone() -> None:
    """By hand: L = J(t) theta' + Jp Omega theta x e across the axis e, over a turn by a Runge-Kutta method."""
    speed, flat, y = 300.0, 0.3, 0.2
    model = rotor(speed, flat, y)
    with pytest.raises(fx.ModelError, match="Floquet"):
        fx.solve_modal(model)
    period = 2 * math.pi / speed
    found = fx.floquet(model, period, samples=32)
    J, Jp, delta = 0.35, 0.5, -0.35 * flat

    def rates(t: float, flat_z: Any) -> Any:
        z = flat_z.reshape(8, 8)  # x, y of the centre, a, b of the tilt, and their rates
        x, v = z[:4], z[4:]
        load = np.zeros((4, 8))
        for h, k in ((-0.3, 4e5), (0.2, 7e5)):
            p, u = (np.array([w[0] + h * w[3], w[1] - h * w[2]]) for w in (x, v))
            f = -np.array([[k * (1 - y)], [k * (1 + y)]]) * p - 80.0 * u
            load += np.array([f[0], f[1], -h * f[1], h * f[0]])
        c, s = math.cos(2 * speed * t), math.sin(2 * speed * t)
        inertia = J * np.eye(2) + delta * np.array([[c, s], [s, -c]])
        change = 2 * speed * delta * np.array([[-s, c], [c, s]])
        gyroscopic = Jp * speed * np.array([v[3], -v[2]])
        tilting = np.linalg.solve(inertia, load[2:] - change @ v[2:] - gyroscopic)
        return np.vstack((v, load[:2] / 12.0, tilting)).ravel()

    end = solve_ivp(rates, (0.0, period), np.eye(8).ravel(), method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    exact = np.linalg.eigvals(end.reshape(8, 8))
    for value in exact:
        assert np.abs(found.multipliers - value).min() < 1e-6


def test_what_is_refused() -> None:
    model = pendulum(12.6, 0.2, False)
    with pytest.raises(fx.ModelError, match="not periodic"):
        fx.floquet(model, period=0.3)
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.floquet(3, period=0.3)  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", [1.0, 1e4])
def test_a_small_turn_that_does_not_return_is_seen_beside_a_long_way(unit: float) -> None:
    """The wheel swings with a period of its own on a slide that is moved to and fro by 1 m, told in other units."""
    rate = 2.0 * math.pi * unit
    slide = fx.PlanarRigidBody(1.0, 0.1 * unit**2, velocity=(rate, 0), name="slide")
    wheel = fx.PlanarRigidBody(1.0, 0.1 * unit**2, velocity=(rate, 0), angular_velocity=0.05, name="wheel")
    rail = fx.PrismaticJoint(fx.ground, slide, at=(-unit, 0), axis=(1, 0), name="rail")
    pin = fx.RevoluteJoint(slide, wheel, at=(0, 0), name="pin")
    drive = fx.TranslationDriver(rail, fx.motions.Sine(amplitude=unit, frequency=1.0), name="shaker")
    spring = fx.TorsionSpring(pin, stiffness=0.7 * unit**2, name="spring")
    run = fx.simulate(
        fx.Model(slide, wheel, rail, pin, drive, spring), 1.0, step=0.01, output=fx.Output(every=0.01), progress=False
    )
    with pytest.raises(fx.ModelError, match="not periodic"):
        fx.floquet(run, period=1.0)


@pytest.mark.parametrize("unit", [1.0, 1e4])
def test_a_turn_in_space_that_does_not_return_is_seen_beside_a_long_way(unit: float) -> None:
    """The wheel turns on at 0.8 revolutions a period."""
    rate = 2.0 * math.pi * unit
    inertia = (0.1 * unit**2,) * 3
    slide = fx.RigidBody(1.0, inertia, velocity=(rate, 0, 0), name="slide")
    wheel = fx.RigidBody(1.0, inertia, velocity=(rate, 0, 0), angular_velocity=(0, 0, 1.6 * math.pi), name="wheel")
    rail = fx.PrismaticJoint(fx.ground, slide, at=(-unit, 0, 0), axis=(1, 0, 0), name="rail")
    pin = fx.RevoluteJoint(slide, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="pin")
    drive = fx.TranslationDriver(rail, fx.motions.Sine(amplitude=unit, frequency=1.0), name="shaker")
    run = fx.simulate(
        fx.Model(slide, wheel, rail, pin, drive), 1.0, step=0.01, output=fx.Output(every=0.01), progress=False
    )
    with pytest.raises(fx.ModelError, match="not periodic"):
        fx.floquet(run, period=1.0)


def test_an_arm_that_goes_round_on_a_universal_joint() -> None:
    """As a tree, whose angles grow by a turn a period, it has the multipliers along the run; else it is told."""
    rate = 12.0
    period = 2 * np.pi / rate
    hub = fx.RigidBody(2.0, (0.1, 0.2, 0.15), position=(0, 0, 0), angular_velocity=(rate, 0, 0), name="hub")
    axle = fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(1, 0, 0), name="axle")
    drive = fx.RotationDriver(axle, motion=fx.motions.Linear(rate), name="drive")
    place = (0.1, 0.02, 0.5)
    arm = fx.RigidBody(0.8, (0.01, 0.03, 0.025), position=place, velocity=tuple(np.cross((rate, 0, 0), place)),
                       angular_velocity=(rate, 0, 0), name="arm")  # fmt: skip
    joint = fx.UniversalJoint(hub, arm, at=(0.05, 0, 0.2), axes=((1, 0, 0), (0, 1, 0)), name="joint")
    bushing = fx.Bushing(hub, arm, stiffness=(0, 0, 0, 30, 25, 20), damping=(0, 0, 0, 1.5, 1.0, 1.0), at=(0.05, 0, 0.2))
    model = fx.Model(hub, arm, axle, drive, joint, bushing, fx.Gravity((1.0, 0, -9.81)))
    few = fx.Output(every=period)
    tree = fx.trees.to_relative_coordinates(model)
    settled = fx.simulate(tree, until=20 * period, step=period / 200, output=few, progress=False)
    along = fx.simulate(tree, until=21 * period, step=period / 400, start=settled, progress=False)
    expected = np.linalg.eigvals(fx.linearise_along(along, times=401).transition())
    found = fx.floquet(settled, period).multipliers
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), abs=1e-5)
    cartesian = fx.simulate(model, until=20 * period, step=period / 200, output=few, progress=False)
    with pytest.raises(fx.ModelError, match=r"the others do not follow from them.*linearise_along"):
        fx.floquet(cartesian, period)


def test_a_bristle_is_taken_with_its_integral() -> None:
    """Free of friction force on its spring: the pair of the spring and the bristle, and one for the state, twice."""
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=40.0, damping=0.08, name="spring")
    friction = fx.BristleFriction(hinge, 0.5, load=1.0, deflection=0.02, damping=0.1, name="friction")
    model = fx.Model(bar, hinge, spring, friction)
    found = fx.floquet(model, 0.1).multipliers
    poles = np.exp(0.1 * fx.linearise(model).poles)
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(np.append(poles, 1.0)), abs=1e-7)
