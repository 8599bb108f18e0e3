"""Substructures that share frames: their inertia, large bending, and what is conserved in free flight."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import Frame, Hexahedron8
from flexmbs.meshes import box
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.flexible_motion import tether_model as given
from flexmbs.verification.reference.elastica import cantilever_tip_load

ROUND_OFF = 1e-10
STATES = 3
COUNTS = (1, 2, 4)
LOAD = 2.142857142857143
"""P L^2 / EI of the tether under 0.05 N: its tip moves by half its length."""


class Jet:
    """Values, rates and accelerations (3, ...) of an array along a motion, exact by Taylor's series."""

    def __init__(self, *parts: FloatArray) -> None:
        self.parts = parts

    def __matmul__(self, other: Jet) -> Jet:
        (a, b, c), (x, y, z) = self.parts, other.parts
        return Jet(a @ x, a @ y + b @ x, a @ z + 2.0 * b @ y + c @ x)

    def __add__(self, other: Jet) -> Jet:
        return Jet(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: Jet) -> Jet:
        return Jet(*(a - b for a, b in zip(self.parts, other.parts, strict=True)))

    @property
    def T(self) -> Jet:
        """Transposed."""
        return Jet(*(a.T for a in self.parts))


def still(a: FloatArray) -> Jet:
    """What does not move."""
    return Jet(a, 0.0 * a, 0.0 * a)


