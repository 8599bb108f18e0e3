r"""Canonical momenta: trees as first-order equations without accelerations.

The momentum of a coordinate is that of all that lies beyond its joint, along its screw, :math:`p = S^T P^*`; all
together :math:`p = M v`. D. Lefeber, J. Naudet, Z. Terze and F. Daerden (Forward dynamics of multibody mechanisms using
an efficient algorithm based on canonical momenta) find v from p by a sweep to the base,

.. math:: d = S^T I^* S, \qquad I' = I^* - I^* S S^T I^* / d, \qquad D' = D + I^* S\,(p - S^T D) / d,

whose I' and D' are added to I* and D of the parent, and one to the tips,

.. math:: \dot q = (p - S^T D - S^T I^* X V_u) / d, \qquad V = X V_u + S\dot q, \qquad P^* = I^* V + D .

That is the recursion of articulated bodies (`flexmbs.kernels.trees.articulated`) with momenta for forces, velocities
for accelerations, and no terms of velocity. Then, with the sum W of all wrenches on what lies beyond, gravity included,

.. math:: \dot p = (V_J\times S)^T P^* + S^T W + \tau,

with the velocity behind the joint. They print it for a chain of hinges; the form with screws holds for all joints. The
three momenta of a rotation are those of its angular velocity, in axes of the link: for them this is Euler's equation.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.articulated import eliminate
from flexmbs.kernels.trees.group import SCREW, TreeGroup
from flexmbs.kernels.trees.inverse import gather
from flexmbs.kernels.trees.local import (
    A_,
    D_,
    F_,
    J_,
    M_,
    N_,
    R_,
    S_,
    U_,
    V_,
    W_,
    load_columns,
    place_local,
    subtract_wrenches,
)
from flexmbs.kernels.trees.motion import gravity

__all__ = ["canonical_rates", "momenta"]


@kernel
def times_inertia(w: FloatArray, c: int, to: int) -> None:
    """The inertia in row c times V of the row, into its place ``to``."""
    v0, v1, v2, v3, v4, v5 = w[c, V_], w[c, V_ + 1], w[c, V_ + 2], w[c, V_ + 3], w[c, V_ + 4], w[c, V_ + 5]
    a, b, d, e, f, g = w[c, M_], w[c, M_ + 1], w[c, M_ + 2], w[c, M_ + 3], w[c, M_ + 4], w[c, M_ + 5]
    x, y, z = v0, v1, v2
    w[c, to] = a * x + b * y + d * z + w[c, N_] * v3 + w[c, N_ + 1] * v4 + w[c, N_ + 2] * v5
    w[c, to + 1] = b * x + e * y + f * z + w[c, N_ + 3] * v3 + w[c, N_ + 4] * v4 + w[c, N_ + 5] * v5
    w[c, to + 2] = d * x + f * y + g * z + w[c, N_ + 6] * v3 + w[c, N_ + 7] * v4 + w[c, N_ + 8] * v5
    x, y, z = w[c, J_ + 1], w[c, J_ + 2], w[c, J_ + 4]
    w[c, to + 3] = w[c, N_] * v0 + w[c, N_ + 3] * v1 + w[c, N_ + 6] * v2 + w[c, J_] * v3 + x * v4 + y * v5
    w[c, to + 4] = w[c, N_ + 1] * v0 + w[c, N_ + 4] * v1 + w[c, N_ + 7] * v2 + x * v3 + w[c, J_ + 3] * v4 + z * v5
    w[c, to + 5] = w[c, N_ + 2] * v0 + w[c, N_ + 5] * v1 + w[c, N_ + 8] * v2 + y * v3 + z * v4 + w[c, J_ + 5] * v5


@kernel
def momenta(group: TreeGroup, q: FloatArray, v: FloatArray, w: FloatArray, p: FloatArray) -> None:
    """p (n_v,) of the velocities v."""
    place_local(group, q, w)
    load_columns(group, v, w)
    for c in range(group.kind.shape[0]):
        times_inertia(w, c, F_)
    gather(group, w, p)


@kernel
def canonical_rates(
    group: TreeGroup,
    q: FloatArray,
    p: FloatArray,
    tau: FloatArray,
    scale: FloatArray,
    links: tuple[IntArray, FloatArray, FloatArray],
    w: FloatArray,
    rates: FloatArray,
) -> int:
    """The velocities into rates[0] and the rates of the momenta p into rates[1]; -1, or a column without inertia.

    ``links``: columns behind which links are, their origins there, and the wrenches on them.
    """
    place_local(group, q, w)
    load_columns(group, group.rest, w)
    failed = eliminate(group, p, w)
    for c in range(group.kind.shape[0]):
        u = group.parent[c]
        v0, v1, v2, v3, v4, v5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if u >= 0:
            x, y, z = w[c, D_], w[c, D_ + 1], w[c, D_ + 2]
            v3, v4, v5 = w[u, V_ + 3], w[u, V_ + 4], w[u, V_ + 5]
            v0, v1, v2 = w[u, V_] + v4 * z - v5 * y, w[u, V_ + 1] + v5 * x - v3 * z, w[u, V_ + 2] + v3 * y - v4 * x
        rate = w[c, W_ + 1] - (w[c, U_] * v0 + w[c, U_ + 1] * v1 + w[c, U_ + 2] * v2)
        rate = (rate - (w[c, U_ + 3] * v3 + w[c, U_ + 4] * v4 + w[c, U_ + 5] * v5)) * w[c, W_]
        rates[0, group.dof[c]] = rate
        w[c, V_], w[c, V_ + 1], w[c, V_ + 2] = v0 + w[c, S_] * rate, v1 + w[c, S_ + 1] * rate, v2 + w[c, S_ + 2] * rate
        w[c, V_ + 3], w[c, V_ + 4] = v3 + w[c, S_ + 3] * rate, v4 + w[c, S_ + 4] * rate
        w[c, V_ + 5] = v5 + w[c, S_ + 5] * rate
        times_inertia(w, c, A_)
        for k in range(6):
            w[c, A_ + k] += w[c, F_ + k]
    g0, g1, g2 = gravity(group, scale)
    for c in range(group.kind.shape[0]):
        m = group.m[c]
        x = w[c, R_] * group.h[c, 0] + w[c, R_ + 1] * group.h[c, 1] + w[c, R_ + 2] * group.h[c, 2]
        y = w[c, R_ + 3] * group.h[c, 0] + w[c, R_ + 4] * group.h[c, 1] + w[c, R_ + 5] * group.h[c, 2]
        z = w[c, R_ + 6] * group.h[c, 0] + w[c, R_ + 7] * group.h[c, 1] + w[c, R_ + 8] * group.h[c, 2]
        w[c, F_], w[c, F_ + 1], w[c, F_ + 2] = -m * g0, -m * g1, -m * g2
        w[c, F_ + 3], w[c, F_ + 4], w[c, F_ + 5] = z * g1 - y * g2, x * g2 - z * g0, y * g0 - x * g1
    subtract_wrenches(links[0], links[1], links[2], w)
    gather(group, w, rates[1])
    for c in range(group.kind.shape[0]):
        last = c if group.kind[c] == SCREW else c + 3 - group.kind[c]
        v0, v1, v2 = w[last, V_], w[last, V_ + 1], w[last, V_ + 2]
        a, b, d = w[last, V_ + 3], w[last, V_ + 4], w[last, V_ + 5]
        s0, s1, s2, s3, s4, s5 = w[c, S_], w[c, S_ + 1], w[c, S_ + 2], w[c, S_ + 3], w[c, S_ + 4], w[c, S_ + 5]
        x = (b * s2 - d * s1 + v1 * s5 - v2 * s4) * w[c, A_] + (d * s0 - a * s2 + v2 * s3 - v0 * s5) * w[c, A_ + 1]
        x += (a * s1 - b * s0 + v0 * s4 - v1 * s3) * w[c, A_ + 2]
        x += (b * s5 - d * s4) * w[c, A_ + 3] + (d * s3 - a * s5) * w[c, A_ + 4] + (a * s4 - b * s3) * w[c, A_ + 5]
        i = group.dof[c]
        rates[1, i] = x - rates[1, i] + tau[i]
    return failed
