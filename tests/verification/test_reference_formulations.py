"""References of the pair in orbit, the mechanism of five bodies, the bushed bars and semi-discrete models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.verification.reference import semi_discrete
from flexmbs.verification.reference.bushings import BushedBars
from flexmbs.verification.reference.five_bodies import FiveBodies, Joints
from flexmbs.verification.reference.orbit import OrbitingPair, pitch


def test_pair_in_orbit_keeps_jacobis_integral_and_its_centre() -> None:
    pair, angles, rates = OrbitingPair(), (0.5, -0.3), (4e-4, -2e-4)
    times = np.linspace(0.0, 6000.0, 7)
    y = pair.motion(angles, rates, times)
    n, (m1, m2), (a, b) = pair.rate, pair.masses, pair.arms
    e1, e2 = (np.column_stack([np.cos(y[:, k]), np.sin(y[:, k])]) for k in (2, 3))
    d1, d2 = (np.column_stack([-np.sin(y[:, k]), np.cos(y[:, k])]) * y[:, [4 + k]] for k in (2, 3))
    p1, v1 = y[:, :2], y[:, 4:6]
    p2, v2 = p1 + a * e1 + b * e2, v1 + a * d1 + b * d2
    integral = 0.5 * m1 * ((v1**2).sum(1) - 3 * n**2 * p1[:, 0] ** 2)
    integral += 0.5 * m2 * ((v2**2).sum(1) - 3 * n**2 * p2[:, 0] ** 2)
    for i, k in enumerate((2, 3)):
        spread = pair.along[i] * np.cos(y[:, k]) ** 2 + pair.across[i] * np.sin(y[:, k]) ** 2
        integral += 0.5 * pair.moment(i) * y[:, 4 + k] ** 2 - 1.5 * n**2 * spread
    assert np.ptp(integral) < 1e-9 * np.abs(integral).max()
    assert np.abs(m1 * p1 + m2 * p2).max() / (m1 + m2) < 1e-8  # the field is linear: the centre stays
    assert np.abs(y[-1, 2:4] - y[0, 2:4]).max() > 0.1


def test_moments_of_the_locked_pair_are_those_of_its_parts() -> None:
    pair = OrbitingPair()
    along, across = pair.rigid()
    centres = pair.placed((0.0, 0.0))
    expected = sum(pair.along) + sum(m * x * x for m, x in zip(pair.masses, centres[:, 0], strict=True))
    assert along == pytest.approx(expected, rel=1e-14)
    assert across == sum(pair.across)


@pytest.mark.parametrize("amplitude", [1e-3, 1.2])
def test_pitch_solves_its_equation(amplitude: float) -> None:
    ratio, n, times = 0.7, 0.9, np.linspace(0.0, 6.0, 13)
    run = solve_ivp(lambda _, y: [y[1], -1.5 * n * n * ratio * np.sin(2 * y[0])], (0, 6), [amplitude, 0], "DOP853",
                    t_eval=times, rtol=1e-12, atol=1e-14)  # fmt: skip
    assert pitch(ratio, n, amplitude, times) == pytest.approx(run.y[0], abs=1e-10 * max(1.0, amplitude))


def test_chain_of_joints_keeps_its_loops_and_energy() -> None:
    data = FiveBodies()
    chain, crank, times = Joints(data, 80), data.one_degree(), np.linspace(0.0, 0.4, 5)
    states, forces = chain.run(8.0, times)
    for y in states:
        for name, first, second in (("C", 1, 2), ("F", 3, 4)):
            one, two = (chain.place(name, body).at(y[:7], y[7:])[0] for body in (first, second))
            assert abs(one - two - (y[6] if second == 4 else 0.0)) < 1e-9
    start = data.start(80)[0]
    assert states[:, 0] + start == pytest.approx(crank.motion(start, 8.0, times)[:, 0], abs=1e-9)
    total = sum(m for body in data.particles for _, m in body)
    # The ground carries the weight and the change of momentum: here by differences of the positions.
    h = 1e-4
    path = crank.motion(start, 8.0, [0.1 - h, 0.1, 0.1 + h])[:, 0]
    points = data.points(path)
    momentum = sum(m * points[name] for body in data.particles for name, m in body)
    acceleration = (momentum[0] - 2 * momentum[1] + momentum[2]) / h**2
    assert forces[1, 0] + forces[1, 6] == pytest.approx(acceleration.real, rel=1e-5)
    assert forces[1, 1] + forces[1, 7] + forces[1, 12] == pytest.approx(acceleration.imag + 9.81 * total, rel=1e-5)


def test_particles_and_bodies_have_the_same_inertia() -> None:
    data = FiveBodies()
    _, points, slopes = data.start(80)
    for i, group in enumerate(data.particles):
        mass, _, inertia = data.body(i, points)
        (a, _), (b, _) = group[:2]
        turn = ((slopes[b] - slopes[a]) / (points[b] - points[a])).imag
        velocity = sum(m * slopes[n] for n, m in group) / mass
        energy = 0.5 * sum(m * abs(slopes[n]) ** 2 for n, m in group)
        assert energy == pytest.approx(0.5 * mass * abs(velocity) ** 2 + 0.5 * inertia * turn**2, rel=1e-10)


def test_bushed_bars_lose_only_what_their_dampers_take() -> None:
    bars = BushedBars(damping=(0.0, 0.0, 0.0), stiffness=(1e4, 1e4, 5.0))
    times = np.linspace(0.0, 0.5, 6)
    y = bars.motion(times, rtol=1e-10)

    def energy(state: np.ndarray) -> float:
        q, v = state[:6], state[6:]
        J = bars.mass * bars.length**2 / 12
        total = 0.5 * bars.mass * (v[0] ** 2 + v[1] ** 2 + v[3] ** 2 + v[4] ** 2) + 0.5 * J * (v[2] ** 2 + v[5] ** 2)
        total += bars.mass * bars.gravity * (q[1] + q[4])
        for joint in (0, 1):
            s, _ = bars.strain(q, joint, bars.length / 2)
            total += 0.5 * float(np.array(bars.stiffness) @ s**2)
        return float(total)

    assert [energy(state) for state in y] == pytest.approx([energy(y[0])] * 6, abs=1e-6)


def test_strain_of_a_bushing_has_its_derivative() -> None:
    rng = np.random.default_rng(1)
    q = rng.normal(size=6)
    for joint in (0, 1):
        S = BushedBars.strain(q, joint, 0.25)[1]
        for k in range(6):
            step = np.zeros(6)
            step[k] = 1e-6
            change = BushedBars.strain(q + step, joint, 0.25)[0] - BushedBars.strain(q - step, joint, 0.25)[0]
            assert S[:, k] == pytest.approx(change / 2e-6, abs=1e-8)


def test_semi_discrete_motion_of_a_free_fall() -> None:
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), (1.0, 0.0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0), name="cable",
    )  # fmt: skip
    system = fx.compile_model(fx.Model(cable, fx.Gravity((0.0, -9.81))))
    times = np.array([0.1, 0.3])
    found = semi_discrete.positions(system, (cable.start, cable.end))(times)
    fallen = -0.5 * 9.81 * times**2
    assert found == pytest.approx(np.column_stack([0 * times, fallen, 0 * times + 1.0, fallen]), abs=1e-10)
    ball = fx.PointMass(1.0, position=(1.0, 0.0), name="ball")
    held = fx.Model(ball, fx.DistanceConstraint(fx.ground.marker((0.0, 0.0, 0.0)), ball))
    with pytest.raises(ModelError, match="semi-discrete"):
        semi_discrete.motion(fx.compile_model(held), times)
