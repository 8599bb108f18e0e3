"""Friction with a bristle: derivatives, sticking without creep, sliding, and the description."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.kernels.laws import BRISTLE, bristle_law, law
from flexmbs.model.joints.lower_pairs import PrismaticJoint, RevoluteJoint

# k0, k1, c, sliding, start of sliding, falling, z0
DATA = np.array([9.0, 1000.0, 20.0, 0.5, 2.0, 3.0, 0.1, 0.0014])
DEFLECTION = 2e-3


@pytest.mark.parametrize("z", [1e-3, 1.6e-3, 2.2e-3, 4e-3, -1.7e-3, -1e-3])
@pytest.mark.parametrize("u", [0.05, -0.08, 0.3, -0.5])
def test_derivatives(z: float, u: float) -> None:
    found = bristle_law(1, DATA, z, u)
    h = 1e-7
    by_z = (np.array(bristle_law(1, DATA, z + h, u)) - bristle_law(1, DATA, z - h, u)) / (2 * h)
    by_u = (np.array(bristle_law(1, DATA, z, u + h)) - bristle_law(1, DATA, z, u - h)) / (2 * h)
    _, _, force_u, force_z, _, _, rate_u, rate_z, energy = found
    assert force_z == pytest.approx(by_z[0], rel=1e-5, abs=1e-5)
    assert force_u == pytest.approx(by_u[0], rel=1e-5, abs=1e-5)
    assert rate_z == pytest.approx(by_z[4], rel=1e-5, abs=1e-5)
    assert rate_u == pytest.approx(by_u[4], rel=1e-5, abs=1e-5)
    assert force_z - 1000.0 == pytest.approx(20.0 * rate_z)
    assert energy == pytest.approx(500.0 * z * z)
    assert (found[1], found[5]) == (0.0, 0.0), "the place of the coordinate does not matter"


def test_sliding_force_falls_with_the_rate() -> None:
    for u in (0.01, 0.1, -0.3):
        size = 2.0 + math.exp(-((u / 0.1) ** 2))
        force, _, _, _, rate, *_ = bristle_law(1, DATA, math.copysign(size / 1000.0, u), u)
        assert rate == pytest.approx(0.0, abs=1e-15)
        assert force == pytest.approx(math.copysign(size, u) + 0.5 * u)


def test_small_deflections_are_elastic() -> None:
    for z in (0.0, 1.3e-3, -1.3e-3):
        assert bristle_law(1, DATA, z, 0.7)[4:8] == (0.7, 0.0, 1.0, 0.0)
    assert bristle_law(1, DATA, 1.9e-3, -0.7)[4] == -0.7, "turning back there is no slip at first"


def moved(load: Any, breakaway: float, until: float) -> np.ndarray:
    """Displacement, rate and bristle of a unit mass under a load, friction of 2."""
    data = np.array([1000.0, 60.0, 0.0, 2.0, 2.0, 1.0, breakaway * DEFLECTION])

    def rates(t: float, y: np.ndarray) -> list[float]:
        force, _, _, _, rate, *_ = bristle_law(0, data, y[2], y[1])
        return [y[1], load(t) - force, rate]

    found = solve_ivp(rates, (0.0, until), [0.0, 0.0, 0.0], method="LSODA", rtol=1e-9, atol=1e-12)
    return np.asarray(found.y)


def test_no_creep_under_a_small_load_that_shakes() -> None:
    """Below 0.7 of the limit it comes back; with breakaway 0 the same load makes it creep."""

    def load(t: float) -> float:
        return 0.6 + 0.6 * math.sin(20.0 * t)

    held = moved(load, 0.7, 30.0)
    assert np.abs(held[0] - held[2]).max() < 1e-9
    creeping = moved(load, 0.0, 30.0)
    assert creeping[0, -1] - creeping[2, -1] > 1e-3


def test_a_large_load_slides_against_the_sliding_force() -> None:
    x, rate, bristle = moved(lambda t: 5.0, 0.7, 2.0)[:, -1]
    assert bristle == pytest.approx(DEFLECTION, rel=1e-6)
    assert rate == pytest.approx(3.0 * 2.0, rel=0.02)
    assert x == pytest.approx(rate**2 / (2 * 3.0), abs=2 * DEFLECTION), "as from a constant acceleration"


def joint() -> Any:
    bar = fx.RigidBody(1.0, (1.0, 1.0, 2.0), position=(0, 0, 0), name="bar")
    return RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")


def slider() -> Any:
    bar = fx.RigidBody(1.0, (1.0, 1.0, 2.0), position=(0, 0, 0), name="bar")
    return PrismaticJoint(fx.ground, bar, at=(0, 0, 0), axis=(1, 0, 0), name="slider")


def test_what_it_compiles_to() -> None:
    brake = fx.BristleFriction(
        joint(), 0.4, load=100.0, radius=0.05, deflection=1e-3, static=0.5, falling=0.1, damping=3.0, viscous=0.2
    )
    (force,) = brake.row_forces
    assert force.law == BRISTLE
    assert force.data == pytest.approx((2000.0, 3.0, 0.2, 2.0, 2.5, 0.1, 0.7e-3))
    assert force.states == brake.extra
    assert [state.initial_v.tolist() for state in brake.extra] == [[0.0]]
    assert math.isnan(law(BRISTLE, 0, np.array(force.data), 0.0, 0.0, 0.0, np.zeros((0, 4)))[0])


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"deflection": 0.0}, "deflection must be greater than 0"),
        ({"load": 0.0}, "there is no friction"),
        ({"coefficient": -1.0}, "at least 0"),
        ({"static": 0.5}, "together"),
        ({"static": 0.1, "falling": 1.0}, "at least 0.4"),
        ({"breakaway": 1.0}, "less than 1"),
        ({"damping": -1.0}, "at least 0"),
        ({"damping": None}, r"k0 = 4e\+04; 2 sqrt\(k0 m\) = 400 sqrt\(m\) brings a moment of inertia m to rest"),
        ({"on": slider(), "radius": 0.1}, "leave it out"),
        ({"coordinate": "displacement"}, "no coordinate of joint 'hinge' named 'displacement'"),
    ],
)
def test_bad_input(numbers: dict[str, Any], message: str) -> None:
    given = {"on": joint(), "coefficient": 0.4, "load": 100.0, "deflection": 1e-3, "damping": 0.0} | numbers
    with pytest.raises(fx.ModelError, match=message):
        fx.BristleFriction(**given)


def test_the_damping_recommended_brings_to_rest() -> None:
    """J = 1, k0 = 100, at first 1 rad/s: the impulse of the damping takes k1 times the deflection, 0.5 the rest."""
    wheel = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), angular_velocity=1.0, name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="hinge")
    swing = {}
    for damping in (0.0, 2.0 * math.sqrt(100.0)):
        brake = fx.BristleFriction(hinge, 0.5, load=1.0, deflection=5e-3, damping=damping, name="brake")
        run = fx.simulate(fx.Model(wheel, hinge, brake), until=4.0, step=2e-3)
        late = run.t > 3.5
        swing[damping] = np.ptp(run.angle("hinge")[late])
        assert run.angle("hinge")[-1] == pytest.approx((1.0 - damping * 5e-3) ** 2 / (2 * 0.5), abs=0.01)
    assert swing[0.0] > 1e-3, "without damping the bristle swings on"
    assert swing[20.0] < 1e-8


def test_rayleigh_damping() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=2,
        element=fx.elements.ANCFCable2D(),
        section=fx.Circle(diameter=0.01),
        material=fx.steel,
    )
    damping = fx.RayleighDamping(beam, mass=0.2, stiffness=1e-3)
    assert (damping.mass_factor, damping.stiffness_factor) == (0.2, 1e-3)
    assert damping.ratio(10.0) == pytest.approx(0.015)
    for make, message in (
        (lambda: fx.RayleighDamping(beam), "give mass, stiffness or both"),
        (lambda: fx.RayleighDamping(beam, mass=-1.0), "at least 0"),
        (lambda: fx.RayleighDamping(beam.end, mass=1.0), "must be a FlexibleBody"),
        (lambda: damping.ratio(0.0), "greater than 0"),
    ):
        with pytest.raises(fx.ModelError, match=message):
            make()
