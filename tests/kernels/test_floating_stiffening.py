"""Geometric stiffening in floating frames: its terms against sums over points of mass, tangents against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import Env, MarkerWork, State
from flexmbs.elements.linear.frame import Frame
from flexmbs.io.reduced_description import reduced_from_plain, reduced_to_plain
from flexmbs.kernels.floating import floating_energy, floating_force, floating_mass
from flexmbs.kernels.floating_moments import FloatingGroup
from flexmbs.kernels.floating_tangent import floating_blocks
from flexmbs.kernels.markers.floating import FLOATING
from flexmbs.reduction.inertia import InertiaInvariants

SHAPES = 3
SIZE = 6 + SHAPES
GRAVITY = np.array([0.3, -0.4, -9.81])


class Points:
    """Points of mass with shapes, and affine displacements of second order."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.w, self.x = rng.uniform(0.5, 2.0, 9), rng.normal(size=(9, 3))
        self.phi = 0.3 * rng.normal(size=(9, 3, SHAPES))
        C = 0.3 * rng.normal(size=(4, 3, SHAPES, SHAPES))
        C = C + C.swapaxes(2, 3)
        self.C = C
        K = rng.normal(size=(SHAPES, SHAPES))
        self.K = K @ K.T
        w, x, phi = self.w, self.x, self.phi
        inertia = InertiaInvariants(
            float(w.sum()), w @ x, np.einsum("g,ga,gb->ab", w, x, x), np.einsum("g,gak->ak", w, phi),
            np.einsum("g,ga,gbk->abk", w, x, phi), np.einsum("g,gak,gbl->abkl", w, phi, phi),
        )  # fmt: skip
        dofs = np.concatenate([SHAPES + np.arange(6), np.arange(SHAPES)])[None].astype(np.int64)
        self.group = FloatingGroup.made(
            (dofs, np.array([SHAPES]), np.array([0])), 0, [inertia], (self.K[None], 0.1 * self.K[None]),
            (np.array([0]), GRAVITY[None]), C[None],
        )  # fmt: skip
        self.q = np.concatenate([rng.normal(size=SHAPES + 3), Rotation.random(rng=rng).as_quat(scalar_first=True)])
        self.v, self.a = rng.normal(size=SIZE), rng.normal(size=SIZE)

    def places(self, eta: Any, size: float) -> tuple[Any, Any, Any]:
        """Places y of the points and their first and second derivatives by the shapes.

        A = 1 + Q/2 - E^2/8, the Taylor polynomial of a square root, where E is the gradient of Q.
        """
        C = size * self.C
        psi = np.hstack([np.ones((9, 1)), self.x])
        Ck = C @ eta
        E, Ek = (Ck @ eta)[1:], Ck[1:]
        both = lambda X, Y: np.einsum("ab...,bc->ac...", X, Y) + np.einsum("ab,bc...->ac...", Y, X)  # noqa: E731
        A, Ak, Akl = 0.5 * Ck @ eta, Ck.copy(), C.copy()
        A[1:] -= E @ E / 8.0
        Ak[1:] -= 0.25 * both(Ek, E)
        pairs = np.einsum("abk,bcl->ackl", Ek, Ek)
        Akl[1:] -= 0.25 * both(C[1:], E) + 0.5 * (pairs + pairs.swapaxes(2, 3))
        gradient = self.phi + np.einsum("ga,abk->gbk", psi, Ak)
        return self.x + self.phi @ eta + psi @ A, gradient, np.einsum("ga,abkl->gbkl", psi, Akl)

    def wanted(self, q: Any, v: Any, a: Any, size: float = 1.0) -> np.ndarray:
        """Virtual work of inertia, gravity and stiffness with all fields of second order times ``size``."""
        eta, rate, rate2 = q[:SHAPES], v[:SHAPES], a[:SHAPES]
        R = Rotation.from_quat(q[SHAPES + 3 :], scalar_first=True).as_matrix()
        w, wd = v[SHAPES + 3 :], a[SHAPES + 3 :]
        y, gradient, curvature = self.places(eta, size)
        yd = gradient @ rate
        ydd = gradient @ rate2 + curvature @ rate @ rate
        u = R.T @ (a[SHAPES : SHAPES + 3] - 1.5 * GRAVITY)
        alpha = u + np.cross(wd, y) + np.cross(w, np.cross(w, y)) + 2.0 * np.cross(w, yd) + ydd
        shapes = np.einsum("g,gak,ga->k", self.w, gradient, alpha) + self.K @ (eta + 0.1 * rate)
        return np.concatenate([shapes, R @ (self.w @ alpha), (self.w[:, None] * np.cross(y, alpha)).sum(axis=0)])

    def work(self) -> MarkerWork:
        none = [np.zeros((1, 6)) for _ in range(5)]
        return MarkerWork(np.zeros(SIZE), np.zeros(SIZE**2), np.zeros((1, 3)), np.zeros((1, 3, 3)), *none,
                          np.eye(3)[None].copy(), np.zeros((64, 12)))  # fmt: skip

    def placed(self, B: np.ndarray) -> np.ndarray:
        d = self.group.dofs[0]
        out = np.zeros((SIZE, SIZE))
        out[np.ix_(d, d)] = B.reshape(SIZE, SIZE)
        return out

    def mass(self, q: Any) -> np.ndarray:
        M = np.zeros(SIZE**2)
        floating_mass(self.group, q, M)
        return self.placed(M)

    def force(self, q: Any, v: Any, a: Any) -> np.ndarray:
        work = self.work()
        floating_force(self.group, State(q, v, a, np.zeros(0)), Env(0.0, np.array([1.5])), work)
        return work.r + self.mass(q) @ a

    def tangent(self, q: Any, v: Any, a: Any, weights: tuple[float, float]) -> np.ndarray:
        work = self.work()
        state, env = State(q, v, a, np.zeros(0)), Env(0.0, np.array([1.5]))
        floating_blocks(self.group, state, env, work.T, weights, work.B)
        return self.placed(work.B)

    def moved(self, q: Any, d: Any) -> np.ndarray:
        turned = Rotation.from_quat(q[SHAPES + 3 :], scalar_first=True) * Rotation.from_rotvec(d[SHAPES + 3 :])
        return np.concatenate([q[: SHAPES + 3] + d[: SHAPES + 3], turned.as_quat(scalar_first=True, canonical=False)])


