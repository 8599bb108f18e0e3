"""Three formulations of the inertia of a flexible body against each other: one interpolation, one set of shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import Frame, Hexahedron8, Hexahedron20, Tetra10
from flexmbs.elements.linear.contract import LinearElement
from flexmbs.meshes import box
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured

GRAVITY = np.array([0.3, -0.5, -9.81])
SOFT = fx.Elastic(youngs_modulus=1e3, density=1500.0, poissons_ratio=0.3)
"""So soft that elastic forces, which all three share, do not hide those of inertia."""

LARGE = 0.3
"""Displacements of the shapes by the size of the body: the formulations agree whatever their size."""

ROUND_OFF = 1e-10


class Motion(NamedTuple):
    """State of a body.

    Orientation R; velocity and acceleration (3,) of its origin, inertial axes; angular velocity and acceleration (3,),
    body axes; shapes, rates and accelerations (m,).
    """

    R: FloatArray
    velocity: FloatArray
    omega: FloatArray
    eta: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    omega_dot: FloatArray
    second: FloatArray

    @property
    def rates(self) -> FloatArray:
        """All velocities (6 + m,)."""
        return np.concatenate((self.velocity, self.omega, self.rate))

    @property
    def accelerations(self) -> FloatArray:
        """All accelerations (6 + m,)."""
        return np.concatenate((self.acceleration, self.omega_dot, self.second))

    def accelerated(self, a: FloatArray) -> Motion:
        """With other accelerations (6 + m,)."""
        return self._replace(acceleration=a[:3], omega_dot=a[3:6], second=a[6:])


Formulation = Callable[[Motion], FloatArray]
"""Generalised forces (6 + m,) of inertia, gravity and elasticity."""


class Formulations:
    """One free body in three formulations; the origin of its frame is at the origin of space.

    Where nodes have rotations, nodal velocities cannot express the rotation of a deformed shape: then `nodal` and the
    rows of rotation of `moving` are those of another interpolation.
    """

    def __init__(self, part: fx.linear.Part, body: fx.FloatingBody) -> None:
        self.body, self.m = body, body.modes
        weight = fx.Gravity(GRAVITY.tolist(), history=fx.Constant())
        self.dynamics = Dynamics(fx.compile_model(fx.Model(body, weight)))
        self.dynamics.set_time(0.0)
        self.operators = part.assemble()
        self.frame = fx.linear.moving_frame(self.operators, origin=body.origin)
        dofs = self.operators.dofs
        every = body.displacements(np.eye(self.m))
        self.shapes = every[dofs.node, dofs.component]
        self.moved = every[: len(self.operators.points), :3]
        self.X = self.operators.points - body.origin
        self.at = (dofs.node, dofs.component)

    def motion(self, seed: int) -> Motion:
        """A random state."""
        rng = np.random.default_rng(seed)
        m = self.m
        size = LARGE * np.ptp(self.X, axis=0).max() / np.abs(self.moved).max() / np.sqrt(m)
        R = Rotation.random(rng=rng).as_matrix()
        velocity, omega, acceleration, omega_dot = rng.normal(size=(4, 3))
        eta, rate, second = size * rng.normal(size=(3, m))
        return Motion(R, velocity, omega, eta, rate, acceleration, omega_dot, second)

    def invariants(self, s: Motion) -> FloatArray:
        """The kernels of `FloatingBody`, from the inertia invariants."""
        coordinates = self.dynamics.coordinates
        (iq, iv), first = coordinates.place(self.body), coordinates.shapes(self.body)[0]
        q, v, a = np.zeros(coordinates.n), np.zeros(coordinates.n_v), np.zeros(coordinates.n_v)
        q[iq + 3 : iq + 7] = Rotation.from_matrix(s.R).as_quat(scalar_first=True)
        q[first : first + self.m] = s.eta
        order = np.concatenate((np.arange(iv, iv + 6), first + np.arange(self.m)))
        v[order], a[order] = s.rates, s.accelerations
        return np.asarray(self.dynamics.residual(q, v, a, np.zeros(0))[order]).copy()

    def nodal(self, s: Motion) -> FloatArray:
        """B^T M_FEM (B a + B' v - g) with the nodal velocities B v, along inertial axes."""
        Y = self.X + self.moved @ s.eta
        rate, second = self.moved @ s.rate, self.moved @ s.second
        inner = np.cross(s.omega_dot, Y) + np.cross(s.omega, np.cross(s.omega, Y)) + 2.0 * np.cross(s.omega, rate)
        nodes = s.acceleration - GRAVITY + (inner + second) @ s.R.T
        B = np.zeros((*Y.shape, 6 + self.m))
        B[:, :, :3] = np.eye(3)
        B[:, :, 3:6] = -s.R @ np.cross(Y[:, None, :], np.eye(3)).transpose(0, 2, 1)
        B[:, :, 6:] = s.R @ self.moved
        return self._elastic(B[self.at].T @ (self.operators.M @ nodes[self.at]), s)

    def moving(self, s: Motion) -> FloatArray:
        """The matrices of the moving frame, projected on translations, rotations of the deformed body, and shapes."""
        frame, u = self.frame, self.shapes @ s.eta
        force = self.operators.M @ (self.shapes @ s.second) + frame.coriolis(s.omega) @ (self.shapes @ s.rate)
        force += (frame.euler(s.omega_dot) + frame.centrifugal(s.omega)) @ u
        force -= frame.load(s.R.T @ (s.acceleration - GRAVITY), s.omega, s.omega_dot)
        motions = self.operators.rigid_motions(self.body.origin)
        turned = np.zeros((*self.X.shape[:1], 6, 3))
        turned[:, :3] = -np.cross((self.moved @ s.eta)[:, None, :], np.eye(3)).transpose(0, 2, 1)
        turns = motions[:, 3:] + turned[self.at]
        rows = (s.R @ (motions[:, :3].T @ force), turns.T @ force, self.shapes.T @ force)
        return self._elastic(np.concatenate(rows), s)

    def _elastic(self, r: FloatArray, s: Motion) -> FloatArray:
        r[6:] += self.body.stiffness @ s.eta
        return r


def mass(form: Formulation, s: Motion) -> FloatArray:
    """Mass matrix, as what unit accelerations add."""
    unit = np.eye(len(s.accelerations))
    start = form(s.accelerated(0.0 * s.accelerations))
    return np.column_stack([form(s.accelerated(e)) - start for e in unit])


def gyroscopic(form: Formulation, s: Motion) -> FloatArray:
    """What unit rates of the shapes add; forces are linear in them at given angular velocity."""
    start = form(s._replace(rate=0.0 * s.rate))
    return np.column_stack([form(s._replace(rate=e)) - start for e in np.eye(len(s.rate))])


def difference(given: Formulations, found: FloatArray, expected: FloatArray) -> float:
    """Largest difference relative to the largest entry, in coordinates scaled to unit mass and moment of inertia.

    Rows of rotation count only where nodes have displacements alone.
    """
    inertia = given.body.inertia
    size = np.ones(6 + given.m)
    size[:3], size[3:6] = inertia.mass, np.trace(inertia.tensor) / 3.0
    scale = 1.0 / np.sqrt(size)
    rows = np.arange(6 + given.m)
    if (given.operators.dofs.component >= 3).any():
        rows = np.delete(rows, [3, 4, 5])
    change = (scale[:, None] * (found - expected).reshape(len(scale), -1))[rows]
    largest = (scale[:, None] * expected.reshape(len(scale), -1))[rows]
    if change.shape[1] == len(scale):
        change, largest = change * scale, largest * scale
    return float(np.abs(change).max() / np.abs(largest).max())


def solid(element: LinearElement) -> tuple[fx.linear.Part, fx.FloatingBody]:
    """A block away from the origin, with a tangent frame at its left end."""
    mesh = box((0.1, -0.2, 0.3), (1.0, 0.2, 0.3), (3, 1, 2), "tetra" if isinstance(element, Tetra10) else "hexahedron")
    mesh = mesh if isinstance(element, Hexahedron8) else mesh.quadratic()
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, SOFT)], name="block")
    return part, fx.FloatingBody(fx.reduction.reduce(part, ["left", "right"], 4, progress=False), "left", modes=6)