def skew(w: FloatArray) -> FloatArray:
    """w~."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


class NodalVelocities:
    """B^T M_FEM (B a + B' v) of one substructure of hexahedra, from the motion of its nodes."""

    def __init__(self) -> None:
        soft = fx.Elastic(youngs_modulus=1e3, density=1500.0, poissons_ratio=0.3)
        mesh = box((0.1, -0.2, 0.3), (1.0, 0.2, 0.3), (3, 1, 2), "hexahedron")
        part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, Hexahedron8(), soft)], name="block")
        turned = Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix()
        self.a = fx.RigidBody(1.0, (1.0, 1.0, 1.0), (-0.2, 0.1, 0.2), turned, name="A")
        self.b = fx.RigidBody(1.0, (1.0, 1.0, 1.0), (1.3, -0.1, 0.4), turned @ turned, name="B")
        self.reduced = fx.reduction.reduce(part, ["left", "right"], 4, progress=False)
        self.part = fx.Substructure(self.reduced, self.a, self.b, ("left", "right"), geometric_stiffening=False)
        self.dynamics = Dynamics(fx.compile_model(fx.Model(self.a, self.b, self.part)))
        self.operators = part.assemble()
        self.shapes = self.reduced.reconstruct(np.eye(self.reduced.size))[: len(self.operators.points), :3]
        frames = {f.name: np.asarray(f.origin) for f in self.reduced.frames}
        self.ends = frames["left"], frames["right"]

    def motion(self, x: FloatArray, R: list[FloatArray], inner: FloatArray, v: FloatArray, a: FloatArray) -> Jet:
        """Nodes (n, 3): positions x (2, 3) and orientations of both bodies, inner modes, rates and accelerations."""
        places, turns = [], []
        for i in range(2):
            w, wd = skew(v[6 * i + 3 : 6 * i + 6]), skew(a[6 * i + 3 : 6 * i + 6])
            places.append(Jet(x[i], v[6 * i : 6 * i + 3], a[6 * i : 6 * i + 3]))
            turns.append(Jet(R[i], R[i] @ w, R[i] @ (w @ w + wd)))
        # the frame of the start lies at the body A, along its axes; the mesh is where it is at the start
        R0 = [body.rotation for body in (self.a, self.b)]
        end = still(R0[1].T @ (self.ends[1] - self.b.position))
        A, B = turns
        d = A.T @ (places[1] + B @ end - places[0]) - still(R0[0].T @ (self.ends[1] - self.a.position))
        P = A.T @ B @ still(R0[1].T @ R0[0])
        theta = Jet(*(0.5 * np.array([p[2, 1] - p[1, 2], p[0, 2] - p[2, 0], p[1, 0] - p[0, 1]]) for p in P.parts))
        first, last = (self.reduced.frame(name).coordinates for name in ("left", "right"))
        own = np.setdiff1d(np.arange(self.reduced.size), np.concatenate((first, last)))
        scale = self.part.basis[own, 6 + np.arange(len(own))]
        moved = []
        for z, turn, xi in zip(d.parts, theta.parts, (inner, v[12:], a[12:]), strict=True):
            q = np.zeros(self.reduced.size)
            q[last] = np.concatenate((R0[0] @ z, R0[0] @ turn))
            q[own] = scale * xi
            moved.append(np.einsum("nck,k->nc", self.shapes, q) @ R0[0])
        local = Jet(*moved) + still((self.operators.points - self.a.position) @ R0[0])
        nodes = local @ A.T
        return nodes + Jet(*(np.broadcast_to(p, nodes.parts[0].shape) for p in places[0].parts))

    def compare(self, seed: int) -> tuple[float, float]:
        """Largest relative differences of M and of the forces by velocities, in a random state."""
        rng = np.random.default_rng(seed)
        c = self.dynamics.coordinates
        order = np.concatenate([np.arange(iv, iv + 6) for _, iv in map(c.place, (self.a, self.b))])
        inner_at = np.array([c.extra_place(e) for e in self.part.extra])
        order = np.concatenate((order, inner_at))
        n = len(order)
        x = np.array([self.a.position, self.b.position]) + 0.2 * rng.normal(size=(2, 3))
        R = [b.rotation @ Rotation.from_rotvec(0.3 * rng.normal(size=3)).as_matrix() for b in (self.a, self.b)]
        inner, v = 0.1 * rng.normal(size=n - 12), rng.normal(size=n)
        q = c.reference.copy()
        for i, body in enumerate((self.a, self.b)):
            iq, _ = c.place(body)
            q[iq : iq + 7] = np.concatenate((x[i], Rotation.from_matrix(R[i]).as_quat(scalar_first=True)))
        q[inner_at] = inner
        dofs = self.operators.dofs
        zero = np.zeros(n)
        B = np.array([self.motion(x, R, inner, e, zero).parts[1] for e in np.eye(n)])[:, dofs.node, dofs.component]
        bias = self.motion(x, R, inner, v, zero).parts[2][dofs.node, dofs.component]
        expected_mass, expected = B @ (self.operators.M @ B.T), B @ (self.operators.M @ bias)
        for i, body in enumerate((self.a, self.b)):
            k = 6 * i
            expected_mass[k : k + 6, k : k + 6] += np.diag([body.mass] * 3 + list(np.diag(body.inertia)))
            w = v[k + 3 : k + 6]
            expected[k + 3 : k + 6] += np.cross(w, body.inertia @ w)
        full, none = np.zeros(len(order)), np.zeros(0)
        full[order] = v
        rest = self.dynamics.residual(q, 0.0 * full, 0.0 * full, none)[order].copy()
        found = self.dynamics.residual(q, full, 0.0 * full, none)[order] - rest
        mass = self.dynamics.mass_matrix.toarray()[np.ix_(order, order)]
        return (
            float(np.abs(mass - expected_mass).max() / np.abs(expected_mass).max()),
            float(np.abs(found - expected).max() / np.abs(expected).max()),
        )


def free_flight(n: int, step: float) -> tuple[float, float, float]:
    """Relative changes of momentum, angular momentum and energy of a satellite with a bent boom that tumbles, 30 s."""
    spin = np.array([0.02, 0.1, 0.03])
    places = given.corners(n, given.BOW)
    hub = fx.RigidBody(10.0, (1.0, 1.2, 0.8), (-0.3, -0.4, 0.1), name="satellite").with_spin(spin, (0.0, 0.0, 0.0))
    disk = given.contactor(places[-1]).with_spin(spin, (0.0, 0.0, 0.0))
    boom = fx.SubstructuredBeam(places, hub, disk, element=Frame(section=given.stiffness(), shear=False), name="boom")
    run = fx.simulate(
        fx.Model(hub, disk, *boom.items), 30.0, step=step, output=fx.Output(every=1.0), progress=False,
        integrator=fx.GeneralizedAlpha(rho_inf=0.8),
    )  # fmt: skip
    P, L = run.momentum()
    E = run.energy.total
    return (
        float(np.abs(P - P[0]).max() / np.abs(P[0]).max()),
        float(np.abs(L - L[0]).max() / np.abs(L[0]).max()),
        float(np.abs(E - E[0]).max() / E[0]),
    )


