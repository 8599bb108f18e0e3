"""The whole iteration matrix, and what depends on velocities in constraints, against differences of 4th order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.step_matrix import possible_entries
from flexmbs.kernels.steps import retract, tangent_operators
from flexmbs.system.system import compile_model
from tests.models.flexible_trees import closed_arm
from tests.models.floating import chain
from tests.models.trees_of_links import mixed as trees

WEIGHTS = (0.37, 0.83)


def spatial() -> fx.Model:
    """Rigid bodies with joints, springs and follower wrenches, one of them rolling; a mass on a rod."""
    random = np.random.default_rng(3)
    inertia = np.diag((0.3, 0.5, 0.7)) + 0.05 * np.ones((3, 3))
    bodies = [
        fx.RigidBody(1.0 + i, (1 + i) * inertia, position=random.uniform(-1.0, 1.0, 3), name=f"b{i}") for i in range(7)
    ]
    wheel = fx.RigidBody(1.5, (0.1, 0.2, 0.1), position=(3.0, 0.0, 0.4), name="wheel")
    ball = fx.PointMass(0.6, position=(1.0, 2.0, -1.0), name="ball")

    def somewhere(body: fx.RigidBody) -> fx.Marker:
        return body.marker(random.uniform(-0.5, 0.5, 3), axis=random.uniform(0.2, 1.0, 3))

    a, b, c, d, e, f, g = bodies
    return fx.Model(
        *bodies, wheel, ball,
        fx.RevoluteJoint(fx.ground, a, at=(0.1, 0.2, 0.3), axis=(1.0, 2.0, 3.0), name="hinge"),
        fx.RevoluteJoint(a, b, at=(0.6, 0.1, -0.2), axis=(0.3, 0.5, 0.9), name="knee"),
        fx.PrismaticJoint(b, c, at=(0.3, 0.1, 0.2), axis=(1.0, 0.5, 0.2), name="slide"),
        fx.CylindricalJoint(c, d, at=(0.1, 0.4, 0.2), axis=(0.1, 1.0, 0.2), name="sleeve"),
        fx.UniversalJoint(d, e, at=(0.0, 1.0, 0.0), axes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), name="cardan"),
        fx.FixedJoint(e, f, at=(0.2, 0.4, 0.1), name="weld"),
        fx.SphericalJoint(f, g, at=(0.5, 0.5, 0.5), name="ball joint"),
        fx.DistanceConstraint(somewhere(g), ball, name="rod"),
        fx.RollingDisk(fx.ground, wheel, radius=0.4, axis=(0.0, 1.0, 0.0), name="rolling"),
        fx.SpringDamper(somewhere(a), somewhere(g), stiffness=30.0, damping=2.0, free_length=0.5, name="spring"),
        fx.SpringDamper(somewhere(wheel), ball, stiffness=20.0, damping=3.0, name="tie"),
        fx.PointForce(somewhere(d), (3.0, -1.0, 2.0), follower=True),
        fx.Moment(somewhere(e), (0.4, 0.5, -0.6), follower=True),
        fx.Gravity((0.0, 0.0, -9.81)),
    )  # fmt: skip


def planar() -> fx.Model:
    """Planar bodies and a cable with a support."""
    cable = fx.FlexibleBody.line(
        (0.0, 0.0), (1.0, 0.5), elements=3, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=40.0, EI_z=2.0, mass_per_length=1.3), name="cable",
    )  # fmt: skip
    bar = fx.PlanarRigidBody(2.0, 0.3, position=(1.3, 0.4), angle=0.4, name="bar")
    cart = fx.PlanarRigidBody(3.0, 0.5, position=(2.0, 0.1), name="cart")
    ball = fx.PointMass(0.5, position=(2.5, 1.0), name="bob")
    return fx.Model(
        cable, bar, cart, ball,
        fx.Pin(cable.start),
        fx.RevoluteJoint(cable.end, bar, at=(1.0, 0.5), name="hook"),
        fx.RevoluteJoint(bar, cart, at=(1.7, 0.2), name="pin"),
        fx.PrismaticJoint(fx.ground, cart, at=(2.0, 0.1), axis=(1.0, 0.2, 0.0), name="rail"),
        fx.DistanceConstraint(cart.marker((0.1, 0.2, 0.0)), ball, name="string"),
        fx.SpringDamper(bar.marker((0.2, 0.1, 0.0)), ball, stiffness=15.0, damping=1.5, free_length=0.2, name="band"),
        fx.PointForce(bar.marker((0.1, 0.1, 0.0)), (1.0, 2.0, 0.0), follower=True),
        fx.Gravity((0.0, -9.81)),
    )  # fmt: skip


def mixed() -> fx.Model:
    """A spatial cable between rigid bodies."""
    cable = fx.FlexibleBody.line(
        (0.0, 0.0, 0.0), (1.0, 0.3, 0.2), elements=2, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=50.0, EI_y=2.0, EI_z=2.0, mass_per_length=0.9), name="rope",
    )  # fmt: skip
    end = fx.RigidBody(1.2, (0.2, 0.3, 0.4), position=(1.4, 0.2, 0.1), name="end")
    first = fx.RigidBody(2.2, (0.3, 0.3, 0.5), position=(-0.4, 0.2, 0.1), name="first")
    return fx.Model(
        cable, end, first,
        fx.SphericalJoint(first, cable.start, at=(0.0, 0.0, 0.0), name="socket"),
        fx.SphericalJoint(cable.end, end, at=(1.0, 0.3, 0.2), name="eye"),
        fx.RevoluteJoint(fx.ground, first, at=(-0.5, 0.0, 0.0), axis=(0.0, 1.0, 1.0), name="axle"),
        fx.SpringDamper(cable.end, first.marker((0.1, 0.2, 0.3)), stiffness=9.0, damping=1.0, name="stay"),
        fx.Gravity((0.0, 0.0, -9.81)),
    )  # fmt: skip


def latched() -> fx.Model:
    """Two spatial links with a latch whose pin is on its way, and a bristle."""
    a, b = (fx.RigidBody(1.0 + i, (0.3, 0.5, 0.7), position=(i + 0.5, 0.1 * i, 0.0), name=f"link{i}") for i in range(2))
    hinge = fx.RevoluteJoint(fx.ground, a, at=(0.0, 0.0, 0.0), axis=(0.2, 0.1, 1.0), name="hinge")
    knee = fx.RevoluteJoint(a, b, at=(1.0, 0.1, 0.0), axis=(0.1, 0.2, 1.0), name="knee")
    return fx.Model(
        a, b, hinge, knee,
        fx.Latch(knee, at=-2.5, stiffness=30.0, damping=2.0, closing_time=0.3, width=5.0, name="lock"),
        fx.Latch(
            hinge, at=2.5, stiffness=30.0, damping=2.0, closing_time=0.3, closes="falling", width=5.0, name="stay"
        ),
        fx.BristleFriction(hinge, 0.4, load=2.0, deflection=0.5, damping=0.3, name="brake"),
    )  # fmt: skip


class Point:
    """A state drawn at random beside the initial one, reached by an increment that is not small."""

    def __init__(self, model: fx.Model) -> None:
        random = np.random.default_rng(11)
        self.dynamics = dyn = Dynamics(compile_model(model))
        dyn.set_time(0.0)
        start = dyn.coordinates.reference
        self.q0 = np.empty(dyn.n_q)
        retract(start, 0.2 * random.standard_normal(dyn.n_v), dyn.n_linear, self.q0)
        self.dq = 0.2 * random.standard_normal(dyn.n_v)
        self.v, self.a = random.standard_normal(dyn.n_v), random.standard_normal(dyn.n_v)
        self.lam = random.standard_normal(dyn.n_c)
        self.q = self.moved(self.q0, self.dq)

    def moved(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        out = np.empty_like(q)
        retract(q, dq, self.dynamics.n_linear, out)
        return out

    def residual(self, dq: np.ndarray, v: np.ndarray, lam: np.ndarray) -> np.ndarray:
        return self.dynamics.residual(self.moved(self.q0, dq), v, self.a, lam).copy()


def differences(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """df/dx by central differences of 4th order."""
    h = 3e-4
    columns = []
    for k in range(len(x)):
        e = h * np.eye(len(x))[k]
        columns.append((8.0 * (f(x + e) - f(x - e)) - f(x + 2 * e) + f(x - 2 * e)) / (12.0 * h))
    return np.array(columns).T.reshape(-1, len(x))


def expected_matrix(point: Point) -> np.ndarray:
    """[wq K T + wv D, G^T; G T, 0] with (wq / wv) (G v)_q T + G in velocity rows, on all coordinates."""
    dyn, (wq, wv) = point.dynamics, WEIGHTS
    n = dyn.n_v
    by_q = differences(lambda x: point.residual(x, point.v, point.lam), point.dq)
    by_v = differences(lambda x: point.residual(point.dq, x, point.lam), point.v)
    A = np.zeros((n + dyn.n_c, n + dyn.n_c))
    A[:, :n] = wq * by_q + wv * by_v
    A[:, n:] = differences(lambda x: point.residual(point.dq, point.v, x), point.lam)
    position = n + np.flatnonzero(dyn.velocity_rows == 0)
    velocity = n + np.flatnonzero(dyn.velocity_rows == 1)
    A[position, :n] /= wq
    A[velocity, :n] /= wv
    return A


@pytest.mark.parametrize("make", [spatial, planar, mixed, latched, chain, trees, closed_arm])
def test_matrix_of_a_step(make: Callable[[], fx.Model]) -> None:
    point = Point(make())
    dyn = point.dynamics
    system = dyn.system
    expected = expected_matrix(point)[np.ix_(system.free, system.free)]
    tangent_operators(point.dq, dyn.n_linear, dyn.T)
    dyn.tangent(point.q, point.v, point.a, point.lam, WEIGHTS)
    possible = possible_entries(system, dyn.mechanics)
    keep = possible & (system.entry_rows >= 0) & (system.entry_columns >= 0)
    found = np.zeros((system.n, system.n))
    np.add.at(found, (system.entry_rows[keep], system.entry_columns[keep]), dyn.B[keep])
    assert np.abs(dyn.B[~possible]).max() < 1e-15 * np.abs(dyn.B).max()  # round-off of zeros
    scale = np.maximum(1.0, np.abs(expected).max(axis=1))[:, None]
    assert np.abs((found - expected) / scale).max() < 1e-8


@pytest.mark.parametrize("make", [spatial, planar, mixed, latched, chain, trees, closed_arm])
def test_solution_of_a_step(make: Callable[[], fx.Model]) -> None:
    """What the factors give is the solution with the matrix of differences and the mass."""
    point = Point(make())
    dyn = point.dynamics
    free = dyn.system.free
    A = expected_matrix(point)
    A[: dyn.n_v, : dyn.n_v] += dyn.mass_matrix.toarray()
    tangent_operators(point.dq, dyn.n_linear, dyn.T)
    r = dyn.tangent(point.q, point.v, point.a, point.lam, WEIGHTS).copy()
    dyn.factorise(1.0)
    d = dyn.solve(1.0, 1.0, 1.0)[free]
    b = -r[free]
    assert np.allclose(A[np.ix_(free, free)] @ d, b, rtol=0.0, atol=1e-7 * np.abs(b).max())


@pytest.mark.parametrize("make", [spatial, planar, mixed, latched, chain, trees, closed_arm])
def test_residuals_of_both_ways_agree(make: Callable[[], fx.Model]) -> None:
    """Evaluated with the matrix and without it the residual is the same."""
    point = Point(make())
    dyn = point.dynamics
    alone = dyn.residual(point.q, point.v, point.a, point.lam).copy()
    together = dyn.tangent(point.q, point.v, point.a, point.lam, WEIGHTS)
    assert np.allclose(together, alone, rtol=1e-13, atol=1e-12 * np.abs(alone).max())


@pytest.mark.parametrize("make", [spatial, planar, mixed, latched, chain, trees, closed_arm])
def test_rates_and_their_derivative(make: Callable[[], fx.Model]) -> None:
    """Rates are derivatives of positions along the motion; gamma is that of the rates at constant velocities."""
    point = Point(make())
    dyn = point.dynamics

    def constraints(s: np.ndarray) -> np.ndarray:
        return dyn.residual(point.moved(point.q, s[0] * point.v), point.v, point.a, point.lam)[dyn.n_v :].copy()

    def rates(s: np.ndarray) -> np.ndarray:
        dyn.residual(point.moved(point.q, s[0] * point.v), point.v, point.a, point.lam)
        return dyn.rates().copy()

    here = rates(np.zeros(1))
    position = dyn.velocity_rows == 0
    moving = differences(constraints, np.zeros(1))[:, 0]
    assert np.allclose(here[position], moving[position], rtol=0.0, atol=1e-9 * np.abs(here).max())
    gamma = dyn.gamma(point.q, point.v)
    expected = differences(rates, np.zeros(1))[:, 0]
    assert np.allclose(gamma, expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())
