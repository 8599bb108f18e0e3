"""Latch: derivatives, when it catches, that it holds, what it costs, from either side, closed from the start."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbs as fx
from flexmbs.kernels.laws import LATCH, state_law

# k, c, at, side, width, closing time
DATA = np.array([9.0, 1000.0, 20.0, 0.5, 1.0, 0.01, 0.02])
INERTIA, TORQUE, RATE = 0.3, 2.0, 1.0


@pytest.mark.parametrize("s", [0.4, 0.504, 0.5075, 0.53])
@pytest.mark.parametrize("z", [0.0, 0.04, 0.09, 0.6, 1.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_derivatives(s: float, z: float, side: float) -> None:
    data, h, u = DATA.copy(), 1e-7, 0.7
    data[4] = side
    s = 0.5 + side * (s - 0.5)
    found = state_law(LATCH, 1, data, s, u, z)

    def slope(ds: float, du: float, dz: float) -> np.ndarray:
        up = state_law(LATCH, 1, data, s + ds, u + du, z + dz)
        return (np.array(up) - state_law(LATCH, 1, data, s - ds, u - du, z - dz)) / (2 * h)

    by_s, by_u, by_z = slope(h, 0, 0), slope(0, h, 0), slope(0, 0, h)
    assert found[1:4] == pytest.approx((by_s[0], by_u[0], by_z[0]), rel=1e-6, abs=1e-6)
    # The second derivative jumps where the pin begins to move: differences are off by h times it there.
    assert (found[5], found[6], found[7]) == pytest.approx((by_s[4], by_u[4], by_z[4]), rel=1e-6, abs=2e-3)
    assert found[8] == pytest.approx(z * 500.0 * (s - 0.5) ** 2)


def panel(side: float = 1.0, **latch: Any) -> fx.Model:
    """A panel of 0.3 kg m^2 that a spring of 2 - 1 x (N m, x the angle) opens by 1 rad, where it is caught."""
    plate = fx.PlanarRigidBody(1.0, INERTIA, position=(0, 0), name="panel")
    hinge = fx.RevoluteJoint(fx.ground, plate, at=(0, 0), name="hinge")
    spring = fx.TorsionSpring(hinge, stiffness=RATE, free_angle=side * TORQUE / RATE, name="spring")
    closes = "rising" if side > 0 else "falling"
    numbers = {"stiffness": 3e3, "damping": 30.0, "closing_time": 1e-3, "width": 1e-4} | latch
    return fx.Model(plate, hinge, spring, fx.Latch(hinge, side * 1.0, closes=closes, name="lock", **numbers))


def time_to_open() -> float:
    """From energy: J w^2 / 2 = T x - k x^2 / 2."""
    return quad(lambda x: 1.0 / math.sqrt(2.0 / INERTIA * (TORQUE - RATE * x / 2) * x), 0.0, 1.0)[0]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_it_catches_and_holds(side: float) -> None:
    model = panel(side)
    run = fx.simulate(model, until=1.5, step=2e-4)
    angle = side * run.angle("hinge")
    passed = run.t[np.argmax(angle > 1.0)]
    assert passed == pytest.approx(time_to_open(), abs=4e-4)
    # At rest the spring pushes with 2 - 1 x and the latch holds with 3000 (x - 1).
    assert angle[-1] == pytest.approx((3e3 + TORQUE) / (3e3 + RATE), abs=1e-9)
    speed = math.sqrt(2.0 / INERTIA * (TORQUE - RATE / 2))
    assert np.abs(angle[run.t > passed] - 1.0).max() < speed * (math.sqrt(INERTIA / 3e3) + 2e-3)
    moment = run.force("lock").force
    assert side * moment[-1] == pytest.approx(TORQUE - RATE * angle[-1], abs=1e-6)
    assert not moment[run.t < passed].any()


def test_what_is_lost_is_the_energy_of_the_motion() -> None:
    """All that the spring has done until then, but for what is left in the bent latch; a shorter closing takes less."""
    model = panel()
    run = fx.simulate(model, until=2.0, step=2e-4)
    done = TORQUE - RATE / 2
    assert run.energy.dissipated[-1] == pytest.approx(done, rel=0.02)


def test_without_damping_it_swings_about_the_latch() -> None:
    """Caught, it swings with sqrt((k + k_s)/J): period from the passages through the mean."""
    run = fx.simulate(panel(damping=0.0, stiffness=300.0), until=2.5, step=5e-4)
    late = run.angle("hinge")[run.t > 1.5] - (300.0 + TORQUE) / (300.0 + RATE)
    crossings = run.t[run.t > 1.5][1:][np.diff(np.sign(late)) > 0]
    assert np.diff(crossings).mean() == pytest.approx(2 * math.pi * math.sqrt(INERTIA / 301.0), rel=2e-3)


def test_closed_from_the_start() -> None:
    model = panel(closed=True, damping=0.0)
    rest = fx.solve_static(model)
    assert rest.angle("hinge") == pytest.approx((3e3 + TORQUE) / (3e3 + RATE), abs=1e-9)
    modes = fx.solve_modal(rest)
    assert np.max(modes.frequencies) * 2 * math.pi == pytest.approx(math.sqrt((3e3 + RATE) / INERTIA), rel=1e-9)


def test_compiled_steps_are_those_of_python() -> None:
    ways = [fx.GeneralizedAlpha(rho_inf=0.8, compiled=way) for way in (True, False)]
    runs = [fx.simulate(panel(), until=1.4, step=5e-4, integrator=way) for way in ways]
    assert np.array_equal(runs[0].q, runs[1].q)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"stiffness": 0.0}, "stiffness must be greater than 0"),
        ({"damping": -1.0}, "at least 0"),
        ({"closing_time": 0.0}, "closing_time must be greater than 0"),
        ({"width": 0.0}, "width must be greater than 0"),
        ({"closes": "up"}, "'rising' or 'falling', not 'up'"),
        ({"closed": 1}, "True or False"),
        ({"at": math.nan}, "at"),
    ],
)
def test_bad_input(numbers: dict[str, Any], message: str) -> None:
    hinge = panel().joints[0]
    given = {"on": hinge, "at": 1.0, "stiffness": 1.0, "damping": 0.0, "closing_time": 1e-3} | numbers
    with pytest.raises(fx.ModelError, match=message):
        fx.Latch(**given)
