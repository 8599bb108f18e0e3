r"""What the linear beams share: two nodes, small displacements about the straight chord, interdependent interpolation.

In each plane of bending let w be the deflection, theta the rotation of the section, x in [0, 1] along the length L, and
Phi = 12 EI / (GA L^2) the shear parameter (0: rigid in shear, Euler-Bernoulli). The exact solution of the beam without
load between its nodes is cubic in w and quadratic in theta. With m = 1 / (1 + Phi),

    w     = m [1 - 3x^2 + 2x^3 + Phi (1 - x),  L (x - 2x^2 + x^3 + Phi (x - x^2) / 2),
               3x^2 - 2x^3 + Phi x,            L (x^3 - x^2 - Phi (x - x^2) / 2)] . (w_1, theta_1, w_2, theta_2)
    theta = m [6 (x^2 - x) / L,  1 - 4x + 3x^2 + Phi (1 - x),  6 (x - x^2) / L,  3x^2 - 2x + Phi x] . (same),

from which M = EI theta', Q = -M' (which is GA (w' - theta)), stiffness, consistent mass and consistent loads follow by
quadrature. Stiffness and displacements are therefore exact at the nodes for forces at the nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show
from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.jit import kernel
from flexmbs.elements.quadrature import Gauss

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["BeamGroup", "beam_force", "beam_tangent"]


class BeamGroup(NamedTuple):
    """Tables of n_e linear beams with k coordinates each.

    ``K (n_e, k, k)`` stiffness and ``tau`` retardation time are all that the kernels need. ``points (n_e, 2, dim)``
    ends, ``L`` lengths, ``axes (n_e, dim, dim)`` local axes as rows, ``EA``, ``GJ`` (0 in the plane), ``rhoA``; for
    each plane of bending (x-y, then x-z in space) ``EI``, shear parameter ``Phi`` and rotary inertia ``rhoI``
    (n_e, dim - 1).
    """

    dofs: IntArray
    b1: int
    K: FloatArray
    tau: FloatArray
    points: FloatArray
    L: FloatArray
    axes: FloatArray
    EA: FloatArray
    GJ: FloatArray
    rhoA: FloatArray
    EI: FloatArray
    Phi: FloatArray
    rhoI: FloatArray


@kernel
def beam_force(group: BeamGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces K (q + tau v) of all elements into ``work.r``."""
    q, v, r = state.q, state.v, work.r
    dofs, K = group.dofs, group.K
    for e in range(dofs.shape[0]):
        tau = group.tau[e]
        total = 0.0
        for j in range(dofs.shape[1]):
            total += q[dofs[e, j]] + tau * v[dofs[e, j]]
        if not np.isfinite(total):
            return e
        for j in range(dofs.shape[1]):
            x = q[dofs[e, j]] + tau * v[dofs[e, j]]
            for i in range(dofs.shape[1]):
                r[dofs[e, i]] += K[e, j, i] * x
    return -1


