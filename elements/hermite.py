"""What the absolute-nodal cables share: cubic Hermite interpolation, their tables, and their consistent mass.

With x in [0, 1] along an element of length L, nodal positions r_1, r_2 and nodal slopes t_1, t_2 = dr/ds,

    r(x) = N_1 r_1 + L N_2 t_1 + N_3 r_2 + L N_4 t_2,
    N = (1 - 3x^2 + 2x^3,  x - 2x^2 + x^3,  3x^2 - 2x^3,  x^3 - x^2).

L is chosen so that the Hermite curve of the stress-free shape has the arc length L; J(x) = |dr/dx| of that shape turns
derivatives by x into derivatives by its arc length, at every integration point, so that any curved mesh is free of
stress exactly.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.elements.strain_rates import strain_rates

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["CableGroup", "CableStrain"]

STRAIGHT = 1e-6
"""Turn of an element [rad] up to which a spatial cable is taken as straight when free of stress, because the size of a
curvature has no tangent at zero; it keeps the round-off of meshes out of the energy."""

METRIC = Gauss(8)
"""Rule of all integrals over the stress-free length: one for all, so that mass is exactly density times length."""


class CableStrain(Enum):
    """How a cable measures its deformation; s is the arc length of the stress-free shape.

    ``MATERIAL``: axial strain |r'| - 1 and curvature |r' x r''| / |r'|^2, the turn of the tangent per **undeformed**
    length (Gerstmayr and Irschik 2008). With linear laws this is Reissner's rod without shear: a moment alone bends
    and does not stretch.

    ``GREEN``: axial strain (r'.r' - 1) / 2 and curvature |r' x r''| / |r'|^3, the geometric one, per **deformed**
    length (Berzeri and Shabana 2000). Where the stress-free shape is straight the forces are equal to those of the
    former to first order; where it has the curvature kappa0, the two curvatures differ by kappa0 times the axial
    strain. A moment alone lengthens the beam a little. With the
    stretch l the axial force is N l - M kappa / l and the moment M / l, where N and M are the resultants that work on
    these strains (and the ones that are given as such).
    """

    MATERIAL = 0
    GREEN = 1


class CableGroup(NamedTuple):
    """Tables of n_e cables: axial points (suffix a) and bending points (suffix b).

    ``L`` lengths, ``EA``, ``EI``, ``tau`` stiffnesses and retardation time, ``w`` weights, ``N1`` and ``N2`` first and
    second derivatives of N by x, ``J`` the metric |dr/dx| of the stress-free shape, ``kappa0`` its curvature.
    """

    dofs: IntArray
    b1: int
    measure: int
    L: FloatArray
    EA: FloatArray
    EI: FloatArray
    rhoA: FloatArray
    tau: FloatArray
    w_a: FloatArray
    N1_a: FloatArray
    J_a: FloatArray
    w_b: FloatArray
    N1_b: FloatArray
    N2_b: FloatArray
    J_b: FloatArray
    kappa0: FloatArray
    reference: FloatArray


SHARED = ("measure", "w_a", "N1_a", "w_b", "N1_b", "N2_b")
"""The fields of `CableGroup` that elements of equal choices have in common."""


def shape(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values, first and second derivatives by x of the four Hermite polynomials, each (n, 4)."""
    x = np.asarray(x, dtype=float)
    N = np.stack((1 - 3 * x**2 + 2 * x**3, x - 2 * x**2 + x**3, 3 * x**2 - 2 * x**3, x**3 - x**2), axis=-1)
    N1 = np.stack((-6 * x + 6 * x**2, 1 - 4 * x + 3 * x**2, 6 * x - 6 * x**2, 3 * x**2 - 2 * x), axis=-1)
    N2 = np.stack((-6 + 12 * x, -4 + 6 * x, 6 - 12 * x, 6 * x - 2), axis=-1)
    return N, N1, N2