def test_forces_are_sums_over_points_of_mass() -> None:
    p = Points()
    wanted = p.wanted(p.q, p.v, p.a)
    assert np.abs(p.force(p.q, p.v, p.a) - wanted).max() < 1e-12 * np.abs(wanted).max()
    assert np.abs(wanted - p.wanted(p.q, p.v, p.a, 0.0)).max() > 0.05 * np.abs(wanted).max()


def test_mass_is_symmetric_and_what_multiplies_accelerations() -> None:
    p = Points()
    M = p.mass(p.q)
    still = p.wanted(p.q, p.v, np.zeros(SIZE))
    columns = np.column_stack([p.wanted(p.q, p.v, e) - still for e in np.eye(SIZE)])
    assert np.abs(M - columns).max() < 1e-12 * np.abs(M).max()
    assert np.abs(M - M.T).max() == 0.0


def test_mass_is_never_indefinite() -> None:
    """Whatever the deformation; without the products of fields of second order with shapes and each other it is."""
    p, bare = Points(), Points()
    bare.group = bare.group._replace(C=np.zeros((1, 0, 4, 3, 0)))
    rng = np.random.default_rng(11)
    lost = 0
    for size in np.repeat([0.1, 1.0, 10.0, 100.0], 20):
        q = p.q.copy()
        q[:SHAPES] = size * rng.normal(size=SHAPES)
        M = p.mass(q)
        assert np.linalg.eigvalsh(M)[0] > -1e-14 * np.abs(M).max()
        turned = Points()
        turned.group = turned.group._replace(C=-turned.group.C)
        lost += bool(np.linalg.eigvalsh(bare.mass(q) + 0.5 * (M - turned.mass(q)))[0] < 0.0)
    assert lost > 20