def mean_axes() -> tuple[fx.linear.Part, fx.FloatingBody]:
    """The lug, quadratic tetrahedra, with mean axes."""
    part = fx.linear.Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=SOFT, name="lug")
    return part, fx.FloatingBody(fx.reduction.reduce(part, ["ROOT", "BORE"], 4, progress=False), modes=6)


def bent_frame() -> tuple[fx.linear.Part, fx.FloatingBody]:
    """Two beams at an angle with rotary inertia, and a mass with an inertia tensor."""
    beam = Frame(section=fx.Rectangle(width=0.05, height=0.1))
    mesh = fx.meshes.polyline([(0, 0, 0), (1, 0, 0), (1.3, 0.8, 0.2)], [2, 2])
    lump = fx.linear.NodalMass(2, 5.0, np.diag([0.3, 0.2, 0.25]), (0.1, -0.2, 0.05))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, beam, SOFT)], connections=[lump], name="frame")
    ends = [fx.reduction.Interface("start", nodes=[0]), fx.reduction.Interface("tip", nodes=[4])]
    return part, fx.FloatingBody(fx.reduction.reduce(part, ends, 4, progress=False), "start", modes=6)


BODIES: dict[str, Callable[[], tuple[fx.linear.Part, fx.FloatingBody]]] = {
    "hexahedra": lambda: solid(Hexahedron8()),
    "quadratic hexahedra": lambda: solid(Hexahedron20()),
    "quadratic tetrahedra": lambda: solid(Tetra10()),
    "lug, mean axes": mean_axes,
    "beams": bent_frame,
}
STATES = 3


