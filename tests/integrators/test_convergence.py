"""Order of the integrators in positions, velocities and multipliers, against minimal equations integrated tightly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmbs as fx

G = 9.81
STEPS = (4e-3, 2e-3, 1e-3)


def orders(errors) -> list[float]:
    return [math.log2(a / b) for a, b in itertools.pairwise(errors)]


def pendulum(steps, scheme, until: float = 0.96):
    """Errors of position, velocity and force at the end, for each step: a slender bar released from horizontal."""
    exact = solve_ivp(
        lambda t, y: [y[1], -1.5 * G * np.cos(y[0])], (0, until), [0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-13
    ).y[:, -1]
    c, s, w = np.cos(exact[0]), np.sin(exact[0]), exact[1]
    wd = -1.5 * G * c
    force = 2.0 * np.array([-0.5 * w * w * c - 0.5 * wd * s, -0.5 * w * w * s + 0.5 * wd * c + G])
    found = []
    for h in steps:
        body = fx.PlanarRigidBody(2.0, 1.0 / 6.0, position=(0.5, 0), name="bar")
        hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0), name="hinge")
        run = fx.simulate(fx.Model(body, hinge, fx.Gravity((0, -G))), until, step=h, integrator=scheme)
        position = np.abs(run.position(body)[-1, :2] - 0.5 * np.array([c, s])).max()
        velocity = np.abs(run.velocity(body)[-1, :2] - 0.5 * w * np.array([-s, c])).max()
        found.append((position, velocity, np.abs(run.reaction(hinge)[-1, :2] - force).max()))
    return np.array(found).T


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("index", [2, 3])
def test_pendulum_is_of_second_order(index: int, rho: float) -> None:
    position, velocity, force = pendulum(STEPS, fx.GeneralizedAlpha(rho_inf=rho, index=index))
    for errors in (position, velocity, force):
        assert min(orders(errors)) > 1.8, (errors, orders(errors))


def test_multipliers_of_index_2_are_of_second_order_from_the_start() -> None:
    """After ten steps, whatever their size; those of index 3 start with an error of first order."""
    first = []
    for h in STEPS:
        _, _, force = pendulum([h], fx.GeneralizedAlpha(rho_inf=0.8, index=2), until=5 * h)
        first.append(force[0])
    assert min(orders(first)) > 1.8


@pytest.mark.parametrize(
    "scheme", [fx.GeneralizedAlpha.hht(0.2), fx.GeneralizedAlpha.newmark(), fx.GeneralizedAlpha(rho_inf=1.0)]
)
def test_special_cases_are_of_second_order(scheme: fx.GeneralizedAlpha) -> None:
    position, velocity, _ = pendulum(STEPS, scheme)
    assert min(orders(position)) > 1.85
    assert min(orders(velocity)) > 1.85


def test_newmark_with_damping_is_of_first_order() -> None:
    scheme = fx.GeneralizedAlpha.newmark(beta=0.36, gamma=0.7)
    assert scheme.order == 1
    position, _, _ = pendulum(STEPS, scheme)
    assert all(0.8 < p < 1.3 for p in orders(position))


def top(h: float, index: int, until: float = 0.8):
    """A heavy top on a ball joint, three different moments of inertia."""
    J, arm, m = np.array([0.3, 0.4, 0.2]), np.array([0.1, -0.05, 0.5]), 1.5
    R, w = Rotation.from_rotvec((0.5, 0.2, 0)), np.array([1.0, -0.5, 8.0])
    body = fx.RigidBody(
        m,
        tuple(J),
        position=R.apply(arm),
        rotation=R,
        velocity=R.apply(np.cross(w, arm)),
        angular_velocity=w,
        name="top",
    )
    tip = fx.SphericalJoint(fx.ground.marker((0, 0, 0)), body.marker(-arm), name="tip")
    run = fx.simulate(
        fx.Model(body, tip, fx.Gravity((0, 0, -G))),
        until,
        step=h,
        integrator=fx.GeneralizedAlpha(rho_inf=0.8, index=index),
    )
    return run, body, tip, (J, arm, m)


@pytest.mark.parametrize("index", [2, 3])
def test_top_is_of_second_order(index: int) -> None:
    """Euler's equations about the fixed point, with quaternions, to 1e-12."""
    _, _, _, (J, arm, m) = top(0.1, index, until=0.1)
    inertia = np.diag(J) + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    def rates(t: float, y):
        R, w = Rotation.from_quat(y[:4] / np.linalg.norm(y[:4])), y[4:]
        weight = R.inv().apply([0, 0, -m * G])
        wd = np.linalg.solve(inertia, np.cross(arm, weight) - np.cross(w, inertia @ w))
        x, yy, z, s = y[:4]
        qd = 0.5 * np.array(
            [s * w[0] + yy * w[2] - z * w[1], s * w[1] + z * w[0] - x * w[2], s * w[2] + x * w[1] - yy * w[0],
             -x * w[0] - yy * w[1] - z * w[2]]
        )  # fmt: skip
        return np.concatenate((qd, wd))

    start = Rotation.from_rotvec((0.5, 0.2, 0)).as_quat()
    end = solve_ivp(rates, (0, 0.8), [*start, 1.0, -0.5, 8.0], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    R, w = Rotation.from_quat(end[:4]), end[4:]
    wd = rates(0.8, end)[4:]
    force = m * R.apply(np.cross(wd, arm) + np.cross(w, np.cross(w, arm))) + [0, 0, m * G]
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run, body, tip, _ = top(h, index)
        errors.append(
            (
                np.abs(run.position(body)[-1] - R.apply(arm)).max(),
                np.abs(run.rotation(body)[-1] - R.as_matrix()).max(),
                np.abs(run.angular_velocity(body)[-1] - w).max(),
                np.abs(run.reaction(tip)[-1] - force).max(),
            )
        )
    for column in np.array(errors).T:
        assert min(orders(column)) > 1.85, (column, orders(column))


def test_index_3_without_damping_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="rho = 1 the multipliers do not converge; take rho below 1"):
        fx.GeneralizedAlpha(rho_inf=1.0, index=3)
    for make in (
        lambda: fx.GeneralizedAlpha.newmark(index=3), lambda: fx.GeneralizedAlpha.hht(0.0, index=3),
        lambda: fx.GeneralizedAlpha.newmark(1.0 / 6.0, 0.5, index=3),
    ):  # fmt: skip
        with pytest.raises(fx.ModelError, match=r"with index 3, beta = .* take index=2, or rho below 1"):
            make()
    assert fx.GeneralizedAlpha.newmark(0.36, 0.7, index=3).order == 1  # radius 0.67: what it starts with fades
    assert fx.GeneralizedAlpha.hht(0.05, index=3).order == 2


def test_both_forms_agree_without_constraints() -> None:
    body = fx.RigidBody(1.0, (1, 2, 3), angular_velocity=(0.1, 2.0, 0.1), velocity=(1, 0, 0), name="body")
    runs = [
        fx.simulate(fx.Model(body, fx.Gravity((0, 0, -G))), 1.0, step=0.02, integrator=fx.GeneralizedAlpha(index=k))
        for k in (2, 3)
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