def test_a_rotation_in_the_shapes_does_not_stretch() -> None:
    """Shapes w x x with fields w x (w x x): places of a square root, so moments of inertia change in sixth order."""
    p = Points()
    axis = np.array([0.6, 0.0, 0.8])
    p.phi = np.zeros_like(p.phi)
    W = np.cross(axis, np.eye(3)).T
    p.C = np.zeros_like(p.C)
    p.C[1:, :, 0, 0] = (W @ W).T
    turn = np.cross(axis, p.x)
    for angle, bound in ((0.1, 3e-7), (0.2, 2e-5)):
        y, _, _ = p.places(np.array([angle, 0.0, 0.0]), 1.0)
        y = y + angle * turn
        assert np.abs((y**2).sum(axis=1) - (p.x**2).sum(axis=1)).max() < bound * (p.x**2).sum(axis=1).max()


@pytest.mark.parametrize("weights", [(1.0, 0.0), (0.0, 1.0)])
def test_tangents_by_differences(weights: tuple[float, float]) -> None:
    p = Points()
    h = 1e-3

    def at(s: float, e: Any) -> np.ndarray:
        if weights[0]:
            return p.force(p.moved(p.q, s * e), p.v, p.a)
        return p.force(p.q, p.v + s * e, p.a)

    wanted = np.column_stack(
        [(8.0 * (at(h, e) - at(-h, e)) - at(2 * h, e) + at(-2 * h, e)) / (12.0 * h) for e in np.eye(SIZE)]
    )
    assert np.abs(p.tangent(p.q, p.v, p.a, weights) - wanted).max() < 1e-9 * np.abs(wanted).max()


def test_potential_of_gravity() -> None:
    """Its derivative is the force of gravity at rest, which lets the mass points of second order fall."""
    p = Points()
    h = 1e-3

    def potential(q: Any) -> float:
        out = np.zeros((1, 2))
        floating_energy(p.group, q, np.array([1.5]), out)
        return float(out.sum())

    def at(s: float, e: Any) -> float:
        return potential(p.moved(p.q, s * e))

    slope = [(8.0 * (at(h, e) - at(-h, e)) - at(2 * h, e) + at(-2 * h, e)) / (12.0 * h) for e in np.eye(SIZE)]
    rest = p.force(p.q, np.zeros(SIZE), np.zeros(SIZE))
    assert np.abs(rest - slope).max() < 1e-9 * np.abs(rest).max()


class Marked:
    """One marker with fields of second order on a body at the origin of the coordinates."""

    def __init__(self) -> None:
        rng = np.random.default_rng(8)
        Z = 0.3 * rng.normal(size=(6, SHAPES, SHAPES))
        turn = np.concatenate([np.arange(SHAPES + 3, SHAPES + 6), np.arange(SHAPES)])
        self.group = FLOATING.group(
            mk=np.array([0]), row=np.array([0]), dofs=np.concatenate([np.arange(SHAPES, SHAPES + 3), turn])[None],
            pdofs=turn[None], b1=0, qi=np.array([SHAPES]), rot=np.array([0]), s=rng.normal(size=(1, 3)),
            R_BM=Rotation.random(1, rng=rng).as_matrix(), Phi=rng.normal(size=(1, 3, SHAPES)),
            Psi=0.5 * rng.normal(size=(1, 3, SHAPES)), Z=np.ascontiguousarray((Z + Z.swapaxes(1, 2))[None]),
        )  # fmt: skip
        self.q = np.concatenate([0.4 * rng.normal(size=SHAPES), Points().q[SHAPES:]])
        self.v, self.W = rng.normal(size=SIZE), rng.normal(size=6)

    def at(self, q: Any, v: Any) -> MarkerWork:
        work = MarkerWork(
            np.zeros(SIZE), np.zeros((3 + SHAPES) ** 2), np.zeros((1, 3)), np.zeros((1, 3, 3)), np.zeros((1, 6)),
            self.W[None].copy(), np.zeros((SIZE, 6)), np.zeros((SIZE, 6)), np.zeros((SIZE, 6)),
            np.eye(3)[None].copy(), np.zeros((64, 12)),
        )  # fmt: skip
        FLOATING.constants(self.group, work)
        FLOATING.place_tangent(self.group, State(q, v, v, np.zeros(0)), Env(0.0, np.zeros(0)), work)
        return work

    def difference(self, function: Any) -> np.ndarray:
        """Derivative of ``function(q)`` by every motion, in the order of the rows of the marker."""
        h, rows = 1e-3, []
        for number in self.group.dofs[0]:
            e = np.eye(SIZE)[number]
            f = [function(Points.moved(Points(), self.q, s * h * e)) for s in (-2, -1, 1, 2)]
            rows.append((8.0 * (f[2] - f[1]) - f[3] + f[0]) / (12.0 * h))
        return np.array(rows)


