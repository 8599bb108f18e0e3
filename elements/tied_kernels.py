"""Kernels of plates whose transverse shears are assumed; in-plane strains as in `continuum_kernels`.

A tied shear is measured at a point of an edge as the product of two vectors that are linear in those of the nodes X_i,

    g_t = a . b - g0_t,   a = sum_i tie[t, 0, i] X_i,   b = sum_i tie[t, 1, i] X_i,

and the energy of all n_t of an element is g^T H g / 2 with a constant matrix H, in which interpolation and integration
are done. With damping g grows by tau dg/dt. There may be none.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.kernel_arrays import on_stack
from flexmbs.elements.continuum_kernels import continuum_force, continuum_tangent

__all__ = ["PlateGroup", "plate_force", "plate_tangent"]


class PlateGroup(NamedTuple):
    """Tables of n_e plates with n_p points, n_t tied shears and 16 vectors at their nodes.

    ``dofs (n_e, 48)``; ``phi (n_e, n_p, 3, 16)``, ``W (n_e, n_p)``, ``kind (n_p,)``, ``C (n_e, 2, 6, 6)`` and ``tau``
    as in `flexmbs.elements.continuum_kernels`; ``tie (n_e, n_t, 2, 16)``, ``g0 (n_e, n_t)``, ``H (n_e, n_t, n_t)``;
    ``slopes (n_e, 4, 3, 3)`` the stress-free slopes of the cells in the frames of their nodes
    (`flexmbs.elements.cell_slopes`); ``h`` thickness; ``shear (n_e, 2, 2)``: Q by the transverse shears; ``axis (n_e,
    3)`` of the material; ``rho (n_e, 2)``: mass and rotary inertia per area.
    """

    dofs: IntArray
    b1: int
    phi: FloatArray
    W: FloatArray
    kind: IntArray
    C: FloatArray
    tau: FloatArray
    tie: FloatArray
    g0: FloatArray
    H: FloatArray
    slopes: FloatArray
    h: FloatArray
    shear: FloatArray
    axis: FloatArray
    rho: FloatArray
    reference: FloatArray


@inlined
def _pair(u: FloatArray, group: PlateGroup, e: int, t: int, a: FloatArray) -> None:
    """a (2, 3): the two vectors of a tied shear, of the coordinates u."""
    for k in range(2):
        x = y = z = 0.0
        for i in range(group.tie.shape[3]):
            f = group.tie[e, t, k, i]
            x += f * u[group.dofs[e, 3 * i]]
            y += f * u[group.dofs[e, 3 * i + 1]]
            z += f * u[group.dofs[e, 3 * i + 2]]
        a[k, 0], a[k, 1], a[k, 2] = x, y, z


@inlined
def _stresses(
    group: PlateGroup, state: State, e: int, a: FloatArray, b: FloatArray, g: FloatArray, s: FloatArray
) -> None:
    """Pairs a (n_t, 2, 3), their rates b where damped, tied shears g, and s = H g."""
    tau = group.tau[e]
    n_t = group.tie.shape[1]
    for t in range(n_t):
        _pair(state.q, group, e, t, a[t])
        x = -group.g0[e, t]
        for c in range(3):
            x += a[t, 0, c] * a[t, 1, c]
        if tau > 0.0:
            _pair(state.v, group, e, t, b[t])
            for c in range(3):
                x += tau * (b[t, 0, c] * a[t, 1, c] + a[t, 0, c] * b[t, 1, c])
        g[t] = x
    for t in range(n_t):
        x = 0.0
        for k in range(n_t):
            x += group.H[e, t, k] * g[k]
        s[t] = x


@inlined
def _add_force(r: FloatArray, group: PlateGroup, e: int, a: FloatArray, s: FloatArray) -> None:
    for t in range(group.tie.shape[1]):
        for i in range(group.tie.shape[3]):
            f, h = s[t] * group.tie[e, t, 0, i], s[t] * group.tie[e, t, 1, i]
            for c in range(3):
                r[group.dofs[e, 3 * i + c]] += f * a[t, 1, c] + h * a[t, 0, c]


@kernel
def plate_force(group: PlateGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    bad: int = continuum_force(group, state, env, work)  # type: ignore[arg-type]  # it has the same tables
    n_t = group.tie.shape[1]
    if bad >= 0 or n_t == 0:
        return bad
    a, b, g, s = on_stack((n_t, 2, 3)), on_stack((n_t, 2, 3)), on_stack((n_t,)), on_stack((n_t,))
    b[:, :, :] = 0.0
    for e in range(group.dofs.shape[0]):
        _stresses(group, state, e, a, b, g, s)
        _add_force(work.r, group, e, a, s)
    return -1


@kernel
def plate_tangent(group: PlateGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``."""
    bad: int = continuum_tangent(group, state, env, work, weights)  # type: ignore[arg-type]
    n_t = group.tie.shape[1]
    if bad >= 0 or n_t == 0:
        return bad
    wq, wv = weights
    B = work.B
    m = group.tie.shape[3]
    n = 3 * m
    a, b, g, s = on_stack((n_t, 2, 3)), on_stack((n_t, 2, 3)), on_stack((n_t,)), on_stack((n_t,))
    b[:, :, :] = 0.0
    rows, cols, product = on_stack((n_t, n)), on_stack((n_t, n)), on_stack((n_t, n))
    for e in range(group.dofs.shape[0]):
        o, tau = group.b1 + n * n * e, group.tau[e]
        _stresses(group, state, e, a, b, g, s)
        _add_force(work.r, group, e, a, s)
        for t in range(n_t):
            for i in range(m):
                f, h = group.tie[e, t, 0, i], group.tie[e, t, 1, i]
                for c in range(3):
                    rows[t, 3 * i + c] = f * a[t, 1, c] + h * a[t, 0, c]
                    rate = f * b[t, 1, c] + h * b[t, 0, c]
                    cols[t, 3 * i + c] = (wq + wv * tau) * rows[t, 3 * i + c] + wq * tau * rate
        for t in range(n_t):
            for j in range(n):
                product[t, j] = 0.0
            for k in range(n_t):
                x = group.H[e, t, k]
                for j in range(n):
                    product[t, j] += x * cols[k, j]
        for t in range(n_t):
            for i in range(n):
                x = rows[t, i]
                if x != 0.0:  # the vectors of two nodes of four have no part in it
                    for j in range(n):
                        B[o + n * i + j] += x * product[t, j]
            for i in range(m):
                f, h = wq * s[t] * group.tie[e, t, 0, i], wq * s[t] * group.tie[e, t, 1, i]
                if f != 0.0 or h != 0.0:
                    for j in range(m):
                        x = f * group.tie[e, t, 1, j] + h * group.tie[e, t, 0, j]
                        for c in range(3):
                            B[o + n * (3 * i + c) + 3 * j + c] += x
    return -1
