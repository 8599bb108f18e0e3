"""Every force in a compiled model: the derivatives of the residual by q and v against differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kernels.steps import retract


def rigid() -> tuple[tuple[Any, ...], Any, Any]:
    """Two bodies in space and a marker on each, off their centres and askew."""
    a = fx.RigidBody(1.0, (1.0, 2.0, 2.5), position=(0, 0, 0), name="a")
    b = fx.RigidBody(2.0, (1.0, 1.5, 0.8), position=(0.6, 0.4, 0.3), rotation=turned(), name="b")
    return (a, b), a.marker((0.1, -0.2, 0.05), axis=(0.2, 0.1, 1.0)), b.marker((0.3, 0.2, -0.1), axis=(0.1, 0.2, 1.0))


def flexible() -> tuple[tuple[Any, ...], Any, Any]:
    """The end of a planar cable and a plate."""
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0.2), elements=2, element=fx.elements.ANCFCable2D(), stiffness=fx.BeamStiffness(
            EA=7.0, EI_z=0.3, mass_per_length=1.3), name="cable",
    )  # fmt: skip
    plate = fx.PlanarRigidBody(1.0, 0.5, position=(1.5, 0.4), angle=0.3, name="plate")
    return (cable, plate), fx.Marker(cable, node=2), plate.marker((0.2, 0.1))


def turned() -> np.ndarray:
    c, s = math.cos(0.4), math.sin(0.4)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def wind(p: np.ndarray, R: np.ndarray, twist: np.ndarray, t: float) -> np.ndarray:
    """Something of everything, in the plane where the markers are."""
    w = np.zeros((2, 6))
    w[:, :3] = -twist[:, :3] * np.linalg.norm(twist[:, :3], axis=1)[:, None] + R[0] @ (1.0, 2.0, 0.0)
    w[0, :3] += 3.0 * (p[1] - p[0])
    w[1, 5] = -0.2 * twist[1, 5] + R[1][0, 0]
    return w


CURVE = fx.ForceCurve((-0.5, 0.0, 0.5), (-2.0, 0.0, 4.0))
STIFF = np.diag([3.0, 2.0, 4.0, 0.5, 0.7, 0.9]) + 0.1
FORCES: dict[str, Any] = {
    "spring": lambda a, b: fx.SpringDamper(a, b, stiffness=7.0, damping=0.4, free_length=0.3, preload=0.2),
    "curves": lambda a, b: fx.SpringDamper(a, b, stiffness=CURVE, damping=(0.4, 0.0, 0.3)),
    "function": lambda a, b: fx.SpringDamper(a, b, force=lambda s, u, t: s**3 + u * s),
    "torsion spring": lambda a, b: fx.TorsionSpring((a, b), stiffness=3.0, damping=0.5, free_angle=-0.2),
    "motor": lambda a, b: fx.JointForce((a, b), lambda s, u, t: 2.0 - s * u, coordinate="displacement"),
    "stop": lambda a, b: fx.JointStop((a, b), upper=0.2, stiffness=9.0, damping=0.3, coordinate="distance"),
    "friction": lambda a, b: fx.CoulombFriction((a, b), 0.3, 2.0, speed=0.5, static=0.4, coordinate="angle"),
    "bushing": lambda a, b: fx.Bushing(
        a, b, stiffness=STIFF[:3, :3] if a.planar else STIFF, damping=0.3 * STIFF[:3, :3] if a.planar else 0.3 * STIFF
    ),
    "bristle": lambda a, b: fx.BristleFriction(
        (a, b), 0.3, 2.0, deflection=1.5, static=0.4, falling=2.0, damping=0.2, viscous=0.1, coordinate="distance"
    ),
    "user force": lambda a, b: fx.UserForce([a, b], wind),
    "follower": lambda a, b: fx.PointForce(b, (1.0, 2.0) if a.planar else (1.0, 2.0, 3.0), follower=True),
    "dead force": lambda a, b: fx.PointForce(b, (1.0, 2.0) if a.planar else (1.0, 2.0, 3.0)),
    "moment": lambda a, b: fx.Moment(b, 2.0 if a.planar else (1.0, 2.0, 3.0)),
}


def derivatives(dynamics: Dynamics, q: np.ndarray, v: np.ndarray, weights: tuple[float, float]) -> np.ndarray:
    """wq K + wv D as a full matrix."""
    n = dynamics.n_v
    zero = np.zeros(n)
    dynamics.T[:] = np.eye(3)
    dynamics.B[:] = 0.0
    dynamics.tangent(q, v, zero, np.zeros(0), weights)
    matrix = np.zeros((n, n))
    for block in dynamics.system.blocks:
        for i, dofs in enumerate(block.dofs):
            k = len(dofs)
            values = dynamics.B[block.b1 + i * k * k : block.b1 + (i + 1) * k * k].reshape(k, k)
            np.add.at(matrix, np.ix_(dofs, dofs), values)
    return matrix


@pytest.mark.parametrize("world", [rigid, flexible])
@pytest.mark.parametrize("name", FORCES)
def test_tangents_are_exact(name: str, world: Any) -> None:
    bodies, a, b = world()
    dynamics = Dynamics(fx.compile_model(fx.Model(*bodies, FORCES[name](a, b))))
    rng = np.random.default_rng(5)
    n, zero = dynamics.n_v, np.zeros(dynamics.n_v)
    dynamics.set_time(0.3)
    q = np.zeros(dynamics.n_q)
    retract(dynamics.coordinates.reference, 0.1 * rng.normal(size=n), dynamics.n_linear, q)
    v = rng.normal(size=n)
    K, D = (derivatives(dynamics, q, v, w) for w in ((1.0, 0.0), (0.0, 1.0)))
    h, moved = 1e-6, np.zeros(dynamics.n_q)

    def residual(dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        retract(q, dq, dynamics.n_linear, moved)
        return dynamics.residual(moved, v + dv, zero, np.zeros(0)).copy()

    units = h * np.eye(n)
    by_q = np.column_stack([(residual(e, zero) - residual(-e, zero)) / (2 * h) for e in units])
    by_v = np.column_stack([(residual(zero, e) - residual(zero, -e)) / (2 * h) for e in units])
    size = max(1.0, float(np.abs(by_q).max()))
    assert np.abs(K - by_q).max() < 3e-7 * size
    assert np.abs(D - by_v).max() < 3e-7 * size