def bent_tip(n: int) -> tuple[float, float]:
    """Place of the tip under a dead force across the boom, by its length: along and across."""
    force = LOAD * given.SOFT / given.LENGTH**2
    bare = given.tether(n, None, bow=0.0, retardation=0.0)
    model = bare.model.with_(fx.PointForce(bare.contactor.centre, (force, 0.0, 0.0)))
    place = np.atleast_2d(fx.solve_static(model).position(bare.contactor))[-1]
    return float(place[1] / given.LENGTH), float(place[0] / given.LENGTH)


def run(progress: Progress) -> Outcome:
    """All three."""
    quantities = []
    progress("inertia")
    block = NodalVelocities()
    found = np.array([block.compare(seed) for seed in range(STATES)]).max(axis=0)
    for what, value in zip(("mass matrix", "forces by velocities"), found, strict=True):
        quantities.append(
            measured(f"{what} against B^T M_FEM B, relative", "-", value, 0.0, "nodal velocities, Taylor's series",
                     atol=ROUND_OFF)
        )  # fmt: skip
    progress("large bending")
    exact = cantilever_tip_load(LOAD)
    errors = []
    for n in COUNTS:
        x, y = bent_tip(n)
        errors.append(float(np.hypot(x - exact.x, y - exact.y)))
    quantities.append(measured("tip under a force, n = 4, by the length", "-", errors[-1], 0.0, "elastica", atol=1e-5))
    progress("free flight")
    rows = []
    changes = {step: free_flight(3, step) for step in (0.1, 0.05)}
    for step, values in changes.items():
        rows.append((step, *(f"{x:.1e}" for x in values)))
    names = ("momentum", "angular momentum", "energy")
    for what, coarse, fine in zip(names, changes[0.1], changes[0.05], strict=True):
        quantities.append(
            measured(f"free flight: change of {what}, step 0.05 s", "-", fine, 0.0, "conserved", atol=1e-5)
        )
        if what != "momentum":  # whose change is close to that by the tolerance of the iteration
            quantities.append(
                measured(f"free flight: order of the change of {what}", "-", float(np.log2(coarse / fine)), 2.0,
                         "order of the integrator", atol=0.3)
            )  # fmt: skip
    table = Table("Tumbling satellite with a bent boom, 30 s: relative changes", ("step [s]", "P", "L", "E"), rows)
    study = ConvergenceStudy("tip under a force", COUNTS, errors, expected=4.0, minimum=2.0, counts=True, label="n")
    return Outcome(quantities, [study], [table])


CASE = Case(
    id="substructures",
    title="Substructures that share the frames of their ends",
    area="flexible motion",
    summary=(
        "A substructure lies between two frames, which neighbours share; the relative place of the second one is the "
        "amplitude of its static modes. (1) Its mass matrix and the forces by velocities against nodal velocities: "
        "the nodes of a block of hexahedra are followed along a motion of both frames by Taylor's series, and M_FEM is "
        "that of the mesh. (2) A boom whose axial frequency is 2 600 times that of bending, under a dead force that "
        "moves its end by half its length, in one, two and four substructures, against the elastica. (3) A satellite "
        "with a bent boom tumbles freely: what is conserved changes by the error of the integrator only, with the "
        "square of the step."
    ),
    run=run,
    source=(
        "J. Valverde, J. L. Escalona, J. Mayo, J. Dominguez, Dynamic analysis of a light structure in space: short "
        "electrodynamic tether, Virtual Nonlinear Multibody Systems, NATO ASI, Prague 2002."
    ),
    equations=(
        r"d = A^T(r_B - r_A) - d_0, \quad \theta = \frac{1}{2} \sum_k e_k \times A^T B\,C e_k",
        r"M = B^T M_{FE} B, \qquad Q_v = -B^T M_{FE} \dot B \dot q",
    ),
    basic=True,
)