def test_marker_of_second_order() -> None:
    """Velocity, its derivatives and the pulled-back force against differences of the pose."""
    m = Marked()
    here = m.at(m.q, m.v)
    position = m.difference(lambda q: m.at(q, m.v).p[0].copy())
    assert np.abs(here.JT[:, :3] - position).max() < 1e-10
    turning = m.difference(lambda q: (here.R[0].T @ m.at(q, m.v).R[0]).copy())  # axial part of R^T dR
    axial = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    assert np.abs(here.JT[:, 3:] - axial).max() < 1e-10
    assert np.abs(here.twist[0] - here.JT.T @ m.v[m.group.dofs[0]]).max() < 1e-12
    twist = m.difference(lambda q: m.at(q, m.v).twist[0].copy())
    assert np.abs(here.JvT - twist).max() < 1e-9
    FLOATING.pull(m.group, State(m.q, m.v, m.v, np.zeros(0)), Env(0.0, np.zeros(0)), here, (1.0, 0.0))
    force = m.difference(lambda q: m.at(q, m.v).JT @ m.W)
    k = 3 + SHAPES
    assert np.abs(here.B.reshape(k, k) - force[3:, 3:].T).max() < 1e-9


def beam(stiffening: bool = True, reference: str = "mean", **start: Any) -> fx.FloatingBody:
    """A slender free beam of 4 m, first bending frequency 1.4 rad/s."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0, rhoI_y=1e-3, rhoI_z=1e-3)
    part = fx.linear.Part(
        fx.meshes.line((-2, 0, 0), (2, 0, 0), 16),
        regions=[fx.linear.Region(None, Frame(section=stiffness))],
        name="beam",
    )
    reduced = fx.reduction.reduce(
        part,
        [fx.reduction.Interface("left", [0]), fx.reduction.Interface("right", [16])],
        modes=6,
        geometric_stiffening=stiffening,
    )
    return fx.FloatingBody(reduced, reference=reference, **start)


@pytest.mark.filterwarnings("ignore:Body .* turns by")
def test_free_flight_keeps_energy_and_momentum() -> None:
    """A beam that tumbles and vibrates; what the integrator loses falls with the square of the step."""
    drifts = []
    for step in (0.008, 0.004):
        deformation = np.zeros(6)
        deformation[:2] = 0.15
        body = beam(angular_velocity=(0.3, 1.0, 1.2), deformation=deformation, modes=6)
        run = fx.simulate(fx.Model(body), 4.0, step=step)
        energy = run.energy.total
        drifts.append(float(np.abs(energy - energy[0]).max() / energy[0]))
    assert drifts[1] < 2e-4
    assert drifts[0] / drifts[1] > 3.0


@pytest.mark.filterwarnings("ignore:Body .* turns by")
def test_hinged_at_its_own_reference() -> None:
    """A soft beam swings on the interface that carries its frame, where it turns almost without inertia.

    It falls as in a chord frame, whose shapes do not turn at the hinge; energy is kept to the order of the scheme, and
    the tip stays within the length of the beam.
    """
    section = fx.BeamStiffness(EA=1e6, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0, rhoI_y=1e-4, rhoI_z=1e-4)
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), 12), regions=[fx.linear.Region(None, Frame(section=section))], name="beam"
    )
    faces = [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [12])]
    reduced = fx.reduction.reduce(part, faces, modes=4, geometric_stiffening=True)
    tips = []
    for reference in ("root", ("root", "tip")):
        body = fx.FloatingBody(reduced, reference=reference)
        hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
        run = fx.simulate(
            fx.Model(body, hinge, fx.Gravity((0, -9.81, 0))),
            0.8,
            step=1e-3,
            integrator=fx.GeneralizedAlpha(rho_inf=0.8),
        )
        assert np.abs(run.energy.balance).max() < 1e-4 * run.energy.kinetic.max()
        tips.append(run.position(body.interface("tip")))
        assert np.linalg.norm(tips[-1], axis=1).max() < 1.001
    assert np.linalg.norm(tips[0] - tips[1], axis=1).max() < 4e-3


def boom(joined: bool, stiffening: bool) -> np.ndarray:
    """Path (n, 3) of the tip of a boom on a driven hub, its tip mass in the part or joined to it."""
    stiffness = fx.BeamStiffness(EA=1e6, EI_z=1.0, EI_y=1.0, GJ=1.0, mass_per_length=1.0, rhoI_y=1e-3, rhoI_z=1e-3)
    part = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), 8),
        regions=[fx.linear.Region(None, Frame(section=stiffness))],
        connections=[] if joined else [fx.linear.NodalMass(8, 2.0)],
        name="boom",
    )
    reduced = fx.reduction.reduce(
        part,
        [fx.reduction.Interface("root", [0]), fx.reduction.Interface("tip", [8])],
        6,
        geometric_stiffening=stiffening,
    )
    rate = 3.0
    body = fx.FloatingBody(reduced, reference="root", angular_velocity=(0, 0, rate))
    hub = fx.RevoluteJoint(fx.ground, body.interface("root", axis=(0, 0, 1)), name="hub")
    turn = fx.motions.Function(lambda t: rate * t, rate=lambda t: rate, acceleration=lambda t: 0.0)
    parts: list[Any] = [body, hub, fx.RotationDriver(hub, turn, name="drive"), fx.Gravity((0.0, 0.0, -0.02))]
    if joined:
        mass = fx.PointMass(2.0, position=(1.0, 0.0, 0.0), velocity=(0.0, rate, 0.0), name="mass")
        parts += [mass, fx.SphericalJoint(body.interface("tip"), mass, name="eye")]
    run = fx.simulate(fx.Model(*parts), 2.0, step=2e-3)
    return np.asarray(run.position(body.interface("tip")))


def test_forces_at_interfaces_stiffen() -> None:
    """A mass that a joint holds at the tip acts as one that belongs to the part, whose basis spans the same shapes."""
    part, joined = boom(False, True), boom(True, True)
    deflection = np.abs(part[:, 2]).max()
    assert np.abs(part - joined)[:, 2].max() < 1e-3 * deflection
    assert np.abs(part - joined).max() < 1e-2 * deflection  # the start stretches the boom, which rings along it
    with pytest.warns(fx.AccuracyWarning, match="Without geometric stiffening"):
        soft = boom(True, False)
    assert np.abs(soft - part)[:, 2].max() > deflection


def test_descriptions_keep_it() -> None:
    reduced = beam().reduced
    again = reduced_from_plain(*reduced_to_plain(reduced, 0))
    assert again.stiffening is not None
    assert reduced.stiffening is not None
    assert np.array_equal(again.stiffening.moments, reduced.stiffening.moments)
    assert np.array_equal(again.stiffening.interfaces, reduced.stiffening.interfaces)
    assert again.stiffening.frames == reduced.stiffening.frames
    bare = beam(stiffening=False).reduced
    assert reduced_from_plain(*reduced_to_plain(bare, 0)).stiffening is None