@kernel
def beam_tangent(group: BeamGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and (wq + wv tau) K into ``work.B``."""
    bad = beam_force(group, state, env, work)
    if bad >= 0:
        return bad
    wq, wv = weights
    K, B = group.K, work.B
    n, k = K.shape[0], K.shape[1]
    for e in range(n):
        s = wq + wv * group.tau[e]
        o = group.b1 + k * k * e
        for i in range(k):
            for j in range(k):
                B[o + k * i + j] = s * K[e, i, j]
    return -1


def tabulate(
    owner: str,
    points: FloatArray,
    dofs: IntArray,
    stiffness: BeamStiffness,
    b1: int,
    shear: bool,
    up: FloatArray | None = None,
) -> BeamGroup:
    """Tables of a group of beams of one stiffness; ``up`` gives the local z axis in space."""
    n_e = len(dofs)
    one = np.ones(n_e)
    chord = points[:, 1] - points[:, 0]
    L = np.linalg.norm(chord, axis=1)
    if up is None:
        EI, GA, rhoI = [stiffness.EI_z], [stiffness.GA_y], [stiffness.rhoI_z]
        axes = plane_axes(chord / L[:, None])
        GJ = 0.0
    else:
        if stiffness.GJ is None:
            raise ModelError(
                f"{owner}: it twists and needs the torsional stiffness GJ; give BeamStiffness(..., GJ=...), or section "
                f"and material instead."
            )
        EI_y = stiffness.EI_z if stiffness.EI_y is None else stiffness.EI_y
        EI, GA = [stiffness.EI_z, EI_y], [stiffness.GA_y, stiffness.GA_z]
        rhoI = [stiffness.rhoI_z, stiffness.rhoI_y]
        axes = space_axes(owner, points, chord / L[:, None], up)
        GJ = stiffness.GJ
    Phi = [0.0 * L if G is None or not shear else 12.0 * E / (G * L**2) for E, G in zip(EI, GA, strict=True)]
    k = dofs.shape[1]
    group = BeamGroup(
        dofs=np.ascontiguousarray(dofs, dtype=np.int64),
        b1=b1,
        K=np.zeros((n_e, k, k)),
        tau=stiffness.retardation_time * one,
        points=np.ascontiguousarray(points, dtype=float),
        L=L,
        axes=np.ascontiguousarray(axes),
        EA=stiffness.EA * one,
        GJ=GJ * one,
        rhoA=stiffness.mass_per_length * one,
        EI=np.outer(one, EI),
        Phi=np.ascontiguousarray(np.stack(Phi, axis=1)),
        rhoI=np.outer(one, rhoI),
    )
    xi, w = Gauss(2).rule()  # M is linear
    R = resultants(group, xi)
    C = compliances(group)
    weighted = (0.5 * L[:, None, None] * w[:, None] * C[:, None, :])[..., None] * R
    K = _gram(weighted, R)
    return group._replace(K=np.ascontiguousarray(0.5 * (K + K.transpose(0, 2, 1))))


def plane_axes(x: FloatArray) -> FloatArray:
    """Local axes (n_e, 2, 2) as rows: the chord, and the chord turned by 90 degrees."""
    return np.stack((x, np.stack((-x[:, 1], x[:, 0]), axis=1)), axis=1)


def space_axes(owner: str, points: FloatArray, x: FloatArray, up: FloatArray) -> FloatArray:
    """Local axes (n_e, 3, 3) as rows: x the chord, z the part of ``up`` normal to it, y = z x x."""
    parallel = parallel_to(x, up)
    if parallel.any():
        e = int(np.argmax(parallel))
        raise ModelError(
            f"{owner}: up = {tuple(up.tolist())} is parallel to the axis of element {e} from {points[e, 0].tolist()} "
            f"to {points[e, 1].tolist()}, so that it tells no local z axis; give another direction, such as "
            f"LinearBeam3D(up=(1, 0, 0)) for a vertical beam."
        )
    y = np.cross(up, x)
    y = y / np.linalg.norm(y, axis=1)[:, None]
    return np.stack((x, y, np.cross(x, y)), axis=1)


def parallel_to(x: FloatArray, up: FloatArray) -> NDArray[np.bool_]:
    """Which of the unit vectors ``x (n_e, 3)`` are parallel to ``up``, to six digits."""
    return np.asarray(np.linalg.norm(np.cross(up, x), axis=1) < 1e-6)


def fields(group: BeamGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Displacement (n_e, n_s, dim, k) and rotation (n_e, n_s, 1 or 3, k) by the coordinates, in local axes."""
    x = 0.5 * (1 + np.asarray(xi, dtype=float))[None, :]
    u, v, theta = _blank(group, x), [], []
    u[..., 0], u[..., _half(u)] = 1 - x, x
    for i in range(group.EI.shape[1]):
        L, Phi = group.L[:, None], group.Phi[:, i, None]
        m = 1.0 / (1.0 + Phi)
        bubble = 0.5 * Phi * (x - x**2)
        N = [1 - 3 * x**2 + 2 * x**3 + Phi * (1 - x), L * (x - 2 * x**2 + x**3 + bubble)]
        N += [3 * x**2 - 2 * x**3 + Phi * x, L * (x**3 - x**2 - bubble)]
        T = [6 * (x**2 - x) / L, 1 - 4 * x + 3 * x**2 + Phi * (1 - x)]
        T += [6 * (x - x**2) / L, 3 * x**2 - 2 * x + Phi * x]
        v.append(_in_plane(group, i, x, [m * n for n in N]))
        theta.append(_in_plane(group, i, x, [m * n for n in T]))
    if len(v) == 1:
        return _from_global(group, np.stack((u, v[0]), axis=2)), _from_global(group, np.stack(theta, axis=2))
    twist = _blank(group, x)
    twist[..., 3], twist[..., 9] = 1 - x, x
    rotation = np.stack((twist, -theta[1], theta[0]), axis=2)
    return _from_global(group, np.stack((u, v[0], v[1]), axis=2)), _from_global(group, rotation)


def slopes(group: BeamGroup, xi: FloatArray) -> FloatArray:
    """Slopes v', w' of the axis in space (n_e, n_s, 2, k) by the coordinates; the rotations, and the shear strains."""
    x = 0.5 * (1 + np.asarray(xi, dtype=float))[None, :]
    rows = []
    for i in range(group.EI.shape[1]):
        L, Phi = group.L[:, None], group.Phi[:, i, None]
        m = 1.0 / (1.0 + Phi) / L
        bubble = 0.5 * Phi * (1 - 2 * x)
        N = [6 * (x**2 - x) - Phi, L * (1 - 4 * x + 3 * x**2 + bubble)]
        N += [6 * (x - x**2) + Phi, L * (3 * x**2 - 2 * x - bubble)]
        rows.append(_in_plane(group, i, x, [m * n for n in N]))
    return _from_global(group, np.stack(rows, axis=2))


def resultants(group: BeamGroup, xi: FloatArray) -> FloatArray:
    """Rows (n_e, n_s, n_r, k) that give N, Q, M in the plane, or N, Q_y, Q_z, M_x, M_y, M_z, from the coordinates."""
    x = 0.5 * (1 + np.asarray(xi, dtype=float))[None, :]
    L = group.L[:, None]
    N, Q, M = _blank(group, x), [], []
    N[..., 0], N[..., _half(N)] = -(group.EA / group.L)[:, None], (group.EA / group.L)[:, None]
    for i in range(group.EI.shape[1]):
        Phi = group.Phi[:, i, None]
        s = group.EI[:, i, None] / (1.0 + Phi) / L**2
        flat = np.ones_like(x)
        slope = (6 * (2 * x - 1), L * (6 * x - 4 - Phi), 6 * (1 - 2 * x), L * (6 * x - 2 + Phi))
        bend = (12 * flat, 6 * L * flat, -12 * flat, 6 * L * flat)
        M.append(_in_plane(group, i, x, [s * n for n in slope]))
        Q.append(_in_plane(group, i, x, [-s / L * n for n in bend]))
    if len(M) == 1:
        return _from_global(group, np.stack((N, Q[0], M[0]), axis=2))
    twist = _blank(group, x)
    twist[..., 3], twist[..., 9] = -(group.GJ / group.L)[:, None], (group.GJ / group.L)[:, None]
    return _from_global(group, np.stack((N, Q[0], Q[1], twist, -M[1], M[0]), axis=2))


def compliances(group: BeamGroup) -> FloatArray:
    """Energy per length is half the sum of these (n_e, n_r) times the resultants squared; 0 where rigid."""
    EI, shear = group.EI, group.Phi * group.L[:, None] ** 2 / (12.0 * group.EI)
    if EI.shape[1] == 1:
        return np.stack((1 / group.EA, shear[:, 0], 1 / EI[:, 0]), axis=1)
    return np.stack((1 / group.EA, shear[:, 0], shear[:, 1], 1 / group.GJ, 1 / EI[:, 1], 1 / EI[:, 0]), axis=1)


def _gram(a: FloatArray, b: FloatArray) -> FloatArray:
    """Sums (n_e, k, k) over points and components of two fields (n_e, n_g, n_c, k)."""
    n, points, components, k = a.shape
    flat = n, points * components, k
    return np.asarray(np.matmul(a.reshape(flat).transpose(0, 2, 1), b.reshape(flat)))


def mass(group: BeamGroup) -> FloatArray:
    """Consistent mass (n_e, k, k) with rotary inertia, from the interdependent interpolation."""
    xi, w = Gauss(4).rule()  # degree 6
    u, theta = fields(group, xi)
    if theta.shape[2] == 1:
        inertia = group.rhoI
    else:
        inertia = np.stack((group.rhoI.sum(axis=1), group.rhoI[:, 1], group.rhoI[:, 0]), axis=1)
    weight = 0.5 * w[None, :, None, None] * group.L[:, None, None, None]
    m = _gram(weight * group.rhoA[:, None, None, None] * u, u)
    m += _gram(weight * inertia[:, None, :, None] * theta, theta)
    return np.asarray(0.5 * (m + m.transpose(0, 2, 1)))


def energy(group: BeamGroup, q: FloatArray) -> FloatArray:
    """Strain energy (n_e,)."""
    q_e = q[group.dofs]
    return np.asarray(0.5 * np.einsum("ei,eij,ej->e", q_e, group.K, q_e))


def body_load(group: BeamGroup, load: FloatArray, per_mass: bool) -> FloatArray:
    """Generalised forces (n_e, k) of a dead load per length or per mass, with the moments at the nodes."""
    xi, w = Gauss(2).rule()  # degree 3
    u, _ = fields(group, xi)
    density = group.rhoA if per_mass else np.ones(len(group.L))
    return np.asarray(np.einsum("g,e,egci,ecd,d->ei", 0.5 * w, group.L * density, u, group.axes, load, optimize=True))


def positions(group: BeamGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
    """Points (n_e, n_s, dim): those of the chord, displaced."""
    xi = np.asarray(xi, dtype=float)
    x = 0.5 * (1 + xi)[None, :, None]
    u, _ = fields(group, xi)
    moved = np.einsum("egci,ei,ecd->egd", u, q[group.dofs], group.axes, optimize=True)
    return np.asarray((1 - x) * group.points[:, None, 0] + x * group.points[:, None, 1] + moved)


def stress_resultants(group: BeamGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
    """Resultants (n_e, n_s, n_r) in local axes, elastic and viscous parts."""
    x = q[group.dofs] + group.tau[:, None] * v[group.dofs]
    return np.asarray(np.einsum("egri,ei->egr", resultants(group, xi), x))


def check_shear(owner: str, shear: object) -> None:
    """Refuse what is not True or False."""
    if not isinstance(shear, bool):
        raise ModelError(f"{owner}: shear must be True or False, not {show(shear)}.")


def _blank(group: BeamGroup, x: FloatArray) -> FloatArray:
    """Zero rows (n_e, n_s, k)."""
    return np.zeros((len(group.L), x.shape[1], group.dofs.shape[1]))


def _half(rows: FloatArray) -> int:
    """Where the coordinates of the second node begin."""
    return int(rows.shape[-1] // 2)


def _in_plane(group: BeamGroup, plane: int, x: FloatArray, N: list[FloatArray]) -> FloatArray:
    """Rows of four functions of (w_1, theta_1, w_2, theta_2); in the x-z plane theta is minus the rotation about y."""
    rows = _blank(group, x)
    places = (1, 2, 4, 5) if group.EI.shape[1] == 1 else ((1, 5, 7, 11), (2, 4, 8, 10))[plane]
    for place, n, sign in zip(places, N, (1.0, 1.0 - 2.0 * plane) * 2, strict=True):
        rows[..., place] = sign * n
    return rows


def _from_global(group: BeamGroup, rows: FloatArray) -> FloatArray:
    """Rows (n_e, n_s, n, k) for local coordinates turned into rows for the coordinates along the inertial axes."""
    dim = group.axes.shape[1]
    k = group.dofs.shape[1]
    turn = np.zeros((len(group.L), k, k))
    for i in range(0, k, 3):  # in the plane the rotation, third of its node, stays as it is
        turn[:, i : i + dim, i : i + dim] = group.axes
        if dim == 2:
            turn[:, i + 2, i + 2] = 1.0
    return np.asarray(np.einsum("egnj,ejk->egnk", rows, turn))
