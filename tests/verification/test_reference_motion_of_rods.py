"""References of moving rods, chains, strings and ellipsographs: against stored figures, energy, other methods."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from flexmbs.core.errors import ConvergenceError
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.ellipse import Bead, Ellipsograph
from flexmbs.verification.reference.frequencies import beam_roots
from flexmbs.verification.reference.moving_string import MovingString
from flexmbs.verification.reference.rod_flight import FlyingRod
from flexmbs.verification.reference.rod_motion import MovingRod
from flexmbs.verification.reference.steady_rotation import spinning_rod_extension, whirling_chain


def test_bead_on_a_cable() -> None:
    stored = load_reference("d09")
    p = stored.parameters
    bead = Bead(p["cable_length"], p["span"], 0.3, p["g"])
    assert bead.period == pytest.approx(stored.value("period"), rel=1e-12)
    times = np.array([0.25, 0.5, 1.0, 2.0])
    found = bead.positions(times)
    for t, position in zip(times, found, strict=True):
        expected = [stored.value(f"t={t:g} s position", i) for i in range(2)]
        assert position == pytest.approx(expected, abs=2e-12)
    to_foci = np.hypot(found[:, 0] - 1.0, found[:, 1]) + np.hypot(found[:, 0] + 1.0, found[:, 1])
    assert to_foci == pytest.approx(p["cable_length"], rel=1e-14)


def test_bead_makes_small_swings_at_the_frequency_of_the_curvature() -> None:
    bead = Bead(2.5, 2.0, math.pi / 2 - 1e-3, 9.81)
    expected = load_reference("d09").value("small-oscillation frequency at the lowest point sqrt(g b)/a")
    assert 2.0 * math.pi / bead.period == pytest.approx(expected, rel=1e-6)


def test_moving_string() -> None:
    stored = load_reference("d19")
    string = MovingString(*(stored.parameters[name] for name in ("c", "v", "L")))
    for n in range(1, 5):
        name = "natural frequencies omega_n = n pi (c^2-v^2)/(c L), n=1..4"
        assert string.frequency(n) == pytest.approx(stored.value(name, n - 1), rel=1e-14)
    echo = string.length / (string.c - string.v) + string.length / (string.c + string.v)
    assert string.echo == pytest.approx(echo, rel=1e-14)
    assert string.echo == pytest.approx(2.0 * math.pi / string.frequency(1), rel=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_modes_of_the_moving_string_satisfy_its_equation(n: int) -> None:
    string = MovingString(50.0, 20.0, 10.0)
    x, t, h = np.linspace(0.0, 10.0, 11), 0.037, 1e-4

    def w(dx: float, dt: float) -> np.ndarray:
        return string.mode(n, x + dx, t + dt * 1e-2)[0]

    w_tt = (w(0, h) - 2 * w(0, 0) + w(0, -h)) / (1e-2 * h) ** 2
    w_xx = (w(h, 0) - 2 * w(0, 0) + w(-h, 0)) / h**2
    w_xt = (w(h, h) - w(h, -h) - w(-h, h) + w(-h, -h)) / (4e-2 * h * h)
    scale = string.frequency(n) ** 2
    rest = w_tt + 2 * string.v * w_xt - (string.c**2 - string.v**2) * w_xx
    assert np.abs(rest).max() < 2e-3 * scale
    _, slope, speed = string.mode(n, x, t)
    assert slope == pytest.approx((w(h, 0) - w(-h, 0)) / (2 * h), abs=1e-6)
    assert speed == pytest.approx((w(0, h) - w(0, -h)) / (2e-2 * h) + string.v * slope, abs=1e-4)
    assert string.mode(n, np.array([0.0, 10.0]), t)[0] == pytest.approx(0.0, abs=1e-14)


def test_extension_of_a_spinning_rod() -> None:
    stored = load_reference("d18")
    p = stored.parameters
    found = spinning_rod_extension(p["L"], p["EA"], p["rhoA"], p["omega_s"])
    name = "steady extension, closed form tan(lam L)/lam - L with lam=omega sqrt(rhoA/EA)"
    assert found == pytest.approx(stored.value(name), abs=1e-14)


@pytest.mark.parametrize("factor", [1.2, 2.0, 3.0])
def test_whirling_chain(factor: float) -> None:
    stored = load_reference("d21")
    square = factor * stored.value("critical omega^2 L/g for whirl modes n=1..3 (j0n^2/4)", 0)
    chain = whirling_chain(1.0, 1.0, 1.0, math.sqrt(square), np.array([0.0, 0.5, 1.0]))
    prefix = f"omega^2 L/g = {square:.10g}: "
    assert chain.radius[-1] == pytest.approx(stored.value(prefix + "radius of the free end / L (mode 1)"), abs=2e-8)
    top = stored.value(prefix + "tension at the top / (mu g L)")
    assert chain.tension[0] == pytest.approx(top, abs=2e-8)
    assert np.hypot(chain.radius_slope, chain.height_slope) == pytest.approx(1.0, rel=1e-12)


def test_whirling_elastic_chain_balances() -> None:
    length, mass, gravity, omega, EA = 2.0, 0.7, 9.81, 4.0, 50.0
    arcs = np.linspace(0.0, length, 401)
    chain = whirling_chain(length, mass, gravity, omega, arcs, EA)
    outward = mass * omega**2 * np.trapezoid(chain.radius, arcs)
    assert math.hypot(mass * gravity * length, outward) == pytest.approx(chain.tension[0], rel=1e-5)
    stretch = np.hypot(chain.radius_slope, chain.height_slope)
    assert EA * (stretch - 1.0) == pytest.approx(chain.tension, rel=1e-10)
    assert np.gradient(chain.radius, arcs)[1:-1] == pytest.approx(chain.radius_slope[1:-1], abs=1e-3)
    assert np.gradient(chain.height, arcs)[1:-1] == pytest.approx(chain.height_slope[1:-1], abs=1e-3)


def test_slow_chain_is_refused() -> None:
    with pytest.raises(ConvergenceError, match="hangs straight"):
        whirling_chain(1.0, 1.0, 1.0, 1.2, np.array([0.0]))


def test_ellipsograph_keeps_its_energy() -> None:
    L, m, m1, arm, J1, g = 1.0, 0.78, 0.2, 0.5, 0.1, 9.81
    times = np.linspace(0.0, 1.0, 8001)
    mechanism = Ellipsograph(L, m, m1, arm, J1, g)
    angles = mechanism.run(math.pi / 6, 0.0, times)
    th, ph = angles.T
    middle = mechanism.middle(angles)
    mass = middle + arm * np.column_stack([np.sin(ph), -np.cos(ph)])
    rate = np.gradient(np.column_stack([th, ph, middle, mass]), times, axis=0)[1:-1]
    energy = (
        m * L**2 * rate[:, 0] ** 2 / 24.0 + m / 2 * (rate[:, 2] ** 2 + rate[:, 3] ** 2) + J1 / 2 * rate[:, 1] ** 2
        + m1 / 2 * (rate[:, 4] ** 2 + rate[:, 5] ** 2) + g * (m * middle[1:-1, 1] + m1 * mass[1:-1, 1])
    )  # fmt: skip
    start = g * (m * L / 4.0 + m1 * (L / 4.0 - arm))
    assert energy == pytest.approx(start, abs=2e-5)
    assert np.ptp(th) > 1.0


def test_ellipsograph_with_a_still_pendulum_is_a_physical_pendulum() -> None:
    mechanism = Ellipsograph(2.0, 3.0, 1e-12, 0.5, 1e-12, 9.81)
    quarter = quad(lambda u: 1.0 / math.sqrt(1.0 - (math.sin(0.25) * math.sin(u)) ** 2), 0.0, math.pi / 2)[0]
    quarter *= math.sqrt(2.0 * 2.0 / (3.0 * 9.81))  # omega^2 = (m g L/2)/(m L^2/3)
    angles = mechanism.run(-math.pi / 2 + 0.5, 0.0, np.array([0.0, quarter]))
    assert angles[-1, 0] == pytest.approx(-math.pi / 2, abs=1e-9)


def test_rod_vibrates_at_the_frequency_of_its_first_bending_mode() -> None:
    EI, mass, length, force = 3.0, 2.0, 1.5, 1e-3
    rod = MovingRod(length, 1e4, EI, mass, force=((0.0, force), lambda t: 1.0), order=10)
    omega = beam_roots("free", "free", 1)[0] ** 2 / length**2 * math.sqrt(EI / mass)
    # The end moves as a rigid body, 4 F/m L over t^2/2, and in all free-free modes, which have end values 2.
    total = mass * length
    roots = np.array(beam_roots("free", "free", 30)) ** 2 / length**2 * math.sqrt(EI / mass)
    t = 1.3 * math.pi / omega
    expected = 4.0 * force / total * t**2 / 2 + (4.0 * force / total * (1 - np.cos(roots * t)) / roots**2).sum()
    assert rod.run((0.0, t)).position(t, 0.0)[1] == pytest.approx(expected, rel=1e-3)


def test_rod_pinned_keeps_its_energy_and_falls_as_a_stiff_bar() -> None:
    rod = MovingRod(1.0, 1e4, 50.0, 1.0, pinned=True, gravity=(0.0, -9.81), order=4)
    motion = rod.run((0.0, 0.3))
    assert motion.energy(0.3) == pytest.approx(motion.energy(0.0), abs=1e-7)
    bar = solve_ivp(lambda t, s: [s[1], -1.5 * 9.81 * math.cos(s[0])], (0.0, 0.3), [0.0, 0.0], rtol=1e-10)
    assert motion.position(0.3, 1.0)[1] == pytest.approx(math.sin(bar.y[0, -1]), abs=4e-3)
    assert np.abs(motion.position(0.3, 0.0)).max() < 1e-14


def test_rod_with_rotary_inertia_takes_up_the_impulse_and_the_turn_of_its_loads() -> None:
    duration, force, torque = 0.5, (1.0, 2.0), -4.0
    rod = MovingRod(2.0, 1e3, 20.0, 1.0, rotary=3.0, force=(force, lambda t: 1.0), torque=(torque, lambda t: 1.0),
                    order=6)  # fmt: skip
    motion = rod.run((0.0, duration))
    assert motion.momentum(duration) == pytest.approx([0.5, 1.0], rel=1e-9)
    stiff = MovingRod(2.0, 1e4, 1e4, 1.0, rotary=3.0, torque=(0.01, lambda t: 1.0), order=4).run((0.0, 0.5))
    turn = 0.5 * 0.01 / (2.0 * 3.0 + 2.0**3 / 12.0) * 0.5**2
    assert stiff.position(0.5, 0.0)[1] == pytest.approx(-turn, rel=2e-2)


def test_rod_with_rotary_inertia_and_little_shear_meets_the_flying_spaghetti() -> None:
    stored = load_reference("d16")
    p = stored.parameters
    rod = MovingRod(
        p["L"], p["EA"], p["EI"], p["rhoA"], rotary=p["rhoI"], start=(6.0, 0.0), direction=(-0.6, 0.8),
        force=((20.0, 0.0), lambda t: t / 2.5), torque=(-200.0, lambda t: t / 2.5), order=10,
    )  # fmt: skip
    motion = rod.run((0.0, 2.5), tolerance=1e-7)
    for S, end in ((0.0, "loaded"), (10.0, "free")):
        expected = [stored.value(f"B: triangular load t=2.5 s {end} end (x,y)", i) for i in range(2)]
        assert motion.position(2.5, S) == pytest.approx(expected, abs=8e-3)


def test_stored_pendulum_without_rotary_inertia() -> None:
    p = load_reference("d17-cable").parameters
    rod = MovingRod(
        p["L"], p["E"] * p["A"], p["E"] * p["I"], p["rho"] * p["A"], pinned=True, gravity=(0.0, -p["g"]), order=30
    )
    motion = rod.run((0.0, 0.2, 0.4), tolerance=1e-7)
    for t in (0.2, 0.4):
        expected = [load_reference("d17-cable").value(f"t={t} s tip (x,y)", i) for i in range(2)]
        assert motion.position(t, 1.2) == pytest.approx(expected, abs=1.5e-3)


@pytest.mark.parametrize("rotary", [0.0, 10.0])
def test_stored_spaghetti_without_shear(rotary: float) -> None:
    stored = load_reference("d16-cable")
    p = stored.parameters
    rod = MovingRod(
        p["L"], p["EA"], p["EI"], p["rhoA"], rotary=rotary, start=(6.0, 0.0), direction=(-0.6, 0.8),
        force=((20.0, 0.0), lambda t: t / 2.5), torque=(-200.0, lambda t: t / 2.5), order=12,
    )  # fmt: skip
    motion = rod.run((0.0, 1.0, 2.5), tolerance=1e-7)
    for t, (S, end) in product((1.0, 2.5), ((0.0, "loaded"), (10.0, "free"))):
        name = f"rhoI={rotary:g}: t={t:g} s {end} end (x,y)"
        assert motion.position(t, S) == pytest.approx([stored.value(name, i) for i in range(2)], abs=2e-3)


def test_falling_pendulum_with_rotary_inertia_meets_the_stored_rod() -> None:
    p = load_reference("d17").parameters
    rod = MovingRod(
        p["L"], p["E"] * p["A"], p["E"] * p["I"], p["rho"] * p["A"], rotary=p["rho"] * p["I"], pinned=True,
        gravity=(0.0, -p["g"]), order=30,
    )  # fmt: skip
    motion = rod.run((0.0, 0.2, 0.4), tolerance=1e-7)
    for t in (0.2, 0.4):
        expected = [load_reference("d17").value(f"nearly shear-rigid (GA x 30) t={t} s tip (x,y)", i) for i in range(2)]
        assert motion.position(t, 1.2) == pytest.approx(expected, abs=1.2e-3)


def test_flight_of_a_rod_in_space_is_the_stored_one() -> None:
    """With half as many polynomials as the stored figures, up to 1 s; the centre moves as a point does."""
    stored = load_reference("rod-flight")
    p = stored.parameters
    rod = FlyingRod(
        p["L"], np.eye(3), (p["EA"], p["GA"], p["GA"]), (p["GJ"], p["EI"], p["EI"]), p["rhoA"],
        (2 * p["rhoI"], p["rhoI"], p["rhoI"]), tuple(p["force"]), tuple(p["torque"]),
        lambda t: math.sin(math.pi * t / p["duration"]) ** 2, 12,
    )  # fmt: skip
    flight = rod.run((0.0, 1.0), tolerance=1e-8)
    for j, end in enumerate(("loaded", "free")):
        expected = [stored.value(f"t=1 s {end} end (x,y,z)", i) for i in range(3)]
        np.testing.assert_allclose(flight.ends(1.0)[j], expected, atol=2e-4)
    moved = np.array(p["force"]) * (0.25 - 1.0 / math.pi**2) / 10.0  # the double integral of sin^2, by the mass
    np.testing.assert_allclose(flight.centre(1.0), moved + np.array([5.0, 0, 0]), atol=1e-7)
