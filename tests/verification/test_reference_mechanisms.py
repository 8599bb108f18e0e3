"""Mechanisms in minimal coordinates: against stored figures, each other, and conserved quantities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.verification.reference import loops, pendulums, spatial, tops
from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.motion import OneDegree, derivative, integrate
from flexmbs.verification.reference.squeezer import Squeezer


def expect(identity: str, name: str, values: object, atol: float) -> None:
    """Compare with a stored figure or a list of them."""
    stored = load_reference(identity).quantities[name]
    assert np.asarray(values) == pytest.approx(stored["value"], rel=0, abs=atol), name


def test_integration_and_its_failure() -> None:
    state = integrate(lambda t, y: [y[1], -y[0]], [0.0, 1.0], [0.5, 2.0])
    assert state == pytest.approx(np.array([[math.sin(t), math.cos(t)] for t in (0.5, 2.0)]), abs=1e-12)
    with pytest.raises(ConvergenceError, match="reference motion"):
        integrate(lambda t, y: y * y, [1.0], [2.0])


@pytest.mark.parametrize("count", [15, 16])
def test_derivative_of_a_trigonometric_polynomial(count: int) -> None:
    s = 2 * np.pi * np.arange(count) / count
    assert derivative(np.sin(3 * s) + 2 * np.cos(s)) == pytest.approx(3 * np.cos(3 * s) - 2 * np.sin(s), abs=1e-13)


def test_one_degree_on_a_circle_is_the_pendulum() -> None:
    def poses(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c, n, o = np.cos(s), np.sin(s), np.zeros_like(s)
        axes = np.stack([c, -n, o, n, c, o, o, o, o + 1], axis=-1).reshape(-1, 1, 3, 3)
        return np.stack([n, -c, o], axis=-1)[:, None], axes

    circle = OneDegree(poses, np.array([0.75]), np.diag([9.0, 9.0, 0.25])[None], (0.0, -9.81, 0.0), samples=16)
    times = [0.3, 0.9]
    expected = pendulums.simple_pendulum(1.2, np.array(times) * math.sqrt(0.75))[:, 0]
    assert circle.motion(1.2, 0.0, times)[:, 0] == pytest.approx(expected, abs=1e-11)


def test_simple_pendulum() -> None:
    times = (0.5, 1, 2, 5, 10)
    expect("d01", "period", pendulums.simple_period(math.pi / 2), 1e-13)
    for t, (theta, rate) in zip(times, pendulums.simple_pendulum(math.pi / 2, times), strict=True):
        expect("d01", f"t={t:g} s position (x,y)", [-math.sin(theta), -math.cos(theta)], 1e-13)
        assert rate**2 / 2 - 9.81 * math.cos(theta) == pytest.approx(0.0, abs=1e-12)


def test_spherical_pendulum() -> None:
    times = (0.5, 1, 2, 5, 10)
    states = pendulums.spherical_pendulum((1, 0, 0), (0, 2, 0), times)
    for t, state in zip(times, states, strict=True):
        expect("d02", f"t={t:g} s position (x,y,z)", state[:3], 2e-11)
        assert state[0] * state[4] - state[1] * state[3] == pytest.approx(2.0, abs=1e-11)


def test_double_pendulum() -> None:
    times = (0.5, 1, 2, 3, 5)
    states = pendulums.masses(2).motion([0, 0], [0, 0], times)
    for t, state in zip(times, states, strict=True):
        expect("d03", f"t={t:g} s angles (theta1, theta2)", state[:2] + math.pi / 2, 1e-11)


@pytest.mark.parametrize("count", [2, 3, 5, 10, 40])
def test_chains_of_bars(count: int) -> None:
    times = (0.25, 0.5, 0.75, 1)
    chain = pendulums.bars(count, 1 / count, 1 / count)
    states = chain.motion([0] * count, [0] * count, times, 1e-13 if count < 40 else 1e-11)
    for t, state, tip in zip(times, states, chain.joints(states[:, :count])[:, -1], strict=True):
        expect("d04", f"N={count} t={t:g} s tip position (x,y)", tip, 1e-11)
        assert chain.energy(state) == pytest.approx(0.0, abs=2e-11)


def test_free_body() -> None:
    inertia, omega, times = (1, 2, 3), (0.01, 5, 0), (1, 2, 5, 10)
    period = tops.free_body_period(inertia, omega)
    expect("d05", "period of the body-frame angular velocity (Jacobi elliptic functions)", period, 1e-12)
    for t, w in zip(times, tops.free_body_rates(inertia, omega, times), strict=True):
        expect("d05", f"t={t} s body angular velocity", w, 1e-10)
    about_long = (2.0, 0.3, 0.1)
    assert tops.free_body_rates(inertia, about_long, [tops.free_body_period(inertia, about_long)])[0] == pytest.approx(
        about_long, abs=1e-11
    )


def test_steady_precession_of_a_top_is_steady() -> None:
    slow, fast = tops.precession_rates(0.001, 0.005, 400.0, math.radians(60), 0.981)
    expect("d06a", "slow precession rate phi_dot: theta stays 60 deg", slow, 1e-12)
    expect("d06a", "fast precession rate phi_dot", fast, 1e-10)
    tilt = math.radians(60)
    turn = (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0)  # about x: the axis is (0, -sin, cos)
    # Mass 1 kg and 0.1 m would leave a negative moment of inertia about the centre of mass; only m g l matters.
    for rate in (slow, fast):
        omega = (0.0, rate * math.sin(tilt), 400.0)
        states = tops.top((0.0025, 0.0025, 0.001), 4.0, (0, 0, 0.025), omega, [0.01, 0.05], turn)
        for t, state in zip((0.01, 0.05), states, strict=True):
            axis = np.array([math.sin(tilt) * math.sin(rate * t), -math.sin(tilt) * math.cos(rate * t), 0.5])
            assert state[:3] == pytest.approx(0.025 * axis, abs=1e-10)
        force = tops.top_support((0.0025, 0.0025, 0.001), 4.0, (0, 0, 0.025), states)
        inward = -4.0 * rate**2 * states[:, :2]
        assert force == pytest.approx(np.column_stack([inward, np.full(2, 4.0 * 9.81)]), rel=1e-8)


def test_fast_top() -> None:
    times = (0.2, 0.5, 1)
    states = tops.top((0.234375, 0.46875, 0.234375), 15.0, (0, 1, 0), (0, 150, -4.61538), times)
    for t, state in zip(times, states, strict=True):
        expect("d06b", f"t={t:g} s centre of mass", state[:3], 1e-10)
    expect("d06b", "t=0.2 s body angular velocity", states[0, 7:], 2e-9)


def test_rolling_disk() -> None:
    disk, tilt, names = tops.RollingDisk(), math.radians(10), list(load_reference("d08").quantities)
    rate = disk.steady_precession(math.radians(20), -10.0)
    expect("d08", names[0], rate, 1e-10)
    expect("d08", names[1], 5.0 / rate, 1e-8)
    expect("d08", names[6], disk.stable_spin(), 1e-13)
    spin = -8 * np.array([0, math.cos(tilt), math.sin(tilt)]) + np.array([0.3, 0, 0])
    states = disk.motion(tilt, spin, (0.5, 1, 2, 4))
    for name, state in zip(names[2:6], states, strict=True):
        expect("d08", name, state[:3], 1e-10)
    tilt = math.radians(20)
    spin = -10 * np.array([0, math.cos(tilt), math.sin(tilt)]) + np.array([0, 0, rate])
    circle = disk.motion(tilt, spin, (0.7, 1.4))
    assert circle[:, 2] == pytest.approx(disk.radius * math.cos(tilt), abs=1e-11)
    assert circle[:, 6:8] @ circle[0, 6:8] == pytest.approx(
        (spin[1] ** 2) * np.cos([0.0, 0.7 * rate]), abs=1e-10
    )  # the angular velocity turns about the vertical


@pytest.mark.parametrize("count", [1, 2, 40])
def test_parallelograms(count: int) -> None:
    times = (1, 2, 4, 5, 10)
    for t, (angle, _) in zip(times, loops.parallelograms(count, times), strict=True):
        expect("d07", f"N={count} t={t} s position of B0 (x,y)", [math.cos(angle), math.sin(angle)], 3e-11)


def test_stretched_parallelogram_swings_as_far_as_its_energy_allows() -> None:
    times = np.linspace(0.05, 4.0, 200)
    angle, rate = loops.parallelograms(1, times, start=(0.0, -3.0)).T
    # E = (5/3) rate^2 / 2 + 2 g sin(angle) with two cranks of 1/3 kg m^2 and a coupler of 1 kg
    assert 5 / 6 * rate**2 + 2 * 9.81 * np.sin(angle) == pytest.approx(np.full(200, 7.5), abs=1e-10)


def test_rhombus() -> None:
    times = (0.25, 0.5, 1, 1.5, 2, 5)
    states = loops.rhombus((0.0, -math.pi / 2), times)
    for t, state in zip(times, states, strict=True):
        a, b = state[:2]
        A = math.cos(a), math.sin(a)
        expect("d11", f"t={t:g} s joints A and B (xA,yA,xB,yB)", [*A, A[0] + math.cos(b), A[1] + math.sin(b)], 1e-11)
        assert loops.rhombus_energy(state) == pytest.approx(-19.62, abs=1e-10)


def test_engine() -> None:
    engine = loops.Engine()
    for degrees in (45, 90, 135, 180, 270):
        angle = math.radians(degrees)
        expect("d10", f"crank speed at theta={degrees} deg", engine.speed(angle, 100.0), 1e-11)
        expect("d10", f"time to reach theta={degrees} deg", engine.time(angle, 100.0), 1e-15)
    expect("d10", "piston position at theta=45 deg (phase 0)", engine.piston(math.pi / 4)[0], 1e-14)
    assert engine.angle(100.0, [engine.time(4.0, 100.0)])[0] == pytest.approx(4.0, abs=1e-11)
    step = 1e-6
    slope = (engine.piston(1.0 + step)[0] - engine.piston(1.0 - step)[0]) / (2 * step)
    assert engine.piston(1.0)[1] == pytest.approx(slope, rel=1e-8)


def test_squeezer() -> None:
    squeezer = Squeezer()
    start = np.array(squeezer.start)
    assert squeezer.linkage.closure(start) < 1e-15
    times = (0.005, 0.01, 0.02, 0.03)
    states = squeezer.motion(times)
    for t, state in zip(times, states, strict=True):
        expect("d12", f"t={t:g} s angles, computed", state[:7], 2e-9)
        assert squeezer.linkage.closure(state[:7]) < 1e-12
    expect("d12", "t=0.03 s (beta,Theta,gamma,Phi,delta,Omega,epsilon)", states[-1, :7], 6e-9)
    expect("d12", "t=0.03 s velocities, computed", states[-1, 7:], 1e-9)


def test_linkage_of_one_bar_is_the_pendulum() -> None:
    bar = loops.AngleLinkage(
        [3.0], [0.25], [loops.Vector(((0.5, 0.0, 1.0),))], np.eye(1), (), lambda q, v: -3 * 9.81 * 0.5 * np.cos(q)
    )
    chain = pendulums.bars(1, 1.0, 3.0)
    assert bar.motion([0.0], [0.0], [0.4]) == pytest.approx(chain.motion([0.0], [0.0], [0.4]), abs=1e-12)
    with pytest.raises(ModelError, match="one entry per body"):
        loops.AngleLinkage([1.0], [], [], np.eye(1), (), lambda q, v: q)


def test_spatial_slider_crank() -> None:
    crank, times = spatial.slider_crank(), (0.1, 0.2, 0.5, 1, 2, 5)
    states = crank.motion(0.0, 6.0, times)
    for t, (s, rate) in zip(times, states, strict=True):
        name = f"rod inertia (4e-4,4e-3,4e-3), x along rod: t={t:g} s"
        expect("d13", f"{name} slider position x", spatial.slider_crank_point(np.array(s))[1], 1e-9)
        expect("d13", f"{name} crank angular velocity", rate, 3e-8)
        assert crank.energy(s, rate) == pytest.approx(crank.energy(0.0, 6.0), abs=1e-11)


@pytest.mark.parametrize("width", [None, 0.1])
def test_bricard(width: float | None) -> None:
    loop = spatial.bricard(width)
    assert loop.energy(spatial.bricard_start, 0.0) == pytest.approx(-29.43, abs=1e-12)
    times = (0.5, 1, 2, 3, 5, 10) if width is None else (0.5, 1, 2)
    states = loop.motion(spatial.bricard_start, 0.0, times)
    joints = spatial.bricard_joints(states[:, 0])[0]
    for t, P3 in zip(times, joints[:, 3], strict=True):
        if width is None:
            expect("d14", f"t={t:g} s position of joint P3 (between bars 3 and 4)", P3, 1e-9)
        else:
            expect("d14", f"variant: 1 x 0.1 x 0.1 m bars of density 100: t={t:g} s position of P3", P3, 1e-9)


def test_bricard_loop_is_closed_with_fixed_axes() -> None:
    s = np.linspace(0.0, 2 * np.pi, 40)
    joints, axes = spatial.bricard_joints(s)
    assert joints[:, 5] == pytest.approx(np.tile([0.0, 0.0, 1.0], (40, 1)), abs=1e-14)
    assert np.linalg.norm(np.diff(joints, axis=1), axis=2) == pytest.approx(1.0, abs=1e-14)
    for axis in (axes[:, 0, :, 0], axes[:, 4, :, 1]):  # the axes of the joints to the ground do not move
        assert np.ptp(axis, axis=0) == pytest.approx(0.0, abs=1e-14)


def test_governor() -> None:
    governor, times = spatial.Governor(), (0.1, 0.5, 1, 2)
    for t, state in zip(times, governor.motion(times), strict=True):
        expect("d15", f"t={t:g} s slider height s", state[1], 1e-9)
        expect("d15", f"t={t:g} s shaft angular velocity", state[4], 1e-8)