def run(progress: Progress) -> Outcome:
    """Forces, mass matrix and gyroscopic matrix of random states of every body."""
    quantities, rows = [], []
    for label, make in BODIES.items():
        progress(label)
        given = Formulations(*make())
        others = {"moving-frame matrices": given.moving}
        if not (given.operators.dofs.component >= 3).any():
            others = {"nodal velocities": given.nodal, **others}
        for name, other in others.items():
            worst = [0.0, 0.0, 0.0]
            for seed in range(STATES):
                s = given.motion(seed)
                for i, of in enumerate((lambda form, s: form(s), mass, gyroscopic)):
                    worst[i] = max(worst[i], difference(given, of(other, s), of(given.invariants, s)))
            for what, value in zip(("forces", "mass", "gyroscopic terms"), worst, strict=True):
                quantities.append(
                    measured(f"{label}: {what} by {name} against invariants", "-", value, 0.0,
                             "the same integrals in another order", atol=ROUND_OFF)
                )  # fmt: skip
            rows.append((label, name, *(f"{x:.0e}" for x in worst)))
    table = Table(
        "Largest differences from the kernels of the floating body, relative",
        ("body", "formulation", "forces", "mass", "gyroscopic"),
        rows,
    )
    return Outcome(quantities, tables=[table])


CASE = Case(
    id="inertia-formulations",
    title="Three formulations of the inertia of a flexible body",
    area="flexible motion",
    summary=(
        "A body in a floating frame at random states: any orientation, angular velocity and accelerations, and "
        "deformations that are far from small. Its generalised forces, its mass matrix and the forces by rates of the "
        "shapes come from the inertia invariants (the kernels of FloatingBody), from nodal velocities with the mass "
        "matrix of the mesh, and from the Coriolis, Euler and centrifugal matrices of the moving frame projected on "
        "the shapes. With one interpolation they are the same integrals and must agree to round-off."
    ),
    run=run,
    source=(
        "J. Valverde, J. L. Escalona, J. Mayo, J. Dominguez (nodal velocities) and S. I. Vlase, M. C. Tofan, "
        "I. A. Goia (moving frame), both in Virtual Nonlinear Multibody Systems, NATO ASI, Prague 2002."
    ),
    equations=(
        r"M = B^T M_{FE} B, \qquad r = B^T M_{FE}(B\dot v + \dot B v - g)",
        r"r = W^T [M\Phi\ddot\eta + C(\omega)\Phi\dot\eta + (E(\dot\omega) + Z(\omega))\Phi\eta "
        r"- f(a - g, \omega, \dot\omega)]",
    ),
    limits=(
        "A rotation of a bent beam is not a motion of its nodes; for beams the rows of rotation and the nodal "
        "velocities are left out.",
    ),
)