def control(q_e: FloatArray, L: FloatArray) -> FloatArray:
    """The four vectors (n_e, 4, dim) that N multiplies: r_1, L t_1, r_2, L t_2."""
    d = q_e.reshape(len(q_e), 4, q_e.shape[1] // 4).copy()  # not -1: a group may be empty
    d[:, 1::2] *= L[:, None, None]
    return d


def arc_lengths(reference: FloatArray, chords: FloatArray) -> FloatArray:
    """L (n_e,) for which the Hermite curve with slopes L t has arc length L, by fixed-point iteration."""
    xi, w = METRIC.rule()
    _, N1, _ = shape(0.5 * (1 + xi))
    nodes = reference.reshape(len(reference), 4, reference.shape[1] // 4)
    fixed, by_length = (np.einsum("ga,eac->egc", N1[:, i::2], nodes[:, i::2]) for i in (0, 1))
    L, last = chords.copy(), np.inf
    for _ in range(60):
        new = np.sqrt(((fixed + L[:, None, None] * by_length) ** 2).sum(axis=-1)) @ (0.5 * w)
        change = float(np.max(np.abs(new - L) / new, initial=0.0))
        if change <= 4e-16 or (change <= 1e-14 and change >= last):  # as far as rounding lets it go
            break
        L, last = new, change
    return L


def tabulate(
    points: FloatArray,
    reference: FloatArray,
    dofs: IntArray,
    stiffness: BeamStiffness,
    b1: int,
    measure: CableStrain,
    axial: Gauss | Lobatto,
    bending: Gauss | Lobatto,
) -> CableGroup:
    """Tables of a group of cables of one stiffness; see `flexmbs.core.contracts.Element`."""
    n_e = len(dofs)
    chords = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    L = arc_lengths(reference, chords)
    xi_a, w_a = axial.rule()
    xi_b, w_b = bending.rule()
    _, N1_a, _ = shape(0.5 * (1 + xi_a))
    _, N1_b, N2_b = shape(0.5 * (1 + xi_b))
    d = control(reference, L)
    J_a = np.linalg.norm(np.einsum("ga,eac->egc", N1_a, d), axis=-1)
    J_b, kappa0 = free_curvature(d, N1_b, N2_b, L)
    one = np.ones(n_e)
    return CableGroup(
        dofs=np.ascontiguousarray(dofs, dtype=np.int64),
        b1=b1,
        measure=measure.value,
        L=L,
        EA=stiffness.EA * one,
        EI=stiffness.EI_z * one,
        rhoA=stiffness.mass_per_length * one,
        tau=stiffness.retardation_time * one,
        w_a=0.5 * w_a,
        N1_a=np.ascontiguousarray(N1_a),
        J_a=np.ascontiguousarray(J_a),
        w_b=0.5 * w_b,
        N1_b=np.ascontiguousarray(N1_b),
        N2_b=np.ascontiguousarray(N2_b),
        J_b=np.ascontiguousarray(J_b),
        kappa0=np.ascontiguousarray(kappa0),
        reference=np.ascontiguousarray(reference),
    )


def curvature(d: FloatArray, N1: FloatArray, N2: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Metric |dr/dx| and curvature (signed in the plane, its size in space), each (n_e, n_g), of Hermite curves."""
    r1 = np.einsum("ga,eac->egc", N1, d)
    r2 = np.einsum("ga,eac->egc", N2, d)
    J = np.linalg.norm(r1, axis=-1)
    if d.shape[-1] == 2:
        cross = r1[..., 0] * r2[..., 1] - r1[..., 1] * r2[..., 0]
    else:
        cross = np.linalg.norm(np.cross(r1, r2), axis=-1)
    return J, cross / J**3


def free_curvature(d: FloatArray, N1: FloatArray, N2: FloatArray, L: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Metric and curvature of the stress-free shape; in space a turn below `STRAIGHT` counts as none."""
    J, kappa0 = curvature(d, N1, N2)
    if d.shape[-1] == 3:
        kappa0[kappa0 * L[:, None] < STRAIGHT] = 0.0
    return J, kappa0


def mass(group: CableGroup, dim: int) -> FloatArray:
    """Consistent mass (n_e, 4 dim, 4 dim): integral of rhoA N_a N_b ds, without rotary inertia."""
    xi, w = METRIC.rule()
    N, N1, _ = shape(0.5 * (1 + xi))
    J = np.linalg.norm(np.einsum("ga,eac->egc", N1, control(group.reference, group.L)), axis=-1)
    scale = _slope_scale(group.L)
    m = np.einsum("g,eg,ga,gb->eab", 0.5 * w, J, N, N) * scale[:, :, None] * scale[:, None, :]
    m *= 0.5 * group.rhoA[:, None, None]
    m = m + m.transpose(0, 2, 1)
    return np.asarray(np.einsum("eab,cd->eacbd", m, np.eye(dim)).reshape(len(m), 4 * dim, 4 * dim))


def body_load(group: CableGroup, load: FloatArray, per_mass: bool) -> FloatArray:
    """Generalised forces (n_e, 4 dim) of a dead load per reference length or per mass."""
    xi, w = METRIC.rule()
    N, N1, _ = shape(0.5 * (1 + xi))
    J = np.linalg.norm(np.einsum("ga,eac->egc", N1, control(group.reference, group.L)), axis=-1)
    density = group.rhoA if per_mass else np.ones(len(group.L))
    f = np.einsum("g,eg,ga->ea", 0.5 * w, J, N) * _slope_scale(group.L) * density[:, None]
    return np.asarray(np.einsum("ea,c->eac", f, load).reshape(len(f), 4 * len(load)))


def positions(group: CableGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
    """Points (n_e, n_s, dim) at natural coordinates xi in [-1, 1]."""
    N, _, _ = shape(0.5 * (1 + np.asarray(xi, dtype=float)))
    return np.asarray(np.einsum("ga,eac->egc", N, control(q[group.dofs], group.L)))


def interpolation(group: CableGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """N and dN/dxi (n_e, n_s, 4) of the nodal vectors r_1, t_1, r_2, t_2."""
    N, N1, _ = shape(0.5 * (1 + np.asarray(xi, dtype=float)))
    scale = _slope_scale(group.L)[:, None]
    return N * scale, 0.5 * N1 * scale


def strains(group: CableGroup, d: FloatArray, xi: FloatArray) -> FloatArray:
    """Axial strain and curvature (n_e, n_s, 2) minus that of the stress-free shape, in the plane, of vectors d."""
    _, N1, N2 = shape(0.5 * (1 + np.asarray(xi, dtype=float)))
    J, kappa0 = curvature(control(group.reference, group.L), N1, N2)
    stretch, kappa = curvature(d, N1, N2)
    stretch = stretch / J
    if group.measure == CableStrain.MATERIAL.value:
        return np.stack((stretch - 1.0, kappa * stretch - kappa0), axis=-1)
    return np.stack((0.5 * (stretch**2 - 1.0), kappa - kappa0), axis=-1)


def energy(group: CableGroup, q: FloatArray) -> FloatArray:
    """Strain energy (n_e,), by the quadrature rules of the element."""
    d = control(q[group.dofs], group.L)
    stretch, _ = curvature(d, group.N1_a, np.zeros_like(group.N1_a))
    stretch = stretch / group.J_a
    J, kappa = curvature(d, group.N1_b, group.N2_b)
    if group.measure == CableStrain.MATERIAL.value:
        eps, kappa = stretch - 1.0, kappa * J / group.J_b
    else:
        eps = 0.5 * (stretch**2 - 1.0)
    axial = 0.5 * group.EA * ((eps**2 * group.J_a) @ group.w_a)
    return axial + 0.5 * group.EI * (((kappa - group.kappa0) ** 2 * group.J_b) @ group.w_b)


def stress_resultants(group: CableGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
    """N and M (n_e, n_s, 2) in the plane, elastic and viscous parts."""
    d = control(q[group.dofs], group.L)
    e = strains(group, d, xi)
    if np.any(group.tau > 0) and np.any(v[group.dofs]):
        d_t = control(v[group.dofs], group.L)
        rates = strain_rates(lambda x: strains(group, x, xi), d, d_t, slice(0, None, 2), group.L[:, None])
        e = e + group.tau[:, None, None] * rates
    return np.asarray(np.stack((group.EA, group.EI), axis=-1)[:, None] * e)


def spatial_resultants(group: CableGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
    """N and the moment along the inertial axes (n_e, n_s, 4) in space, elastic and viscous parts.

    The moment is EI ((1 - kappa0 / |kappa|) kappa + tau kappa_ring); where a cable that is curved when free has become
    straight its direction is undefined, and it is NaN.
    """
    _, N1, N2 = shape(0.5 * (1 + np.asarray(xi, dtype=float)))
    J, kappa0 = free_curvature(control(group.reference, group.L), N1, N2, group.L)
    d, d_t = control(q[group.dofs], group.L), control(v[group.dofs], group.L)
    y1, y2 = np.einsum("ga,eac->egc", N1, d), np.einsum("ga,eac->egc", N2, d)
    z1, z2 = np.einsum("ga,eac->egc", N1, d_t), np.einsum("ga,eac->egc", N2, d_t)
    material = group.measure == CableStrain.MATERIAL.value
    n = (y1 * y1).sum(axis=-1)
    stretch, stretching = np.sqrt(n) / J, (y1 * z1).sum(axis=-1)
    eps = stretch - 1.0 if material else 0.5 * (stretch**2 - 1.0)
    eps = eps + group.tau[:, None] * stretching / (np.sqrt(n) * J if material else J**2)
    p, scale = (1.0, n * J) if material else (1.5, n**1.5)
    kappa = np.cross(y1, y2) / scale[..., None]
    rate = (np.cross(z1, y2) + np.cross(y1, z2)) / scale[..., None] - (2 * p * stretching / n)[..., None] * kappa
    rate -= ((y1 * rate).sum(axis=-1) / n)[..., None] * y1
    size = np.linalg.norm(kappa, axis=-1)
    ratio = np.divide(kappa0, size, out=np.where(kappa0 > 0, np.nan, 0.0), where=size > 1e-8 * kappa0)
    M = group.EI[:, None, None] * ((1.0 - ratio)[..., None] * kappa + group.tau[:, None, None] * rate)
    return np.concatenate(((group.EA[:, None] * eps)[..., None], M), axis=-1)


def accurate_points(symbol: str, axial: Gauss | Lobatto) -> FloatArray:
    """Where a resultant of a cable is most accurate.

    The normal force only at the points of its own quadrature, where equilibrium keeps the strain of a stiff cable
    under control; moments at Gauss' two points, where second derivatives of cubics are of one order higher.
    """
    return axial.rule()[0] if symbol == "N" else Gauss(2).rule()[0]


def check_choices(owner: str, strain: object, axial: object, bending: object) -> None:
    """Refuse a strain measure or a quadrature rule of the wrong kind."""
    if not isinstance(strain, CableStrain):
        raise ModelError(f"{owner}: strain must be CableStrain.MATERIAL or CableStrain.GREEN, not {show(strain)}.")
    for name, rule in (("axial", axial), ("bending", bending)):
        if not isinstance(rule, Gauss | Lobatto):
            raise ModelError(f"{owner}: {name} must be a quadrature rule such as Gauss(3), not {show(rule)}.")


def _slope_scale(L: FloatArray) -> FloatArray:
    """Factors (n_e, 4) that turn N into shape functions of the nodal coordinates: 1, L, 1, L."""
    scale = np.ones((len(L), 4))
    scale[:, 1::2] = L[:, None]
    return scale
